package main

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
)

// packed is what nfpm makes of the staged files by a configuration of ours: the
// parts of the .deb by their names.
func packed(t *testing.T, config, name string) map[string][]byte {
	t.Helper()
	root := t.TempDir()
	if err := os.MkdirAll(filepath.Join(root, "build", "package", "riscv64"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(staged(t), filepath.Join(root, "build", "package", "riscv64", "root")); err != nil {
		t.Fatal(err)
	}
	config, err := filepath.Abs(filepath.Join("..", config))
	if err != nil {
		t.Fatal(err)
	}
	tool, err := exec.Command("go", "tool", "-C", "../..", "-modfile=packaging/tools/go.mod", "-n", "nfpm").Output()
	if err != nil {
		t.Fatalf("nfpm can't be built: %v\n%s", err, stderr(err))
	}
	deb := filepath.Join(root, name+".deb")
	nfpm := exec.Command(strings.TrimSpace(string(tool)), "package", "-f", config, "-p", "deb", "-t", deb)
	nfpm.Dir = root
	nfpm.Env = append(os.Environ(), "ARCH=riscv64", "VERSION=1.2.3", "LINKED=libc6 (>= 2.34), libgl1", "SOURCE_DATE_EPOCH=1700000000")
	if out, err := nfpm.CombinedOutput(); err != nil {
		t.Fatalf("nfpm: %v\n%s", err, out)
	}
	parts, err := archive(read(t, deb))
	if err != nil {
		t.Fatal(err)
	}
	return parts
}

func stderr(err error) []byte {
	var exit *exec.ExitError
	if errors.As(err, &exit) {
		return exit.Stderr
	}
	return nil
}

// archive reads an ar archive.
func archive(text string) (map[string][]byte, error) {
	rest, ok := strings.CutPrefix(text, "!<arch>\n")
	if !ok {
		return nil, errors.New("no ar archive")
	}
	parts := map[string][]byte{}
	for len(rest) >= 60 {
		name := strings.TrimRight(rest[:16], " /")
		size, err := strconv.Atoi(strings.TrimSpace(rest[48:58]))
		if err != nil || 60+size > len(rest) {
			return nil, fmt.Errorf("%s: a size that can't be: %q", name, rest[48:58])
		}
		parts[name] = []byte(rest[60 : 60+size])
		rest = rest[min(60+size+size%2, len(rest)):]
	}
	return parts, nil
}

// members are the entries of a tar archive by their paths, and the small ones' texts.
func members(t *testing.T, r io.Reader) (map[string]*tar.Header, map[string]string) {
	t.Helper()
	headers, texts := map[string]*tar.Header{}, map[string]string{}
	for tr := tar.NewReader(r); ; {
		h, err := tr.Next()
		if err == io.EOF {
			return headers, texts
		}
		if err != nil {
			t.Fatal(err)
		}
		name := "/" + strings.Trim(strings.TrimPrefix(h.Name, "."), "/")
		headers[name] = h
		if h.Size < 1<<16 {
			text, err := io.ReadAll(tr)
			if err != nil {
				t.Fatal(err)
			}
			texts[name] = string(text)
		}
	}
}

func TestTheDebianPackageInstallsWhatWasStaged(t *testing.T) {
	parts := packed(t, "nfpm.yaml", "paddock")
	if string(parts["debian-binary"]) != "2.0\n" {
		t.Errorf("it is of format %q", parts["debian-binary"])
	}
	headers, _ := members(t, bytes.NewReader(parts["data.tar"]))
	for name, mode := range map[string]int64{
		"/usr/lib/paddock/paddock":                                       0o755,
		"/usr/lib/paddock/engine/bin/llama-server":                       0o755,
		"/usr/lib/paddock/engine/manifest":                               0o644,
		"/usr/share/applications/org.paddock.Paddock.desktop":            0o644,
		"/usr/share/mime/packages/org.paddock.Paddock.xml":               0o644,
		"/usr/share/metainfo/org.paddock.Paddock.metainfo.xml":           0o644,
		"/usr/share/icons/hicolor/scalable/apps/org.paddock.Paddock.svg": 0o644,
		"/usr/share/icons/hicolor/48x48/apps/org.paddock.Paddock.png":    0o644,
		"/usr/share/man/man1/paddock.1.gz":                               0o644,
		"/usr/share/bash-completion/completions/paddock":                 0o644,
		"/usr/share/zsh/vendor-completions/_paddock":                     0o644,
		"/usr/share/fish/vendor_completions.d/paddock.fish":              0o644,
		"/usr/share/doc/paddock/copyright":                               0o644,
		"/usr/share/doc/paddock/paddock.cdx.json":                        0o644,
	} {
		h := headers[name]
		if h == nil {
			t.Errorf("no %s", name)
		} else if h.Mode&0o7777 != mode {
			t.Errorf("%s: mode %o", name, h.Mode)
		}
	}
	if h := headers["/usr/bin/paddock"]; h == nil || h.Linkname != "../lib/paddock/paddock" {
		t.Errorf("the command: %+v", h)
	}
	for name, h := range headers {
		if h.Uid != 0 || h.Gid != 0 || h.Uname != "root" && h.Uname != "" || h.Typeflag == tar.TypeReg && h.ModTime.Unix() != 1_700_000_000 {
			t.Errorf("%s is of %d:%d (%s), %v", name, h.Uid, h.Gid, h.Uname, h.ModTime)
		}
		if !strings.HasPrefix(name, "/usr/") && name != "/usr" && name != "/" {
			t.Errorf("%s is outside of /usr", name)
		}
	}
}

func TestTheDebianPackageSaysWhatItNeeds(t *testing.T) {
	for config, want := range map[string][]string{
		"nfpm.yaml": {
			"Package: paddock\n", "Version: 1.2.3\n", "Architecture: riscv64\n", "Recommends: paddock-vulkan\n",
			"Depends: libc6 (>= 2.34), libgl1, ", "libx11-6", "libxkbcommon0", "shared-mime-info", "desktop-file-utils",
			"Description: run language models on your own computer\n Paddock shows",
		},
		"nfpm-vulkan.yaml": {
			"Package: paddock-vulkan\n", "Version: 1.2.3\n", "Depends: paddock (= 1.2.3), libvulkan1\n",
			"Recommends: mesa-vulkan-drivers | vulkan-icd\n",
		},
	} {
		parts := packed(t, config, "package")
		unzipped, err := gzip.NewReader(bytes.NewReader(parts["control.tar.gz"]))
		if err != nil {
			t.Fatalf("%s: %v", config, err)
		}
		headers, texts := members(t, unzipped)
		for _, line := range want {
			if !strings.Contains(texts["/control"], line) {
				t.Errorf("%s: the control file has no %q:\n%s", config, line, texts["/control"])
			}
		}
		if strings.Contains(texts["/control"], "${") {
			t.Errorf("%s: something is not filled in:\n%s", config, texts["/control"])
		}
		// Debian's own triggers tell the desktop: a script of ours could only fail.
		for name := range headers {
			if !slices.Contains([]string{"/", "/control", "/md5sums"}, name) {
				t.Errorf("%s has a %s", config, name)
			}
		}
	}
}
