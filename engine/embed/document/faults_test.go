package document

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"paddock/engine/embed/document/documenttest"
)

func TestAFileThatChangesWhileItIsReadIsNoticed(t *testing.T) {
	text := strings.Repeat("A line of text.\n", 20000)
	const rewritten = "B"
	tests := map[string]func(t *testing.T, path string){
		"it grows": func(t *testing.T, path string) { put(t, path, text+"more\n") },
		"it is cut": func(t *testing.T, path string) {
			if err := os.Truncate(path, 1000); err != nil {
				t.Fatal(err)
			}
		},
		"another of the same size": func(t *testing.T, path string) { put(t, path, rewritten+text[1:]) },
		"another of the same size and time": func(t *testing.T, path string) {
			info, err := os.Stat(path)
			if err != nil {
				t.Fatal(err)
			}
			f, err := os.OpenFile(path, os.O_WRONLY, 0)
			if err != nil {
				t.Fatal(err)
			}
			defer f.Close()
			if _, err := f.WriteAt([]byte(rewritten), 200_000); err != nil {
				t.Fatal(err)
			}
			if err := os.Chtimes(path, time.Time{}, info.ModTime()); err != nil {
				t.Fatal(err)
			}
		},
		"one put in its place": func(t *testing.T, path string) {
			put(t, path+".new", rewritten+text[1:])
			if err := os.Rename(path+".new", path); err != nil {
				t.Fatal(err)
			}
		},
		"it is gone": func(t *testing.T, path string) {
			if err := os.Remove(path); err != nil {
				t.Fatal(err)
			}
		},
	}
	for name, change := range tests {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "a.txt")
			put(t, path, text)
			last := readChanging(t, path, func() { change(t, path) })
			var e *Error
			if !errors.As(last, &e) || e.Problem != Changed || e.Partial || e.Path != path {
				t.Errorf("%v", last)
			}
		})
	}
	t.Run("but touching it is no change", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a.txt")
		put(t, path, text)
		if last := readChanging(t, path, func() {
			if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
				t.Fatal(err)
			}
		}); last != nil {
			t.Error(last)
		}
	})
	t.Run("a docx too", func(t *testing.T) {
		path := filepath.Join(t.TempDir(), "a.docx")
		put(t, path, string(documenttest.Docx(t, documenttest.Paragraph("", "one"))))
		last := readChanging(t, path, func() { put(t, path, string(documenttest.Docx(t, documenttest.Paragraph("", "two")))) })
		var e *Error
		if !errors.As(last, &e) || e.Problem != Changed {
			t.Errorf("%v", last)
		}
	})
}

