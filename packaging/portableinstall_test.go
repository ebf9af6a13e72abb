package packaging_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// installing runs an install.sh for a user with this home, and returns all it printed
// and whether it succeeded.
func installing(t *testing.T, user, path, script string, args ...string) (string, bool) {
	t.Helper()
	cmd := exec.Command(script, args...)
	cmd.Env = []string{"PATH=" + path, "HOME=" + user}
	out, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	return string(out), err == nil
}

const system = "/usr/bin:/bin"

func symlink(t *testing.T, target, path string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(target, path); err != nil {
		t.Fatal(err)
	}
}

func TestWhatIsNotPaddocksStandsInTheWayAndStays(t *testing.T) {
	installer := filepath.Join(unpacked(t), "install.sh")
	for name, test := range map[string]struct {
		make        func(t *testing.T, path string)
		at          string
		want        string
		removeSays  string
		removeWorks bool
	}{
		"a program": {
			make: func(t *testing.T, path string) { write(t, path, "a program") }, at: ".local/bin/paddock",
			want: "is there already, and is not this Paddock's. Move it away, then run this again.\n", removeWorks: true, removeSays: "Paddock is gone.",
		},
		"a link to another program": {
			make: func(t *testing.T, path string) { symlink(t, "/opt/horses/paddock", path) }, at: ".local/bin/paddock",
			want: "is there already, and is not this Paddock's. Move it away, then run this again.\n", removeWorks: true, removeSays: "Paddock is gone.",
		},
		"a folder of another program": {
			make: func(t *testing.T, path string) { write(t, filepath.Join(path, "data"), "of horses") }, at: ".local/lib/paddock",
			want: "is there already, and is no Paddock. Move it away, then run this again.\n", removeSays: "is no Paddock, so it stays.\n",
		},
		"a link to a folder": {
			make: func(t *testing.T, path string) { symlink(t, "/opt/horses", path) }, at: ".local/lib/paddock",
			want: "is there already, and is no Paddock. Move it away, then run this again.\n", removeSays: "is no Paddock, so it stays.\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			user := t.TempDir()
			path := filepath.Join(user, test.at)
			test.make(t, path)
			before := everything(t, user)
			if out, ok := installing(t, user, system, installer); ok || out != path+" "+test.want {
				t.Errorf("installing: success %v, it says:\n%s", ok, out)
			}
			if after := everything(t, user); after != before {
				t.Errorf("installing left\n%s\nof\n%s", after, before)
			}
			if out, ok := installing(t, user, system, installer, "--remove"); ok != test.removeWorks || !strings.Contains(out, test.removeSays) {
				t.Errorf("removing: success %v, it says:\n%s", ok, out)
			}
			if after := everything(t, user); after != before {
				t.Errorf("removing left\n%s\nof\n%s", after, before)
			}
		})
	}
}

func TestAHomeWithAnyNameGetsAMenuThatStartsPaddock(t *testing.T) {
	installer := filepath.Join(unpacked(t), "install.sh")
	for _, name := range []string{"a & b", "a|b", "a$HOME", "a`id`", `a"b`, `a\b`, `a\\$b\n`, "日本 'x'"} {
		user := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(user, 0o755); err != nil {
			t.Fatal(err)
		}
		if out, ok := installing(t, user, system, installer); !ok {
			t.Fatalf("%s: it says:\n%s", name, out)
		}
		entry, err := os.ReadFile(filepath.Join(user, ".local", "share", "applications", "org.paddock.Paddock.desktop"))
		if err != nil {
			t.Fatal(err)
		}
		_, rest, _ := strings.Cut(string(entry), "\nExec=")
		line, _, _ := strings.Cut(rest, "\n")
		program, files := firstArgument(t, line)
		if want := filepath.Join(user, ".local", "lib", "paddock", "paddock"); program != want || files != " %F" {
			t.Errorf("%s: %q starts %q with %q, not %q", name, line, program, files, want)
		}
		if out, ok := installing(t, user, system, installer, "--remove"); !ok {
			t.Errorf("%s: it says:\n%s", name, out)
		}
		if left := everything(t, user); left != "" {
			t.Errorf("%s: it left\n%s", name, left)
		}
	}
}

// firstArgument reads the quoted program of an Exec line and what is behind it, as
// the Desktop Entry Specification says: first the value's escapes, then the quotes.
func firstArgument(t *testing.T, line string) (program, rest string) {
	t.Helper()
	value := strings.NewReplacer(`\\`, `\`, `\s`, " ", `\n`, "\n", `\t`, "\t", `\r`, "\r").Replace(line)
	if !strings.HasPrefix(value, `"`) {
		t.Fatalf("%q is not quoted", line)
	}
	var b strings.Builder
	for i := 1; i < len(value); i++ {
		switch c := value[i]; c {
		case '"':
			return b.String(), value[i+1:]
		case '`', '$':
			t.Errorf("a bare %c in %q", c, line)
		case '\\':
			i++
			b.WriteByte(value[i])
		default:
			b.WriteByte(c)
		}
	}
	t.Fatalf("%q has no end", line)
	return "", ""
}

