package load

import (
	"strings"
	"testing"
	"time"

	"paddock/app/apptest"
	"paddock/engine/build"
	"paddock/engine/library"
	"paddock/engine/plan"
)

func TestChoicesAreKeptForTheirModel(t *testing.T) {
	m := newMachine()
	other := bundled
	other.ID = "found-2"
	m.builds = []build.Build{bundled, other}
	p, l := opened(t, m)
	reopen := func(model library.Model) State {
		p.Open(model, nil)
		l.Until(t, "the engine has answered", func() bool { return !p.State().Preparing })
		settled(t, p, l)
		return p.State()
	}
	p.SetCache("q8_0")
	p.SetContext(4096)
	p.SetBuild("found-2")
	l.Until(t, "the engine has answered", func() bool { return !p.State().Preparing })
	second := someModel()
	second.Facts.Path = "/m/second.gguf"
	if s := reopen(second); s.Plan.CacheK != "f16" || s.Build.ID != bundled.ID {
		t.Errorf("another model has %+v on %s", s.Plan, s.Build.ID)
	}
	if s := reopen(someModel()); s.Plan.CacheK != "q8_0" || s.Plan.ContextTokens != 4096 || s.Build.ID != "found-2" {
		t.Errorf("opened again, it has %+v on %s", s.Plan, s.Build.ID)
	}
	p.Reset()
	if s := reopen(someModel()); s.Plan.CacheK != "f16" || s.Plan.ContextTokens != 8192 {
		t.Errorf("after a reset, it has %+v", s.Plan)
	}
}

func TestNoOtherEngineIsUsedInPlaceOfTheDemandedOne(t *testing.T) {
	m := newMachine()
	m.builds = []build.Build{broken, bundled}
	l := apptest.NewLoop()
	seams := m.seams()
	seams.Demands = func(b build.Build) bool { return b.ID == broken.ID }
	p := NewPresenter(seams, l.Do, func(State) {})
	p.settle = time.Millisecond
	t.Cleanup(p.Close)
	p.Open(someModel(), nil)
	l.Until(t, "the engine has answered", func() bool { return !p.State().Preparing })
	s := p.State()
	if len(s.DeviceNotes) > 0 {
		t.Errorf("of its devices it says %+v", s.DeviceNotes)
	}
	if !s.Off || !option(s.Builds, broken.ID).Chosen || !strings.Contains(s.Footer.Text, "/usr/bin/llama-server") {
		t.Errorf("off %v, %q, %+v", s.Off, s.Footer.Text, s.Builds)
	}
	p.SetBuild(bundled.ID)
	l.Until(t, "the engine has answered", func() bool { return !p.State().Preparing })
	settled(t, p, l)
	if s := p.State(); s.Off || s.Build.ID != bundled.ID {
		t.Errorf("the user's choice: off %v, %q", s.Off, s.Build.ID)
	}
}

func TestAModelWithoutAChatTemplateIsSaidToBeOne(t *testing.T) {
	p, _ := opened(t, newMachine(), func(m *library.Model) { m.Facts.ChatTemplate = "" })
	if s := p.State(); s.Off || !strings.Contains(texts(s.ModelNotes), "no chat template") {
		t.Errorf("off %v, %+v", s.Off, s.ModelNotes)
	}
	p, _ = opened(t, newMachine())
	if s := p.State(); len(s.ModelNotes) > 0 {
		t.Errorf("with one: %+v", s.ModelNotes)
	}
}

func TestSeveralChoicesThatAreOffForOneReasonShareANote(t *testing.T) {
	var notes []Note
	refusal := plan.Finding{Message: "rule.tensor-flash-off"}
	for _, name := range []string{"2 slots", "4 slots", "8 slots"} {
		notes = addOff(notes, offNote(name, name, refusal))
	}
	notes = addOff(notes, offNote("16 slots", "16", plan.Finding{Message: "rule.tensor-one-device"}))
	if len(notes) != 2 || notes[0].Text != "2 slots, 4 slots, 8 slots are off. Tensor split needs flash attention." || !strings.HasPrefix(notes[1].Text, "16 slots is off.") {
		t.Errorf("notes %q", texts(notes))
	}
}

func TestWithoutSpeculationADraftIsNotMissed(t *testing.T) {
	p, _ := opened(t, newMachine(), func(m *library.Model) { m.Facts.Pooling = "mean" })
	if text := texts(row(t, p.State(), SpecDraft).Notes); text != "Draft model is off: speculation is for chatting." {
		t.Errorf("it says %q", text)
	}
}
