package load

import (
	"slices"
	"strings"
	"testing"
	"time"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/plan"
	"paddock/engine/server"
	"paddock/hardware"
)

func TestTheLongestContextThatFitsIsMarked(t *testing.T) {
	p, l := opened(t, newMachine())
	// 16 GiB - 0.5 GiB margin - 10 GiB leaves 5.5 GiB: 22,528 tokens, of which the
	// engine's own buffers take some.
	if got := p.State().Context.Fits; got != 21504 {
		t.Errorf("fits to %d", got)
	}
	p.SetContext(4096)
	if got := p.State().Context.Fits; got != 21504 {
		t.Errorf("after a change of the context alone the mark is at %d", got)
	}
	p.SetCache("q8_0")
	if got := p.State().Context.Fits; got != 0 {
		t.Errorf("after a change of the cache the old mark stays at %d", got)
	}
	settled(t, p, l)
	if got := p.State().Context.Fits; got != 40448 {
		t.Errorf("with q8_0 it fits to %d", got)
	}
}

func TestWhatDoesNotFitIsNotLoadedAndHasRemedies(t *testing.T) {
	m := newMachine()
	p, l := opened(t, m)
	p.SetContext(32768)
	settled(t, p, l)
	s := p.State()
	if !s.Off || s.Footer.Kind != Off || !strings.Contains(s.Footer.Text, "2.7 GiB") || !strings.Contains(s.Footer.Text, "context that fits is 21,504") || !strings.Contains(s.Footer.Text, "Card") {
		t.Errorf("off %v: %q", s.Off, s.Footer.Text)
	}
	p.Load()
	if len(m.loaded) != 0 {
		t.Error("it was loaded")
	}
	if len(s.Remedies) != 4 || !s.Remedies[0].Best || s.Remedies[1].Best {
		t.Fatalf("remedies are %+v", s.Remedies)
	}
	for i, want := range []struct {
		label  string
		change plan.Plan
	}{
		{"21,504", plan.Plan{ContextTokens: 21504, CacheK: "f16", CacheV: "f16"}},
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
		if !strings.Contains(p.State().Applied, want.label) {
			t.Errorf("after remedy %d it says %q", i, p.State().Applied)
		}
		p.Undo()
		if q := p.State().Plan; q.ContextTokens != 32768 || q.CacheK != "f16" || q.CacheV != "f16" || p.State().Applied != "" {
			t.Errorf("undoing remedy %d made %+v", i, q)
		}
	}
}

func TestARemedyKeepsTheCacheThatWasChosen(t *testing.T) {
	m := newMachine()
	m.devices = nil // all of it is in RAM, of which 11 GiB are left
	m.hardware.Pools = []hardware.Pool{{ID: "ram", Name: "RAM", Kind: hardware.RAM, TotalBytes: 16 * gi, UsedBytes: 2 * gi, UsableBytes: 12 * gi}}
	m.learned = budget.Overheads{budget.RAM: 896 << 20}
	p, l := opened(t, m)
	p.SetContext(131072)
	settled(t, p, l)
	s := p.State()
	if len(s.Remedies) == 0 || s.Remedies[0].plan.ContextTokens >= 8192 {
		t.Fatalf("remedies are %+v", s.Remedies)
	}
	p.SetCache("q8_0")
	settled(t, p, l)
	if kept := p.State().Remedies; len(kept) != 1 || kept[0].plan.CacheK != "q8_0" {
		t.Errorf("remedies are %+v", kept)
	}
}

func TestWhenNothingHelpsThatIsSaid(t *testing.T) {
	m := newMachine()
	m.hardware.Pools[0].UsedBytes, m.hardware.Pools[0].UsableBytes = 60*gi, gi
	m.devices = nil
	p, _ := opened(t, m)
	if s := p.State(); !s.Searched || len(s.Remedies) != 0 || !s.Off || s.Context.Fits != 0 || !s.hopeless() {
		t.Errorf("searched %v, remedies %v, off %v, fits %d", s.Searched, s.Remedies, s.Off, s.Context.Fits)
	}
}

func TestTheEstimateIsThereBeforeTheEngineHasAnswered(t *testing.T) {
	m := newMachine()
	p, l := opened(t, m)
	for _, tokens := range []int{4096, 32768, 16384} {
		p.SetContext(tokens)
		s := p.State()
		if !s.Memory.Measuring || !s.Memory.Known || s.Memory.Age != "estimate" || s.Memory.Pools[0].NeededBytes < 10*gi+uint64(tokens)<<18 {
			t.Errorf("%d tokens: %+v", tokens, s.Memory)
		}
		if (s.Off) != (tokens == 32768) {
			t.Errorf("%d tokens: off is %v", tokens, s.Off)
		}
	}
	settled(t, p, l)
	if s := p.State().Memory; !strings.Contains(s.Age, "measured") {
		t.Errorf("in the end it says %q", s.Age)
	}
}

