package words

import (
	"strings"
	"testing"

	"paddock/engine/build"
)

func TestWherePaddockHasNoEngineOfItsOwnItIsSaidHowToGetOne(t *testing.T) {
	missing := &build.Error{Path: "/apps/engine", Problem: build.Missing}
	for system, want := range map[string]string{
		"linux":   "install Paddock again",
		"windows": "Get llama.cpp for it",
		"darwin":  "Get llama.cpp for it",
	} {
		s := buildError(missing, system)
		if s.Key != "build.missing" || s.Message != "There is no engine at /apps/engine." {
			t.Errorf("%s: %s, %q", system, s.Key, s.Message)
		}
		if !strings.Contains(s.Remedy, want) || !strings.Contains(s.Remedy, "in Settings") {
			t.Errorf("%s: %q", system, s.Remedy)
		}
		if !strings.Contains(s.TerminalRemedy, want) || !strings.Contains(s.TerminalRemedy, "--engine") {
			t.Errorf("%s, on a terminal: %q", system, s.TerminalRemedy)
		}
	}
	if s := buildError(&build.Error{Path: "/e", Problem: build.TimedOut}, "windows"); s.Message != "The engine /e does not answer." {
		t.Errorf("another problem: %q", s.Message)
	}
}
