package config

import (
	"errors"
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"sync"
	"testing"
)

// open opens a store that must open. Its runtime folder may be outside of the
// test's own, whose path can be too long for a socket.
func open(t *testing.T, dir string) *Store {
	t.Helper()
	s, err := Open(dir)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.RemoveAll(s.Folders().Runtime) })
	return s
}

// problem is the *Error in err, which must be of this kind.
func problem(t *testing.T, err error, want Problem) *Error {
	t.Helper()
	var e *Error
	if !errors.As(err, &e) || e.Problem != want {
		t.Fatalf("want %s, got %v", want, err)
	}
	if e.Path == "" || !strings.Contains(e.Error(), e.Path) {
		t.Errorf("the error does not name its path: %v", e)
	}
	return e
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestAChangeIsThereAtTheNextStart(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	if got := s.Get(); got.Theme != "system" || s.Problem() != nil {
		t.Fatalf("a first start: %+v, %v", got, s.Problem())
	}
	warm, some := 0.7, 20
	want := Config{
		ChatPresets:  []ChatPreset{{Name: "Mine", Temperature: &warm, TopK: &some}, {Name: "As it comes"}},
		ChatPrompts:  []ChatPrompt{{Name: "Short", Text: "Be brief.\nAnd \"plain\"."}},
		Theme:        "dark",
		ModelFolders: []string{"/models", "/with \"quotes\" and ünïcode"},
		ModelFiles:   []string{"/a.gguf"},
		Engine:       "added-9219-0a1b2c",
		Engines:      []string{"/opt/llama"},
	}
	if err := s.Update(func(c *Config) { *c = want }); err != nil {
		t.Fatal(err)
	}
	again := open(t, dir)
	if got := again.Get(); !reflect.DeepEqual(got, want) || again.Problem() != nil {
		t.Errorf("got %+v, %v", got, again.Problem())
	}
	info, err := os.Stat(filepath.Join(dir, "config.toml"))
	if err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("config.toml is %v, %v", info.Mode(), err)
	}
}

func TestWhatGetGaveIsNotTheStoresOwn(t *testing.T) {
	s := open(t, t.TempDir())
	var kept *Config
	if err := s.Update(func(c *Config) { c.ModelFolders = []string{"/a"}; kept = c }); err != nil {
		t.Fatal(err)
	}
	kept.ModelFolders[0] = "/b"
	s.Get().ModelFolders[0] = "/c"
	if got := s.Get().ModelFolders[0]; got != "/a" {
		t.Errorf("got %s", got)
	}
}

func TestABrokenFileIsSetAsideAndNotLost(t *testing.T) {
	for name, text := range map[string]string{
		"no TOML":           "theme = \n",
		"a value of a kind": "model_folders = 5\n",
		"not even text":     "\x00\xff\x01",
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "config.toml")
			write(t, path, text)
			write(t, path+".broken-1", "an older one")
			s := open(t, dir)
			e := problem(t, s.Problem(), Broken)
			if e.SetAside != path+".broken-2" || read(t, e.SetAside) != text {
				t.Errorf("set aside as %q", e.SetAside)
			}
			if got := s.Get(); !reflect.DeepEqual(got, defaults()) {
				t.Errorf("got %+v", got)
			}
			if err := s.Update(func(c *Config) { c.Theme = "light" }); err != nil {
				t.Fatal(err)
			}
			if again := open(t, dir); again.Get().Theme != "light" || again.Problem() != nil {
				t.Errorf("the next start: %+v, %v", again.Get(), again.Problem())
			}
			if read(t, path+".broken-1") != "an older one" {
				t.Error("an older one was written over")
			}
		})
	}
}

