package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/engine/gguf/gguftest"
)

func TestCheckFailsWithWhatTheEngineSaysOfTheFile(t *testing.T) {
	for _, test := range []struct{ name, from, to, kind, says string }{
		{"an architecture", "\x00llama", "\x00lhama", "server.unknownArchitecture", "unknown model architecture: 'lhama'"},
		{"a tensor", "blk.1.attn_q.weight", "blk.1.attn_x.weight", "server.modelCorrupt", "tensor 'blk.1.attn_q.weight' not found"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := gguftest.Altered(t, test.from, test.to)
			for _, args := range [][]string{{"check", path}, {"chat", path, "hello"}} {
				r := run(t, append([]string{"--json"}, args...)...)
				wantFailure(t, r, Failed, test.kind)
				if !strings.Contains(r.stderr, "altered.gguf") || !strings.Contains(r.stderr, test.says) {
					t.Errorf("%s: %q", args[0], r.stderr)
				}
			}
		})
	}
}

func TestCheckRefusesATrainedLengthThatMakesNoSense(t *testing.T) {
	const key = "llama.context_length\x04\x00\x00\x00"
	path := gguftest.Altered(t, key+"\x00\x20\x00\x00", key+"\xff\xff\xff\xff")
	r := run(t, "check", path)
	if r.status != Refused || !strings.Contains(r.stdout, "header of altered.gguf") || !strings.Contains(r.stdout, "4,294,967,295") {
		t.Errorf("%+v", r)
	}
	if r := run(t, "chat", path, "hello"); r.status != Refused || !strings.Contains(r.stderr, "4,294,967,295") {
		t.Errorf("%+v", r)
	}
}

func TestAFolderForSettingsThatCannotBeIsSaidWhereModelsAreNamed(t *testing.T) {
	path := gguftest.Llama(t)
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for _, folder := range []string{filepath.Join(os.DevNull, "x"), file} {
		r := run(t, "--config", folder, "models", path)
		if r.status != Done || !strings.Contains(r.stdout, path) || strings.Count(r.stderr, "\n") != 1 || !strings.Contains(r.stderr, folder) {
			t.Errorf("%s: %+v", folder, r)
		}
	}
	if r := run(t, "models", path); r.status != Done || r.stderr != "" {
		t.Errorf("a good one: %+v", r)
	}
}
