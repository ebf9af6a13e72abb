package main

import (
	"bytes"
	"encoding/xml"
	"fmt"
	"image/png"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/BurntSushi/toml"

	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
)

const modules = `{"components": [], "metadata": {"component": {"bom-ref": "app"}}, "dependencies": [{"ref": "app"}]}`

// laid is where staged has laid packages out, once for all tests that only look.
var laid string

func TestMain(m *testing.M) {
	status := m.Run()
	os.RemoveAll(laid) // of an empty name it removes nothing
	os.Exit(status)
}

// staged is a folder with packages whose program is this test.
func staged(t *testing.T) string {
	t.Helper()
	if laid == "" {
		folder, err := os.MkdirTemp("", "paddock-stage")
		if err != nil {
			t.Fatal(err)
		}
		laid = folder
		layOut(t, laid)
	}
	return laid
}

func layOut(t *testing.T, out string) {
	t.Helper()
	program, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	list := filepath.Join(t.TempDir(), "modules.json")
	if err := os.WriteFile(list, []byte(modules), 0o600); err != nil {
		t.Fatal(err)
	}
	in := inputs{
		source: "../..", program: program, engine: buildtest.Path(t), modules: list,
		version: "1.2.3", arch: "amd64", when: time.Unix(1_700_000_000, 0).UTC(),
	}
	if err := stage(in, out); err != nil {
		t.Fatal(err)
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	text, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// state is a line for everything in a folder: name, mode, time, and what is in it.
func state(t *testing.T, root string) []string {
	t.Helper()
	var lines []string
	err := filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || path == root {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		line := fmt.Sprint(strings.TrimPrefix(path, root), " ", info.Mode())
		switch {
		case info.Mode().IsRegular():
			data, err := os.ReadFile(path)
			if err != nil {
				return err
			}
			line += fmt.Sprintf(" %d %x", info.ModTime().Unix(), checksum(data))
		case info.IsDir():
			line += fmt.Sprint(" ", info.ModTime().Unix())
		}
		lines = append(lines, line)
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return lines
}

func TestTheSameIsStagedAgainWhateverTheUmask(t *testing.T) {
	first := state(t, staged(t))
	before := syscall.Umask(0o077)
	defer syscall.Umask(before)
	again := filepath.Join(t.TempDir(), "root")
	layOut(t, again)
	second := state(t, again)
	if len(first) < 100 {
		t.Errorf("only %d files", len(first))
	}
	for i, line := range first {
		if i >= len(second) || second[i] != line {
			t.Fatalf("line %d was %q, is now %q", i, line, second[min(i, len(second)-1)])
		}
	}
}

// entry reads a desktop entry.
func entry(t *testing.T, path string) map[string]string {
	t.Helper()
	values := map[string]string{}
	for line := range strings.Lines(read(t, path)) {
		if key, value, ok := strings.Cut(strings.TrimSpace(line), "="); ok {
			values[key] = value
		}
	}
	return values
}

func TestTheDesktopKnowsTheProgramAndItsFiles(t *testing.T) {
	share := filepath.Join(staged(t), "paddock", "usr", "share")
	var about struct{ Details struct{ ID, Name string } }
	if _, err := toml.Decode(read(t, "../../FyneApp.toml"), &about); err != nil {
		t.Fatal(err)
	}
	if about.Details.ID != id {
		t.Fatalf("FyneApp.toml says %s, files are named %s", about.Details.ID, id)
	}
	var kind struct {
		Type struct {
			Name  string `xml:"type,attr"`
			Magic struct {
				Match struct {
					Value  string `xml:"value,attr"`
					Offset int    `xml:"offset,attr"`
				} `xml:"match"`
			} `xml:"magic"`
			Glob struct {
				Pattern string `xml:"pattern,attr"`
			} `xml:"glob"`
			Icon struct {
				Name string `xml:"name,attr"`
			} `xml:"icon"`
		} `xml:"mime-type"`
	}
	if err := xml.Unmarshal([]byte(read(t, filepath.Join(share, "mime", "packages", id+".xml"))), &kind); err != nil {
		t.Fatal(err)
	}
	model := gguftest.Llama(t)
	magic := kind.Type.Magic.Match
	if !strings.HasPrefix(read(t, model)[magic.Offset:], magic.Value) || magic.Value == "" {
		t.Errorf("a model does not begin with %q", magic.Value)
	}
	if ok, err := filepath.Match(kind.Type.Glob.Pattern, filepath.Base(model)); !ok || err != nil {
		t.Errorf("%s is no %s", filepath.Base(model), kind.Type.Glob.Pattern)
	}

	for key, want := range map[string]string{
		"Exec": "paddock %F", "MimeType": kind.Type.Name + ";", "Icon": id, "Name": about.Details.Name,
		"StartupWMClass": about.Details.Name, "Type": "Application", "Terminal": "false",
	} {
		if got := entry(t, filepath.Join(share, "applications", id+".desktop"))[key]; got != want {
			t.Errorf("%s is %q, want %q", key, got, want)
		}
	}
	if kind.Type.Icon.Name != id {
		t.Errorf("models have the icon %q, which is none of ours", kind.Type.Icon.Name)
	}

	meta := read(t, filepath.Join(share, "metainfo", id+".metainfo.xml"))
	for _, want := range []string{`<release version="1.2.3" date="2023-11-14"/>`, "<id>" + id + "</id>", kind.Type.Name} {
		if !strings.Contains(meta, want) {
			t.Errorf("the metainfo has no %s", want)
		}
	}
}

func TestIconsAreDrawnInTheSizeOfTheirFolder(t *testing.T) {
	root := filepath.Join(staged(t), "paddock", "usr", "share", "icons", "hicolor")
	for _, size := range iconSizes {
		data := read(t, filepath.Join(root, fmt.Sprintf("%dx%d", size, size), "apps", id+".png"))
		picture, err := png.Decode(strings.NewReader(data))
		if err != nil {
			t.Fatal(err)
		}
		bounds := picture.Bounds()
		if bounds.Dx() != size || bounds.Dy() != size {
			t.Errorf("%d: %v", size, bounds)
		}
		colours := map[any]int{}
		for y := range size {
			for x := range size {
				colours[picture.At(x, y)]++
			}
		}
		if len(colours) < 4 {
			t.Errorf("%d: of %d colours only, which is no picture", size, len(colours))
		}
	}
	if _, err := drawn([]byte("<svg"), 16); err == nil {
		t.Error("a broken drawing is drawn")
	}
}

func TestTheEngineGoesIntoTwoPackages(t *testing.T) {
	out := staged(t)
	app, vulkan := filepath.Join(out, "paddock", home, "engine"), filepath.Join(out, "paddock-vulkan", home, "engine")
	if _, err := os.Stat(filepath.Join(vulkan, backend)); err != nil {
		t.Error(err)
	}
	if _, err := os.Stat(filepath.Join(app, backend)); err == nil {
		t.Error("the Vulkan backend is in both packages, which can't be installed together then")
	}
	for name, program := range map[string]bool{"bin/llama-server": true, "lib/libggml-cpu-x64.so": false, "manifest": false} {
		info, err := os.Stat(filepath.Join(app, name))
		if err != nil {
			t.Error(err)
		} else if (info.Mode()&0o111 != 0) != program {
			t.Errorf("%s: %v", name, info.Mode())
		}
	}
	target, err := os.Readlink(filepath.Join(out, "paddock", "usr", "bin", "paddock"))
	if err != nil || filepath.Join("/usr/bin", target) != "/"+home+"/paddock" {
		t.Errorf("the command leads to %q, %v", target, err)
	}
}

func TestWhatIsMissingIsSaid(t *testing.T) {
	out := filepath.Join(t.TempDir(), "root")
	for name, c := range map[string]struct {
		in   inputs
		want string
	}{
		"no program":    {inputs{program: "/no/program"}, "/no/program"},
		"no Go program": {inputs{program: "/bin/sh"}, "/bin/sh"},
	} {
		if err := stage(c.in, out); err == nil || !strings.Contains(err.Error(), c.want) && !strings.Contains(err.Error(), "Go executable") {
			t.Errorf("%s: %v", name, err)
		}
	}
	entries, err := os.ReadDir(out)
	if err == nil && len(entries) > 0 {
		t.Errorf("it left %v", entries)
	}
	if !slices.IsSorted(iconSizes) {
		t.Error("sizes are in no order")
	}
	if !bytes.Contains(inputs{version: "9"}.filled([]byte("v@VERSION@")), []byte("v9")) {
		t.Error("the version is not filled in")
	}
}
