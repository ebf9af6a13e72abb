package cli

import (
	"encoding/json"
	"os"
	"path/filepath"
	"testing"

	"paddock/engine/build"
)

func TestTheVersionNamesProgramCommitAndEngine(t *testing.T) {
	bundle, odd := t.TempDir(), t.TempDir()
	for folder, manifest := range map[string]string{
		bundle: "# The engine\nmade-from 12\nversion: 0.7.0 (build 11669, commit Debian)\namd64 libc6 2.43-7 5c\n",
		odd:    "version: of no known form\n",
	} {
		if err := os.WriteFile(filepath.Join(folder, build.Manifest), []byte(manifest), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		hooks Hooks
		want  string
	}{
		"all that is known":                     {Hooks{Version: "1.2", Commit: "abc", BundledEngine: bundle}, "paddock 1.2, commit abc, engine llama.cpp 0.7.0 (b11669)"},
		"a program built without git":           {Hooks{Version: "1.2", BundledEngine: bundle}, "paddock 1.2, engine llama.cpp 0.7.0 (b11669)"},
		"a program alone":                       {Hooks{Version: "1.2", Commit: "abc", BundledEngine: t.TempDir()}, "paddock 1.2, commit abc, no engine beside it"},
		"a bundle that does not say what it is": {Hooks{Version: "1.2", BundledEngine: odd}, "paddock 1.2, no engine beside it"},
	} {
		if got := c.hooks.version(false); got != c.want {
			t.Errorf("%s: %q, want %q", name, got, c.want)
		}
	}

	var got map[string]string
	if err := json.Unmarshal([]byte(Hooks{Version: "1.2", Commit: "abc", BundledEngine: bundle}.version(true)), &got); err != nil {
		t.Fatal(err)
	}
	if got["version"] != "1.2" || got["commit"] != "abc" || got["engine"] != "0.7.0 (b11669)" {
		t.Errorf("as JSON: %v", got)
	}
}

func TestTheGrammarHasEveryCommandWithItsHelp(t *testing.T) {
	g := Grammar()
	if len(g.Children) < 10 {
		t.Errorf("only %d commands", len(g.Children))
	}
	for _, command := range g.Children {
		if command.Help == "" || command.Help[0] == '$' {
			t.Errorf("the help of %s is %q", command.Name, command.Help)
		}
	}
}
