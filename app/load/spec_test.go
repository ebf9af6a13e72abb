package load

import (
	"slices"
	"strings"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
)

func row(t *testing.T, s State, kind SpecKind) SpecRow {
	t.Helper()
	r, there := rowCalled(s.Spec, kind)
	if !there {
		t.Fatalf("there is no %s among %+v", kind, s.Spec.Rows)
	}
	return r
}

func TestWaysOfGuessingWithoutAnythingToGuessWithAreOffWithTheReason(t *testing.T) {
	p, _ := opened(t, newMachine())
	s := p.State()
	for kind, want := range map[SpecKind]string{
		SpecMTP: "no layers for it", SpecFile: "none of your files was made for this model", SpecDraft: "shares this vocabulary",
	} {
		r := row(t, s, kind)
		if !r.Off || len(r.Notes) != 1 || r.Notes[0].Kind != Off || !strings.Contains(r.Notes[0].Text, want) {
			t.Errorf("%s: %+v", kind, r)
		}
	}
	if off := row(t, s, SpecOff); !off.Chosen || off.Off {
		t.Errorf("off is %+v", off)
	}
	for _, kind := range []SpecKind{SpecEAGLE3, SpecDFlash} {
		if _, there := rowCalled(s.Spec, kind); there {
			t.Errorf("%s is offered without a file", kind)
		}
	}
	p, _ = opened(t, newMachine(), func(m *library.Model) { m.Facts.DeclaredNextN = 1 })
	if r := row(t, p.State(), SpecMTP); !r.Off || !strings.Contains(texts(r.Notes), "does not have them") {
		t.Errorf("with layers that are missing: %+v", r)
	}
}

func TestEveryWayOfGuessingMakesItsPlan(t *testing.T) {
	m := newRichMachine()
	m.beside = append(m.beside,
		gguf.Facts{Path: "/m/eagle.gguf", Kind: gguf.Draft, Architecture: "eagle3"},
		gguf.Facts{Path: "/m/dflash.gguf", Kind: gguf.Draft, Architecture: "dflash"})
	p, _ := opened(t, m, withMTP)
	for _, c := range []struct {
		kind         SpecKind
		types, draft string
	}{
		{SpecMTP, "draft-mtp", ""}, {SpecFile, "draft-mtp", "/m/model-mtp.gguf"}, {SpecDraft, "draft-simple", "/m/tiny.gguf"},
		{SpecEAGLE3, "draft-eagle3", "/m/eagle.gguf"}, {SpecDFlash, "draft-dflash", "/m/dflash.gguf"}, {SpecOff, plan.NoSpec, ""},
	} {
		r := row(t, p.State(), c.kind)
		p.SetSpec(c.kind)
		s := p.State()
		if r.Off { // a rule says so: then it stays as it was
			if s.Plan.SpecTypes == c.types && s.Plan.DraftPath == c.draft {
				t.Errorf("%s is off and was taken", c.kind)
			}
			continue
		}
		if s.Plan.SpecTypes != c.types || s.Plan.DraftPath != c.draft || !row(t, s, c.kind).Chosen {
			t.Errorf("%s made %q with %q", c.kind, s.Plan.SpecTypes, s.Plan.DraftPath)
		}
	}
}

func TestTheFileToGuessWithIsNamedAndAnotherCanBeChosen(t *testing.T) {
	m := newRichMachine()
	m.beside = []gguf.Facts{smallFile("tiny"), smallFile("small")}
	p, _ := opened(t, m)
	if r := row(t, p.State(), SpecDraft); r.About != "tiny" || len(r.Files) != 2 {
		t.Fatalf("draft row: %+v", r)
	}
	p.SetSpec(SpecDraft)
	p.SetDraft("/m/small.gguf")
	s := p.State()
	if r := row(t, s, SpecDraft); s.Plan.DraftPath != "/m/small.gguf" || r.About != "small" || !option(r.Files, "/m/small.gguf").Chosen {
		t.Errorf("plan %q, row %+v", s.Plan.DraftPath, r)
	}
	m.beside = m.beside[:1]
	p, _ = opened(t, m)
	if r := row(t, p.State(), SpecDraft); r.Files != nil {
		t.Errorf("a single file is offered as a choice: %+v", r)
	}
}