func TestWhatTheEngineMeasuresCorrectsWhatIsSaidToFit(t *testing.T) {
	m := newMachine()
	m.needs = func(p plan.Plan) (uint64, error) { return 12*gi + uint64(p.ContextTokens)<<18, nil }
	p, l := opened(t, m)
	p.SetContext(32768)
	settled(t, p, l)
	if s := p.State(); s.Context.Fits == 0 || s.Context.Fits > 14336 {
		t.Errorf("with 2 GiB more than estimated it fits to %d", s.Context.Fits)
	}
}

func TestAModelAboutToBeReplacedIsCounted(t *testing.T) {
	m := newMachine()
	m.devices[0].FreeBytes = 4 * gi
	p, _ := opened(t, m)
	if !p.State().Off {
		t.Fatal("it fits beside the other model")
	}
	m = newMachine()
	m.devices[0].FreeBytes = 4 * gi
	m.runningFor = map[string]Running{plan.Chat: {
		Plan:   plan.Plan{ModelPath: "/m/other.gguf"},
		Memory: budget.Memory{Source: budget.Actual, Pools: []budget.PoolNeed{{ID: "Vulkan0", NeededBytes: 12 * gi}}},
	}}
	p, _ = opened(t, m)
	if s := p.State(); s.Off || s.Memory.Pools[0].OtherBytes != 0 || s.Memory.Actual {
		t.Errorf("off %v (%s), pool %+v", s.Off, s.Footer.Text, s.Memory.Pools[0])
	}
	if s := p.State(); !strings.HasPrefix(s.Devices[0].Free, "4.0 GiB") {
		t.Errorf("the device says %q", s.Devices[0].Free)
	}
}

func TestAnEngineForAnotherPurposeStaysAndIsCounted(t *testing.T) {
	taken := []budget.Memory{{Pools: []budget.PoolNeed{{ID: "Vulkan0", NeededBytes: 12 * gi}}}}
	m := newMachine()
	m.runningFor = map[string]Running{plan.Chat: {Others: taken}}
	p, l := opened(t, m)
	if s := p.State(); !s.Off || s.Memory.Pools[0].OtherBytes < 12*gi {
		t.Errorf("off %v, pool %+v", s.Off, s.Memory.Pools[0])
	}
	p.SetPurpose(plan.Embeddings) // which replaces that one
	settled(t, p, l)
	if s := p.State(); s.Plan.Purpose == plan.Embeddings && s.Memory.Pools[0].OtherBytes != 0 {
		t.Errorf("for embeddings: off %v, pool %+v", s.Off, s.Memory.Pools[0])
	}
}

func TestThePlanThatRunsShowsWhatItHolds(t *testing.T) {
	m := newMachine()
	p, _ := opened(t, m)
	m.runningFor = map[string]Running{plan.Chat: {
		Plan:   p.State().Plan,
		Memory: budget.Memory{Source: budget.Actual, Pools: []budget.PoolNeed{{ID: "Vulkan0", NeededBytes: 11 * gi}}},
	}}
	p, l := opened(t, m)
	s := p.State()
	if !s.Memory.Actual || s.Memory.Pools[0].ActualBytes != 11*gi || s.Memory.Pools[1].ActualBytes != 0 {
		t.Errorf("%+v", s.Memory)
	}
	p.SetContext(4096)
	settled(t, p, l)
	if s := p.State(); s.Memory.Actual || s.Memory.Pools[0].ActualBytes != 0 {
		t.Errorf("another plan: %+v", s.Memory.Pools)
	}
}

func TestWhatWasLearnedIsInTheEstimateAndSaid(t *testing.T) {
	m := newMachine()
	m.learned = budget.Overheads{"Vulkan0": 3 * gi}
	p, _ := opened(t, m)
	p.SetContext(4096)
	s := p.State().Memory
	if s.Pools[0].NeededBytes < 14*gi || !strings.Contains(strings.Join(s.Sources, " "), "last load") {
		t.Errorf("%d bytes, %q", s.Pools[0].NeededBytes, s.Sources)
	}
}

func TestEveryNumberHasItsSource(t *testing.T) {
	m := newMachine()
	m.hardware.Pools[0].Source = "/proc/meminfo"
	p, _ := opened(t, m)
	text := strings.Join(p.State().Memory.Sources, "\n")
	for _, want := range []string{"measured with llama.cpp b11669", "Card: the engine's device list", "RAM: /proc/meminfo", "Safety margin"} {
		if !strings.Contains(text, want) {
			t.Errorf("no %q in\n%s", want, text)
		}
	}
	p.SetContext(4096)
	if text := p.State().Memory.Sources[0]; !strings.Contains(text, "estimate") {
		t.Errorf("before it is measured: %s", text)
	}
}

