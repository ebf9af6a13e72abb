package load

import (
	"slices"
	"strings"
	"testing"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
)

// TestWhatIsOffIsWhatIsNotOffered holds the screen against plan.Offers, whatever
// rules there are.
func TestWhatIsOffIsWhatIsNotOffered(t *testing.T) {
	p, _ := opened(t, newRichMachine(), withMTP)
	check := func(what string) {
		s := p.State()
		offered := plan.Offers(s.Plan, p.given())
		for _, c := range []struct {
			name    string
			options []Option
			offers  []plan.Offer
		}{
			{"purpose", s.Purpose, offered.Purpose}, {"split", s.Split, offered.Split}, {"flash attention", s.Flash, offered.FlashAttn},
			{"projector", s.Vision.Files, offered.Projector},
		} {
			for _, o := range c.options {
				offer := find(c.offers, o.Value)
				if o.Off != (offer.Refusal != nil) && !o.Chosen {
					t.Errorf("%s: %s %s is off %v, offered with %+v", what, c.name, o.Value, o.Off, offer.Refusal)
				}
				if o.Caution != (offer.Caution != nil) && !o.Off {
					t.Errorf("%s: %s %s is marked %v, offered with %+v", what, c.name, o.Value, o.Caution, offer.Caution)
				}
			}
		}
	}
	check("at first")
	p.SetSplit("tensor")
	check("after tensor")
	p.SetSpec(SpecMTP)
	p.SetFlash("off")
	check("after MTP, flash attention off")
	p.SetPurpose(plan.Embeddings)
	check("after embeddings")
}

func TestAnotherPurposeSaysWhatElseItChanges(t *testing.T) {
	p, _ := opened(t, newRichMachine(), func(m *library.Model) { m.Facts.Pooling = "mean" })
	before := p.State().Plan
	other := plan.Chat
	if before.Purpose == plan.Chat {
		other = plan.Embeddings
	}
	p.SetPurpose(other)
	s := p.State()
	if s.Plan.Purpose != other {
		if len(s.PurposeNotes) == 0 {
			t.Error("it was refused without a reason")
		}
		return
	}
	changes := plan.Changes(before, s.Plan)
	if !slices.ContainsFunc(changes, func(c plan.Change) bool { return c.Setting == "contextTokens" }) {
		t.Fatalf("changes are %+v", changes)
	}
	at := slices.IndexFunc(s.PurposeNotes, func(n Note) bool { return n.Undo })
	if at < 0 || !strings.Contains(s.PurposeNotes[at].Text, "Context is 8,192 now.") && !strings.Contains(s.PurposeNotes[at].Text, "Context is 2,048 now.") {
		t.Fatalf("it says %+v", s.PurposeNotes)
	}
	p.Undo()
	if got := p.State(); got.Plan != before || slices.ContainsFunc(got.PurposeNotes, func(n Note) bool { return n.Undo }) {
		t.Errorf("undone: %+v", got.Plan)
	}
	p.Undo()
	if got := p.State().Plan; got != before {
		t.Errorf("undone twice: %+v", got)
	}
}

func TestRerankIsThereOnlyForAModelThatCan(t *testing.T) {
	p, _ := opened(t, newMachine())
	if o := option(p.State().Purpose, plan.Rerank); o.Value != "" {
		t.Errorf("a chat model offers %+v", o)
	}
	p, _ = opened(t, newMachine(), func(m *library.Model) { m.Facts.HasClassifier, m.Facts.Pooling = true, "rank" })
	if o := option(p.State().Purpose, plan.Rerank); !o.Chosen {
		t.Errorf("a ranking model offers %+v", p.State().Purpose)
	}
}

// TestAChangeThatARuleIsInTheWayOf uses what a context asks of its slots, which no
// device and no file has a part in.
func TestAChangeThatARuleIsInTheWayOf(t *testing.T) {
	p, _ := opened(t, newMachine(), func(m *library.Model) { m.Facts.ContextTokens = 16384 })
	p.asked.ContextTokens, p.asked.Slots = 32768, 2 // as the command line can: 16,384 a slot
	p.changed()
	p.SetSlots("1")
	s := p.State()
	if s.Plan.Slots != 1 || s.Plan.ContextTokens > 16384 {
		t.Fatalf("plan %+v, notes %q", s.Plan, texts(s.BuildNotes))
	}
	note := s.BuildNotes[0]
	if !note.Undo || !strings.Contains(note.Text, "Context is 8,192 now. This model was trained on 16,384 tokens") {
		t.Errorf("it says %+v", s.BuildNotes)
	}
	p.Undo()
	if got := p.State().Plan; got.Slots != 2 || got.ContextTokens != 32768 {
		t.Errorf("undone: %+v", got)
	}
}

