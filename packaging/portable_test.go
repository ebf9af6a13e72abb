package packaging_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
)

// unpacked is what the portable archive has, with a program that prints what it
// is called with, in a folder with a space and Unicode in its name.
func unpacked(t *testing.T) string {
	t.Helper()
	root := filepath.Join(t.TempDir(), "my Pförd")
	for _, name := range []string{"paddock", "install.sh"} {
		text, err := os.ReadFile(filepath.Join("portable", name))
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, name), string(text))
	}
	echo, err := os.ReadFile("/bin/echo")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "lib", "paddock", "paddock"), string(echo))
	entry, err := os.ReadFile(filepath.Join("linux", "org.paddock.Paddock.desktop"))
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(root, "share", "applications", "org.paddock.Paddock.desktop"), string(entry))
	for _, name := range []string{
		"bash-completion/completions/paddock", "fish/vendor_completions.d/paddock.fish", "icons/hicolor/scalable/apps/org.paddock.Paddock.svg",
		"man/man1/paddock.1.gz", "mime/packages/org.paddock.Paddock.xml", "zsh/vendor-completions/_paddock", "doc/paddock/copyright",
	} {
		write(t, filepath.Join(root, "share", name), "text")
	}
	return root
}

const fine = "echo '	libGL.so.1 => /lib/libGL.so.1 (0x00007f)'"

func TestThePortablePaddockStartsOrSaysWhatIsMissing(t *testing.T) {
	for name, test := range map[string]struct {
		programs map[string]string
		display  string
		works    bool
		want     string
	}{
		"with everything there": {
			programs: map[string]string{"ldd": fine, "ldconfig": "echo '	libX11.so.6 (libc6,x86-64) => /lib/libX11.so.6'"},
			display:  ":0", works: true, want: "a model.gguf --json\n",
		},
		"without OpenGL": {
			programs: map[string]string{"ldd": "printf '\\tlibGL.so.1 => not found\\n\\tlibwayland-client.so.0 => not found\\n\\tlibc.so.6 => /lib/libc.so.6 (0x1)\\n'"},
			want:     "Paddock draws its window with OpenGL, which is not on this computer. On Debian and Ubuntu install it with: sudo apt install libgl1 libwayland-client0\n",
		},
		"without X11's library, on X11": {
			programs: map[string]string{"ldd": fine, "ldconfig": "echo '	libc.so.6 => /lib/libc.so.6'"},
			display:  ":0", want: "Paddock can't start without libX11.so.6. On Debian and Ubuntu install what has it with: sudo apt install libx11-6\n",
		},
		"without X11's library and without a screen": {
			programs: map[string]string{"ldd": fine, "ldconfig": "echo '	libc.so.6 => /lib/libc.so.6'"},
			works:    true, want: "a model.gguf --json\n",
		},
		"on a system that keeps no list of libraries": {
			programs: map[string]string{"ldd": fine, "ldconfig": "exit 1"},
			display:  ":0", works: true, want: "a model.gguf --json\n",
		},
		"on an old system": {
			programs: map[string]string{"ldd": "echo \"x: version \\`GLIBC_2.34' not found\" >&2"},
			want:     "It needs Debian 12, Ubuntu 22.04 or newer.\n",
		},
		"on another processor": {
			programs: map[string]string{"ldd": "echo '	not a dynamic executable'; exit 1", "uname": "echo aarch64"},
			want:     "made for another kind of processor. Get the one for aarch64.\n",
		},
	} {
		t.Run(name, func(t *testing.T) {
			root := unpacked(t)
			bin := t.TempDir()
			programs := map[string]string{"zenity": "echo dialog: $* >>" + filepath.Join(bin, "said")}
			for name, script := range test.programs {
				programs[name] = script
			}
			for name, script := range programs {
				write(t, filepath.Join(bin, name), "#!/bin/sh\n"+script+"\n")
			}
			cmd := exec.Command(filepath.Join(root, "paddock"), "a model.gguf", "--json")
			cmd.Env = []string{"PATH=" + bin + ":/usr/bin:/bin", "DISPLAY=" + test.display}
			out, err := cmd.CombinedOutput()
			if (err == nil) != test.works || !strings.HasSuffix(string(out), test.want) {
				t.Errorf("%v, it says:\n%s", err, out)
			}
			said, _ := os.ReadFile(filepath.Join(bin, "said")) // not there where nothing was
			if shown := strings.Contains(string(said), strings.TrimSpace(test.want)); shown == test.works {
				t.Errorf("in a dialog it says %q", said)
			}
		})
	}
}

