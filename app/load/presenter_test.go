package load

import (
	"context"
	"slices"
	"strings"
	"testing"
	"time"

	"paddock/app/apptest"
	"paddock/config"
	"paddock/engine"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/hardware"
	"paddock/words"
)

const gi = 1 << 30

// A machine is what a test's presenter asks.
type machine struct {
	compare    func(context.Context, func(engine.Row)) (engine.Comparison, error)
	builds     []build.Build
	devices    []build.Device
	devicesErr error
	needs      func(plan.Plan) (uint64, error) // of the first device, or of RAM; nil for what is estimated
	runningFor map[string]Running              // by purpose
	learned    budget.Overheads
	hardware   hardware.Snapshot
	beside     []gguf.Facts
	setups     *config.Setups
	failed     []string
	forgotten  chan string
	loaded     []plan.Plan
	measured   chan plan.Plan
}

var (
	bundled = build.Build{ID: "bundled-11669", Path: "/engine/bin/llama-server", Number: 11669, Source: build.Bundled, Proven: true}
	broken  = build.Build{ID: "found-1", Path: "/usr/bin/llama-server", Source: build.Found, Problem: string(build.ExitsAtOnce)}
	card    = build.Device{ID: "Vulkan0", Name: "Card", TotalBytes: 16 * gi, FreeBytes: 16 * gi}
	ram     = hardware.Pool{ID: "ram", Name: "RAM", Kind: hardware.RAM, TotalBytes: 64 * gi, UsedBytes: 4 * gi, UsableBytes: 54 * gi}
)

// newMachine has a card of 16 GiB and 64 GiB of RAM; a plan needs 10 GiB of
// weights and 256 KiB a token of context, about half of that with a q8_0 cache, and
// what the engine takes for itself.
func newMachine() *machine {
	return &machine{
		builds:   []build.Build{bundled},
		devices:  []build.Device{card},
		hardware: hardware.Snapshot{Pools: []hardware.Pool{ram}},
		measured: make(chan plan.Plan, 1000),

		forgotten: make(chan string, 10),
	}
}

func (m *machine) seams() Seams {
	return Seams{
		Builds: func() []build.Build { return m.builds },
		Devices: func(context.Context, build.Build) ([]build.Device, error) {
			return m.devices, m.devicesErr
		},
		Measure: func(_ context.Context, _ build.Build, r budget.Request) (budget.Memory, error) {
			m.measured <- r.Plan
			if m.needs == nil {
				memory := budget.Estimate(r)
				memory.Source = budget.Measured
				return memory, nil
			}
			bytes, err := m.needs(r.Plan)
			id := budget.RAM
			if ids := r.Plan.DeviceIDs(); len(ids) > 0 {
				id = ids[0]
			}
			return budget.Memory{Source: budget.Measured, Pools: []budget.PoolNeed{{
				ID: id, NeededBytes: bytes, Slices: budget.Slices{budget.Weights: bytes},
			}}}, err
		},
		Running:  func(purpose string) Running { return m.runningFor[purpose] },
		Learned:  func(gguf.Facts, build.Build) budget.Overheads { return m.learned },
		Hardware: func() hardware.Snapshot { return m.hardware },
		Setups:   m.setups,
		Compare:  m.compare,
		Failed:   func(gguf.Facts, build.Build) []string { return m.failed },
		Forget:   func(_ gguf.Facts, _ build.Build, rule string) { m.forgotten <- rule },
		Load:     func(p plan.Plan, _ plan.Given, _ build.Build) { m.loaded = append(m.loaded, p) },
	}
}

func someModel() library.Model {
	return library.Model{
		Facts: gguf.Facts{
			Path: "/m/model.gguf", Kind: gguf.Model, Name: "Model", Architecture: "llama", Quantisation: "Q4_K_M",
			ContextTokens: 131072, Layers: 32, HeadSizeK: 128, HeadSizeV: 128, ChatTemplate: "{{ messages }}",
			EmbeddingLength: 2048, Network: someNetwork(),
		},
		Files: []string{"/m/model.gguf"}, SizeBytes: 10 * gi,
	}
}