func TestSplitIsOffWithoutADeviceAndRareOnesAreHidden(t *testing.T) {
	m := newMachine()
	m.devices = nil
	p, _ := opened(t, m)
	s := p.State()
	if len(s.Split) != 2 || !s.Split[0].Chosen || !s.Split[1].Off || !strings.Contains(texts(s.SplitNotes), "no graphics device") {
		t.Errorf("split %+v, %q", s.Split, texts(s.SplitNotes))
	}
	p, _ = opened(t, newRichMachine())
	for _, o := range p.State().Split {
		if offer := find(p.offered().Split, o.Value); o.Value == "row" && offer.Refusal != nil {
			t.Errorf("row is shown: %+v", offer.Refusal)
		}
	}
}

func TestDevicesOfTheProcessorAreKnownToTheRules(t *testing.T) {
	p, _ := opened(t, newRichMachine())
	if got := p.given().Integrated; !slices.Equal(got, []string{"Vulkan0"}) {
		t.Errorf("integrated are %v", got)
	}
}

func TestWhatFailedBeforeIsSaidAndCanBeTriedAgain(t *testing.T) {
	m := newMachine()
	m.builds = []build.Build{bundled}
	m.failed = []string{"gpu-layers-on-cpu"}
	p, l := opened(t, m)
	p.SetLayers(LayersAll, 0)
	p.SetDevice("Vulkan0", false) // its caution is a refusal now, which asks for other layers
	s := p.State()
	if s.Plan.Devices != plan.CPU || s.Plan.GPULayers != "0" {
		t.Fatalf("plan %+v", s.Plan)
	}
	p.asked.GPULayers = LayersAll
	p.changed()
	notes := p.findings(p.check(p.asked), "gpuLayers")
	if len(notes) != 1 || notes[0].Kind != Failed || notes[0].Rule != "gpu-layers-on-cpu" || !strings.Contains(notes[0].Text, "It failed here before.") {
		t.Fatalf("notes %+v", notes)
	}
	p.TryAgain("gpu-layers-on-cpu")
	settled(t, p, l)
	if rule := <-m.forgotten; rule != "gpu-layers-on-cpu" {
		t.Errorf("forgot %s", rule)
	}
	if notes := p.findings(p.check(p.asked), "gpuLayers"); len(notes) != 1 || notes[0].Kind != Caution || notes[0].Rule != "" {
		t.Errorf("tried again: %+v", notes)
	}
}

func TestWhatFailedSinceTheModelWasOpenedIsKnownWithoutOpeningItAgain(t *testing.T) {
	m := newMachine()
	p, l := opened(t, m)
	p.asked.Devices, p.asked.GPULayers = plan.CPU, LayersAll
	p.changed()
	settled(t, p, l)
	for _, failed := range [][]string{{"gpu-layers-on-cpu"}, nil} {
		m.failed = failed
		p.Refresh()
		l.Until(t, "it is known", func() bool { return p.check(p.asked).Valid() == (failed == nil) })
		settled(t, p, l)
		if s := p.State(); s.Off != (failed != nil) {
			t.Errorf("failed %v: loading is off %t", failed, s.Off)
		}
	}
}

func TestAnEngineBesideThatLoadsCountsInTheBars(t *testing.T) {
	m := newMachine()
	p, l := opened(t, m)
	other := budget.Memory{Pools: []budget.PoolNeed{{ID: "Vulkan0", NeededBytes: 15 * gi, Slices: budget.Slices{budget.Weights: 15 * gi}}}}
	m.runningFor = map[string]Running{plan.Chat: {Others: []budget.Memory{other}}}
	p.Refresh()
	l.Until(t, "it is counted", func() bool { return len(p.running.Others) == 1 })
	settled(t, p, l)
	if !p.State().Off {
		t.Error("a model beside one that takes the card's memory can be loaded")
	}
	m.runningFor = nil
	p.Refresh()
	l.Until(t, "it is gone", func() bool { return len(p.running.Others) == 0 })
	settled(t, p, l)
	if p.State().Off {
		t.Errorf("it stays off: %s", p.State().Footer.Text)
	}
}

