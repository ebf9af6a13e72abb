package documenttest

import (
	"bytes"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"fmt"
	"strings"
)

// PDF is a file with a page for each text. Lines of a text are lines of the page;
// a page of "" shows nothing, and one of Picture a picture.
func PDF(pages ...string) []byte { return pdfFile(pages, nil) }

// Picture is a page of PDF that shows a grey square and no text.
const Picture = "\x00picture"

// EncryptedPDF is a file that opens with the password only.
func EncryptedPDF(password string, pages ...string) []byte {
	return pdfFile(pages, newLock(password))
}

func pdfFile(pages []string, l *lock) []byte {
	var objects []string // object n is objects[n-1]
	kids := ""
	const fixed = 4
	for i := range pages {
		kids += fmt.Sprintf("%d 0 R ", fixed+1+2*i)
	}
	objects = append(objects, "<</Type/Catalog/Pages 2 0 R>>",
		fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids, len(pages)),
		"<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding>>",
		stream(l, 4, "/Type/XObject/Subtype/Image/Width 2/Height 2/ColorSpace/DeviceGray/BitsPerComponent 8", "\x10\x80\x80\xf0"))
	for i, text := range pages {
		objects = append(objects,
			fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 595 842]/Contents %d 0 R/Resources<</Font<</F 3 0 R>>/XObject<</I 4 0 R>>>>>>", fixed+2+2*i),
			stream(l, fixed+2+2*i, "", content(text)))
	}
	encrypt := ""
	if l != nil {
		objects = append(objects, l.dictionary())
		encrypt = fmt.Sprintf("/Encrypt %d 0 R/ID[<%x><%x>]", len(objects), l.id, l.id)
	}
	var file bytes.Buffer
	file.WriteString("%PDF-1.4\n")
	offsets := make([]int, len(objects))
	for i, object := range objects {
		offsets[i] = file.Len()
		fmt.Fprintf(&file, "%d 0 obj\n%s\nendobj\n", i+1, object)
	}
	table := file.Len()
	fmt.Fprintf(&file, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, offset := range offsets {
		fmt.Fprintf(&file, "%010d 00000 n \n", offset)
	}
	fmt.Fprintf(&file, "trailer<</Size %d/Root 1 0 R%s>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, encrypt, table)
	return file.Bytes()
}

func content(text string) string {
	if text == Picture {
		return "q 200 0 0 200 50 500 cm /I Do Q"
	}
	if text == "" {
		return ""
	}
	var c strings.Builder
	c.WriteString("BT /F 12 Tf 14 TL 50 780 Td\n")
	for line := range strings.SplitSeq(text, "\n") {
		escaped := strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(line)
		fmt.Fprintf(&c, "(%s) Tj T*\n", escaped)
	}
	c.WriteString("ET")
	return c.String()
}

func stream(l *lock, number int, dictionary, data string) string {
	if l != nil {
		data = l.encrypt(number, data)
	}
	return fmt.Sprintf("<<%s/Length %d>>stream\n%s\nendstream", dictionary, len(data), data)
}

// A lock is the oldest encryption of PDF: 40 bits of RC4, by the standard's
// algorithms 1 to 4 (ISO 32000-1, 7.6).
type lock struct {
	id, owner, user, key []byte
}

var padding = []byte("\x28\xBF\x4E\x5E\x4E\x75\x8A\x41\x64\x00\x4E\x56\xFF\xFA\x01\x08\x2E\x2E\x00\xB6\xD0\x68\x3E\x80\x2F\x0C\xA9\xFE\x64\x53\x69\x7A")

func newLock(password string) *lock {
	padded := append([]byte(password), padding...)[:32]
	l := &lock{id: []byte("0123456789abcdef")}
	sum := md5.Sum(padded)
	l.owner = crypt(sum[:5], padded)
	seed := append(append(bytes.Clone(padded), l.owner...), 0xfc, 0xff, 0xff, 0xff)
	sum = md5.Sum(append(seed, l.id...))
	l.key = bytes.Clone(sum[:5])
	l.user = crypt(l.key, padding)
	return l
}

func (l *lock) dictionary() string {
	return fmt.Sprintf("<</Filter/Standard/V 1/R 2/O<%x>/U<%x>/P -4>>", l.owner, l.user)
}

func (l *lock) encrypt(number int, data string) string {
	seed := binary.LittleEndian.AppendUint32(bytes.Clone(l.key), uint32(number))
	seed = append(seed[:8], 0, 0) // three bytes of the number, two of the generation
	sum := md5.Sum(seed)
	return string(crypt(sum[:10], []byte(data)))
}

func crypt(key, data []byte) []byte {
	cipher, err := rc4.NewCipher(key)
	if err != nil {
		panic(err) // of a key that is too long: a mistake here
	}
	out := make([]byte, len(data))
	cipher.XORKeyStream(out, data)
	return out
}