// someNetwork is 32 layers of 320 MiB, with keys and values of 8 KiB a token.
func someNetwork() gguf.Network {
	n := gguf.Network{Causal: true, Shapes: []gguf.BlockShape{{
		{Name: "attn_k.weight", Dimensions: [3]int{2048, 2048, 1}, Bytes: 320 << 20},
	}}}
	for range 32 {
		n.Blocks = append(n.Blocks, gguf.Block{Attention: true, Heads: 16, KVHeads: 16, HeadSizeK: 128, HeadSizeV: 128, WeightsBytes: 320 << 20})
	}
	return n
}

// opened is a presenter whose model is open and measured.
func opened(t *testing.T, m *machine, change ...func(*library.Model)) (*Presenter, apptest.Loop) {
	t.Helper()
	model := someModel()
	for _, c := range change {
		c(&model)
	}
	l := apptest.NewLoop()
	p := NewPresenter(m.seams(), l.Do, func(State) {})
	p.settle = time.Millisecond
	t.Cleanup(p.Close)
	p.Open(model, m.beside)
	l.Until(t, "the engine has answered", func() bool { return !p.State().Preparing })
	settled(t, p, l)
	return p, l
}

// settled waits until everything is measured.
func settled(t *testing.T, p *Presenter, l apptest.Loop) {
	t.Helper()
	l.Until(t, "it is measured", func() bool {
		s := p.State()
		return !s.Memory.Measuring && (s.Searched || p.failure != nil || s.Off && !p.known)
	})
}

func texts(notes []Note) string {
	var all []string
	for _, n := range notes {
		all = append(all, n.Text)
	}
	return strings.Join(all, "\n")
}

func option(list []Option, value string) Option {
	i := slices.IndexFunc(list, func(o Option) bool { return o.Value == value })
	if i < 0 {
		return Option{}
	}
	return list[i]
}

func TestOpeningAModelChoosesEverythingAndMeasures(t *testing.T) {
	p, _ := opened(t, newMachine())
	s := p.State()
	if s.Title != "Model" || s.About != "Q4_K_M · 10.0 GiB" {
		t.Errorf("title %q, about %q", s.Title, s.About)
	}
	want := plan.Plan{
		ModelPath: "/m/model.gguf", Purpose: plan.Chat, ContextTokens: 8192, Devices: "Vulkan0", GPULayers: "all",
		CacheK: "f16", CacheV: "f16", FlashAttn: "auto", Slots: 1,
		SpecTypes: plan.NoSpec, ProjectorPath: plan.NoProjector,
	}
	if s.Plan != want {
		t.Errorf("plan is %+v", s.Plan)
	}
	if s.Layers.Mode != LayersAuto || s.Off || s.Memory.Age == "" {
		t.Errorf("layers %+v, off %v, age %q", s.Layers, s.Off, s.Memory.Age)
	}
	if v, _ := s.Memory.Pools[0].Verdict(); v != Fits || s.Memory.Pools[0].Name != "Card" {
		t.Errorf("first pool: %+v", s.Memory.Pools[0])
	}
}

func TestACacheTheHeadsCannotHoldIsOffWithItsReason(t *testing.T) {
	p, _ := opened(t, newMachine(), func(m *library.Model) { m.Facts.HeadSizeK, m.Facts.HeadSizeV = 80, 80 })
	s := p.State()
	if option(s.Cache, "f16").Off || !option(s.Cache, "q8_0").Off || !option(s.Cache, "q4_0").Off {
		t.Errorf("cache: %+v", s.Cache)
	}
	if text := texts(s.CacheNotes); !strings.Contains(text, "KV cache q8_0 is off.") || !strings.Contains(text, "80") {
		t.Errorf("notes: %q", text)
	}
	p.SetCache("q8_0")
	if s := p.State(); s.Plan.CacheK != "f16" || s.Plan.CacheV != "f16" {
		t.Errorf("a refused cache was taken: %+v", s.Plan)
	}
}

