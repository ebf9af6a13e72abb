// Package packaging_test tries what the set-up scripts say when something is
// amiss. That they work is shown by there being a build to test.
package packaging_test

import (
	"crypto/sha256"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// A tree is a copy of the scripts in a folder of the test's own, with programs
// that stand before the system's on PATH.
type tree struct {
	root string
	path string
	env  []string
}

func newTree(t *testing.T, programs map[string]string) tree {
	t.Helper()
	root := t.TempDir()
	bin := filepath.Join(root, "bin")
	for name, script := range programs {
		write(t, filepath.Join(bin, name), "#!/bin/sh\n"+script+"\n")
	}
	for _, name := range []string{"engine.sh", "engine.lock", "setup.sh"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, "packaging", name), string(text))
	}
	write(t, filepath.Join(root, "go.mod"), "module paddock\n\ngo 1.26.0\n")
	return tree{root: root, path: bin + ":/usr/sbin:/usr/bin:/sbin:/bin", env: []string{"XDG_CACHE_HOME=" + filepath.Join(root, "cache")}}
}

func write(t *testing.T, path, text string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(text), 0o755); err != nil {
		t.Fatal(err)
	}
}

// run starts a script and returns all it printed and whether it succeeded.
func (tr tree) run(t *testing.T, script string, args ...string) (string, bool) {
	t.Helper()
	cmd := exec.Command("/bin/sh", append([]string{filepath.Join(tr.root, "packaging", script)}, args...)...)
	cmd.Env = append([]string{"PATH=" + tr.path, "HOME=" + tr.root}, tr.env...)
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return string(out), err == nil
}

// only is a PATH on which nothing but these of the system's programs are.
func (tr *tree) only(t *testing.T, names ...string) {
	t.Helper()
	tr.path = filepath.Join(tr.root, "bin")
	if err := os.MkdirAll(tr.path, 0o755); err != nil {
		t.Fatal(err)
	}
	for _, name := range names {
		path, err := exec.LookPath(name)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(path, filepath.Join(tr.path, name)); err != nil {
			t.Fatal(err)
		}
	}
}

func TestTheEngineScriptSaysWhatIsMissing(t *testing.T) {
	for name, test := range map[string]struct {
		programs map[string]string
		spoil    func(t *testing.T, tr *tree)
		want     string
	}{
		"no apt": {
			spoil: func(t *testing.T, tr *tree) { tr.only(t, "cat", "cut", "dirname", "grep", "sha256sum") },
			want:  "apt-get is missing: the bundle can only be made on Debian",
		},
		"a cache that can't be written": {
			spoil: func(t *testing.T, tr *tree) { write(t, filepath.Join(tr.root, "cache"), "a file") },
			want:  "can't be written to: set XDG_CACHE_HOME",
		},
		"no network": {
			spoil: func(t *testing.T, tr *tree) {
				tr.env = append(tr.env, "PADDOCK_DEBIAN_MIRROR=http://127.0.0.1:9/debian")
			},
			want: "Is there a network? Run this again when there is",
		},
		"no mirror of Debian among the sources": {
			programs: map[string]string{"apt-get": "echo \"'cdrom://x/dists/y/InRelease' z 0\""},
			want:     "PADDOCK_DEBIAN_MIRROR=URL make engine",
		},
	} {
		t.Run(name, func(t *testing.T) {
			tr := newTree(t, test.programs)
			if test.spoil != nil {
				test.spoil(t, &tr)
			}
			out, ok := tr.run(t, "engine.sh")
			if ok || !strings.Contains(out, test.want) {
				t.Errorf("success %v, it says:\n%s", ok, out)
			}
			if _, err := os.Stat(filepath.Join(tr.root, "build")); err == nil {
				t.Error("it left a build folder")
			}
		})
	}
}

