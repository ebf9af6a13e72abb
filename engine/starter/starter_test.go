package starter

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"paddock/engine/gguf"
)

func TestTheGuideBecomesAFile(t *testing.T) {
	cache := t.TempDir()
	path, err := Install(cache)
	if err != nil {
		t.Fatal(err)
	}
	facts, err := gguf.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	if facts.Kind != gguf.Model || facts.ChatTemplate == "" || facts.ContextTokens < 1024 || facts.NextNLayers != 1 || facts.Licence != "mit" {
		t.Errorf("%+v", facts)
	}
	draft, err := gguf.Read(filepath.Join(Folder(cache), DraftFile))
	if err != nil {
		t.Fatal(err)
	}
	if draft.Vocabulary != facts.Vocabulary {
		t.Errorf("the draft's vocabulary is %+v, the Guide's %+v", draft.Vocabulary, facts.Vocabulary)
	}
	const limit = 8 << 20 // of the weights in the program
	if size := facts.SizeBytes + draft.SizeBytes; size > limit {
		t.Errorf("%d bytes of weights", size)
	}
}

func TestACutFileIsWrittenAnew(t *testing.T) {
	cache := t.TempDir()
	path, err := Install(cache)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Truncate(path, 100); err != nil {
		t.Fatal(err)
	}
	if _, err := Install(cache); err != nil {
		t.Fatal(err)
	}
	if _, err := gguf.Read(path); err != nil {
		t.Error(err)
	}
	entries, err := os.ReadDir(Folder(cache))
	if err != nil || len(entries) != 2 {
		t.Errorf("left in the folder: %v, %v", entries, err)
	}
}

func TestAnIntactFileIsLeftAlone(t *testing.T) {
	cache := t.TempDir()
	path, err := Install(cache)
	if err != nil {
		t.Fatal(err)
	}
	before, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := Install(cache); err != nil {
		t.Fatal(err)
	}
	if after, err := os.Stat(path); err != nil || !os.SameFile(before, after) {
		t.Errorf("it was written again (%v)", err)
	}
}

func TestAFolderThatCannotBeWrittenIsAnError(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var failed *Error
	if _, err := Install(file); !errors.As(err, &failed) || failed.Folder != Folder(file) {
		t.Errorf("got %v", err)
	}
}
