package packaging_test

import (
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// compiler stands in for go: it writes down what it is asked, and makes the file or
// the packages that would come of it.
const compiler = `printf '%s\n' go "$@" >>"$ASKED"
what=$1
while [ $# -gt 1 ]; do
	case $1 in -o | -output | -out) made=$2 ;; esac
	shift
done
case $what in
build) echo program >"$made" ;;
run) [ -z "${made:-}" ] || for package in paddock paddock-vulkan; do mkdir -p "$made/$package/usr/lib/$package" "$made/$package/usr/share/$package"; done ;;
esac`

// releasing runs a script in a source tree of its own, whose path has a space, with
// programs before the system's. It returns the tree, what go was asked, what the
// script printed and whether it succeeded.
func releasing(t *testing.T, script string, programs map[string]string, env []string, args ...string) (root string, asked []string, out string, ok bool) {
	t.Helper()
	bin := t.TempDir()
	for name, text := range programs {
		write(t, filepath.Join(bin, name), "#!/bin/sh\n"+text+"\n")
	}
	write(t, filepath.Join(bin, "go"), "#!/bin/sh\n"+compiler+"\n")
	root = filepath.Join(t.TempDir(), "my horses")
	for _, name := range []string{"package.sh", "windows/build.sh", "portable/paddock", "portable/install.sh", "portable/README.txt"} {
		text, err := os.ReadFile(name)
		if err != nil {
			t.Fatal(err)
		}
		write(t, filepath.Join(root, "packaging", name), string(text))
	}
	write(t, filepath.Join(root, "FyneApp.toml"), "Version = \"1.2.3\"\nBuild = 4\n")
	for _, name := range []string{"LICENSE", "THIRD_PARTY.md", "docs/windows.md"} {
		write(t, filepath.Join(root, name), "text\n")
	}
	list := filepath.Join(bin, "asked")
	cmd := exec.Command("/bin/sh", append([]string{filepath.Join(root, "packaging", script)}, args...)...)
	cmd.Env = append([]string{"PATH=" + bin + ":/usr/bin:/bin", "ASKED=" + list, "VERSION=1.2.3", "COMMIT=abc+", "SOURCE_DATE_EPOCH=1700000000"}, env...)
	text, err := cmd.CombinedOutput()
	if _, exited := err.(*exec.ExitError); err != nil && !exited {
		t.Fatal(err)
	}
	data, _ := os.ReadFile(list) // not there when go was not asked
	return root, strings.Split(string(data), "\n"), string(text), err == nil
}

// asks is an objdump that says which versions of libraries a program asks for.
func asks(versions ...string) string {
	return "printf '    0x0d696914 0x00 11 %s\\n' " + strings.Join(versions, " ")
}

func TestThePortableArchiveSaysWhatItNeeds(t *testing.T) {
	for arch, want := range map[string]string{"amd64": "It needs Linux on x86-64, Debian 12,", "arm64": "It needs Linux on 64-bit ARM, Debian 12,", "riscv64": "It needs Linux on riscv64, Debian 12,"} {
		programs := map[string]string{"dpkg": "echo " + arch, "objdump": asks("GLIBC_2.2.5", "GLIBC_2.35", "GLIBC_2.9", "GLIBCXX_3.4.30")}
		root, asked, out, ok := releasing(t, "package.sh", programs, nil, "portable")
		if !ok {
			t.Fatal(out)
		}
		if !slices.Contains(asked, "-s -w -buildid= -X main.commit=abc+") {
			t.Errorf("go was asked %q", asked)
		}
		name := "paddock-1.2.3-linux-" + arch
		text, err := exec.Command("tar", "--extract", "--to-stdout", "--file", filepath.Join(root, "build", name+".tar.xz"), name+"/README.txt").Output()
		if err != nil || !strings.HasPrefix(string(text), "Paddock 1.2.3\n") || !strings.Contains(string(text), want) || strings.Contains(string(text), "@") {
			t.Errorf("%s: %v, its README says\n%s", arch, err, text)
		}
	}
}

func TestAPortableArchiveThatIsNotWholeIsNotMade(t *testing.T) {
	good := asks("GLIBC_2.34")
	for name, test := range map[string]struct {
		objdump, tar, want string
	}{
		"a program for newer systems":           {asks("GLIBC_2.4", "GLIBC_2.36", "GLIBC_2.9"), "", "asks for GLIBC_2.36, and the archive is for systems from GLIBC_2.35 on"},
		"a program with packed relocations":     {asks("GLIBC_2.4", "GLIBC_ABI_DT_RELR"), "", "asks for GLIBC_2.36,"},
		"a program that can't be read":          {"exit 1", "", "objdump can't read the program"},
		"a program of which nothing is said":    {asks("GLIBCXX_3.4.30"), "", "does not say which C library"},
		"an archive that breaks off in between": {good, `/usr/bin/tar "$@" || exit; echo "a file is gone" >&2; exit 2`, "a file is gone"},
	} {
		t.Run(name, func(t *testing.T) {
			programs := map[string]string{"dpkg": "echo amd64", "objdump": test.objdump}
			if test.tar != "" {
				programs["tar"] = test.tar
			}
			root, _, out, ok := releasing(t, "package.sh", programs, nil, "portable")
			if ok || !strings.Contains(out, test.want) {
				t.Errorf("success %v, it says:\n%s", ok, out)
			}
			if made, err := filepath.Glob(filepath.Join(root, "build", "*.xz")); err != nil || len(made) > 0 {
				t.Errorf("it made %v, %v", made, err)
			}
		})
	}
}

func TestPaddockForWindowsIsBuiltInAFolderWithASpace(t *testing.T) {
	root, asked, out, ok := releasing(t, "windows/build.sh", map[string]string{
		"x86_64-w64-mingw32-gcc": "", "x86_64-w64-mingw32-windres": "echo resources >resources.o", "makensis": `printf '%s\n' "$@"`,
	}, nil)
	if !ok {
		t.Fatal(out)
	}
	const flags = "-H=windowsgui -s -w -X main.commit=abc+ -linkmode=external -extldflags=build/windows/resources.o"
	if at := slices.Index(asked, flags); at < 2 || asked[at-1] != "-ldflags" || asked[at-2] != "-trimpath" {
		t.Errorf("go was asked %q", asked)
	}
	for _, name := range []string{"paddock.exe", "paddock.com", "README.txt"} {
		if _, err := os.Stat(filepath.Join(root, "build", "windows", name)); err != nil {
			t.Error(err)
		}
	}
	if !strings.Contains(out, "-DFROM="+filepath.Join(root, "build", "windows")+"\n") {
		t.Errorf("it says:\n%s", out)
	}
}
