package cli

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/library/librarytest"
)

func makeTree(t *testing.T) librarytest.Expected {
	t.Helper()
	dir := t.TempDir()
	tree, err := librarytest.Tree(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := librarytest.Unlock(dir); err != nil {
			t.Error(err)
		}
	})
	return tree
}

// The stores of all apps are searched, but for those that are switched off, and
// what was found is remembered.
func TestModelsWithoutAPathAreThoseOfOtherAppsToo(t *testing.T) {
	tree := makeTree(t)
	hooks := Hooks{Apps: func() []library.App { return slices.Clone(tree.Sources.Apps) }}
	config := configDir(t)
	write := func(settings string) {
		t.Helper()
		if err := os.WriteFile(filepath.Join(config, "config.toml"), []byte(settings), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	want := func(off ...string) (paths []string) {
		for _, row := range tree.Rows {
			if slices.ContainsFunc(tree.Sources.Apps, func(app library.App) bool { return app.ID == row.Source }) && !slices.Contains(off, row.Source) {
				paths = append(paths, row.Path)
			}
		}
		return paths
	}
	found := func() (paths []string) {
		t.Helper()
		r := runWith(t, t.Context(), hooks, "--config", config, "models", "--json")
		if r.status != Done {
			t.Errorf("%+v", r)
		}
		for _, row := range decode[[]modelRow](t, r) {
			paths = append(paths, row.Path)
		}
		slices.Sort(paths)
		return paths
	}
	if got := found(); !slices.Equal(got, want()) {
		t.Errorf("got  %q\nwant %q", got, want())
	}
	if _, err := os.Stat(library.CachePath(filepath.Join(config, "cache"))); err != nil {
		t.Errorf("nothing is remembered: %v", err)
	}
	write("apps_off = ['ollama', 'jan']\n")
	if got := found(); !slices.Equal(got, want("ollama", "jan")) {
		t.Errorf("got  %q\nwant %q", got, want("ollama", "jan"))
	}
}

// A model of Ollama's is known by the name Ollama gives it, and what is beside it
// is not taken for it.
func TestAModelIsKnownByTheNameAnotherAppGivesIt(t *testing.T) {
	tree := makeTree(t)
	s := &session{ctx: t.Context(), hooks: Hooks{Apps: func() []library.App { return tree.Sources.Apps }}}
	s.Config = configDir(t)
	closeLog, err := s.openLog()
	if err != nil {
		t.Fatal(err)
	}
	defer closeLog()
	for _, name := range []string{"llama3.2:1b", "vision:7b", "ana/mine:v2"} {
		m, err := s.model(name)
		if err != nil || m.Alias != name || m.Facts.Kind != "model" {
			t.Errorf("%s: %+v, %v", name, m, err)
		}
	}
	for _, name := range []string{"ana/mine:v3", "no such.gguf", "./ana/mine:v2"} {
		_, err := s.model(name)
		var e *gguf.Error
		if !errors.As(err, &e) || e.Problem != gguf.Missing || filepath.Base(e.Path) != filepath.Base(name) {
			t.Errorf("%s, which is no file: %v", name, err)
		}
	}
	t.Chdir(t.TempDir())
	here := filepath.Join("ana", "mine:v2")
	if err := errors.Join(os.Mkdir("ana", 0o755), os.WriteFile(here, []byte("no model"), 0o600)); err != nil {
		t.Fatal(err)
	}
	if _, err := s.model(here); !strings.Contains(fmt.Sprint(err), here) {
		t.Errorf("a file that is there comes first: %v", err)
	}
}

func TestModelsSaysWhereEachIsFromAndWhatItIsCalledThere(t *testing.T) {
	tree := makeTree(t)
	hooks := Hooks{Apps: func() []library.App { return slices.Clone(tree.Sources.Apps) }}
	r := runWith(t, t.Context(), hooks, "models", "--json")
	if strings.Contains(r.stdout, "null") {
		t.Errorf("a list is none: %s", r.stdout)
	}
	rows := decode[[]map[string]any](t, r)
	at := slices.IndexFunc(rows, func(row map[string]any) bool { return row["alias"] == "ana/mine:v2" && row["kind"] == "model" })
	if at < 0 || rows[at]["source"] != library.Ollama {
		t.Errorf("%v", rows)
	}
	for _, row := range rows {
		if lora, ok := row["companions"].(map[string]any)["lora"].([]any); !ok || lora == nil {
			t.Errorf("%v", row)
		}
	}
	folder := shelve(t, "llama")
	file := filepath.Join(folder, "llama.gguf")
	for named, source := range map[string]string{folder: folder, file: ""} {
		for _, row := range decode[[]modelRow](t, run(t, "models", named, "--json")) {
			if row.Source != source || row.Alias != "" {
				t.Errorf("%s: %+v", named, row)
			}
		}
	}
}