func TestTokensAheadAreChosenAndSaid(t *testing.T) {
	p, _ := opened(t, newRichMachine(), withMTP)
	p.SetSpec(SpecMTP)
	p.SetAhead("1")
	s := p.State()
	if r := row(t, s, SpecMTP); s.Plan.DraftMax != 1 || r.About != "1 layer · 1 token ahead" || !option(s.Spec.Ahead, "1").Chosen {
		t.Errorf("draft max %d, row %+v", s.Plan.DraftMax, r)
	}
	for _, wrong := range []string{"0", "-1", "x", ""} {
		p.SetAhead(wrong)
		if got := p.State().Plan.DraftMax; got != 1 {
			t.Errorf("%q made %d", wrong, got)
		}
	}
	p.SetSpec(SpecOff)
	if got := p.State().Plan; got.DraftMax != 0 || got.SpecTypes != plan.NoSpec {
		t.Errorf("off leaves %+v", got)
	}
}

func TestNGramsGoWithAnotherWayAndAlone(t *testing.T) {
	p, _ := opened(t, newRichMachine(), withMTP)
	p.SetNGram(true)
	if s := p.State(); s.Plan.SpecTypes != "ngram-mod" || !s.Spec.NGram || !row(t, s, SpecOff).Chosen {
		t.Fatalf("alone: %q", s.Plan.SpecTypes)
	}
	r := row(t, p.State(), SpecMTP)
	p.SetSpec(SpecMTP)
	if s := p.State(); !r.Off && (s.Plan.SpecTypes != "draft-mtp,ngram-mod" || !row(t, s, SpecMTP).Chosen) {
		t.Errorf("with MTP: %q", s.Plan.SpecTypes)
	}
	p.SetNGram(false)
	if s := p.State(); s.Spec.NGram || slices.Contains(s.Plan.SpecMethods(), "ngram-mod") {
		t.Errorf("without: %q", s.Plan.SpecTypes)
	}
}

func TestVisionIsOnWithAProjectorAndGoesToTheProcessor(t *testing.T) {
	m := newRichMachine()
	p, _ := opened(t, m)
	s := p.State()
	if s.Plan.ProjectorPath != "/m/mmproj-model-F16.gguf" || !option(s.Vision.Modes, plan.ProjectorGPU).Chosen || !strings.Contains(s.Vision.Name, "mmproj-model-F16 · 0.9 GiB") {
		t.Fatalf("plan %q, vision %+v", s.Plan.ProjectorPath, s.Vision)
	}
	p.SetVision(plan.ProjectorCPU)
	p.SetProjector("/m/mmproj-model-Q8_0.gguf")
	if s := p.State(); s.Plan.ProjectorDevice != plan.ProjectorCPU || s.Plan.ProjectorPath != "/m/mmproj-model-Q8_0.gguf" || !option(s.Vision.Modes, plan.ProjectorCPU).Chosen {
		t.Errorf("plan %+v", s.Plan)
	}
	p.SetVision(VisionOff)
	if s := p.State(); s.Plan.Projector() != "" || !option(s.Vision.Modes, VisionOff).Chosen {
		t.Errorf("off: %+v", s.Plan)
	}
	p.SetVision(plan.ProjectorGPU)
	if s := p.State(); s.Plan.Projector() == "" || !option(s.Vision.Modes, plan.ProjectorGPU).Chosen {
		t.Errorf("on again: %+v", s.Plan)
	}
}

func TestVisionSaysWhatIsMissing(t *testing.T) {
	p, _ := opened(t, newMachine())
	if s := p.State(); !option(s.Vision.Modes, plan.ProjectorGPU).Off || !strings.Contains(texts(s.VisionNotes), "none of your files is a projector") {
		t.Errorf("without a projector: %+v, %q", s.Vision, texts(s.VisionNotes))
	}
	m := newRichMachine()
	m.devices = nil
	p, _ = opened(t, m)
	s := p.State()
	if !option(s.Vision.Modes, plan.ProjectorCPU).Chosen || !option(s.Vision.Modes, plan.ProjectorGPU).Off || !strings.Contains(texts(s.VisionNotes), "no graphics device") {
		t.Errorf("without a device: %+v, %q", s.Vision, texts(s.VisionNotes))
	}
}