func TestSettingsOfAnotherVersionAreToldAndKept(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "config.toml")
	text := "theme = \"purple\"\nengine = \"found-1\"\nfuture = 1\n[more]\nx = 2\n"
	write(t, path, text)
	s := open(t, dir)
	e := problem(t, s.Problem(), Unknown)
	if got := strings.Join(e.Settings, ", "); got != `future, more, more.x, theme = "purple"` {
		t.Errorf("told of %s", got)
	}
	if got := s.Get(); got.Engine != "found-1" || got.Theme != "system" {
		t.Errorf("got %+v", got)
	}
	if read(t, path) != text {
		t.Error("the file was changed by reading it")
	}
	for range 2 {
		if err := s.Update(func(c *Config) { c.Theme = "dark" }); err != nil {
			t.Fatal(err)
		}
	}
	if read(t, path+".old-1") != text {
		t.Error("what it was is not kept")
	}
	if _, err := os.Stat(path + ".old-2"); err == nil {
		t.Error("it was kept twice")
	}
}

func TestAFileThatCantBeReadIsNotWrittenOver(t *testing.T) {
	for name, spoil := range map[string]func(t *testing.T, path string){
		"a folder in its place": func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		},
		"far too large": func(t *testing.T, path string) {
			write(t, path, "")
			if err := os.Truncate(path, sizeLimit+1); err != nil {
				t.Fatal(err)
			}
		},
		"a link in a circle": func(t *testing.T, path string) {
			if err := os.Symlink(path, path); err != nil {
				t.Fatal(err)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			dir := t.TempDir()
			path := filepath.Join(dir, "config.toml")
			spoil(t, path)
			before, _ := os.Lstat(path)
			s := open(t, dir)
			problem(t, s.Problem(), Unreadable)
			problem(t, s.Update(func(c *Config) { c.Theme = "dark" }), Unsaved)
			if s.Get().Theme != "dark" {
				t.Error("the change does not hold")
			}
			if after, err := os.Lstat(path); err != nil || after.Mode() != before.Mode() || after.Size() != before.Size() {
				t.Errorf("it was changed: %v, %v", after, err)
			}
		})
	}
}

func TestAChangeThatCantBeWrittenHoldsAndLeavesNothingBehind(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config")
	s := open(t, dir)
	if err := os.MkdirAll(filepath.Join(dir, "config.toml", "inside"), 0o700); err != nil {
		t.Fatal(err)
	}
	problem(t, s.Update(func(c *Config) { c.Theme = "dark" }), Unsaved)
	if s.Get().Theme != "dark" {
		t.Error("the change does not hold")
	}
	left, err := filepath.Glob(filepath.Join(dir, "*.tmp"))
	if err != nil || len(left) != 0 {
		t.Errorf("left behind: %q, %v", left, err)
	}

	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	write(t, dir, "a file where the folder was")
	problem(t, s.Update(func(c *Config) { c.Theme = "light" }), Unsaved)
}

func TestAFolderThatVanishedIsMadeAgain(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "config")
	s := open(t, dir)
	if err := os.RemoveAll(dir); err != nil {
		t.Fatal(err)
	}
	if err := s.Update(func(c *Config) { c.Theme = "dark" }); err != nil {
		t.Fatal(err)
	}
	if open(t, dir).Get().Theme != "dark" {
		t.Error("not written")
	}
}

func TestALinkStaysALink(t *testing.T) {
	dir, elsewhere := t.TempDir(), filepath.Join(t.TempDir(), "mine.toml")
	write(t, elsewhere, "theme = \"light\"\n")
	path := filepath.Join(dir, "config.toml")
	if err := os.Symlink(elsewhere, path); err != nil {
		t.Fatal(err)
	}
	if err := open(t, dir).Update(func(c *Config) { c.Theme = "dark" }); err != nil {
		t.Fatal(err)
	}
	if target, err := os.Readlink(path); err != nil || target != elsewhere {
		t.Errorf("the link is %q, %v", target, err)
	}
	if !strings.Contains(read(t, elsewhere), `theme = "dark"`) {
		t.Error("what it points to was not changed")
	}
}

func TestChangesFromSeveralGoroutinesAreAllThere(t *testing.T) {
	dir := t.TempDir()
	s := open(t, dir)
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			if err := s.Update(func(c *Config) { c.ModelFiles = append(c.ModelFiles, "/a.gguf") }); err != nil {
				t.Error(err)
			}
		})
	}
	wait.Wait()
	if got := len(open(t, dir).Get().ModelFiles); got != 20 {
		t.Errorf("%d of 20", got)
	}
}