func TestFlashAttentionAndTheCacheRefuseEachOther(t *testing.T) {
	p, _ := opened(t, newMachine())
	p.SetCache("q8_0")
	s := p.State()
	if !option(s.Flash, "off").Off || !strings.Contains(texts(s.CacheNotes), "Flash attention Off can't be chosen. A q8_0 cache for values needs flash attention.") {
		t.Errorf("flash %+v, notes %q", s.Flash, texts(s.CacheNotes))
	}
	p.SetFlash("off")
	if s := p.State(); s.Plan.FlashAttn != "auto" || s.Plan.CacheV != "q8_0" {
		t.Errorf("a refused change was made: %+v", s.Plan)
	}
	p.SetCache("f16")
	p.SetFlash("off")
	if s := p.State(); s.Plan.FlashAttn != "off" || !option(s.Cache, "q8_0").Off {
		t.Errorf("plan %+v, cache %+v", s.Plan, s.Cache)
	}
}

func TestChangingOneSettingChangesNoOther(t *testing.T) {
	m := newMachine()
	m.devices = []build.Device{card, {ID: "Vulkan1", Name: "Second", TotalBytes: 8 * gi, FreeBytes: 8 * gi}}
	p, _ := opened(t, m)
	p.SetLayers(LayersNumber, 20)
	before := p.State().Plan
	for _, c := range []struct {
		name string
		set  func()
		undo func(*plan.Plan)
	}{
		{"context", func() { p.SetContext(4096) }, func(q *plan.Plan) { q.ContextTokens = before.ContextTokens }},
		{"cache", func() { p.SetCache("q8_0") }, func(q *plan.Plan) { q.CacheK, q.CacheV = before.CacheK, before.CacheV }},
		{"flash", func() { p.SetFlash("on") }, func(q *plan.Plan) { q.FlashAttn = before.FlashAttn }},
		{"devices", func() { p.SetDevice("Vulkan1", false) }, func(q *plan.Plan) { q.Devices = before.Devices }},
		{"layers", func() { p.SetLayers(LayersAll, 0) }, func(q *plan.Plan) { q.GPULayers = before.GPULayers }},
	} {
		c.set()
		got := p.State().Plan
		if got == before {
			t.Errorf("%s changed nothing", c.name)
		}
		if c.undo(&got); got != before {
			t.Errorf("%s changed more than itself: %+v", c.name, p.State().Plan)
		}
		p.asked = before
	}
}

func TestDevicesAreTickedOneByOne(t *testing.T) {
	m := newMachine()
	m.devices = []build.Device{card, {ID: "Vulkan1", Name: "Second", TotalBytes: 8 * gi, FreeBytes: 8 * gi}}
	p, _ := opened(t, m)
	if got := p.State().Plan.Devices; got != "Vulkan0,Vulkan1" {
		t.Fatalf("devices are %q", got)
	}
	p.SetDevice("Vulkan0", false)
	if got := p.State().Plan.Devices; got != "Vulkan1" {
		t.Errorf("devices are %q", got)
	}
	p.SetDevice("Vulkan1", false)
	s := p.State()
	if s.Plan.Devices != plan.CPU || !s.Layers.Off || texts(s.LayerNotes) == "" || texts(s.DeviceNotes) == "" {
		t.Errorf("devices %q, layers %+v", s.Plan.Devices, s.Layers)
	}
	p.SetDevice("Vulkan1", true)
	p.SetDevice("Vulkan0", true)
	if got := p.State().Plan.Devices; got != "Vulkan0,Vulkan1" {
		t.Errorf("devices are %q, not in the engine's order", got)
	}
}

func TestWithoutDevicesTheProcessorIsNamed(t *testing.T) {
	m := newMachine()
	m.devices = nil
	p, _ := opened(t, m)
	s := p.State()
	if s.Plan.Devices != plan.CPU || len(s.Devices) != 0 || !strings.Contains(texts(s.DeviceNotes), "no graphics device") {
		t.Errorf("devices %q, notes %q", s.Plan.Devices, texts(s.DeviceNotes))
	}
}

func TestADetectionThatCrashedIsNotCalledNoDevice(t *testing.T) {
	m := newMachine()
	m.devices, m.devicesErr = nil, &build.Error{Problem: build.ListingCrashed, Path: bundled.Path}
	p, _ := opened(t, m)
	notes := p.State().DeviceNotes
	if len(notes) == 0 || notes[0].Kind != Failed || !strings.Contains(notes[0].Text, "crashed") {
		t.Errorf("notes %+v", notes)
	}
}

