package cli

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/engine/gguf/gguftest"
)

func TestAPathOfNothingIsAFailureOfModels(t *testing.T) {
	model, gone := gguftest.Llama(t), filepath.Join(t.TempDir(), "gone")
	r := run(t, "models", gone)
	if r.status != Failed || r.stdout != "" || !strings.Contains(r.stderr, "There is no file gone") || strings.Count(r.stderr, "\n") != 1 {
		t.Errorf("%+v", r)
	}
	wantFailure(t, run(t, "models", gone, "--json"), Failed, "file.missing")
	r = run(t, "models", gone, model, gone+"-too", "--json")
	if rows := decode[[]modelRow](t, r); r.status != Failed || len(rows) != 1 || strings.Count(r.stderr, "\n") != 2 || !strings.Contains(r.stderr, "gone-too") {
		t.Errorf("%+v", r)
	}
}

func TestAFileWhoseNameIsNoUTF8IsFound(t *testing.T) {
	data, err := os.ReadFile(gguftest.Llama(t))
	if err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(t.TempDir(), "bad\xff\xfe.gguf")
	if err := os.WriteFile(path, data, 0o600); err != nil {
		t.Fatal(err)
	}
	shown := filepath.Join(filepath.Dir(path), "bad\uFFFD\uFFFD.gguf")
	for _, name := range []string{path, shown} {
		if r := run(t, "check", name); r.status != Done || !strings.Contains(r.stdout, `bad\377\376.gguf'`) {
			t.Errorf("%+v", r)
		}
		if r := run(t, "models", name); r.status != Done {
			t.Errorf("%+v", r)
		}
	}
	if r := run(t, "chat", path, "hello", "--tokens", "2"); r.status != Done {
		t.Errorf("%+v", r)
	}
}

func TestASlipInACommandIsSaid(t *testing.T) {
	for word, want := range map[string]string{"modles": "perhaps models", "divices": "perhaps devices", "Chat": "perhaps chat", "frobnicate": "nor a file."} {
		if r := run(t, word); r.status != WrongUsage || !strings.Contains(r.stderr, want) {
			t.Errorf("%s: %+v", word, r)
		}
	}
}
