package plan_test

import (
	"testing"

	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// The proofs of rules/lora.toml, each on the real engine.

func TestEngineNeedsALoRAFile(t *testing.T) {
	for _, test := range []wrongFile{
		{"a model", gguftest.Draft(t)},
		{"an MTP head", gguftest.MTPHead(t)},
		{"a draft", gguftest.EAGLE3(t)},
		{"a projector", gguftest.Projector(t)},
		{"a vocabulary", gguftest.VocabularyOnly(t)},
		{"an importance matrix", gguftest.Imatrix(t)},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := plan.Plan{LoRAPath: test.path, ProjectorPath: plan.NoProjector}
			wantRefused(t, "lora-file", gguftest.Llama(t), p, "failed to load lora adapter", test.path)
		})
	}
}

func TestEngineNeedsALoRAOfTheModelsArchitecture(t *testing.T) {
	lora := gguftest.LoRA(t)
	wantRefused(t, "lora-architecture", gguftest.Gemma3(t), plan.Plan{LoRAPath: lora}, "arch mismatch", lora)
}

func TestEngineNeedsALoRAOfTheModelsShapes(t *testing.T) {
	lora := gguftest.LoRA(t)
	wantRefused(t, "lora-shapes", gguftest.HeadSize80(t), plan.Plan{LoRAPath: lora}, "incorrect shape", lora)
	t.Run("nor one for more layers", func(t *testing.T) {
		wantRefused(t, "lora-shapes", gguftest.Draft(t), plan.Plan{LoRAPath: lora}, "does not exist in base model", lora)
	})
	t.Run("its own is fine, also while guessing", func(t *testing.T) {
		draft := gguftest.Draft(t)
		p := allowed(t, gguftest.Llama(t), plan.Plan{LoRAPath: lora, DraftPath: draft}, []string{lora, draft})
		started(t, start(t, p)).answers(t, question{}, true)
	})
}

func TestEngineAppliesNoLoRAWhileSplitByTensor(t *testing.T) {
	lora := gguftest.LoRA(t)
	p := twoServers(t, plan.Plan{LoRAPath: lora, SplitMode: "tensor", FlashAttn: "on"})
	p, g := complete(t, gguftest.Llama(t), p, lora)
	if v := plan.Check(p, g); !has(v.Refusals, "lora-tensor") {
		t.Errorf("refused by %v", ids(v.Refusals))
	}
	if r := start(t, p); r.healthy(t) {
		t.Errorf("the engine started:\n%s", r.Log())
	}
	p.SplitMode = "layer"
	started(t, start(t, p)).answers(t, question{}, false)
}