func TestASoftwareDeviceIsOfferedWithCautionAndNeverChosen(t *testing.T) {
	m := newMachine()
	m.devices = []build.Device{{ID: "Vulkan0", Name: "llvmpipe", TotalBytes: 20 * gi, FreeBytes: 20 * gi, Software: true}}
	p, _ := opened(t, m)
	if s := p.State(); s.Plan.Devices != plan.CPU || len(s.Devices) != 1 || s.Devices[0].On {
		t.Fatalf("plan %+v", s.Plan)
	}
	p.SetDevice("Vulkan0", true)
	s := p.State()
	if s.Plan.Devices != "Vulkan0" || !slices.ContainsFunc(s.DeviceNotes, func(n Note) bool { return n.Kind == Caution }) {
		t.Errorf("devices %q, notes %+v", s.Plan.Devices, s.DeviceNotes)
	}
}

func TestGPULayersTakeANumberWithinTheModel(t *testing.T) {
	p, _ := opened(t, newMachine())
	for _, c := range []struct {
		number int
		want   string
	}{{10, "10"}, {-5, "0"}, {1000, "33"}} {
		p.SetLayers(LayersNumber, c.number)
		if got := p.State().Plan.GPULayers; got != c.want {
			t.Errorf("%d layers became %s", c.number, got)
		}
	}
	p.SetLayers(LayersAuto, 0)
	if s := p.State(); s.Layers.Mode != LayersAuto || s.Plan.GPULayers != "all" {
		t.Errorf("auto is %+v, %s", s.Layers, s.Plan.GPULayers)
	}
}

func TestAContextOutOfRangeIsRefusedWithTheRange(t *testing.T) {
	for name, c := range map[string]struct {
		trained, tokens int
		want            string
	}{
		"nothing":              {131072, 0, "Context takes 256 to 131,072 tokens. It stays at 8,192."},
		"too short":            {131072, 255, "Context takes 256 to 131,072 tokens. It stays at 8,192."},
		"above the trained":    {131072, 131073, "Context takes 256 to 131,072 tokens. It stays at 8,192."},
		"a model of few":       {128, 200, "Context takes 128 to 128 tokens. It stays at 128."},
		"the trained unknown":  {0, 3, "Context takes 256 tokens or more."},
		"the shortest is fine": {131072, 256, ""},
	} {
		p, _ := opened(t, newMachine(), func(m *library.Model) { m.Facts.ContextTokens = c.trained })
		before := p.State().Plan.ContextTokens
		p.SetContext(c.tokens)
		s := p.State()
		if c.want == "" {
			before = c.tokens
		}
		if s.Plan.ContextTokens != before || !strings.HasPrefix(texts(s.ContextNotes), c.want) || c.want == "" && len(s.ContextNotes) > 0 {
			t.Errorf("%s: %d tokens, notes %+v", name, s.Plan.ContextTokens, s.ContextNotes)
		}
	}
}

func TestContextStepsReachTheTrainedLength(t *testing.T) {
	for _, c := range []struct {
		trained int
		want    []int
	}{
		{131072, []int{4096, 8192, 16384, 32768, 65536, 131072}},
		{40960, []int{4096, 8192, 16384, 32768, 40960}},
		{2048, []int{512, 1024, 2048}},
		{512, []int{512}},
		{0, []int{4096, 8192, 16384, 32768}},
	} {
		if got := contextSteps(c.trained); !slices.Equal(got, c.want) {
			t.Errorf("trained on %d: %v", c.trained, got)
		}
	}
}

func TestABuildWithAProblemStaysInPlaceWithItsReason(t *testing.T) {
	m := newMachine()
	m.builds = []build.Build{broken, bundled}
	p, _ := opened(t, m)
	s := p.State()
	if s.Build.ID != bundled.ID || !option(s.Builds, broken.ID).Off {
		t.Errorf("build %q of %+v", s.Build.ID, s.Builds)
	}
	if text := texts(s.BuildNotes); !strings.Contains(text, "self-test passed") || !strings.Contains(text, "is off") {
		t.Errorf("notes %q", text)
	}
}

