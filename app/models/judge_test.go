package models

import (
	"context"
	"strings"
	"testing"

	"paddock/app/apptest"
	"paddock/engine/budget"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
)

const gi = 1 << 30

// verdict is one of a pool of 16 GiB of which so many are needed.
func verdict(fit budget.Fit, needed uint64) budget.Verdict {
	return budget.Verdict{Fit: fit, Pools: []budget.PoolVerdict{{
		PoolNeed: budget.PoolNeed{ID: "ram", NeededBytes: needed}, Name: "RAM", Known: true,
		TotalBytes: 16 * gi, OtherBytes: 2 * gi, MarginBytes: gi, Fit: fit,
	}}}
}

func remedy(kind budget.RemedyKind, p plan.Plan) budget.Remedy {
	return budget.Remedy{Kind: kind, Plan: p}
}

func TestAVerdictIsSaidInWords(t *testing.T) {
	for name, c := range map[string]struct {
		judgement Judgement
		want      []string
	}{
		"it fits": {
			Judgement{Verdict: verdict(budget.Fits, 10*gi), ContextTokens: 8192, TrainedTokens: 8192},
			[]string{"Fits RAM at 8,192 context", "3.0 GiB to spare"},
		},
		"it fits with the full context too": {
			Judgement{Verdict: verdict(budget.Fits, 10*gi), ContextTokens: 8192, TrainedTokens: 32768, Full: verdict(budget.Fits, 12*gi)},
			[]string{"The full 32,768 fits too."},
		},
		"the full context is too much": {
			Judgement{Verdict: verdict(budget.Fits, 10*gi), ContextTokens: 8192, TrainedTokens: 32768, Full: verdict(budget.DoesNotFit, 15*gi), LongestTokens: 16384},
			[]string{"The full 32,768 needs 2.0 GiB more; 16,384 would fit."},
		},
		"a smaller cache makes room for it": {
			Judgement{
				Verdict: verdict(budget.Fits, 10*gi), ContextTokens: 8192, TrainedTokens: 32768, Full: verdict(budget.DoesNotFit, 15*gi), LongestTokens: 16384,
				FullRemedies: []budget.Remedy{remedy(budget.SmallerCache, plan.Plan{})},
			},
			[]string{"2.0 GiB more, or a q8_0 KV cache"},
		},
		"it is tight": {
			Judgement{Verdict: verdict(budget.Tight, 13*gi+gi/2), ContextTokens: 8192},
			[]string{"Tight in RAM at 8,192 context", "0.5 GiB into the safety margin"},
		},
		"it does not fit": {
			Judgement{
				Verdict: verdict(budget.DoesNotFit, 20*gi), ContextTokens: 8192,
				Remedies: []budget.Remedy{
					remedy(budget.ShorterContext, plan.Plan{ContextTokens: 4096}), remedy(budget.OtherDevices, plan.Plan{Devices: plan.CPU}),
				},
			},
			[]string{"Does not fit RAM at 8,192 context", "7.0 GiB more", "It would fit with: Context 4,096, CPU only."},
		},
		"nothing helps": {
			Judgement{Verdict: verdict(budget.DoesNotFit, 20*gi), ContextTokens: 8192},
			[]string{"No single change makes it fit. Try several in Set up and load, or a smaller quantisation."},
		},
		"a tensor is too large": {
			Judgement{Verdict: budget.Verdict{Fit: budget.DoesNotFit, TooLarge: "Vulkan0", Pools: verdict(budget.Fits, gi).Pools}, ContextTokens: 8192},
			[]string{"larger than Vulkan0 can hold"},
		},
	} {
		card := cardOf("/m/a.gguf", c.judgement)
		for _, want := range c.want {
			if text := card.Title + " " + card.Detail; !strings.Contains(text, want) {
				t.Errorf("%s: %q does not say %q", name, text, want)
			}
		}
	}
}

func TestOnlyTheSelectedModelIsJudged(t *testing.T) {
	l := apptest.NewLoop()
	asked := make(chan string, 100)
	p := NewPresenter(Seams{
		Config: newStore(t, "/m"), Do: l.Do, Scan: scripted(model("/m/a.gguf", 1), model("/m/b.gguf", 2), model("/m/c.gguf", 3)),
		Judge: func(_ context.Context, m library.Model, _ []gguf.Facts) (Judgement, bool) {
			asked <- m.Facts.Path
			return Judgement{Verdict: verdict(budget.Fits, 10*gi), ContextTokens: 8192}, m.Facts.Path != "/m/b.gguf"
		},
	}, func(State) {})
	t.Cleanup(p.Close)
	p.Rescan()
	l.Until(t, "the first row is judged", func() bool { return p.State().Card.Path == "/m/a.gguf" })
	p.Select(1)
	if p.State().Card != (Card{}) {
		t.Error("the verdict of another row stays")
	}
	p.Select(2) // before the one above was judged
	l.Until(t, "the last row is judged", func() bool { return p.State().Card.Path == "/m/c.gguf" })
	p.Rejudge()
	if p.State().Card.Path != "/m/c.gguf" {
		t.Error("judging again takes the verdict away")
	}
	for len(asked) > 0 {
		if path := <-asked; path == "/m/b.gguf" {
			t.Error("a row that was passed by was judged")
		}
	}
	p.Select(1)
	l.Until(t, "the row nothing is known of is judged", func() bool { return len(asked) > 0 && p.State().Card == Card{} })
}

func TestWhoHasNoModelsIsToldWhatThisComputerHolds(t *testing.T) {
	l := apptest.NewLoop()
	p := NewPresenter(Seams{
		Config: newStore(t), Do: l.Do, Scan: scripted(), Room: func() Room { return Room{Bytes: 95 * gi, Pool: "Radeon 8060S"} },
	}, func(State) {})
	t.Cleanup(p.Close)
	p.Rescan()
	l.Until(t, "the machine was asked", func() bool { return p.State().Room.Bytes > 0 })
	bold, rest := roomText(p.State().Room)
	if bold != "This computer can hold 95.0 GiB of model" || !strings.Contains(rest, "Radeon 8060S: about 142 B parameters at Q4_K_M, or 82 B at Q8_0") {
		t.Errorf("%q, %q", bold, rest)
	}
	if bold, rest := roomText(Room{}); bold+rest != "" {
		t.Errorf("of nothing known it says %q %q", bold, rest)
	}
}
