package document

import (
	"archive/zip"
	"context"
	"errors"
	"io"
	"strings"
)

// What an archive may be. A long book is some megabytes; a bomb is gigabytes of
// one letter, which pack to a thousandth.
const (
	maxEntries     = 20_000
	maxUnpacked    = 1 << 30 // bytes, of all that is read of one file
	maxRatio       = 250     // unpacked to packed, of what is larger than ratioFromBytes
	ratioFromBytes = 16 << 20
	maxPartBytes   = 32 << 20 // of a part that is held in memory
)

// An archive is a zip whose size was not believed.
type archive struct {
	ctx      context.Context
	entries  map[string]*zip.File
	unpacked *uint64 // so far
}

var errLocked = errors.New("the archive has a password")

func (d *Document) openZip() (*archive, error) {
	z, err := zip.NewReader(d.src.at, d.src.size)
	if err != nil {
		return nil, d.failed(Broken, err)
	}
	if len(z.File) > maxEntries {
		e := d.failed(TooMany, nil)
		e.Limit = maxEntries
		return nil, e
	}
	a := &archive{ctx: d.ctx, entries: map[string]*zip.File{}, unpacked: new(uint64)}
	for _, f := range z.File {
		if _, twice := a.entries[f.Name]; !twice {
			a.entries[f.Name] = f
		}
	}
	return a, nil
}

// beyondMeasure says whether so many bytes can't come of so many.
func beyondMeasure(unpacked, packed uint64) bool {
	return unpacked > ratioFromBytes && unpacked/maxRatio > packed
}

// open reads an entry as it unpacks, nil when there is none. One that says of itself
// that it grows beyond measure is a *Error, and reading one that does so ends in one.
func (a *archive) open(name string) (io.ReadCloser, error) {
	f := a.entries[name]
	if f == nil {
		return nil, nil
	}
	if f.Flags&1 != 0 {
		return nil, &Error{Problem: Encrypted, Err: errLocked}
	}
	if beyondMeasure(f.UncompressedSize64, f.CompressedSize64) { // before anything of it is cut and embedded
		return nil, &Error{Problem: Bomb, Limit: maxRatio}
	}
	r, err := f.Open()
	if err != nil {
		return nil, &Error{Problem: Broken, Err: err}
	}
	return &unpacking{ReadCloser: r, a: a, packed: f.CompressedSize64}, nil
}

type unpacking struct {
	io.ReadCloser
	a      *archive
	packed uint64
	given  uint64
}

func (u *unpacking) Read(p []byte) (int, error) {
	if err := u.a.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := u.ReadCloser.Read(p)
	u.given += uint64(n)
	*u.a.unpacked += uint64(n)
	if *u.a.unpacked > maxUnpacked {
		return n, &Error{Problem: Bomb, LimitBytes: maxUnpacked}
	}
	if beyondMeasure(u.given, u.packed) {
		return n, &Error{Problem: Bomb, Limit: maxRatio}
	}
	return n, err
}

// part is a small entry whole, nil when there is none.
func (a *archive) part(name string) ([]byte, error) {
	r, err := a.open(name)
	if err != nil || r == nil {
		return nil, err
	}
	defer r.Close()
	data, err := io.ReadAll(io.LimitReader(r, maxPartBytes+1))
	if err == nil && len(data) > maxPartBytes {
		return nil, &Error{Problem: Bomb, LimitBytes: maxPartBytes}
	}
	return data, err
}

// sniffZip says what an archive is.
func (d *Document) sniffZip() (Kind, error) {
	a, err := d.openZip()
	if err != nil {
		return "", err
	}
	unsupported := func(looks string) error {
		e := d.failed(Unsupported, nil)
		e.Looks = looks
		return e
	}
	mime := ""
	if f := a.entries["mimetype"]; f != nil && f.UncompressedSize64 < 200 {
		data, err := a.part("mimetype")
		if err != nil {
			return "", d.wrap(err)
		}
		mime = strings.TrimSpace(string(data))
	}
	switch {
	case a.entries["word/document.xml"] != nil:
		return Docx, nil
	case mime == "application/epub+zip", a.entries["META-INF/container.xml"] != nil && mime == "":
		return EPUB, nil
	case strings.HasPrefix(mime, "application/vnd.oasis.opendocument"):
		return "", unsupported("odf")
	case a.entries["xl/workbook.xml"] != nil:
		return "", unsupported("xlsx")
	case a.entries["ppt/presentation.xml"] != nil:
		return "", unsupported("pptx")
	}
	e := d.failed(Binary, nil)
	e.Looks = "archive"
	return "", e
}