func TestWithoutAWorkingEngineLoadIsOffAndSaysWhy(t *testing.T) {
	for name, builds := range map[string][]build.Build{"none": nil, "a broken one": {broken}} {
		m := newMachine()
		m.builds = builds
		p, _ := opened(t, m)
		s := p.State()
		if !s.Off || s.Footer.Kind != Off || s.Footer.Text == "" {
			t.Errorf("%s: off %v, %q", name, s.Off, s.Footer.Text)
		}
		if len(m.measured) != 0 {
			t.Errorf("%s: it was measured", name)
		}
	}
}

func TestAnotherBuildKeepsTheSettingsAndAsksForItsDevices(t *testing.T) {
	m := newMachine()
	other := bundled
	other.ID, other.Source, other.Proven = "found-2", build.Found, false
	m.builds = []build.Build{bundled, other}
	p, l := opened(t, m)
	p.SetContext(4096)
	m.devices = nil
	p.SetBuild("found-2")
	if !p.State().Preparing {
		t.Error("the devices are not asked for")
	}
	l.Until(t, "the engine has answered", func() bool { return !p.State().Preparing })
	s := p.State()
	if s.Build.ID != "found-2" || s.Plan.ContextTokens != 4096 || s.Plan.Devices != plan.CPU {
		t.Errorf("build %q, plan %+v", s.Build.ID, s.Plan)
	}
	if n := s.DeviceNotes[0]; n.Text != "Vulkan0 is not there any more. Devices are CPU only now." || !n.Undo {
		t.Errorf("notes %+v", s.DeviceNotes)
	}
	if s.BuildNotes[0].Kind != Caution {
		t.Errorf("an unproven build is noted as %+v", s.BuildNotes[0])
	}
}

func TestAProjectorCannotBeLoaded(t *testing.T) {
	m := newMachine()
	p, _ := opened(t, m, func(m *library.Model) { m.Facts.Kind = gguf.Projector })
	if s := p.State(); !s.Off || !strings.Contains(s.Footer.Text, "projector") {
		t.Errorf("off %v, %q", s.Off, s.Footer.Text)
	}
}

func TestResetGoesBackToWhatWasChosen(t *testing.T) {
	p, _ := opened(t, newMachine())
	before := p.State().Plan
	p.SetContext(4096)
	p.SetCache("q8_0")
	p.SetLayers(LayersNumber, 3)
	p.Reset()
	if got := p.State().Plan; got != before {
		t.Errorf("reset gives %+v", got)
	}
}

func TestOpeningAnotherModelForgetsTheFirst(t *testing.T) {
	m := newMachine()
	p, l := opened(t, m)
	p.SetCache("q8_0")
	second := someModel()
	second.Facts.Name, second.Facts.Path = "Second", "/m/second.gguf"
	p.Open(second, nil)
	l.Until(t, "the engine has answered", func() bool { return !p.State().Preparing })
	settled(t, p, l)
	if s := p.State(); s.Title != "Second" || s.Plan.ModelPath != "/m/second.gguf" || s.Plan.CacheK != "f16" {
		t.Errorf("%q, %+v", s.Title, s.Plan)
	}
}

func TestTheCommandIsQuotedForAShell(t *testing.T) {
	p, _ := opened(t, newMachine(), func(m *library.Model) { m.Facts.Path = "/m/it's a model.gguf" })
	command := p.Command()
	if !strings.HasPrefix(command, "/engine/bin/llama-server ") || !strings.Contains(command, `-m '/m/it'\''s a model.gguf'`) || !strings.Contains(command, "-c 8192") {
		t.Errorf("command is %s", command)
	}
}

func TestEverySentenceHasItsWords(t *testing.T) {
	for _, key := range []string{
		"load.build.proven.bundled", "load.build.proven.found", "load.build.proven.added",
		"load.build.unproven.bundled", "load.build.unproven.found", "load.build.unproven.added",
		"load.flash.auto", "load.flash.on", "load.flash.off",
		"load.layers.mode.auto", "load.layers.mode.all", "load.layers.mode.number",
	} {
		if words.T(key) == key {
			t.Errorf("%s has no words", key)
		}
	}
	for _, kind := range sliceKinds {
		if words.T(kind.label) == kind.label {
			t.Errorf("%s has no words", kind.label)
		}
	}
}
