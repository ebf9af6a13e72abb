package picturetest

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	"paddock/engine/picture"
)

// Mixed writes 200 pictures into a folder and folders in it: good ones of all kinds,
// turned, huge, tiny, broken, with the wrong suffix and with names in Unicode. good is how
// many of them can be answered, bad how many can't. Beside them there are a text and a
// hidden picture, which are none of them.
func Mixed(t testing.TB) (folder string, good, bad int) {
	t.Helper()
	folder = t.TempDir()
	png := func(w, h int) []byte { return Encode(t, "png", Photo(w, h)) }
	jpeg := func(w, h int) []byte { return Encode(t, "jpeg", Photo(w, h)) }
	write := func(name string, data []byte) {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	n := 0
	put := func(ok bool, pattern string, data []byte) {
		n++
		write(filepath.Join(fmt.Sprintf("%02d", n%5), fmt.Sprintf(pattern, n)), data)
		if ok {
			good++
		} else {
			bad++
		}
	}
	for i := range 14 {
		put(true, "good %d.png", png(64+i, 48))
		put(true, "photo-%d.JPG", jpeg(120, 90+i))
		put(true, "turned-%d.jpg", WithEXIF(t, jpeg(100, 60), EXIF(uint16(1+i%8), "here")))
		put(true, "tiny-%d.png", png(picture.MinSide+i%3, picture.MinSide))
		put(true, "日本語 é 🦙 %d.png", png(50, 50+i))
		put(true, "called-png-%d.png", jpeg(64, 64)) // but is none
		put(true, "no-suffix-%d", png(40, 40))
		put(true, "a-text-%d.txt", png(41, 40))
		put(false, "half-%d.png", png(64, 64)[:300])
		put(false, "sub-pixel-%d.png", png(1, 40))
		put(false, "words-%d.jpg", []byte("This is not a picture."))
		put(false, "empty-%d.webp", nil)
		put(false, "drawing-%d.svg", []byte(`<svg xmlns="http://www.w3.org/2000/svg"></svg>`))
	}
	for i, kind := range []string{"gif", "bmp", "tiff"} {
		put(true, "other-%d."+kind, Encode(t, kind, Quadrants(60, 40+i)))
	}
	put(true, "%d.heic", File(t, "quadrants.heic"))
	put(true, "%d.webp", File(t, "lossy.webp"))
	put(true, "four-inks-%d.jpg", File(t, "ycck.jpg"))
	put(true, "moves-%d.gif", Animation(t))
	put(true, "huge-%d.jpg", jpeg(6000, 4000))
	put(true, "wide-%d.png", png(9000, 20))
	const side = "\x00\x00\x9c\x40" // 40,000 pixels
	put(false, "bomb-%d.png", append([]byte("\x89PNG\r\n\x1a\n"), Chunk("IHDR", []byte(side+side+"\x08\x06\x00\x00\x00"))...))
	for n < 200 {
		put(true, "more-%d.png", png(44, 44))
	}
	// What is no picture's is no picture.
	write(filepath.Join("00", "notes.txt"), []byte("hello"))
	write(filepath.Join("00", ".thumbs.png"), png(40, 40))
	return folder, good, bad
}
