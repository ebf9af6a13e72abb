package hub

import (
	"net/url"
	"path/filepath"
	"strings"
	"testing"
)

func mustParse(t *testing.T, address string) *url.URL {
	t.Helper()
	u, err := url.Parse(address)
	if err != nil {
		t.Fatal(err)
	}
	return u
}

func TestANameFromTheHubLeadsNowhereElse(t *testing.T) {
	folder := t.TempDir()
	for _, path := range []string{
		"../a.gguf", "a/../../b.gguf", "/etc/passwd", "..", ".", "", "a//b.gguf", "a/", `a\..\b.gguf`, `C:\a.gguf`, "C:a.gguf",
		"a\x00.gguf", "a\n.gguf", "a\u202egguf.exe", "a\xff.gguf", "a?.gguf", "a*.gguf", "a|b.gguf", "<a>.gguf", `"a".gguf`,
		"CON", "con.gguf", "NUL .gguf", "nul.tar.gguf", "COM1.gguf", "lpt9", "COM².gguf", "aux/a.gguf", "CONIN$.gguf",
		"a.gguf.", "a.gguf ", " a.gguf", "... ", strings.Repeat("a", 300) + ".gguf",
	} {
		if target, err := Target(folder, repoID, path); err == nil {
			t.Errorf("%q is stored as %s", path, target)
		} else if e := wantKind(t, err, BadName); e.File != path {
			t.Errorf("%q: %+v", path, e)
		}
	}
	for _, repo := range []string{"", "..", "../a", "a/..", "/a", "a/b/c", "a/con", "a b/c", "a/b.", `a\b`, "a/b\n"} {
		if target, err := Target(folder, repo, "a.gguf"); err == nil {
			t.Errorf("repository %q is stored as %s", repo, target)
		}
	}
	for path, want := range map[string]string{
		"Qwen3-8B-Q4_K_M.gguf":      "bartowski/Tiny-GGUF/Qwen3-8B-Q4_K_M.gguf",
		"BF16/part one.gguf":        "bartowski/Tiny-GGUF/BF16/part one.gguf",
		"..a.gguf":                  "bartowski/Tiny-GGUF/..a.gguf",
		"模型.gguf":                   "bartowski/Tiny-GGUF/模型.gguf",
		"console.gguf":              "bartowski/Tiny-GGUF/console.gguf",
		"a-00001-of-00002.gguf":     "bartowski/Tiny-GGUF/a-00001-of-00002.gguf",
		"v1.5 (final) [x]+y=z.gguf": "bartowski/Tiny-GGUF/v1.5 (final) [x]+y=z.gguf",
	} {
		if target, err := Target(folder, repoID, path); err != nil || target != filepath.Join(folder, filepath.FromSlash(want)) {
			t.Errorf("%q is stored as %s, %v", path, target, err)
		}
	}
}
