package config

import (
	"net"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The names of the tests here are short because they are part of the paths.

// With a folder given, everything is under it.
func TestConfigDir(t *testing.T) {
	dir := t.TempDir()
	got := open(t, dir).Folders()
	want := Folders{Config: dir, Data: dir + "/data", Cache: dir + "/cache", Runtime: dir + "/run", Log: dir + "/log"}
	if got != want {
		t.Errorf("got %+v", got)
	}
	for _, folder := range []string{got.Config, got.Data, got.Cache, got.Runtime, got.Log} {
		if info, err := os.Stat(folder); err != nil || !info.IsDir() {
			t.Errorf("%s: %v", folder, err)
		}
	}
}

func TestARelativeFolderIsMadeAbsolute(t *testing.T) {
	t.Chdir(t.TempDir())
	if got := open(t, "here").Folders().Config; !filepath.IsAbs(got) || filepath.Base(got) != "here" {
		t.Errorf("got %s", got)
	}
}

// Without one, the user's own are used.
func TestXDG(t *testing.T) {
	home := t.TempDir()
	t.Setenv("HOME", home)
	for _, name := range []string{"CONFIG_HOME", "DATA_HOME", "CACHE_HOME", "STATE_HOME", "RUNTIME_DIR"} {
		folder := filepath.Join(home, name)
		mkdir(t, folder, 0o700)
		t.Setenv("XDG_"+name, folder)
	}
	got := open(t, "").Folders()
	want := Folders{
		Config:  home + "/CONFIG_HOME/paddock",
		Data:    home + "/DATA_HOME/paddock",
		Cache:   home + "/CACHE_HOME/paddock",
		Runtime: home + "/RUNTIME_DIR/paddock",
		Log:     home + "/STATE_HOME/paddock",
	}
	if got != want {
		t.Errorf("got %+v", got)
	}
}

// The runtime folder is private and short enough for a socket, and
func TestRuntime(t *testing.T) {
	long := strings.Repeat("a/very/long/way/down/", 8)
	for name, test := range map[string]struct {
		spoil  func(t *testing.T, run string)
		below  string
		inside bool
	}{
		"is in a short folder":     {inside: true},
		"is not in a long folder":  {below: long},
		"is closed to others":      {inside: true, spoil: func(t *testing.T, run string) { mkdir(t, run, 0o777) }},
		"is no link elsewhere":     {spoil: func(t *testing.T, run string) { link(t, t.TempDir(), run) }},
		"is no file":               {spoil: func(t *testing.T, run string) { write(t, run, "") }},
		"is made anew every start": {inside: true, spoil: func(t *testing.T, run string) { mkdir(t, run, 0o700) }},
	} {
		dir, temporary := filepath.Join(t.TempDir(), test.below), t.TempDir()
		t.Run(name, func(t *testing.T) {
			wanted := filepath.Join(dir, "run")
			if test.spoil != nil {
				test.spoil(t, wanted)
			}
			runtime, err := runtimeFolder(wanted, dir, temporary)
			if err != nil {
				t.Fatal(err)
			}
			if inside := strings.HasPrefix(runtime, dir); inside != test.inside {
				t.Errorf("it is %s", runtime)
			}
			info, err := os.Lstat(runtime)
			if err != nil || !info.IsDir() || info.Mode().Perm() != 0o700 {
				t.Fatalf("%s: %v, %v", runtime, info, err)
			}
			listener, err := net.Listen("unix", filepath.Join(runtime, "engine-4194304-123456.sock"))
			if err != nil {
				t.Fatal(err)
			}
			listener.Close()
			if again, err := runtimeFolder(wanted, dir, temporary); again != runtime {
				t.Errorf("the next start has %s, %v", again, err)
			}
		})
	}
}

// A name that somebody else has taken is not used.
func TestTakenName(t *testing.T) {
	temporary := t.TempDir()
	taken, err := runtimeFolder("", "/config", temporary)
	if err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(taken); err != nil {
		t.Fatal(err)
	}
	write(t, taken, "somebody else's")
	got, err := runtimeFolder("", "/config", temporary)
	if err != nil || got == taken || filepath.Dir(got) != temporary {
		t.Errorf("got %s, %v", got, err)
	}
}

func TestWithoutAPlaceForSocketsNothingCanRun(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	_, err := runtimeFolder(filepath.Join(file, "run"), "/config", file, "/"+strings.Repeat("long/", 40))
	problem(t, err, NoRuntime)
}

func TestAFolderThatCantBeMadeIsToldAndTheDefaultsHold(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	write(t, file, "")
	s := open(t, filepath.Join(file, "config"))
	problem(t, s.Problem(), NoFolder)
	if s.Get().Theme != "system" {
		t.Errorf("got %+v", s.Get())
	}
	problem(t, s.Update(func(c *Config) { c.Theme = "dark" }), Unsaved)
}

func mkdir(t *testing.T, path string, mode os.FileMode) {
	t.Helper()
	if err := os.Mkdir(path, mode); err != nil {
		t.Fatal(err)
	}
}

func link(t *testing.T, target, path string) {
	t.Helper()
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}
