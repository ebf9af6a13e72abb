package main

import (
	"bytes"
	"compress/gzip"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"paddock/cli"
)

func TestTheManPageNamesEveryCommandAndFlag(t *testing.T) {
	zipped, err := os.Open(filepath.Join(staged(t), "paddock/usr/share/man/man1/paddock.1.gz"))
	if err != nil {
		t.Fatal(err)
	}
	defer zipped.Close()
	r, err := gzip.NewReader(zipped)
	if err != nil {
		t.Fatal(err)
	}
	page, err := io.ReadAll(r)
	if err != nil {
		t.Fatal(err)
	}
	g := cli.Grammar()
	for _, command := range g.Children {
		if !bytes.Contains(page, []byte("\n.SS paddock "+command.Name)) {
			t.Errorf("no %s", command.Name)
		}
	}
	for _, flag := range everyFlag(g) {
		if !bytes.Contains(page, []byte(`\-\-`+roff(flag.Name)+`\fR`)) {
			t.Errorf("no --%s", flag.Name)
		}
	}
	for line := range strings.Lines(string(page)) {
		if strings.HasPrefix(line, "'") || strings.HasPrefix(line, ".") && !strings.ContainsAny(line[1:2], "TSBIRb") {
			t.Errorf("this line is taken for a command: %s", line)
		}
	}
	if !bytes.HasPrefix(page, []byte(`.TH PADDOCK 1 2023-11-14 "Paddock 1.2.3"`)) {
		t.Errorf("it begins with %.80s", page)
	}
}

func TestTextStaysTextInAManPage(t *testing.T) {
	for text, want := range map[string]string{
		"--a": `\-\-a`, `a\b`: `a\eb`, ".TH": `\&.TH`, "'x": `\&'x`, "a\nb": "a b",
	} {
		if got := roff(text); got != want {
			t.Errorf("%q is %q, want %q", text, got, want)
		}
	}
	g := cli.Grammar()
	g.Help = ".TH"
	if page := manPage(g, "1", time.Now()); bytes.Contains(page, []byte("\n.TH\n")) {
		t.Error("a help text became a command")
	}
}

// finished is what bash makes of a command line whose last word is not finished.
func finished(t *testing.T, words ...string) []string {
	t.Helper()
	script := filepath.Join(t.TempDir(), "paddock")
	if err := os.WriteFile(script, bash(cli.Grammar()), 0o600); err != nil {
		t.Fatal(err)
	}
	var line strings.Builder
	line.WriteString("set -u; . " + script + "; COMP_WORDS=(")
	for _, word := range words {
		line.WriteString("'" + word + "' ")
	}
	line.WriteString(`); COMP_CWORD=$((${#COMP_WORDS[@]} - 1)); _paddock; printf '%s\n' "${COMPREPLY[@]}"`)
	shell := exec.Command("bash", "--norc", "-c", line.String())
	shell.Dir = files(t, map[string]string{"folder/x": "", "file": ""})
	out, err := shell.CombinedOutput()
	if err != nil {
		t.Fatalf("bash: %v\n%s", err, out)
	}
	return strings.Fields(string(out))
}

func TestBashFinishesWords(t *testing.T) {
	for name, c := range map[string]struct {
		words []string
		want  []string
	}{
		"a command":                      {[]string{"paddock", "che"}, []string{"check"}},
		"a command after a flag":         {[]string{"paddock", "--json", "cap"}, []string{"caption"}},
		"a flag of every command":        {[]string{"paddock", "--js"}, []string{"--json"}},
		"a flag of one command":          {[]string{"paddock", "check", "m.gguf", "--cache-"}, []string{"--cache-k", "--cache-v", "--cache-reuse"}},
		"no flag of another command":     {[]string{"paddock", "engines", "--cache-"}, nil},
		"one of a list":                  {[]string{"paddock", "check", "--flash-attn", "o"}, []string{"on", "off"}},
		"one of a list after a sign":     {[]string{"paddock", "check", "--flash-attn", "=", "au"}, []string{"auto"}},
		"all of a list after a sign":     {[]string{"paddock", "check", "--projector-device", "="}, []string{"gpu", "cpu"}},
		"a folder":                       {[]string{"paddock", "--config", "f"}, []string{"folder"}},
		"a file, which is left to bash":  {[]string{"paddock", "--log", "f"}, nil},
		"a model, which is left to bash": {[]string{"paddock", "check", "f"}, nil},
	} {
		got := finished(t, c.words...)
		slices.Sort(got)
		slices.Sort(c.want)
		if !slices.Equal(got, c.want) {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}
}

func TestOtherShellsKnowEveryCommandAndFlag(t *testing.T) {
	g := cli.Grammar()
	for shell, text := range map[string]string{"zsh": string(zsh(g)), "fish": string(fish(g))} {
		for _, command := range g.Children {
			if !strings.Contains(text, command.Name) {
				t.Errorf("%s: no %s", shell, command.Name)
			}
		}
		for _, flag := range everyFlag(g) {
			if !strings.Contains(text, "--"+flag.Name) && !strings.Contains(text, "-l "+flag.Name) {
				t.Errorf("%s: no --%s", shell, flag.Name)
			}
		}
		if strings.Contains(text, "${") {
			t.Errorf("%s: a help text is not filled in", shell)
		}
	}
	if got := fishQuoted(`it's \ `); got != `'it\'s \\ '` {
		t.Errorf("fish: %s", got)
	}
	if got := zshQuoted("it's"); got != `'it'\''s'` {
		t.Errorf("zsh: %s", got)
	}
}