func TestMoreCompanionsAreTakenUpWhenTheyAreFound(t *testing.T) {
	m := newMachine()
	p, l := opened(t, m)
	p.SetBeside([]gguf.Facts{projectorFile("mmproj")})
	settled(t, p, l)
	if s := p.State(); s.Plan.Projector() == "" || s.Kept {
		t.Errorf("nothing was chosen, and the plan is %+v", s.Plan)
	}
	p.SetContext(4096)
	p.SetVision(VisionOff)
	p.SetBeside([]gguf.Facts{projectorFile("mmproj"), smallFile("tiny")})
	settled(t, p, l)
	if s := p.State(); s.Plan.ContextTokens != 4096 || s.Plan.Projector() != "" || row(t, s, SpecDraft).Off {
		t.Errorf("what was chosen became %+v", s.Plan)
	}
}

func TestACautionSaysWhatHappensIfItComesTrue(t *testing.T) {
	p, _ := opened(t, newRichMachine())
	for want, fallback := range map[string]map[string]string{
		"the model is split by layer and you are told": {"splitMode": "layer"},
		"vision moves to CPU and you are told":         {"projectorDevice": "cpu"},
		"vision is left out and you are told":          {"projectorPath": "none"},
		"speculation is left out and you are told":     {"specTypes": "none"},
		"Slots becomes 1 and you are told":             {"slots": "1"},
		"other devices are used and you are told":      {"devices": ""},
		"Context is chosen anew and you are told":      {"contextTokens": ""},
		"KV cache becomes f16 and you are told":        {"cacheV": "f16"},
	} {
		note := p.cautionNote(plan.Finding{Message: "rule.slots-limit", Fallback: fallback})
		if note.Kind != Caution || !strings.Contains(note.Text, "Tried at load; if it fails, "+want) {
			t.Errorf("%v is said as %q", fallback, note.Text)
		}
	}
	p.refused = aside{cacheSetting, Note{Kind: Off, Text: "A q8_0 cache for values needs flash attention."}}
	p.asked.FlashAttn = "off"
	p.changed()
	if text := texts(p.State().CacheNotes); strings.Count(text, "A q8_0 cache for values needs flash attention.") != 1 {
		t.Errorf("a reason is said twice: %q", text)
	}
	if note := p.cautionNote(plan.Finding{Message: "rule.slots-limit"}); strings.Contains(note.Text, "Tried") {
		t.Errorf("without a fallback: %q", note.Text)
	}
}

func TestChangesAreSaidAsTheScreenShowsThem(t *testing.T) {
	devices := newRichMachine().devices
	for want, c := range map[string]plan.Change{
		"Purpose is Embeddings now.":       {Setting: "purpose", To: plan.Embeddings},
		"Devices are CPU only now.":        {Setting: "devices", To: plan.CPU},
		"Devices are Radeon 8060S now.":    {Setting: "devices", To: "Vulkan0"},
		"Split is By layer now.":           {Setting: "splitMode", From: "tensor"},
		"GPU layers are Auto now.":         {Setting: "gpuLayers", To: "auto"},
		"GPU layers are 12 now.":           {Setting: "gpuLayers", To: "12"},
		"Context is 131,072 now.":          {Setting: "contextTokens", To: "131072"},
		"KV cache is q8_0 now.":            {Setting: "cacheK", To: "q8_0"},
		"Flash attention is Auto now.":     {Setting: "flashAttn", To: "auto"},
		"Speculation is MTP + n-gram now.": {Setting: "specTypes", To: "draft-mtp,ngram-mod"},
		"Speculation is Draft model now.":  {Setting: "specTypes", To: "draft-simple"},
		"Speculation is EAGLE-3 now.":      {Setting: "specTypes", To: "draft-eagle3"},
		"Speculation is DFlash now.":       {Setting: "specTypes", To: "draft-dflash"},
		"Speculation is Off now.":          {Setting: "specTypes", To: "none"},
		"Vision is Off now.":               {Setting: "projectorPath", To: "none"},
		"Vision is mmproj.gguf now.":       {Setting: "projectorPath", To: "/m/mmproj.gguf"},
		"Vision is CPU now.":               {Setting: "projectorDevice", To: "cpu"},
		"Slots are 4 now.":                 {Setting: "slots", To: "4"},
	} {
		if got := strings.Join(changesInWords([]plan.Change{c}, devices), " "); got != want {
			t.Errorf("%+v is said as %q, not %q", c, got, want)
		}
	}
	both := []plan.Change{{Setting: "cacheK", To: "q8_0"}, {Setting: "cacheV", To: "q8_0"}, {Setting: "batchTokens", To: "1"}, {Setting: "projectorDevice", From: "cpu"}}
	if got := changesInWords(both, devices); len(got) != 1 {
		t.Errorf("the cache alone is said as %q", got)
	}
}
