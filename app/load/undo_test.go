package load

import (
	"context"
	"strings"
	"testing"
	"time"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/library"
	"paddock/engine/plan"
)

func TestUndoTakesBackTheLastChangeOfEveryControl(t *testing.T) {
	for name, change := range map[string]func(*Presenter){
		"devices":        func(p *Presenter) { p.SetDevice("Vulkan0", true) },
		"layers":         func(p *Presenter) { p.SetLayers(LayersNumber, 7) },
		"context":        func(p *Presenter) { p.SetContext(4096) },
		"cache":          func(p *Presenter) { p.SetCache("q8_0") },
		"flash":          func(p *Presenter) { p.SetFlash("on") },
		"speculation":    func(p *Presenter) { p.SetSpec(SpecMTP) },
		"n-gram":         func(p *Presenter) { p.SetNGram(true) },
		"vision":         func(p *Presenter) { p.SetVision(VisionOff) },
		"projector":      func(p *Presenter) { p.SetProjector("/m/mmproj-model-Q8_0.gguf") },
		"slots":          func(p *Presenter) { p.SetSlots("2") },
		"reset, changed": func(p *Presenter) { p.SetContext(4096); p.SetCache("q8_0"); p.Reset(); p.Undo(); p.Undo() },
	} {
		t.Run(name, func(t *testing.T) {
			p, _ := opened(t, newRichMachine(), withMTP)
			before := p.State().Plan
			change(p)
			if name != "reset, changed" && p.State().Plan == before {
				t.Fatal("it changes nothing")
			}
			p.Undo()
			if got := p.State().Plan; got != before {
				t.Errorf("undone: %+v", plan.Changes(before, got))
			}
			p.Undo()
			if n := p.State().Notice; n.Text != "There is nothing to undo." {
				t.Errorf("with nothing to undo it says %q", n.Text)
			}
		})
	}
}

func TestUndoTakesBackOneChangeAfterAnother(t *testing.T) {
	p, _ := opened(t, newRichMachine(), withMTP)
	plans := []plan.Plan{p.State().Plan}
	for _, change := range []func(){
		func() { p.SetSpec(SpecMTP) }, func() { p.SetNGram(true) }, func() { p.SetCache("q8_0") },
		func() { p.SetContext(16384) }, func() { p.SetCache("f16") },
	} {
		change()
		plans = append(plans, p.State().Plan)
	}
	for i := len(plans) - 2; i >= 0; i-- {
		p.Undo()
		if got := p.State().Plan; got != plans[i] {
			t.Errorf("step %d: %+v", i, plan.Changes(plans[i], got))
		}
	}
}

func TestUndoTakesBackADraggedSliderAsAWhole(t *testing.T) {
	p, _ := opened(t, newMachine())
	now := p.now()
	p.now = func() time.Time { return now }
	for _, tokens := range []int{16384, 32768, 65536} {
		p.SetContext(tokens)
	}
	p.Undo()
	if got := p.State().Plan.ContextTokens; got != 8192 {
		t.Errorf("undone: %d tokens", got)
	}
	p.SetContext(16384)
	now = now.Add(2 * dragTime)
	p.SetContext(32768)
	p.Undo()
	if got := p.State().Plan.ContextTokens; got != 16384 {
		t.Errorf("two changes, one undone: %d tokens", got)
	}
}

func TestUndoGoesBackToTheBuildBefore(t *testing.T) {
	m := newMachine()
	other := bundled
	other.ID = "found-2"
	m.builds = []build.Build{bundled, other}
	p, l := opened(t, m)
	before := p.State().Plan
	p.SetBuild("found-2")
	l.Until(t, "the engine has answered", func() bool { return !p.State().Preparing })
	p.Undo()
	l.Until(t, "the engine has answered", func() bool { return !p.State().Preparing })
	if s := p.State(); s.Build.ID != bundled.ID || s.Plan != before || p.chosen != "" {
		t.Errorf("build %q, chosen %q, plan %+v", s.Build.ID, p.chosen, s.Plan)
	}
}

func TestAnotherDeviceSaysWhatFollowsFromIt(t *testing.T) {
	p, _ := opened(t, newRichMachine())
	for _, d := range p.State().Devices {
		p.SetDevice(d.ID, false)
	}
	if mode := chosen(p.State().Vision.Modes); mode != plan.ProjectorCPU {
		t.Fatalf("vision is on %s", mode)
	}
	if text := texts(p.State().DeviceNotes); !strings.Contains(text, "Vision is CPU now.") {
		t.Errorf("without devices it says %q", text)
	}
	before := p.State().Plan
	p.SetDevice("Vulkan1", true)
	note := p.State().DeviceNotes[0]
	if !note.Undo || note.Text != "Vision is GPU now. GPU layers are Auto now." {
		t.Errorf("it says %+v", note)
	}
	p.Undo()
	if got := p.State().Plan; got != before {
		t.Errorf("undone: %+v", got)
	}
}

func TestUnderTensorSplitItSaysThatItIsEstimated(t *testing.T) {
	p, l := opened(t, newRichMachine())
	p.seams.Measure = func(ctx context.Context, _ build.Build, r budget.Request) (budget.Memory, error) {
		return budget.Measure(ctx, build.Build{}, r)
	}
	p.SetDevice("Vulkan0", true)
	p.SetSplit("tensor")
	settled(t, p, l)
	s := p.State()
	if s.Plan.SplitMode != "tensor" {
		t.Fatalf("plan %+v, %q", s.Plan, texts(s.SplitNotes))
	}
	if s.Memory.Age != "estimate" || strings.Contains(strings.Join(s.Memory.Sources, " "), "measured") || s.Memory.Problem != "" {
		t.Errorf("it is said to be %q, from %q, problem %q", s.Memory.Age, s.Memory.Sources, s.Memory.Problem)
	}
	used := 0
	for _, pool := range s.Memory.Pools {
		if pool.Used && pool.ID != budget.RAM {
			used++
		}
	}
	if used != 2 || len(s.Memory.Pools) != 3 {
		t.Errorf("pools %+v", s.Memory.Pools)
	}
}

func TestTheContextInUseIsOnTheSlider(t *testing.T) {
	p, _ := opened(t, newMachine(), func(m *library.Model) { m.Facts.Pooling = "mean" })
	if s := p.State(); s.Plan.ContextTokens != 2048 || s.Context.Least != 2048 {
		t.Errorf("%d tokens, the least is %d", s.Plan.ContextTokens, s.Context.Least)
	}
	p, _ = opened(t, newMachine())
	if least := p.State().Context.Least; least != 4096 {
		t.Errorf("with more in use the least is %d", least)
	}
}
