package plan_test

import (
	"slices"
	"testing"

	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// The proofs of rules/drafts.toml, each on the real engine.

func TestEngineGuessesNothingWithoutADraft(t *testing.T) {
	model := gguftest.Llama(t)
	for method, rule := range map[string]string{plan.SpecDraft: "draft-none", plan.SpecEAGLE3: "eagle3-none", plan.SpecDFlash: "dflash-none"} {
		t.Run(method, func(t *testing.T) {
			p := refused(t, model, plan.Plan{SpecTypes: method}, nil, rule)
			started(t, start(t, p)).answers(t, question{}, false)
		})
	}
}

func TestEngineNeedsAWholeModelAsADraft(t *testing.T) {
	for _, test := range wrongFiles(t) {
		t.Run(test.name, func(t *testing.T) {
			wantRefused(t, "draft-file", gguftest.Llama(t), guessing(plan.SpecDraft, test.path), "", test.path)
		})
	}
}

func TestEngineNeedsAnEAGLE3File(t *testing.T) {
	for _, test := range wrongFiles(t) {
		t.Run(test.name, func(t *testing.T) {
			wantRefused(t, "eagle3-file", gguftest.Llama(t), guessing(plan.SpecEAGLE3, test.path), "", test.path)
		})
	}
}

func TestEngineNeedsADFlashFile(t *testing.T) {
	files := append(wrongFiles(t), wrongFile{"a model", gguftest.Draft(t)})
	for _, test := range files {
		t.Run(test.name, func(t *testing.T) {
			wantRefused(t, "dflash-file", gguftest.Llama(t), guessing(plan.SpecDFlash, test.path), "", test.path)
		})
	}
}

type wrongFile struct{ name, path string }

// wrongFiles are no drafts.
func wrongFiles(t *testing.T) []wrongFile {
	return []wrongFile{
		{"an MTP head", gguftest.MTPHead(t)},
		{"an assistant", gguftest.Assistant(t)},
		{"a projector", gguftest.Projector(t)},
		{"an adapter", gguftest.LoRA(t)},
		{"a vocabulary", gguftest.VocabularyOnly(t)},
		{"an importance matrix", gguftest.Imatrix(t)},
	}
}

func guessing(method, draft string) plan.Plan {
	return plan.Plan{SpecTypes: method, DraftPath: draft, ProjectorPath: plan.NoProjector}
}

func TestEngineTakesADraftMadeForAModelForAModel(t *testing.T) {
	for name, draft := range map[string]string{"EAGLE-3": gguftest.EAGLE3(t), "DFlash": gguftest.DFlash(t)} {
		t.Run(name, func(t *testing.T) {
			p := refused(t, gguftest.Llama(t), guessing(plan.SpecDraft, draft), []string{draft}, "draft-of-another-kind")
			started(t, start(t, p)).answers(t, question{}, true)
		})
	}
}

func TestEngineDropsADraftWithAnotherVocabulary(t *testing.T) {
	for name, draft := range map[string]string{"one other word": gguftest.MovedDraft(t), "another kind": gguftest.OtherVocabulary(t)} {
		t.Run(name, func(t *testing.T) {
			p := refused(t, gguftest.Llama(t), guessing(plan.SpecDraft, draft), []string{draft}, "draft-vocabulary")
			started(t, start(t, p)).answers(t, question{}, false)
		})
	}
	t.Run("another width does not matter", func(t *testing.T) {
		draft := gguftest.HeadSize80(t)
		p := allowed(t, gguftest.Llama(t), guessing(plan.SpecDraft, draft), []string{draft})
		started(t, start(t, p)).answers(t, question{}, true)
	})
}

func TestEngineDiesOfARecurrentDraftBesideAnotherModel(t *testing.T) {
	draft := gguftest.Qwen35(t)
	p := refused(t, gguftest.OtherVocabulary(t), guessing(plan.SpecDraft, draft), []string{draft}, "draft-recurrent")
	r := started(t, start(t, p))
	r.answers(t, question{}, true)
	r.failsWhenAsked(t, question{text: "Tell me about horses."}, "failed to remove sequence")

	t.Run("beside another recurrent one it works", func(t *testing.T) {
		p := allowed(t, gguftest.Qwen35MoE(t), guessing(plan.SpecDraft, draft), []string{draft})
		r := started(t, start(t, p))
		for _, text := range []string{"What is it?", "Tell me about horses.", "What is it?"} {
			r.answers(t, question{text: text}, true)
		}
	})
}

func TestEngineCantShowPicturesToADraftOfOneDimension(t *testing.T) {
	model, eyes := gguftest.Qwen35(t), gguftest.Qwen35Projector(t)
	dflash := generated(t, "llama-dflash")
	for _, key := range generated(t, "qwen35-mtp").Keys {
		if len(key.Name) > 10 && key.Name[:10] == "tokenizer." {
			dflash.Set(key.Name, key.Value)
		}
	}
	flat := written(t, dflash, "flat")
	dflash.Set("dflash.rope.dimension_sections", []int32{16, 0, 0, 0})
	turned := written(t, dflash, "turned")
	for _, test := range []struct {
		name, method, draft string
		refused             bool
	}{
		{"a plain draft of one", plan.SpecDraft, gguftest.OtherVocabulary(t), true},
		{"a DFlash of one", plan.SpecDFlash, flat, true},
		{"a plain draft of several", plan.SpecDraft, gguftest.Qwen35(t), false},
		{"a DFlash of several", plan.SpecDFlash, turned, false},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := plan.Plan{SpecTypes: test.method, DraftPath: test.draft, ProjectorPath: eyes}
			beside := []string{test.draft, eyes}
			if test.refused {
				r := started(t, start(t, refused(t, model, p, beside, "draft-image")))
				r.failsWhenAsked(t, question{picture: true}, "failed to process speculative batch")
				return
			}
			r := started(t, start(t, allowed(t, model, p, beside)))
			r.answers(t, question{picture: true}, true)
			r.answers(t, question{}, true)
		})
	}
	t.Run("a model of one dimension itself has no trouble", func(t *testing.T) {
		for method, draft := range map[string]string{plan.SpecDraft: gguftest.Draft(t), plan.SpecDFlash: gguftest.DFlash(t)} {
			eyes := gguftest.LlamaProjector(t)
			p := allowed(t, gguftest.Llama(t), plan.Plan{SpecTypes: method, DraftPath: draft, ProjectorPath: eyes}, []string{draft, eyes})
			r := started(t, start(t, p))
			r.answers(t, question{picture: true}, true)
			r.answers(t, question{}, true)
		}
	})
}

