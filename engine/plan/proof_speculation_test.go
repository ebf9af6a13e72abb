package plan_test

import (
	"net/http"
	"sync"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// The proofs of rules/speculation.toml, each on the real engine.

func TestEngineKnowsNoOtherWaysOfGuessing(t *testing.T) {
	wantRefused(t, "spec-unknown", gguftest.Llama(t), plan.Plan{SpecTypes: "draft-magic"}, "unknown speculative type")
	t.Run("none beside another turns all off", func(t *testing.T) {
		p := refused(t, gguftest.Qwen35(t), plan.Plan{SpecTypes: "draft-mtp,none"}, nil, "spec-unknown")
		started(t, start(t, p)).answers(t, question{}, false)
	})
}

func TestEngineGuessesWithOneDraftAtATime(t *testing.T) {
	t.Run("MTP and a plain draft, which need one file each", func(t *testing.T) {
		p := refused(t, gguftest.Qwen35(t), plan.Plan{SpecTypes: "draft-mtp,draft-simple", DraftPath: plan.NoSpec}, nil, "spec-one-draft")
		p.DraftPath = ""
		started(t, start(t, p)).failsWhenAsked(t, question{}, "embd_state")
	})
	t.Run("a plain draft and EAGLE-3", func(t *testing.T) {
		eagle := gguftest.EAGLE3(t)
		p := refused(t, gguftest.Llama(t), plan.Plan{SpecTypes: "draft-simple,draft-eagle3", DraftPath: eagle}, []string{eagle},
			"draft-of-another-kind", "spec-one-draft")
		started(t, start(t, p)).failsWhenAsked(t, question{}, "failed to process speculative batch")
	})
	t.Run("one with weights and one without is fine", func(t *testing.T) {
		p := allowed(t, gguftest.Qwen35(t), plan.Plan{SpecTypes: "draft-mtp,ngram-mod"}, nil)
		started(t, start(t, p)).answers(t, question{}, true)
	})
}

func TestEngineNeedsABatchThatHoldsTheGuesses(t *testing.T) {
	draft := gguftest.Draft(t)
	model := gguftest.Llama(t)
	p := refused(t, model, plan.Plan{SpecTypes: plan.SpecDraft, DraftPath: draft, DraftMax: 20, BatchTokens: 20}, []string{draft}, "guess-batch")
	started(t, start(t, p)).failsWhenAsked(t, question{}, "batch must be large enough")

	p = allowed(t, model, plan.Plan{SpecTypes: plan.SpecDraft, DraftPath: draft, DraftMax: 20, BatchTokens: 21}, []string{draft})
	started(t, start(t, p)).answers(t, question{}, true)

	t.Run("guesses from the text are as many as they like", func(t *testing.T) {
		p := refused(t, model, plan.Plan{SpecTypes: "ngram-mod", BatchTokens: 32}, nil, "guess-batch")
		r := started(t, start(t, p))
		r.answers(t, question{tokens: 120}, false)
		r.failsWhenAsked(t, question{tokens: 120}, "batch must be large enough")
	})
}

func TestEngineNeedsMTPLayersForMTP(t *testing.T) {
	wantRefused(t, "mtp-none", gguftest.Llama(t), plan.Plan{SpecTypes: plan.SpecMTP}, "failed to create MTP context")
}

func TestEngineNeedsTheMTPLayersAHeaderSpeaksOf(t *testing.T) {
	model, head := gguftest.Qwen35WithoutMTP(t), gguftest.MTPHead(t)
	wantRefused(t, "mtp-declared", model, plan.Plan{SpecTypes: plan.SpecMTP}, "MTP block missing")
	t.Run("a file with them is as good", func(t *testing.T) {
		p := allowed(t, model, plan.Plan{SpecTypes: plan.SpecMTP}, []string{head})
		started(t, start(t, p)).answers(t, question{}, true)
	})
	t.Run("so is one in two parts", func(t *testing.T) {
		parts := twoParts(t, generated(t, "qwen35-mtp-head"))
		g := plan.Given{Model: facts(t, model), Beside: []gguf.Facts{parts}}
		p, _ := plan.Complete(plan.Plan{DraftPath: parts.Path}, g)
		if v := plan.Check(p, g); p.SpecTypes != plan.SpecMTP || !v.Valid() {
			t.Errorf("%s, refused by %v", p.SpecTypes, ids(v.Refusals))
		}
		started(t, start(t, p)).answers(t, question{}, true)
	})
	t.Run("and a whole model that has them", func(t *testing.T) {
		whole := gguftest.Qwen35(t)
		p := allowed(t, model, plan.Plan{SpecTypes: plan.SpecMTP, DraftPath: whole}, []string{whole})
		started(t, start(t, p)).answers(t, question{}, true)
	})
}

func TestEngineNeedsMTPLayersInAFileForMTP(t *testing.T) {
	other := gguftest.OtherVocabulary(t)
	wantRefused(t, "mtp-draft-without", gguftest.Qwen35(t), plan.Plan{SpecTypes: plan.SpecMTP, DraftPath: other},
		"failed to create MTP context", other)
	for name, draft := range map[string]string{"EAGLE-3": gguftest.EAGLE3(t), "a projector": gguftest.Projector(t)} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, "mtp-draft-without", gguftest.Llama(t), plan.Plan{SpecTypes: plan.SpecMTP, DraftPath: draft, ProjectorPath: plan.NoProjector},
				"", draft)
		})
	}
}

