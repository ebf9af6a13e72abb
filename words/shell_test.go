package words

import (
	"os/exec"
	"strings"
	"testing"
	"unicode"
)

func TestWordsAreQuotedForAShell(t *testing.T) {
	for arg, want := range map[string]string{
		"/m/Qwen3-8B.gguf": "/m/Qwen3-8B.gguf",
		"/m/modèle.gguf":   "/m/modèle.gguf",
		"":                 "''",
		"two words":        "'two words'",
		"it's $HOME":       `'it'\''s $HOME'`,
		"~/x":              "'~/x'",
		"a\x1b[31m1\n":     `$'a\033[31m1\012'`,
		"it's\x01\\":       `$'it\'s\001\\'`,
		"bad\xff.gguf":     `$'bad\377.gguf'`,
		"\u202eggug.exe":   `$'\342\200\256ggug.exe'`,
	} {
		got := Shell([]string{arg})
		if got != want {
			t.Errorf("%q is %s, want %s", arg, got, want)
		}
		if strings.ContainsFunc(got, func(r rune) bool { return !unicode.IsPrint(r) }) {
			t.Errorf("%q would act on a terminal", got)
		}
		bash, err := exec.Command("bash", "-c", "printf %s "+got).Output()
		if err != nil || string(bash) != arg {
			t.Errorf("a shell takes %s for %q, %v", got, bash, err)
		}
	}
}