func TestEngineRefusesAQuantisedDraftCacheThatDoesNotDivideTheHead(t *testing.T) {
	draft := gguftest.HeadSize80(t)
	for _, cache := range []string{"q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"} {
		t.Run(cache, func(t *testing.T) {
			p := guessing(plan.SpecDraft, draft)
			p.DraftCacheK = cache
			wantRefused(t, "draft-cache-k-block", gguftest.Llama(t), p, "does not divide", draft)
			p.DraftCacheK, p.DraftCacheV = "", cache
			wantRefused(t, "draft-cache-v-block", gguftest.Llama(t), p, "does not divide", draft)
		})
	}
	t.Run("flash attention off is no way out", func(t *testing.T) {
		p := guessing(plan.SpecDraft, draft)
		p.DraftCacheK, p.FlashAttn = "q8_0", "off"
		wantRefused(t, "draft-cache-k-block", gguftest.Llama(t), p, "", draft)
	})
	t.Run("whole blocks are fine", func(t *testing.T) {
		p := plan.Plan{SpecTypes: plan.SpecMTP, DraftCacheK: "q8_0", DraftCacheV: "q4_0"}
		started(t, start(t, allowed(t, gguftest.Qwen35(t), p, nil))).answers(t, question{}, true)
	})
}

func TestEngineRefusesAQuantisedDraftCacheWithoutFlashAttention(t *testing.T) {
	draft, eagle, dflash, assistant := gguftest.Draft(t), gguftest.EAGLE3(t), gguftest.DFlash(t), gguftest.Assistant(t)
	for _, test := range []struct{ name, model, method, draft string }{
		{"a plain draft", gguftest.Llama(t), plan.SpecDraft, draft},
		{"EAGLE-3", gguftest.Llama(t), plan.SpecEAGLE3, eagle},
		{"DFlash", gguftest.Llama(t), plan.SpecDFlash, dflash},
		{"an assistant", gguftest.Gemma4(t), plan.SpecMTP, assistant},
		{"MTP", gguftest.Qwen35(t), plan.SpecMTP, ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			p := guessing(test.method, test.draft)
			p.DraftCacheV, p.FlashAttn = "q8_0", "off"
			var beside []string
			if test.draft != "" {
				beside = []string{test.draft}
			}
			wantRefused(t, "draft-cache-v-flash-off", test.model, p, "requires flash_attn", beside...)
		})
	}
	t.Run("guesses from the text have no cache", func(t *testing.T) {
		p := allowed(t, gguftest.Llama(t), plan.Plan{SpecTypes: "ngram-mod", DraftCacheV: "q8_0", FlashAttn: "off"}, nil)
		started(t, start(t, p))
	})
}