func TestEngineDiesOfAnMTPHeadWithAnotherVocabulary(t *testing.T) {
	head := gguftest.MTPHead(t)
	p, g := complete(t, gguftest.Llama(t), plan.Plan{DraftPath: head}, head)
	v := plan.Check(p, g)
	if p.SpecTypes != plan.SpecMTP || len(v.Refusals) != 1 || v.Refusals[0].Rule != "mtp-vocabulary" {
		t.Errorf("%s, refused by %v", p.SpecTypes, ids(v.Refusals))
	}
	started(t, start(t, p)).failsWhenAsked(t, question{}, "failed to add token")
}

func TestEngineNeedsAnMTPHeadOfTheModelsWidth(t *testing.T) {
	head := gguftest.MTPHead(t)
	p := refused(t, gguftest.HeadSize80(t), plan.Plan{DraftPath: head}, []string{head}, "mtp-vocabulary", "mtp-width")
	if r := start(t, p); r.healthy(t) {
		t.Errorf("the engine started:\n%s", r.Log())
	}
}

func TestEngineTakesAnMTPHeadOfAnotherArchitecture(t *testing.T) {
	head := gguftest.MTPHead(t)
	for name, model := range map[string]string{"a llama": gguftest.OtherVocabulary(t), "experts": gguftest.Qwen35MoE(t)} {
		t.Run(name, func(t *testing.T) {
			p := allowed(t, model, plan.Plan{DraftPath: head}, []string{head}, "mtp-architecture")
			started(t, start(t, p)).answers(t, question{}, true)
		})
	}
}

func TestEngineNeedsTheModelOfAnAssistant(t *testing.T) {
	assistant := gguftest.Assistant(t)
	for name, model := range map[string]string{
		"Gemma 3": gguftest.Gemma3(t), "a llama": gguftest.Llama(t), "a Qwen": gguftest.Qwen35(t),
	} {
		t.Run(name, func(t *testing.T) {
			wantRefused(t, "mtp-assistant", model, plan.Plan{SpecTypes: plan.SpecMTP, DraftPath: assistant}, "", assistant)
		})
	}
	t.Run("its own", func(t *testing.T) {
		p := allowed(t, gguftest.Gemma4(t), plan.Plan{DraftPath: assistant}, []string{assistant})
		started(t, start(t, p)).answers(t, question{}, true)
	})
}

func TestEngineNeedsAnAssistantOfTheModelsWidth(t *testing.T) {
	const own, wide = 64, 160
	f := generated(t, "gemma4-assistant")
	f.Set("gemma4-assistant.embedding_length_out", uint32(wide))
	for i, tensor := range f.Tensors {
		switch tensor.Name {
		case "nextn.pre_projection.weight":
			f.Tensors[i].Dimensions = []uint64{2 * wide, own}
		case "nextn.post_projection.weight":
			f.Tensors[i].Dimensions = []uint64{own, wide}
		default:
			continue
		}
		f.Tensors[i].Data = make([]byte, 2*f.Tensors[i].Dimensions[0]*f.Tensors[i].Dimensions[1])
	}
	assistant := written(t, f, "assistant")
	wantRefused(t, "mtp-assistant-width", gguftest.Gemma4(t), plan.Plan{DraftPath: assistant}, "", assistant)
}

func TestEngineGuessesWithAnAssistantInTwoSlots(t *testing.T) {
	assistant := gguftest.Assistant(t)
	p := allowed(t, gguftest.Gemma4(t), plan.Plan{DraftPath: assistant, Slots: 2}, []string{assistant}, "mtp-assistant-slots")
	r := started(t, start(t, p))
	var both sync.WaitGroup
	for _, text := range []string{"What is it?", "Tell me about horses."} {
		both.Go(func() {
			if got := r.ask(t, question{text: text}); got.status != http.StatusOK || got.drafted == 0 {
				t.Errorf("status %d, %d tokens guessed", got.status, got.drafted)
			}
		})
	}
	both.Wait()
}

