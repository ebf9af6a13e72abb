package load

import (
	"strings"
	"sync"
	"testing"

	"paddock/app/apptest"
	"paddock/engine/budget"
	"paddock/engine/plan"
	"paddock/hardware"
)

func sought(t *testing.T, p *Presenter, l apptest.Loop) State {
	t.Helper()
	l.Until(t, "the preset is found", func() bool { return !p.State().Finding })
	settled(t, p, l)
	return p.State()
}

func TestAPresetSaysWhatItChangesAndIsUndone(t *testing.T) {
	p, l := opened(t, newRichMachine(), withMTP)
	before := p.State().Plan
	for _, kind := range budget.PresetKinds() {
		p.Preset(kind)
		s := sought(t, p, l)
		if s.Off || !plan.Check(s.Plan, p.given()).Valid() {
			t.Errorf("%s can't be loaded: %s", kind, s.Footer.Text)
		}
		label := presetLabel(kind)
		if s.Plan == before {
			if !strings.Contains(s.Notice.Text, label) {
				t.Errorf("%s changed nothing and says %q", kind, s.Notice.Text)
			}
			continue
		}
		if !strings.HasPrefix(s.Applied, label+": ") || !strings.Contains(s.Applied, " now.") {
			t.Errorf("%s says %q", kind, s.Applied)
		}
		p.Undo()
		settled(t, p, l)
		if s := p.State(); s.Plan != before || s.Applied != "" {
			t.Errorf("%s undone: %+v", kind, s.Plan)
		}
	}
}

func TestSmallestHasNothingBesideTheModel(t *testing.T) {
	p, l := opened(t, newRichMachine(), withMTP)
	p.Preset(budget.Smallest)
	if s := sought(t, p, l); s.Plan.ContextTokens != 4096 || s.Plan.CacheK != "q8_0" || s.Plan.Projector() != "" || s.Plan.SpecTypes != plan.NoSpec {
		t.Errorf("plan %+v", s.Plan)
	}
}

func TestBestTwiceChangesNothingMore(t *testing.T) {
	p, l := opened(t, newRichMachine(), withMTP)
	p.SetContext(16384)
	p.Best()
	first := sought(t, p, l)
	if first.Applied == "" {
		t.Fatalf("the first time: %+v", first.Notice)
	}
	p.Best()
	if s := sought(t, p, l); s.Plan != first.Plan || s.Applied != "" || s.Notice.Kind != Good || s.Notice.Text == "" {
		t.Errorf("the second time: %q, %+v", s.Applied, s.Notice)
	}
}

func TestWhenNoPresetFitsThatIsSaid(t *testing.T) {
	m := newMachine()
	m.devices = nil
	m.hardware.Pools = []hardware.Pool{{ID: "ram", Name: "RAM", Kind: hardware.RAM, TotalBytes: 4 * gi, UsedBytes: 2 * gi, UsableBytes: gi}}
	p, l := opened(t, m)
	before := p.State().Plan
	p.Best()
	if s := sought(t, p, l); s.Plan != before || s.Notice.Kind != Caution || !strings.Contains(s.Notice.Text, "Best settings") {
		t.Errorf("plan %+v, it says %+v", s.Plan, s.Notice)
	}
}

func TestAModelIsOpenedWithTheBestSettings(t *testing.T) {
	m := newRichMachine()
	p, l := opened(t, m)
	p.Preset(budget.Smallest)
	sought(t, p, l)
	model := someModel()
	p.OpenBest(model, m.beside)
	l.Until(t, "the engine has answered", func() bool { return !p.State().Preparing })
	if s := sought(t, p, l); s.Plan.ContextTokens != 8192 || s.Plan.Devices != "Vulkan1" && s.Plan.Devices != "Vulkan0" {
		t.Errorf("plan %+v", s.Plan)
	}
}

func TestAModelIsOpenedAndLoadedAsItWasSetUp(t *testing.T) {
	m := newMachine()
	p, l := opened(t, m)
	p.SetContext(4096)
	settled(t, p, l)
	p.OpenAndLoad(someModel(), m.beside)
	l.Until(t, "the engine has answered", func() bool { return !p.State().Preparing })
	settled(t, p, l)
	if len(m.loaded) != 1 || m.loaded[0].ContextTokens != 4096 {
		t.Fatalf("loaded %+v", m.loaded)
	}

	p.SetContext(131072)
	settled(t, p, l)
	p.OpenAndLoad(someModel(), m.beside)
	l.Until(t, "the engine has answered", func() bool { return !p.State().Preparing })
	settled(t, p, l)
	if s := p.State(); len(m.loaded) != 1 || s.Waiting || !s.Off || s.Footer.Text == "" {
		t.Errorf("what does not fit: loaded %d times, waiting %v, off %v, it says %q", len(m.loaded), s.Waiting, s.Off, s.Footer.Text)
	}
}

func TestWhatIsChosenWhileAPresetIsLookedForStays(t *testing.T) {
	for name, choose := range map[string]func(*Presenter){
		"a context":  func(p *Presenter) { p.SetContext(2048) },
		"a build":    func(p *Presenter) { p.SetBuild("other") },
		"all anew":   func(p *Presenter) { p.Reset() },
		"a trial":    func(p *Presenter) { p.TryAgain("tensor-three") },
		"the undone": func(p *Presenter) { p.Undo() },
	} {
		t.Run(name, func(t *testing.T) {
			m := newRichMachine()
			m.failed = []string{"tensor-three"}
			other := m.builds[0]
			other.ID = "other"
			m.builds = append(m.builds, other)
			p, l := opened(t, m, withMTP)
			p.Preset(budget.Smallest) // something to undo
			sought(t, p, l)
			post := p.do
			var late []func()
			lateDone := make(chan struct{}, 10)
			var mu sync.Mutex
			p.do = func(f func()) { mu.Lock(); late = append(late, f); mu.Unlock(); lateDone <- struct{}{} }
			p.cancel() // nothing else is to come late
			p.Best()
			<-lateDone
			p.do = post
			choose(p)
			chosen, applied := p.asked, p.State().Applied
			if p.State().Finding {
				t.Error("it still looks for the preset")
			}
			mu.Lock()
			defer mu.Unlock()
			for _, f := range late {
				f()
			}
			if p.asked != chosen || p.State().Applied != applied || p.State().Notice.Text != "" {
				t.Errorf("the preset took its place: %+v, %q, %q", p.asked, p.State().Applied, p.State().Notice.Text)
			}
			p.cancel()
		})
	}
}

func TestAPresetThatARuleRefusesNowSaysSo(t *testing.T) {
	p, l := opened(t, newRichMachine(), withMTP)
	preset := budget.Preset{Plan: p.State().Plan}
	preset.Plan.Slots = 1000
	p.applyPreset(preset, "Fastest")
	settled(t, p, l)
	if n := p.State().Notice; n.Kind != Caution || !strings.Contains(n.Text, "256 slots") || strings.Contains(n.Text, "this is it") {
		t.Errorf("it says %+v", n)
	}
}
