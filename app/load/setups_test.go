package load

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/config"
	"paddock/engine/gguf"
	"paddock/engine/plan"
)

func TestChoicesAreThereAfterAStart(t *testing.T) {
	dir := t.TempDir()
	m := newRichMachine()
	m.setups = config.OpenSetups(dir)
	p, _ := opened(t, m)
	if p.State().Kept {
		t.Error("nothing was chosen and it says so")
	}
	p.SetContext(4096)
	p.SetCache("q8_0")
	p.SetSpec(SpecDraft)
	if !p.State().Kept {
		t.Error("it does not say that choices are remembered")
	}
	p.Wait(context.Background())
	want := p.State().Plan

	m.setups = config.OpenSetups(dir)
	again, l := opened(t, m)
	if s := again.State(); s.Plan != want || !s.Kept || s.Layers.Mode != LayersAuto {
		t.Errorf("after a start it is %+v, not %+v", s.Plan, want)
	}
	again.Reset()
	settled(t, again, l)
	again.Wait(context.Background())
	m.setups = config.OpenSetups(dir)
	reset, _ := opened(t, m)
	if s := reset.State(); s.Kept || s.Plan.ContextTokens != 8192 {
		t.Errorf("after a reset it is %+v", s.Plan)
	}
}

func TestChosenFilesThatAreGoneAreLeftOut(t *testing.T) {
	m := newRichMachine()
	m.setups = config.OpenSetups(t.TempDir())
	p, _ := opened(t, m)
	p.SetContext(4096)
	p.SetSpec(SpecDraft)
	p.SetProjector("/m/mmproj-model-Q8_0.gguf")
	p.Wait(context.Background())
	m.beside = []gguf.Facts{projectorFile("mmproj-model-F16")}
	p, _ = opened(t, m)
	if s := p.State(); s.Plan.DraftPath != "" || s.Plan.SpecTypes != plan.NoSpec || s.Plan.Projector() != "/m/mmproj-model-F16.gguf" || s.Plan.ContextTokens != 4096 {
		t.Errorf("plan %+v", s.Plan)
	}
}

func TestWhatMakesNoSenseInTheFileIsChosenAnew(t *testing.T) {
	for name, text := range map[string]string{
		"no plan": `7`, "words": `{"cacheK":"x","cacheV":"","flashAttn":"perhaps","splitMode":"sideways","purpose":"tea","gpuLayers":"many"}`,
		"numbers": `{"contextTokens":-5,"slots":-1,"draftMax":-3}`, "methods": `{"specTypes":"draft-mtp,magic"}`, "nothing": `{}`,
	} {
		m := newMachine()
		m.setups = config.OpenSetups(t.TempDir())
		if err := m.setups.Put("/m/model.gguf", 0, config.Setup{Plan: []byte(text)}); err != nil {
			t.Fatal(err)
		}
		p, _ := opened(t, m)
		s := p.State()
		if s.Plan.CacheK != "f16" || s.Plan.Purpose != plan.Chat || s.Plan.ContextTokens != 8192 || s.Plan.Slots != 1 || s.Plan.GPULayers != "all" || s.Plan.SpecTypes != plan.NoSpec || s.Off {
			t.Errorf("%s: plan %+v, off %v: %s", name, s.Plan, s.Off, s.Footer.Text)
		}
	}
}

func TestChoicesThatCannotBeWrittenAreSaid(t *testing.T) {
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	m := newMachine()
	m.setups = config.OpenSetups(file)
	p, l := opened(t, m)
	p.SetContext(4096)
	l.Until(t, "it is said", func() bool { return p.State().Notice.Text != "" })
	if n := p.State().Notice; n.Kind != Caution || !strings.Contains(n.Text, "setups.json") {
		t.Errorf("it says %+v", n)
	}
}

func TestAFileOfChoicesThatIsBrokenIsSaidOnce(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "setups.json"), []byte("{"), 0o600); err != nil {
		t.Fatal(err)
	}
	m := newMachine()
	m.setups = config.OpenSetups(dir)
	p, l := opened(t, m)
	if n := p.State().Notice; n.Kind != Caution || !strings.Contains(n.Text, "setups.json") {
		t.Errorf("it says %+v", n)
	}
	p.Open(someModel(), nil)
	l.Until(t, "the engine has answered", func() bool { return !p.State().Preparing })
	if n := p.State().Notice; n.Text != "" {
		t.Errorf("the second time it says %+v", n)
	}
}