func TestEngineDiesOfAnAssistantWhileSplitByTensor(t *testing.T) {
	assistant := gguftest.Assistant(t)
	p := twoServers(t, plan.Plan{DraftPath: assistant, SplitMode: "tensor", FlashAttn: "on"})
	p, g := complete(t, gguftest.Gemma4(t), p, assistant)
	if v := plan.Check(p, g); !has(v.Refusals, "mtp-assistant-tensor") {
		t.Errorf("refused by %v", ids(v.Refusals))
	}
	t.Run("tensor", func(t *testing.T) {
		r := started(t, start(t, p))
		r.answers(t, question{}, true)
		r.failsWhenAsked(t, question{text: "Tell me about horses."}, "")
	})
	t.Run("layer", func(t *testing.T) {
		p := twoServers(t, p)
		p.SplitMode = "layer"
		r := started(t, start(t, p))
		r.answers(t, question{}, true)
		r.answers(t, question{text: "Tell me about horses."}, true)
	})
}

func TestEngineAbortsOnMTPOfAGLMThatSees(t *testing.T) {
	wantRefused(t, "mtp-glm-vision", gguftest.GLM4V(t), plan.Plan{SpecTypes: plan.SpecMTP}, "sections")
	t.Run("it works without MTP", func(t *testing.T) {
		started(t, start(t, allowed(t, gguftest.GLM4V(t), plan.Plan{}, nil))).answers(t, question{}, false)
	})
	t.Run("and MTP with a GLM that does not see", func(t *testing.T) {
		p := allowed(t, gguftest.GLM4(t), plan.Plan{SpecTypes: plan.SpecMTP}, nil)
		started(t, start(t, p)).answers(t, question{}, true)
	})
}

func TestEngineSeesWhileItGuessesWithMTP(t *testing.T) {
	eyes, head, assistant := gguftest.Qwen35Projector(t), gguftest.MTPHead(t), gguftest.Assistant(t)
	for _, test := range []struct {
		name, model, draft, eyes string
	}{
		{"with layers of the model's own", gguftest.Qwen35(t), "", eyes},
		{"with a head in another file", gguftest.Qwen35WithoutMTP(t), head, eyes},
		{"with an assistant", gguftest.Gemma4(t), assistant, gguftest.Projector(t)},
	} {
		t.Run(test.name, func(t *testing.T) {
			beside := []string{test.eyes}
			if test.draft != "" {
				beside = append(beside, test.draft)
			}
			p := allowed(t, test.model, plan.Plan{SpecTypes: plan.SpecMTP}, beside)
			if p.Projector() != test.eyes {
				t.Errorf("the projector is %q", p.ProjectorPath)
			}
			r := started(t, start(t, p))
			for range 2 {
				r.answers(t, question{picture: true}, true)
				r.answers(t, question{}, true)
			}
		})
	}
}

func TestEngineNeedsRowsForWhatARecurrentModelGuesses(t *testing.T) {
	model := gguftest.Qwen35(t)
	batch := func(guesses int) plan.Plan {
		return plan.Plan{SpecTypes: plan.SpecMTP, DraftMax: guesses, PhysicalBatchTokens: 20}
	}
	wantRefused(t, "mtp-physical-batch", model, batch(19), "n_ubatch > n_keep_tail")
	started(t, start(t, allowed(t, model, batch(18), nil))).answers(t, question{}, true)
	t.Run("a model that can be rewound needs none", func(t *testing.T) {
		started(t, start(t, allowed(t, gguftest.GLM4(t), batch(30), nil))).answers(t, question{}, true)
	})
}

func TestEngineGuessesWithMTPWhileSplitByTensor(t *testing.T) {
	p, g := complete(t, gguftest.Qwen35(t), twoServers(t, plan.Plan{SpecTypes: plan.SpecMTP, SplitMode: "tensor", FlashAttn: "on"}))
	for _, test := range []struct {
		build            int
		refusal, caution string
	}{{9219, "mtp-tensor-old", ""}, {11668, "mtp-tensor-old", ""}, {11669, "", "mtp-tensor"}} {
		g.Build = test.build
		v := plan.Check(p, g)
		if has(v.Refusals, "mtp-tensor-old") != (test.refusal != "") || has(v.Cautions, "mtp-tensor") != (test.caution != "") {
			t.Errorf("build %d: refused by %v, cautions %v", test.build, ids(v.Refusals), ids(v.Cautions))
		}
	}
	instead, foreseen, ok := plan.Fallback(p, g)
	if !ok || foreseen.Rule != "mtp-tensor" || instead.Split() != "layer" {
		t.Fatalf("the fallback is %+v by %s", instead, foreseen.Rule)
	}
	for _, p := range []plan.Plan{p, instead} {
		// A device serves one engine at a time: the first ends with its test.
		t.Run(p.Split(), func(t *testing.T) {
			started(t, start(t, p)).answers(t, question{}, true)
		})
	}
}

func has(findings []plan.Finding, rule string) bool {
	for _, f := range findings {
		if f.Rule == rule {
			return true
		}
	}
	return false
}