func TestABundleThatIsThereIsNotMadeAgain(t *testing.T) {
	for asLocked, want := range map[string]string{
		"yes": "",
		"no":  "engine: NOTE: build/engine is made of other packages than engine.lock names (version: 1)\n",
	} {
		tr := newTree(t, nil)
		var both []byte
		for _, name := range []string{"engine.sh", "engine.lock"} {
			text, err := os.ReadFile(name)
			if err != nil {
				t.Fatal(err)
			}
			both = append(both, text...)
		}
		write(t, filepath.Join(tr.root, "build", "engine", "manifest"),
			fmt.Sprintf("made-from %x\nas-locked %s\nversion: 1\n", sha256.Sum256(both), asLocked))
		if out, ok := tr.run(t, "engine.sh"); !ok || out != want {
			t.Errorf("as locked %s: success %v, it says:\n%s", asLocked, ok, out)
		}
	}
}

const (
	noXvfb  = `case "$*" in *xvfb) exit 1;; esac; echo installed`
	newGo   = `echo go1.26.0`
	records = `echo "apt-get $*" >&2`
)

func TestTheSetUpScript(t *testing.T) {
	for name, test := range map[string]struct {
		programs map[string]string
		works    bool
		want     []string
	}{
		"with everything there says nothing": {
			programs: map[string]string{"dpkg-query": "echo installed", "apt-get": records, "go": newGo},
			works:    true,
		},
		"tells a user the one command": {
			programs: map[string]string{"dpkg-query": noXvfb, "apt-get": records, "go": newGo, "id": "echo 1000"},
			want:     []string{"sudo apt-get update && sudo apt-get install -y --no-install-recommends xvfb\n"},
		},
		"installs as root": {
			programs: map[string]string{"dpkg-query": noXvfb, "apt-get": records, "go": newGo, "id": "echo 0"},
			works:    true,
			want:     []string{"apt-get -q update\n", "apt-get install -y --no-install-recommends xvfb\n"},
		},
		"goes on when a source can't be read": {
			programs: map[string]string{"dpkg-query": noXvfb, "apt-get": records + `; [ "$1" = install ]`, "go": newGo, "id": "echo 0"},
			works:    true,
			want:     []string{"not every source could be read"},
		},
		"says when installing fails": {
			programs: map[string]string{"dpkg-query": noXvfb, "apt-get": "exit 100", "go": newGo, "id": "echo 0"},
			want:     []string{"could not be installed. Is there a network?"},
		},
		"says that Go is too old": {
			programs: map[string]string{"dpkg-query": "echo installed", "go": `[ "$1" = env ] && echo go1.19.8 || echo go version go1.19.8 linux/amd64`},
			want:     []string{"the Go on PATH (go1.19.8) is too old. Paddock needs Go 1.26.0 or newer"},
		},
		"takes a newer Go": {
			programs: map[string]string{"dpkg-query": "echo installed", "go": "echo go1.100.1-custom"},
			works:    true,
		},
	} {
		t.Run(name, func(t *testing.T) {
			out, ok := newTree(t, test.programs).run(t, "setup.sh", "test")
			if ok != test.works {
				t.Errorf("success %v", ok)
			}
			if len(test.want) == 0 && out != "" {
				t.Errorf("it says:\n%s", out)
			}
			if slices.ContainsFunc(test.want, func(want string) bool { return !strings.Contains(out, want) }) {
				t.Errorf("want %q, it says:\n%s", test.want, out)
			}
		})
	}
}

func TestTheSetUpScriptSaysThatThereIsNoGo(t *testing.T) {
	tr := newTree(t, nil)
	tr.only(t, "dirname", "sed", "gcc", "pkg-config")
	if out, ok := tr.run(t, "setup.sh", "build"); ok || !strings.Contains(out, "Go is missing. Paddock needs Go 1.26.0 or newer") {
		t.Errorf("success %v, it says:\n%s", ok, out)
	}
}

func TestTheSetUpScriptSaysWhatToInstallElsewhere(t *testing.T) {
	tr := newTree(t, nil)
	tr.only(t, "dirname")
	if out, ok := tr.run(t, "setup.sh", "run"); ok || !strings.Contains(out, "this is no Debian") {
		t.Errorf("success %v, it says:\n%s", ok, out)
	}
}