func TestThePortablePaddockIsInstalledForOneUserAndRemoved(t *testing.T) {
	root, user := unpacked(t), filepath.Join(t.TempDir(), "a user")
	write(t, filepath.Join(user, ".local", "share", "applications", "other.desktop"), "another program's")
	before := everything(t, user)
	run := func(works bool, script string, args ...string) string {
		t.Helper()
		cmd := exec.Command(script, args...)
		cmd.Env = []string{"PATH=/usr/bin:/bin", "HOME=" + user}
		out, err := cmd.CombinedOutput()
		if (err == nil) != works {
			t.Fatalf("%v: %v\n%s", args, err, out)
		}
		return string(out)
	}
	installer := filepath.Join(root, "install.sh")
	run(true, installer)
	run(true, installer) // again, over itself
	if err := os.RemoveAll(root); err != nil {
		t.Fatal(err)
	}
	home := filepath.Join(user, ".local", "lib", "paddock")
	entry, err := os.ReadFile(filepath.Join(user, ".local", "share", "applications", "org.paddock.Paddock.desktop"))
	if err != nil || !strings.Contains(string(entry), "\nExec=\""+home+"/paddock\" %F\n") {
		t.Errorf("%v, the menu starts:\n%s", err, entry)
	}
	for _, name := range []string{"mime/packages/org.paddock.Paddock.xml", "man/man1/paddock.1.gz", "icons/hicolor/scalable/apps/org.paddock.Paddock.svg"} {
		if _, err := os.Stat(filepath.Join(user, ".local", "share", name)); err != nil {
			t.Error(err)
		}
	}
	if out := run(true, filepath.Join(user, ".local", "bin", "paddock"), "x"); out != "x\n" {
		t.Errorf("the installed one says %q", out)
	}
	if out := run(false, filepath.Join(home, "install.sh")); !strings.Contains(out, "installed in this folder already") {
		t.Errorf("installed from where it is: %q", out)
	}
	if out := run(false, filepath.Join(home, "install.sh"), "--help"); !strings.Contains(out, "usage: install.sh [--remove]") {
		t.Errorf("a wrong word: %q", out)
	}
	run(true, filepath.Join(home, "install.sh"), "--remove")
	if after := everything(t, user); after != before {
		t.Errorf("it left\n%s\nof\n%s", after, before)
	}
}

// everything is the files in a folder; menus and types are lists the system keeps.
func everything(t *testing.T, root string) string {
	t.Helper()
	out, err := exec.Command("find", root, "(", "-type", "f", "-o", "-type", "l", ")",
		"!", "-name", "mimeinfo.cache", "!", "-path", "*/share/mime/*").Output()
	if err != nil {
		t.Fatal(err)
	}
	return string(out)
}

func TestAPackageForAnotherProcessorIsRefusedWithTheReason(t *testing.T) {
	cmd := exec.Command("/bin/sh", "package.sh", "deb")
	cmd.Env = append(os.Environ(), "ARCH=mars", "VERSION=1", "SOURCE_DATE_EPOCH=1")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), "a package for mars is made on a machine of that architecture") {
		t.Errorf("%v, it says:\n%s", err, out)
	}
}

func TestAFreshDebianIsForRoot(t *testing.T) {
	tr := newTree(t, map[string]string{"id": "echo 1000"})
	text, err := os.ReadFile("fresh.sh")
	if err != nil {
		t.Fatal(err)
	}
	write(t, filepath.Join(tr.root, "packaging", "fresh.sh"), string(text))
	if out, ok := tr.run(t, "fresh.sh"); ok || !strings.Contains(out, "sudo make fresh") {
		t.Errorf("success %v, it says:\n%s", ok, out)
	}
}