func put(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

// readChanging reads a file that is changed at the first piece, and gives the last
// error.
func readChanging(t *testing.T, path string, change func()) (last error) {
	t.Helper()
	d, err := Read(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	first := true
	for _, err := range d.Pieces() {
		if first {
			change()
			first = false
		}
		last = err
	}
	return last
}

// endless is a file of a line again and again that nobody has to have on a disk.
type endless struct {
	line string
	size int64
}

func (e endless) ReadAt(p []byte, offset int64) (int, error) {
	n := int(min(int64(len(p)), e.size-offset))
	for at := 0; at < n; {
		at += copy(p[at:n], e.line[(offset+int64(at))%int64(len(e.line)):])
	}
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

type sized struct {
	fs.FileInfo
	size int64
}

func (s sized) Size() int64        { return s.size }
func (s sized) ModTime() time.Time { return time.Time{} }

// endlessDocument is a document of a file that is not there.
func endlessDocument(t testing.TB, ctx context.Context, name, line string, size int64) *Document {
	t.Helper()
	d, err := read(ctx, &source{
		path: name, at: endless{line, size}, size: size,
		stat: func() (fs.FileInfo, error) { return sized{size: size}, nil },
	}, Options{})
	if err != nil {
		t.Fatal(err)
	}
	return d
}

func TestAFileOfGigabytesTakesNoMemoryToSpeakOf(t *testing.T) {
	const size, limit = 2 << 30, 64 << 20
	line := strings.Repeat("Some words of a long text, ", 150) + "and its end.\n"
	d := endlessDocument(t, t.Context(), "a.txt", line, size)
	var most, read uint64
	var memory runtime.MemStats
	n := 0
	for p, err := range d.Pieces() {
		if err != nil {
			t.Fatal(err)
		}
		read += uint64(len(p.Text))
		if n++; n%10_000 == 0 {
			runtime.ReadMemStats(&memory)
			most = max(most, memory.HeapInuse)
		}
	}
	if read != size || most > limit {
		t.Errorf("%d bytes, %d MiB of memory", read, most>>20)
	}
}

func TestTablesAndListsWithoutAnEndTakeNoMemoryToSpeakOf(t *testing.T) {
	const size, limit = 40 << 20, 64 << 20
	tests := []struct{ name, line string }{
		{"a.csv", "1,\"a \"\"row\"\" of text, and more\",x\n"},
		{"a.jsonl", `{"id":1,"text":"a row of text"}` + "\n"},
		{"a.md", "# A heading\nand text\n"},
		{"a.html", "<!doctype html><p>some <b>text</b> <div>"},
		{"one line.txt", "no end of a line "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			d := endlessDocument(t, t.Context(), test.name, test.line, size)
			var most uint64
			var memory runtime.MemStats
			n := 0
			for range d.Pieces() {
				if n++; n%50_000 == 0 {
					runtime.ReadMemStats(&memory)
					most = max(most, memory.HeapInuse)
				}
			}
			if n == 0 || most > limit {
				t.Errorf("%d pieces, %d MiB of memory", n, most>>20)
			}
		})
	}
}

func TestASparseFileIsNoText(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.txt")
	put(t, path, strings.Repeat("text\n", 20000))
	if err := os.Truncate(path, 256<<20); err != nil {
		t.Fatal(err)
	}
	_, err := Read(t.Context(), path, Options{})
	var e *Error
	if !errors.As(err, &e) || e.Problem != Binary || e.Offset != 100_000 {
		t.Errorf("%v", err)
	}
}

func TestReadingEndsWhenItIsToldTo(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	d := endlessDocument(t, ctx, "a.txt", "a line of text\n", 8<<20)
	n := 0
	var last error
	for _, err := range d.Pieces() {
		if n++; n == 10 {
			cancel()
		}
		last = err
	}
	if n > 20 || !errors.Is(last, context.Canceled) {
		t.Errorf("%d pieces, %v", n, last)
	}
	if _, err := read(ctx, d.src, Options{}); !errors.Is(err, context.Canceled) {
		t.Errorf("%v", err)
	}
	n = 0
	for range endlessDocument(t, t.Context(), "a.txt", "a line of text\n", 8<<20).Pieces() {
		if n++; n == 10 {
			break
		}
	}
	if n != 10 {
		t.Error(n)
	}
}

func TestAPageThatTakesTooLongIsGivenUpAndTheRestGoesOn(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pdf")
	put(t, path, string(documenttest.PDF("one", "two", "three")))
	d, err := Read(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p := &pdf{d: d, limit: pageLimit, reader: pdfs}
	if _, err := p.open(); err != nil {
		t.Fatal(err)
	}
	defer p.close()
	p.limit = 0
	if _, _, err := p.page(2); !errors.Is(err, errSlowPage) || p.instance != nil {
		t.Errorf("%v", err)
	}
	p.limit = pageLimit
	text, shows, err := p.page(3)
	if err != nil || strings.TrimSpace(text) != "three" || !shows {
		t.Errorf("%q, %t, %v", text, shows, err)
	}
}

func TestAPDFBombIsStopped(t *testing.T) {
	// A page whose fonts and forms refer to themselves, over and over.
	var file strings.Builder
	file.WriteString("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n")
	file.WriteString("3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 9 9]/Contents 10 0 R/Resources<</XObject<</X 11 0 R>>>>>>endobj\n")
	draw := strings.Repeat("/X Do ", 10)
	for i := range 12 {
		fmt.Fprintf(&file, "%d 0 obj<</Type/XObject/Subtype/Form/BBox[0 0 9 9]/Resources<</XObject<</X %d 0 R>>>>/Length %d>>stream\n%s\nendstream endobj\n", 10+i, 11+i, len(draw), draw)
	}
	file.WriteString("trailer<</Root 1 0 R>>\n")
	path := filepath.Join(t.TempDir(), "a.pdf")
	put(t, path, file.String())
	d, err := Read(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	p := &pdf{d: d, limit: 2 * time.Second, reader: pdfs}
	if _, err := p.open(); err != nil {
		t.Fatal(err)
	}
	defer p.close()
	started := time.Now()
	_, _, err = p.page(1)
	if time.Since(started) > time.Minute { // it would take hours
		t.Errorf("after %v: %v", time.Since(started), err)
	}
	t.Logf("%v: %v", time.Since(started), err)
}

func TestNothingOfABombIsGivenOut(t *testing.T) {
	path := filepath.Join(t.TempDir(), "bomb.docx")
	if err := os.WriteFile(path, documenttest.Bomb(t, 32<<20), 0o600); err != nil {
		t.Fatal(err)
	}
	d, err := Read(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	for piece, err := range d.Pieces() {
		var read *Error
		if piece.Text != "" || !errors.As(err, &read) || read.Problem != Bomb {
			t.Fatalf("%d bytes, %v", len(piece.Text), err)
		}
	}
}
