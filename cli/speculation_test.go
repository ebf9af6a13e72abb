package cli

import (
	"path/filepath"
	"testing"
)

func TestAChatGuessesAheadAndSaysHowOftenItWasRight(t *testing.T) {
	dir := shelve(t, "qwen35-mtp", "llama", "llama-draft", "llama-eagle3", "qwen35-mtp-missing", "qwen35-mtp-head", "gemma4", "gemma4-assistant")
	path := func(name string) string { return filepath.Join(dir, name+".gguf") }
	tests := map[string][]string{
		"with the model's own layers":  {path("qwen35-mtp"), "--spec", "mtp"},
		"with layers in another file":  {path("qwen35-mtp-missing"), "--draft", path("qwen35-mtp-head")},
		"with an assistant":            {path("gemma4"), "--draft", path("gemma4-assistant")},
		"with a smaller model":         {path("llama"), "--draft", path("llama-draft"), "--draft-max", "2"},
		"with an EAGLE-3 draft":        {path("llama"), "--draft", path("llama-eagle3")},
		"with the layers and n-grams":  {path("qwen35-mtp"), "--spec", "mtp,ngram-mod"},
		"with the first that is found": {path("llama"), "--spec", "draft"},
	}
	for name, args := range tests {
		t.Run(name, func(t *testing.T) {
			chat := func(flags ...string) chatDocument {
				more := append(flags, "hello", "--json", "--temperature", "0", "--tokens", "24", "--devices", "CPU")
				r := run(t, append([]string{"chat"}, more...)...)
				if r.status != Done {
					t.Fatalf("exit status %d: %s", r.status, r.stderr)
				}
				return decode[chatDocument](t, r)
			}
			guessed, plain := chat(args...), chat(args[0], "--spec", "none")
			if *guessed.DraftedTokens == 0 || *guessed.AcceptedTokens == 0 || *guessed.AcceptedTokens > *guessed.DraftedTokens {
				t.Errorf("%d of %d drafted tokens accepted", *guessed.AcceptedTokens, *guessed.DraftedTokens)
			}
			if *plain.DraftedTokens != 0 || guessed.Text != plain.Text || guessed.Text == "" {
				t.Errorf("guessing changed the answer:\n%q\n%q", guessed.Text, plain.Text)
			}
		})
	}
}