func TestEngineDropsAModelThatIsNoEAGLE3(t *testing.T) {
	draft := gguftest.Draft(t)
	p := refused(t, gguftest.Llama(t), guessing(plan.SpecEAGLE3, draft), []string{draft}, "eagle3-model")
	started(t, start(t, p)).answers(t, question{}, false)
}

func TestEngineDiesOfADraftOfTheOtherKind(t *testing.T) {
	for _, test := range []struct{ rule, method, draft, says string }{
		{"eagle3-other-draft", plan.SpecEAGLE3, gguftest.DFlash(t), "failed to set the embedding"},
		{"dflash-other-draft", plan.SpecDFlash, gguftest.EAGLE3(t), "failed to process speculative batch"},
	} {
		t.Run(test.rule, func(t *testing.T) {
			p := refused(t, gguftest.Llama(t), guessing(test.method, test.draft), []string{test.draft}, test.rule)
			started(t, start(t, p)).failsWhenAsked(t, question{}, test.says)
		})
	}
}

func TestEngineDiesOfAnEAGLE3WithAnotherVocabulary(t *testing.T) {
	draft := gguftest.EAGLE3(t)
	for name, model := range map[string]string{"a llama": gguftest.OtherVocabulary(t), "a Qwen": gguftest.Qwen35(t)} {
		t.Run(name, func(t *testing.T) {
			p := refused(t, model, guessing(plan.SpecEAGLE3, draft), []string{draft}, "eagle3-vocabulary")
			started(t, start(t, p)).failsWhenAsked(t, question{}, "failed to add token")
		})
	}
}

func TestEngineTakesADFlashWithAnotherVocabulary(t *testing.T) {
	draft := gguftest.DFlash(t)
	p := allowed(t, gguftest.OtherVocabulary(t), guessing(plan.SpecDFlash, draft), []string{draft}, "dflash-vocabulary")
	started(t, start(t, p)).answers(t, question{}, true)
}

func TestEngineDiesOfAnEAGLE3OfAnotherWidth(t *testing.T) {
	draft := gguftest.EAGLE3(t)
	p := refused(t, gguftest.HeadSize80(t), guessing(plan.SpecEAGLE3, draft), []string{draft}, "eagle3-width")
	started(t, start(t, p)).failsWhenAsked(t, question{}, "embedding")
}

func TestEngineNeedsADFlashOfTheModelsWidth(t *testing.T) {
	draft := gguftest.DFlash(t)
	wantRefused(t, "dflash-width", gguftest.HeadSize80(t), guessing(plan.SpecDFlash, draft), "ggml_can_repeat", draft)
}

func TestEngineNeedsTheLayersADraftReads(t *testing.T) {
	for method, draft := range map[string]string{plan.SpecEAGLE3: gguftest.EAGLE3(t), plan.SpecDFlash: gguftest.DFlash(t)} {
		t.Run(method, func(t *testing.T) {
			wantRefused(t, "draft-layers", gguftest.Draft(t), guessing(method, draft), "", draft)
		})
	}
}

func TestEngineDiesWhereAModelHandsOutNoState(t *testing.T) {
	for method, draft := range map[string]string{plan.SpecEAGLE3: gguftest.EAGLE3(t), plan.SpecDFlash: gguftest.DFlash(t)} {
		t.Run(method, func(t *testing.T) {
			p := refused(t, gguftest.Gemma3(t), guessing(method, draft), []string{draft}, "draft-states-none")
			started(t, start(t, p)).failsWhenAsked(t, question{}, "layer input tensor is null")
		})
	}
}