func TestAHomeNoMenuCanNameIsRefused(t *testing.T) {
	installer := filepath.Join(unpacked(t), "install.sh")
	for _, name := range []string{"100%", "a=b", "a\nb"} {
		user := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(user, 0o755); err != nil {
			t.Fatal(err)
		}
		if out, ok := installing(t, user, system, installer); ok || !strings.Contains(out, "Start Paddock from the folder it came in.\n") {
			t.Errorf("%q: success %v, it says:\n%s", name, ok, out)
		}
		if left, err := os.ReadDir(user); err != nil || len(left) != 0 {
			t.Errorf("%q: it left %v, %v", name, left, err)
		}
	}
}

func TestAnInstallationThatFailsLeavesWhatWasThere(t *testing.T) {
	for name, program := range map[string]struct{ name, script string }{
		"the copy of the folder": {"cp", `case "$*" in -R*) /bin/cp "$@"; exit 1 ;; esac; exec /bin/cp "$@"`},
		"the copy of one file":   {"cp", `case "$*" in *share/mime*) exit 1 ;; esac; exec /bin/cp "$@"`},
		"the link":               {"ln", "exit 1"},
		"the last step":          {"mv", `case "$*" in *.paddock-new*) exit 1 ;; esac; exec /bin/mv "$@"`},
	} {
		bin := t.TempDir()
		write(t, filepath.Join(bin, program.name), "#!/bin/sh\n"+program.script+"\n")
		spoilt := bin + ":" + system
		t.Run(name+" of a first one", func(t *testing.T) {
			user := t.TempDir()
			out, ok := installing(t, user, spoilt, filepath.Join(unpacked(t), "install.sh"))
			if left := everything(t, user); ok || left != "" {
				t.Errorf("success %v, it says:\n%s\nand left\n%s", ok, out, left)
			}
		})
		if program.name == "ln" {
			continue // a second installation has its link
		}
		t.Run(name+" of a second one", func(t *testing.T) {
			user := t.TempDir()
			if out, ok := installing(t, user, system, filepath.Join(unpacked(t), "install.sh")); !ok {
				t.Fatal(out)
			}
			before := everything(t, user)
			second := unpacked(t)
			write(t, filepath.Join(second, "share", "man", "man1", "new.1.gz"), "text")
			write(t, filepath.Join(second, "lib", "paddock", "paddock"), "#!/bin/sh\necho the second one\n")
			if out, ok := installing(t, user, spoilt, filepath.Join(second, "install.sh")); ok {
				t.Errorf("it says:\n%s", out)
			}
			if after := everything(t, user); after != before {
				t.Errorf("it left\n%s\nof\n%s", after, before)
			}
			if out, ok := installing(t, user, system, filepath.Join(user, ".local", "bin", "paddock"), "x"); !ok || out != "x\n" {
				t.Errorf("the first one says %q", out)
			}
		})
	}
}

func TestANewerPaddockTakesAwayWhatItNoLongerHas(t *testing.T) {
	user, first, second := t.TempDir(), unpacked(t), unpacked(t)
	write(t, filepath.Join(first, "share", "man", "man1", "gone.1.gz"), "text")
	write(t, filepath.Join(second, "share", "man", "man1", "new.1.gz"), "text")
	for _, root := range []string{first, second} {
		if out, ok := installing(t, user, system, filepath.Join(root, "install.sh")); !ok {
			t.Fatal(out)
		}
	}
	left := everything(t, user)
	if strings.Contains(left, "gone.1.gz") || !strings.Contains(left, "share/man/man1/new.1.gz") || strings.Contains(left, ".paddock-") {
		t.Errorf("there are\n%s", left)
	}
}

func TestAPaddockThatWasPutAsideIsBroughtBack(t *testing.T) {
	user, root := t.TempDir(), unpacked(t)
	installer := filepath.Join(root, "install.sh")
	if out, ok := installing(t, user, system, installer); !ok {
		t.Fatal(out)
	}
	home := filepath.Join(user, ".local", "lib", "paddock")
	if err := os.Rename(home, filepath.Join(filepath.Dir(home), ".paddock-old")); err != nil {
		t.Fatal(err)
	}
	if out, ok := installing(t, user, system, installer, "--remove"); !ok {
		t.Error(out)
	}
	if left := everything(t, user); left != "" {
		t.Errorf("it left\n%s", left)
	}
}
