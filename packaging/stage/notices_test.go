package main

import (
	"crypto/sha256"
	"encoding/json"
	"os"
	"path/filepath"
	"runtime/debug"
	"strings"
	"testing"
)

func checksum(data []byte) []byte {
	sum := sha256.Sum256(data)
	return sum[:]
}

// files makes a folder with these in it.
func files(t *testing.T, texts map[string]string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range texts {
		path := filepath.Join(folder, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return folder
}

func TestTheLicencesOfAModuleAreCollected(t *testing.T) {
	from := files(t, map[string]string{
		"LICENSE": "one", "NOTICE.md": "two", "inner/COPYING": "three", "fonts/OFL.txt": "four",
		"license.go": "package x", "testdata/LICENSE": "not in the program", "main.go": "package x",
	})
	to := t.TempDir()
	if err := moduleNotices(from, "example.org/m", tree{root: to}, "go/"); err != nil {
		t.Fatal(err)
	}
	for name, want := range map[string]string{"LICENSE": "one", "NOTICE.md": "two", "inner/COPYING": "three", "fonts/OFL.txt": "four"} {
		if got := read(t, filepath.Join(to, "go/example.org/m", name)); got != want {
			t.Errorf("%s: %q", name, got)
		}
	}
	for _, name := range []string{"license.go", "testdata", "main.go"} {
		if _, err := os.Stat(filepath.Join(to, "go/example.org/m", name)); err == nil {
			t.Errorf("%s was taken for a licence", name)
		}
	}
}

func TestAModuleThatMayNotBeShippedStopsThePackage(t *testing.T) {
	out := tree{root: t.TempDir()}
	if err := moduleNotices(files(t, map[string]string{"main.go": "package x"}), "example.org/m", out, "go/"); err == nil || !strings.Contains(err.Error(), "example.org/m has no licence") {
		t.Errorf("without a licence: %v", err)
	}
	if err := moduleNotices("", "example.org/m", out, "go/"); err == nil || !strings.Contains(err.Error(), "go mod download") {
		t.Errorf("without its sources: %v", err)
	}
	table := []byte("| a/b | v1.0.0 | MIT |\n")
	for module, want := range map[debug.Module]bool{
		{Path: "a/b", Version: "v1.0.0"}: true, {Path: "a/b", Version: "v1.0.1"}: false, {Path: "b", Version: "v1.0.0"}: false,
		{Path: "b", Version: "v1.0.0", Replace: &debug.Module{Path: "a/b", Version: "v1.0.0"}}:      true,
		{Path: "a/b", Version: "v1.0.0", Replace: &debug.Module{Path: "a/fork", Version: "v1.0.0"}}: false,
		{Path: "a/b", Version: "v1.0.0", Replace: &debug.Module{Path: "../b"}}:                      false,
	} {
		if got := named(table, &module); got != want {
			t.Errorf("%s %s is named: %v", module.Path, module.Version, got)
		}
	}
}

func TestTheLicenceOfEverythingIsInThePackage(t *testing.T) {
	folder := filepath.Join(staged(t), "paddock", docs, "paddock")
	for _, name := range []string{
		"copyright", "THIRD_PARTY.md", "licences/paddock", "licences/engine/libllama0", "licences/engine/common/LGPL-3",
		"licences/go/Go/LICENSE", "licences/go/github.com/alecthomas/kong/COPYING",
	} {
		if len(read(t, filepath.Join(folder, name))) < 500 {
			t.Errorf("%s has nothing in it", name)
		}
	}
}

func TestTheBillNamesTheEnginesPackages(t *testing.T) {
	sum := strings.Repeat("ab", 32)
	data, err := withEngine([]byte(`{"components": [{"name": "kong"}], "metadata": {"component": {"bom-ref": "app"}},
		"dependencies": [{"ref": "other"}, {"ref": "app", "dependsOn": ["kong"]}]}`),
		[]byte("# The engine\nversion: 0.7.0 (build 1, commit "+strings.Repeat("x", 100_000)+")\namd64 libstdc++6 1:2+b~3 "+sum+"\n"))
	if err != nil {
		t.Fatal(err)
	}
	var bill struct {
		Components   []part
		Dependencies []struct {
			Ref       string
			DependsOn []string
		}
	}
	if err := json.Unmarshal(data, &bill); err != nil {
		t.Fatal(err)
	}
	const ref = "pkg:deb/debian/libstdc++6@1%3A2%2Bb~3?arch=amd64"
	if len(bill.Components) != 2 || bill.Components[1].PURL != ref || bill.Components[1].Hashes[0].Content != sum {
		t.Errorf("parts %+v", bill.Components)
	}
	if on := bill.Dependencies[1].DependsOn; len(on) != 2 || on[1] != ref {
		t.Errorf("depends on %v", on)
	}
}

func TestABillThatIsNoneIsAnError(t *testing.T) {
	good := []byte("amd64 a 1 " + strings.Repeat("ab", 32))
	for name, c := range map[string]struct{ bill, manifest string }{
		"no JSON":             {"{", string(good)},
		"no components":       {`{}`, string(good)},
		"an empty manifest":   {modules, ""},
		"no entry of the app": {`{"components": [], "metadata": {"component": {"bom-ref": "app"}}, "dependencies": []}`, string(good)},
	} {
		if _, err := withEngine([]byte(c.bill), []byte(c.manifest)); err == nil {
			t.Errorf("%s is no error", name)
		}
	}
}