func TestEngineReadsTheStateOfTheModelsKnownToHandItOut(t *testing.T) {
	draft := gguftest.DFlash(t)
	for name, test := range map[string]struct {
		model    string
		cautions []string
	}{
		"llama": {gguftest.Llama(t), nil}, "gemma4": {gguftest.Gemma4(t), nil},
		"qwen35":    {gguftest.Qwen35(t), []string{"dflash-vocabulary"}},
		"qwen35moe": {gguftest.Qwen35MoE(t), []string{"dflash-vocabulary"}},
	} {
		t.Run(name, func(t *testing.T) {
			p := allowed(t, test.model, guessing(plan.SpecDFlash, draft), []string{draft}, test.cautions...)
			started(t, start(t, p)).answers(t, question{}, true)
		})
	}
	t.Run("of any other it is tried", func(t *testing.T) {
		p, g := complete(t, gguftest.GLM4(t), guessing(plan.SpecDFlash, draft), draft)
		if v := plan.Check(p, g); !has(v.Cautions, "draft-states-unknown") {
			t.Errorf("refused by %v, cautions %v", ids(v.Refusals), ids(v.Cautions))
		}
		instead, _, ok := plan.Fallback(p, g)
		if !ok || instead.SpecTypes != plan.NoSpec {
			t.Fatalf("the fallback is %+v", instead)
		}
		started(t, start(t, instead)).answers(t, question{}, false)
	})
}

func TestEngineCantShowPicturesToAnEAGLE3(t *testing.T) {
	draft, eyes := gguftest.EAGLE3(t), gguftest.LlamaProjector(t)
	p := refused(t, gguftest.Llama(t), plan.Plan{SpecTypes: plan.SpecEAGLE3, DraftPath: draft, ProjectorPath: eyes}, []string{draft, eyes}, "eagle3-image")
	r := started(t, start(t, p))
	r.failsWhenAsked(t, question{picture: true}, "failed to process speculative batch")
	r.failsWhenAsked(t, question{}, "failed to process speculative batch")

	t.Run("no projector is chosen for it", func(t *testing.T) {
		p := allowed(t, gguftest.Llama(t), plan.Plan{DraftPath: draft}, []string{draft, eyes})
		if p.Projector() != "" {
			t.Fatalf("the projector is %s", p.Projector())
		}
		started(t, start(t, p)).answers(t, question{}, true)
	})
}

func TestEngineGuessesWithDFlashWhileSplitByTensor(t *testing.T) {
	draft := gguftest.DFlash(t)
	p := twoServers(t, guessing(plan.SpecDFlash, draft))
	p.SplitMode, p.FlashAttn = "tensor", "on"
	p, g := complete(t, gguftest.Llama(t), p, draft)
	if v := plan.Check(p, g); !has(v.Cautions, "dflash-tensor") {
		t.Errorf("refused by %v, cautions %v", ids(v.Refusals), ids(v.Cautions))
	}
	started(t, start(t, p)).answers(t, question{}, true)
}

func TestEngineIsNotGivenADraftThatGuessesNothing(t *testing.T) {
	model := gguftest.Gemma3(t)
	for _, file := range []string{gguftest.Projector(t), gguftest.LoRA(t)} {
		p := refused(t, model, plan.Plan{DraftPath: file}, []string{file}, "draft-guesses-nothing")
		if args := plan.Arguments(p); slices.Contains(args, "-md") {
			t.Errorf("the engine is given a draft: %v", args)
		}
		started(t, start(t, p)).answers(t, question{}, false)
	}
}

func TestEngineIsNotGivenADraftThatNothingUses(t *testing.T) {
	model := gguftest.Llama(t)
	for name, file := range map[string]string{
		"a model": gguftest.Draft(t), "an MTP head": gguftest.MTPHead(t), "an assistant": gguftest.Assistant(t), "an EAGLE-3": gguftest.EAGLE3(t),
	} {
		for _, method := range []string{plan.NoSpec, "ngram-mod"} {
			p := refused(t, model, guessing(method, file), []string{file}, "draft-unused")
			if args := plan.Arguments(p); slices.Contains(args, "-md") {
				t.Errorf("%s with %s: the engine is given it: %v", name, method, args)
			}
		}
	}
	draft, eyes := gguftest.Draft(t), gguftest.Projector(t)
	allowed(t, model, guessing("draft-simple,ngram-mod", draft), []string{draft})

	p := refused(t, model, guessing("ngram-mod", eyes), []string{eyes}, "draft-guesses-nothing")
	started(t, start(t, p)).answers(t, question{}, false)
	t.Run("an MTP head that it is given kills it", func(t *testing.T) {
		if r := start(t, p, "-md", gguftest.MTPHead(t)); r.healthy(t) {
			t.Errorf("it started:\n%s", r.Log())
		}
	})
}
