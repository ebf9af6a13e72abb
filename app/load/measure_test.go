package load

import (
	"strings"
	"testing"
	"time"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/hardware"
)

func TestTheLongestContextThatFitsIsMarked(t *testing.T) {
	p, l := opened(t, newMachine())
	// 16 GiB - 0.5 GiB margin - 10 GiB leaves 5.5 GiB: 22,528 tokens.
	if got := p.State().Context.Fits; got != 16384 {
		t.Errorf("fits to %d", got)
	}
	p.SetContext(4096)
	if got := p.State().Context.Fits; got != 16384 {
		t.Errorf("after a change of the context alone the mark is at %d", got)
	}
	p.SetCache("q8_0")
	if got := p.State().Context.Fits; got != 0 {
		t.Errorf("after a change of the cache the old mark stays at %d", got)
	}
	settled(t, p, l)
	if got := p.State().Context.Fits; got != 32768 {
		t.Errorf("with q8_0 it fits to %d", got)
	}
}

func TestWhatDoesNotFitIsNotLoadedAndHasRemedies(t *testing.T) {
	m := newMachine()
	p, l := opened(t, m)
	p.SetContext(32768)
	settled(t, p, l)
	s := p.State()
	if !s.Off || s.Footer.Kind != Off || !strings.Contains(s.Footer.Text, "2.5 GiB") || !strings.Contains(s.Footer.Text, "Card") {
		t.Errorf("off %v: %q", s.Off, s.Footer.Text)
	}
	p.Load()
	if len(m.loaded) != 0 {
		t.Error("it was loaded")
	}
	if len(s.Remedies) != 2 || !s.Remedies[0].Best || s.Remedies[1].Best {
		t.Fatalf("remedies are %+v", s.Remedies)
	}
	for i, want := range []struct {
		label  string
		change plan.Plan
	}{
		{"16,384", plan.Plan{ContextTokens: 16384, CacheK: "f16", CacheV: "f16"}},
		{"q8_0", plan.Plan{ContextTokens: 32768, CacheK: "q8_0", CacheV: "q8_0"}},
	} {
		p.SetContext(32768)
		p.SetCache("f16")
		settled(t, p, l)
		r := p.State().Remedies[i]
		if !strings.Contains(r.Label, want.label) || r.Spare == "" {
			t.Errorf("remedy %d is %+v", i, r)
		}
		p.Apply(r)
		settled(t, p, l)
		got := p.State().Plan
		if got.ContextTokens != want.change.ContextTokens || got.CacheK != want.change.CacheK || got.CacheV != want.change.CacheV {
			t.Errorf("remedy %d made %+v", i, got)
		}
		if p.State().Off {
			t.Errorf("after remedy %d it still does not fit", i)
		}
	}
}

func TestBothChangesTogetherAreTheLastRemedy(t *testing.T) {
	m := newMachine()
	m.needs = func(p plan.Plan) (uint64, error) {
		if p.CacheK == "q8_0" && p.ContextTokens <= 8192 {
			return 10 * gi, nil
		}
		return 40 * gi, nil
	}
	p, _ := opened(t, m, func(m *library.Model) { m.Facts.ContextTokens = 8192 })
	// With q8_0 alone the chosen 8,192 fit already.
	if r := p.State().Remedies; len(r) != 1 || !strings.Contains(r[0].Label, "q8_0") {
		t.Errorf("remedies are %+v", r)
	}
	m.needs = func(p plan.Plan) (uint64, error) {
		if p.CacheK == "q8_0" && p.ContextTokens <= 4096 {
			return 10 * gi, nil
		}
		return 40 * gi, nil
	}
	p, _ = opened(t, m)
	r := p.State().Remedies
	if len(r) != 1 || r[0].plan.CacheK != "q8_0" || r[0].plan.ContextTokens != 4096 {
		t.Errorf("remedies are %+v", r)
	}
}

func TestWhenNothingHelpsThatIsSaid(t *testing.T) {
	m := newMachine()
	m.needs = func(plan.Plan) (uint64, error) { return 40 * gi, nil }
	p, _ := opened(t, m)
	if s := p.State(); !s.Searched || len(s.Remedies) != 0 || !s.Off || s.Context.Fits != 0 {
		t.Errorf("searched %v, remedies %v, off %v, fits %d", s.Searched, s.Remedies, s.Off, s.Context.Fits)
	}
}

func TestIntoTheMarginIsLoadedWithCaution(t *testing.T) {
	m := newMachine()
	m.needs = func(plan.Plan) (uint64, error) { return 16*gi - 1<<20, nil }
	p, _ := opened(t, m)
	if s := p.State(); s.Off || s.Footer.Kind != Caution || !strings.Contains(s.Footer.Text, "0.5 GiB") {
		t.Errorf("off %v, footer %+v", s.Off, s.Footer)
	}
}

