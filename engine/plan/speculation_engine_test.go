package plan_test

import (
	"slices"
	"strings"
	"testing"

	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// TestGuessingChangesNoAnswer compares what every way of guessing that is
// allowed makes a model say with what it says without.
func TestGuessingChangesNoAnswer(t *testing.T) {
	llama, qwen, moe := gguftest.Llama(t), gguftest.Qwen35(t), gguftest.Qwen35MoE(t)
	withoutMTP, gemma3, gemma4, glm := gguftest.Qwen35WithoutMTP(t), gguftest.Gemma3(t), gguftest.Gemma4(t), gguftest.GLM4(t)
	small, bytes := gguftest.Draft(t), gguftest.OtherVocabulary(t)
	tests := []struct{ name, model, method, draft string }{
		{"MTP in a hybrid model", qwen, plan.SpecMTP, ""},
		{"MTP in a hybrid of experts", moe, plan.SpecMTP, ""},
		{"MTP in a model of attention only", glm, plan.SpecMTP, ""},
		{"MTP in a file", withoutMTP, plan.SpecMTP, gguftest.MTPHead(t)},
		{"an assistant", gemma4, plan.SpecMTP, gguftest.Assistant(t)},
		{"a plain draft", llama, plan.SpecDraft, small},
		{"a plain draft of a hybrid model", qwen, plan.SpecDraft, bytes},
		{"a plain draft of a model with a sliding window", gemma3, plan.SpecDraft, small},
		{"EAGLE-3", llama, plan.SpecEAGLE3, gguftest.EAGLE3(t)},
		{"EAGLE-3 of Gemma 4", gemma4, plan.SpecEAGLE3, gguftest.EAGLE3(t)},
		{"DFlash", llama, plan.SpecDFlash, gguftest.DFlash(t)},
		{"MTP and the text", qwen, "draft-mtp,ngram-mod", ""},
		{"a plain draft and the text", llama, "draft-simple,ngram-simple", small},
	}
	for _, method := range plan.SpecMethods() {
		if strings.HasPrefix(method, "ngram-") {
			tests = append(tests, struct{ name, model, method, draft string }{"the text alone, by " + method, llama, method, ""},
				struct{ name, model, method, draft string }{"the text alone in a hybrid model, by " + method, qwen, method, ""})
		}
	}
	// The second answer repeats the first, and the third the question, for those
	// who guess from the text.
	questions := []question{{tokens: 100}, {tokens: 100}, {
		text: strings.Repeat("Grass grows near the old wooden fence; horses graze there every quiet morning. ", 6), tokens: 100,
	}}
	plain := map[string][]string{}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if plain[test.model] == nil {
				r := started(t, start(t, allowed(t, test.model, plan.Plan{}, nil)))
				for _, q := range questions {
					plain[test.model] = append(plain[test.model], r.answers(t, q, false))
				}
			}
			var beside []string
			if test.draft != "" {
				beside = []string{test.draft}
			}
			r := started(t, start(t, allowed(t, test.model, guessing(test.method, test.draft), beside)))
			var said []string
			guessed := 0
			for _, q := range questions {
				got := r.ask(t, q)
				said = append(said, got.text)
				guessed += got.drafted
			}
			if !slices.Equal(said, plain[test.model]) {
				t.Errorf("it says\n%q, without guessing\n%q", said, plain[test.model])
			}
			// Where a text holds nothing to guess from, nothing is guessed.
			if hybrid := test.model == qwen && strings.HasPrefix(test.method, "ngram-"); guessed == 0 && !hybrid {
				t.Error("nothing was guessed")
			}
		})
	}
}
