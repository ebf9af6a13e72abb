package config

import (
	"os"
	"path/filepath"
	"testing"
)

func TestWhatWasLearnedIsThereAfterAStart(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "cache")
	if err := OpenLearned(dir).Put("/m/a.gguf", 10, "b1", map[string]uint64{"ram": 5}); err != nil {
		t.Fatal(err)
	}
	l := OpenLearned(dir)
	if got := l.Get("/m/a.gguf", 10, "b1"); got["ram"] != 5 {
		t.Errorf("got %v", got)
	}
	for name, got := range map[string]map[string]uint64{
		"another build": l.Get("/m/a.gguf", 10, "b2"), "a changed file": l.Get("/m/a.gguf", 11, "b1"), "another model": l.Get("/m/b.gguf", 10, "b1"),
	} {
		if got != nil {
			t.Errorf("%s has %v", name, got)
		}
	}
}

func TestAFileThatMakesNoSenseIsLearnedAnew(t *testing.T) {
	for name, text := range map[string]string{"empty": "", "null": "null", "a list": "[1]", "negative": `{"a":{"ram":-5}}`} {
		dir := t.TempDir()
		if err := os.WriteFile(filepath.Join(dir, "memory.json"), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		l := OpenLearned(dir)
		if got := l.Get("m", 1, "b"); got != nil {
			t.Errorf("%s: got %v", name, got)
		}
		if err := l.Put("m", 1, "b", map[string]uint64{"ram": 1}); err != nil || l.Get("m", 1, "b")["ram"] != 1 {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestLearningIsBoundedAndSaysWhenItCannotBeKept(t *testing.T) {
	l := OpenLearned(t.TempDir())
	for i := range learnedKept + 20 {
		if i%100 == 0 || i > learnedKept-5 { // writing each takes a while
			if err := l.Put("m", uint64(i), "b", nil); err != nil {
				t.Fatal(err)
			}
			continue
		}
		l.kept.mu.Lock()
		l.kept.all[learnedKey("m", uint64(i), "b")] = nil
		l.kept.mu.Unlock()
	}
	if len(l.kept.all) > learnedKept {
		t.Errorf("%d are kept", len(l.kept.all))
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	blocked := OpenLearned(file)
	if err := blocked.Put("m", 1, "b", map[string]uint64{"ram": 7}); err == nil {
		t.Error("no error where it can't be written")
	}
	if blocked.Get("m", 1, "b")["ram"] != 7 {
		t.Error("it does not hold until the end")
	}
}
