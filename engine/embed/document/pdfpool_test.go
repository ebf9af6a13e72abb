package document

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/klippa-app/go-pdfium"
	"github.com/tetratelabs/wazero"

	"paddock/engine/embed/document/documenttest"
)

func TestMain(m *testing.M) {
	CacheIn(documenttest.Translations())
	os.Exit(m.Run())
}

func TestPdfiumsTranslationIsKeptForTheNextProcess(t *testing.T) {
	if _, err := pdfPool(); err != nil {
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
