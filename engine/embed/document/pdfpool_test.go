package document

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/klippa-app/go-pdfium/responses"
	"github.com/tetratelabs/wazero"

	"paddock/engine/embed/document/documenttest"
)

func TestMain(m *testing.M) {
	CacheIn(documenttest.Translations())
	os.Exit(m.Run())
}

func TestPdfiumsTranslationIsKeptForTheNextProcess(t *testing.T) {
	if _, err := pdfs.opened(); err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(filepath.Join(documenttest.Translations(), "*", "*"))
	if err != nil || len(kept) == 0 {
		t.Errorf("kept are %v, %v", kept, err)
	}
}

func TestAFolderThatCannotBeUsedDoesNotKeepPDFsFromBeingRead(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, c := range map[string]struct {
		folder string
		made   int
	}{
		"no folder was named":              {"", 1},
		"a file is in its place":           {filepath.Join(file, "pdfium"), 1},
		"the translation can't be written": {t.TempDir(), 2},
	} {
		made := 0
		_, err := pdfPoolIn(c.folder, func(wazero.RuntimeConfig) (pdfium.Pool, error) {
			if made++; made < c.made {
				return nil, errors.New("no space left on device")
			}
			return nil, nil
		})
		if err != nil || made != c.made {
			t.Errorf("%s: %v after %d attempts", name, err, made)
		}
	}
}

// textOf reads a file to its end, with the last error.
func textOf(t *testing.T, path string, reader *pdfReader) (string, error) {
	t.Helper()
	d, err := Read(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	d.pieces = func(d *Document, y yield) error { return reader.read(d, y) }
	text := ""
	for p, e := range d.Pieces() {
		text, err = text+p.Text, e
	}
	return strings.TrimSpace(text), err
}

func TestAReaderOfPDFsThatDoesNotStartIsNotTheFilesFaultAndTriedAgain(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pdf")
	put(t, path, string(documenttest.PDF("one")))
	for name, fail := range map[string]func() (pdfium.Pool, error){
		"it can't be made":        func() (pdfium.Pool, error) { return nil, syscall.ENOMEM },
		"it can't open a machine": func() (pdfium.Pool, error) { return fullPool{}, nil },
	} {
		t.Run(name, func(t *testing.T) {
			reader := &pdfReader{make: func(wazero.RuntimeConfig) (pdfium.Pool, error) { return fail() }}
			_, err := textOf(t, path, reader)
			var e *Error
			if !errors.As(err, &e) || e.Problem != NoReader || e.Partial || e.Path != path || e.Kind != PDF || !errors.Is(err, syscall.ENOMEM) {
				t.Fatalf("%v", err)
			}
		})
	}
	reader := &pdfReader{make: func(wazero.RuntimeConfig) (pdfium.Pool, error) { return nil, syscall.ENOMEM }}
	if _, err := textOf(t, path, reader); err == nil {
		t.Error("it was read without a reader")
	}
	reader.make = newPDFPool
	if text, err := textOf(t, path, reader); text != "one" || err != nil {
		t.Errorf("once there is memory: %q, %v", text, err)
	}
	reader.pool.Close()
}

// A fullPool has no memory for a machine.
type fullPool struct{ pdfium.Pool }

func (fullPool) GetInstanceWithContext(context.Context) (pdfium.Pdfium, error) {
	return nil, syscall.ENOMEM
}

// A slowPDF is a machine that opens a document when it is released.
type slowPDF struct {
	pdfium.Pdfium
	released, killed chan struct{}
}

func (s slowPDF) OpenDocument(*requests.OpenDocument) (*responses.OpenDocument, error) {
	<-s.released
	return &responses.OpenDocument{Document: "late"}, nil
}

func (s slowPDF) FPDF_GetPageCount(*requests.FPDF_GetPageCount) (*responses.FPDF_GetPageCount, error) {
	return &responses.FPDF_GetPageCount{PageCount: 7}, nil
}

func (s slowPDF) Kill() error {
	close(s.killed)
	return nil
}

// A slowPool gives one.
type slowPool struct {
	pdfium.Pool
	pdf slowPDF
}

func (s slowPool) GetInstanceWithContext(context.Context) (pdfium.Pdfium, error) { return s.pdf, nil }

// Run with the race detector, this is also about who writes what when.
func TestWhatIsOpenedAfterItWasGivenUpIsNotUsed(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.pdf")
	put(t, path, string(documenttest.PDF("one")))
	d, err := Read(t.Context(), path, Options{})
	if err != nil {
		t.Fatal(err)
	}
	defer d.Close()
	slow := slowPDF{released: make(chan struct{}), killed: make(chan struct{})}
	before := runtime.NumGoroutine()
	p := &pdf{d: d, reader: &pdfReader{pool: slowPool{pdf: slow}}}
	pages, err := p.open()
	if !errors.Is(err, errSlowPage) || p.instance != nil {
		t.Fatalf("%v", err)
	}
	<-slow.killed
	close(slow.released)
	for end := time.Now().Add(time.Minute); runtime.NumGoroutine() > before; time.Sleep(time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it still opens")
		}
	}
	if p.document != "" || pages != 0 {
		t.Errorf("the document is %q with %d pages", p.document, pages)
	}
}