// The numbers beside the bars and what is refused must never disagree.
func TestTheBarsAgreeWithTheBudget(t *testing.T) {
	machines := map[string]hardware.Snapshot{
		"RAM only": {Pools: []hardware.Pool{ram}},
		"a card": {
			Pools: []hardware.Pool{ram, {ID: "vram", Kind: hardware.VRAM, TotalBytes: 16 * gi, UsedBytes: 2 * gi, UsableBytes: 14 * gi}},
			GPUs:  []hardware.GPU{{Pool: "vram"}},
		},
		"an APU whose RAM is the limit": {
			Pools: []hardware.Pool{ram, {ID: "apu", Kind: hardware.APU, TotalBytes: 96 * gi, UsedBytes: 2 * gi, UsableBytes: 50 * gi}},
			GPUs:  []hardware.GPU{{Pool: "apu"}},
		},
		"nothing known": {},
	}
	fits := map[budget.Fit]Verdict{budget.Fits: Fits, budget.Tight: Tight, budget.DoesNotFit: TooMuch}
	devices := []build.Device{card, {ID: "Sw", TotalBytes: 2 * gi, FreeBytes: gi, Software: true}}
	for name, machine := range machines {
		for _, id := range []string{budget.RAM, "Vulkan0", "Sw", "CUDA9"} {
			for _, tenths := range []uint64{1, 4, 9, 10, 11, 134, 136, 139, 141, 154, 156, 159, 161, 494, 496, 501, 539, 541, 601} {
				need := budget.Memory{Pools: []budget.PoolNeed{{ID: id, NeededBytes: tenths * gi / 10}}}
				want := fits[budget.Judge(need, machine, devices).Fit]
				got, _ := Memory{Pools: pools(machine, devices, plan.Plan{}, need)}.Worst()
				if got == Unknown {
					got = Fits
				}
				if got != want {
					t.Errorf("%s, %s, %.1f GiB: the bars say %d, the budget %d", name, id, float64(tenths)/10, got, want)
				}
			}
		}
	}
}

func TestAMeasurementThatFailsLeavesLoadingAllowed(t *testing.T) {
	m := newMachine()
	m.needs = func(plan.Plan) (uint64, error) { return 0, &budget.Error{Problem: budget.NoTool} }
	p, _ := opened(t, m)
	s := p.State()
	if s.Off || s.Footer.Kind != Caution || s.Memory.Problem == "" || s.Memory.Age != "" {
		t.Errorf("off %v, footer %+v, problem %q", s.Off, s.Footer, s.Memory.Problem)
	}
	p.Load()
	if len(m.loaded) != 1 {
		t.Error("it was not loaded")
	}
}

func TestAFileThatGoesWhileItIsMeasuredIsNotCalledTooLarge(t *testing.T) {
	m := newMachine()
	calls := 0
	needs := m.needs
	m.needs = func(p plan.Plan) (uint64, error) {
		if calls++; calls > 2 {
			return 0, &budget.Error{Problem: budget.NoTool}
		}
		return needs(p)
	}
	l := make(loop, 1000)
	p := NewPresenter(m.seams(), l.do, func(State) {})
	p.settle = time.Millisecond
	t.Cleanup(p.Close)
	p.Open(someModel())
	l.until(t, "it is measured", func() bool { return p.known })
	(<-l)() // the search's end
	if s := p.State(); s.Context.Fits != 0 || s.Searched || len(s.Remedies) > 0 || s.hopeless() {
		t.Errorf("fits %d, searched %v, remedies %+v", s.Context.Fits, s.Searched, s.Remedies)
	}
}

func TestAChangeGivesUpTheMeasurementBefore(t *testing.T) {
	m := newMachine()
	p, l := opened(t, m)
	for len(m.measured) > 0 {
		<-m.measured
	}
	p.settle = 20 * time.Millisecond
	for _, tokens := range []int{4096, 16384, 65536, 12288} {
		p.SetContext(tokens)
	}
	settled(t, p, l)
	if first := <-m.measured; first.ContextTokens != 12288 {
		t.Errorf("a plan that did not rest was measured: %d tokens", first.ContextTokens)
	}
}

func TestLoadWhileMeasuringWaitsForIt(t *testing.T) {
	m := newMachine()
	p, l := opened(t, m)
	p.SetContext(4096)
	p.Load()
	if s := p.State(); !s.Waiting || len(m.loaded) != 0 || s.Footer.Text == "" {
		t.Fatalf("waiting %v, loaded %v", s.Waiting, m.loaded)
	}
	settled(t, p, l)
	if len(m.loaded) != 1 || m.loaded[0].ContextTokens != 4096 {
		t.Errorf("loaded %+v", m.loaded)
	}

	p.SetContext(131072)
	p.Load()
	settled(t, p, l)
	if len(m.loaded) != 1 || p.State().Waiting {
		t.Error("what turned out not to fit was loaded")
	}

	p.SetContext(4096)
	p.Load()
	p.SetContext(8192)
	if p.State().Waiting {
		t.Error("a change does not take back the wish to load")
	}
}

func TestTheAgeOfAMeasurementIsSaid(t *testing.T) {
	p, _ := opened(t, newMachine())
	at := p.State().Memory.At
	for _, c := range []struct {
		age  time.Duration
		want string
	}{
		{0, "0.1 s ago"}, {1500 * time.Millisecond, " 1 s ago"}, {30 * time.Second, "30 s ago"}, {150 * time.Second, "2 min ago"},
	} {
		p.now = func() time.Time { return at.Add(c.age) }
		if next := p.Tick(); next < time.Second {
			t.Errorf("after %v the next tick is in %v", c.age, next)
		}
		if got := p.State().Memory.Age; !strings.Contains(got, c.want) {
			t.Errorf("after %v: %q", c.age, got)
		}
	}
}