func TestWhatAnIntegratedCardHoldsOfRAMIsASliceOfRAM(t *testing.T) {
	machine := hardware.Snapshot{
		Pools: []hardware.Pool{
			{ID: "apu", Name: "Radeon", Kind: hardware.APU, TotalBytes: 97 * gi, UsedBytes: gi, UsableBytes: 96 * gi}, ram,
		},
		GPUs: []hardware.GPU{{Name: "Radeon", Pool: "apu", Integrated: true, EngineDevices: []string{"Vulkan0"}}},
	}
	need := budget.Memory{Pools: []budget.PoolNeed{{ID: "Vulkan0", NeededBytes: 40 * gi}, {ID: budget.RAM, NeededBytes: gi}}}
	list, _ := pools(need, budget.Situation{Machine: machine})
	if len(list) != 2 || list[1].ID != budget.RAM || list[1].Shared != "Radeon" || list[1].SharedBytes != 40*gi {
		t.Errorf("%+v", list)
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
				want := fits[budget.Judge(need, budget.Situation{Machine: machine, Devices: devices}).Fit]
				list, _ := pools(need, budget.Situation{Machine: machine, Devices: devices})
				got, _ := Memory{Pools: list}.Worst()
				if got == Unknown {
					got = Fits
				}
				if got != want {
					t.Errorf("%s, %s, %.1f GiB: the bars say %d, the budget %d", name, id, float64(tenths)/10, got, want)
				}
				if last := list[len(list)-1]; last.ID != budget.RAM {
					t.Errorf("%s, %s: RAM is not the last", name, id)
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
	if s.Off || s.Footer.Kind != Caution || s.Memory.Problem == "" || s.Memory.Age != "estimate" {
		t.Errorf("off %v, footer %+v, problem %q", s.Off, s.Footer, s.Memory.Problem)
	}
	p.Load()
	if len(m.loaded) != 1 {
		t.Error("it was not loaded")
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

func TestARemedyThatIsTightIsMarked(t *testing.T) {
	m := newMachine()
	m.devices = nil
	p, l := opened(t, m)
	_, pool := p.State().Memory.Worst()
	needed := pool.NeededBytes
	m.hardware = hardware.Snapshot{Pools: []hardware.Pool{{ID: "ram", Name: "RAM", Kind: hardware.RAM, TotalBytes: 64 * gi, UsedBytes: 64*gi - needed + gi/2}}}
	p.Remeasure()
	settled(t, p, l)
	settled(t, p, l)
	s := p.State()
	if len(s.Remedies) == 0 || !s.Off {
		t.Fatalf("off %v, remedies %+v", s.Off, s.Remedies)
	}
	at := slices.IndexFunc(s.Remedies, func(r Remedy) bool { return r.plan.PromptCacheMiB == plan.NoPromptCache })
	if at < 0 || s.Remedies[at].Label != "No prompt cache" {
		t.Fatalf("remedies %+v", s.Remedies)
	}
	for _, r := range s.Remedies {
		if !r.Tight || r.Spare != "tight" {
			t.Errorf("%+v is not marked", r)
		}
	}
	p.Apply(s.Remedies[at])
	settled(t, p, l)
	if s := p.State(); s.Off || s.Footer.Kind != Caution || s.Plan.PromptCacheMiB != plan.NoPromptCache {
		t.Errorf("applied: off %v, %q", s.Off, s.Footer.Text)
	}
}

func TestWhatTheEngineCannotLoadIsNotLoaded(t *testing.T) {
	m := newMachine()
	fault := &server.Failure{Kind: server.ModelCorrupt, ModelPath: "/m/model.gguf", Reason: "tensor 'output.weight' not found"}
	m.needs = func(plan.Plan) (uint64, error) {
		return 0, &budget.Error{Problem: budget.Rejected, ModelPath: "/m/model.gguf", Err: fault}
	}
	p, l := opened(t, m)
	s := p.State()
	if !s.Off || s.Footer.Kind != Off || !strings.Contains(s.Footer.Text, "output.weight") || !strings.Contains(s.Footer.Text, "Download") || s.Memory.Problem != "" {
		t.Errorf("off %v, %+v, memory %q", s.Off, s.Footer, s.Memory.Problem)
	}
	p.Load()
	if len(m.loaded) != 0 {
		t.Error("it was loaded")
	}

	// Measured again it may be another file by then.
	m.needs = nil
	p.Remeasure()
	p.Load() // once that is known
	settled(t, p, l)
	if s := p.State(); s.Off || len(m.loaded) != 1 {
		t.Errorf("off %v, %+v, loaded %d", s.Off, s.Footer, len(m.loaded))
	}

	m.needs = func(plan.Plan) (uint64, error) {
		return 0, &budget.Error{Problem: budget.TimedOut, ModelPath: "/m/model.gguf"}
	}
	p.Remeasure()
	settled(t, p, l)
	if s := p.State(); s.Off || s.Memory.Problem == "" {
		t.Errorf("another failure of measuring: off %v, %q", s.Off, s.Memory.Problem)
	}
}
