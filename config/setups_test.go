package config

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

func TestWhatWasChosenForAModelIsThereAfterAStart(t *testing.T) {
	dir := t.TempDir()
	chosen := Setup{Plan: []byte(`{"contextTokens":4096}`), Build: "b1"}
	if err := OpenSetups(dir).Put("/m/a.gguf", 10, chosen); err != nil {
		t.Fatal(err)
	}
	s := OpenSetups(dir)
	if got, ok := s.Get("/m/a.gguf", 10); !ok || string(got.Plan) != string(chosen.Plan) || got.Build != "b1" {
		t.Errorf("got %s, %v", got.Plan, ok)
	}
	if _, ok := s.Get("/m/a.gguf", 11); ok {
		t.Error("another file of that name has it")
	}
	if err := s.Forget("/m/a.gguf", 10); err != nil {
		t.Fatal(err)
	}
	if _, ok := OpenSetups(dir).Get("/m/a.gguf", 10); ok {
		t.Error("what was forgotten is there after a start")
	}
}

func TestABrokenFileOfSetupsIsSetAside(t *testing.T) {
	for name, text := range map[string]string{"cut off": `{"a":{"pl`, "a list": `[1]`, "another kind": `{"a":7}`} {
		dir := t.TempDir()
		path := filepath.Join(dir, "setups.json")
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
		s := OpenSetups(dir)
		if _, ok := s.Get("a", 1); ok {
			t.Errorf("%s: something is remembered", name)
		}
		var problem *Error
		if !errors.As(s.Problem(), &problem) || problem.Problem != Broken {
			t.Fatalf("%s: problem %v", name, s.Problem())
		}
		if err := s.Put("a", 1, Setup{Plan: []byte(`{}`)}); err != nil {
			t.Errorf("%s: %v", name, err)
		}
		if kept, err := os.ReadFile(problem.SetAside); err != nil || string(kept) != text {
			t.Errorf("%s: set aside is %q, %v", name, kept, err)
		}
	}
}

func TestASetupThatCannotBeWrittenHoldsUntilTheEnd(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	s := OpenSetups(file)
	var unsaved *Error
	if err := s.Put("a", 1, Setup{Plan: []byte(`{}`)}); !errors.As(err, &unsaved) || unsaved.Problem != Unsaved || !strings.Contains(unsaved.Path, "setups.json") {
		t.Errorf("error %v", err)
	}
	if _, ok := s.Get("a", 1); !ok {
		t.Error("it does not hold")
	}
}

func TestAFileOfSetupsThatCannotBeReadIsLeftAlone(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "setups.json")
	before := OpenSetups(dir)
	if err := before.Put("old", 1, Setup{Plan: []byte(`{}`)}); err != nil {
		t.Fatal(err)
	}
	// Something in its place that can't be read, whoever runs the test.
	kept := filepath.Join(dir, "kept")
	if err := os.Rename(path, kept); err != nil {
		t.Fatal(err)
	}
	file, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	if err := errors.Join(file.Truncate(sizeLimit+1), file.Close()); err != nil {
		t.Fatal(err)
	}
	s := OpenSetups(dir)
	var unsaved, unreadable *Error
	if err := s.Put("new", 1, Setup{Plan: []byte(`{}`)}); !errors.As(err, &unsaved) || unsaved.Problem != Unsaved {
		t.Errorf("error %v", err)
	}
	if !errors.As(s.Problem(), &unreadable) || unreadable.Problem != Unreadable {
		t.Errorf("problem %v", s.Problem())
	}
	if _, ok := s.Get("new", 1); !ok {
		t.Error("what was chosen does not hold until the end")
	}
	if info, err := os.Stat(path); err != nil || info.Size() != sizeLimit+1 {
		t.Errorf("the file was replaced: %v, %v", info, err)
	}
}
