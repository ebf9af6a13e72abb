package load

import (
	"slices"
	"strconv"
	"strings"

	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/words"
)

// publish makes the next state from what is known and shows it.
func (p *Presenter) publish() {
	s := &p.state
	s.Plan = p.complete(p.asked)
	verdict := p.check(p.asked)
	p.findingsNow = verdict
	p.publishModel(verdict)
	p.publishBuild(verdict)
	p.publishPurpose(verdict)
	p.publishDevices(verdict)
	p.publishSplit(verdict)
	p.publishLayers(verdict)
	p.publishContext(verdict)
	p.publishCache(verdict)
	p.publishSpec(verdict)
	p.publishCompare()
	p.publishVision(verdict)
	p.publishMemory()
	p.publishAsides()
	p.publishFooter(verdict)
	p.show(*s)
}

// publishModel says what is to be known of the model itself.
func (p *Presenter) publishModel(verdict plan.Verdict) {
	s := &p.state
	s.ModelNotes = p.findings(plan.Verdict{Cautions: verdict.Cautions}, "model", "loraPath", "contextShift", "cacheReuse")
	if f := s.Model.Facts; f.Kind == gguf.Model && f.ChatTemplate == "" && s.Plan.Purpose == plan.Chat {
		s.ModelNotes = append(s.ModelNotes, Note{Kind: Caution, Text: words.T("load.noTemplate")})
	}
}

func (p *Presenter) publishPurpose(verdict plan.Verdict) {
	s := &p.state
	s.Purpose, s.PurposeNotes = nil, nil
	var notes []Note
	for _, o := range p.offered().Purpose {
		label := words.T("load.purpose." + o.Value)
		chosen := o.Value == s.Plan.Purpose
		if o.Value == plan.Rerank && !chosen && (!s.Model.Facts.HasClassifier || o.Refusal != nil) {
			continue // few models can, and nobody misses it in the others
		}
		s.Purpose = append(s.Purpose, p.option(o, label, Option{Value: o.Value, Label: label, Chosen: chosen}, &notes))
	}
	s.PurposeNotes = append(p.findings(verdict, "purpose", "pooling"), notes...)
}

// publishSplit offers by layer and tensor always, and the others only where they
// can be chosen: hardly anybody wants them.
func (p *Presenter) publishSplit(verdict plan.Verdict) {
	s := &p.state
	s.Split, s.SplitNotes = nil, nil
	var notes []Note
	several := len(s.Plan.DeviceIDs()) > 1
	for _, mode := range []string{"layer", "tensor", "row", "none"} {
		o := find(p.offered().Split, mode)
		chosen := mode == s.Plan.SplitMode || s.Plan.SplitMode == "" && mode == "layer"
		label, always := words.T("load.split."+mode), mode == "layer" || mode == "tensor"
		if !always && !chosen && (!several || o.Refusal != nil) {
			continue
		}
		option := Option{Value: mode, Label: label, Short: words.T("load.split." + mode + ".short"), Chosen: chosen}
		if mode == "tensor" && !chosen && len(s.Plan.DeviceIDs()) == 0 {
			option.Off = true
			notes = append(notes, Note{Kind: Off, Text: words.T("load.split.noDevice")})
		} else {
			option = p.option(o, words.T("load.split.name."+mode), option, &notes)
		}
		s.Split = append(s.Split, option)
	}
	s.SplitNotes = append(p.findings(verdict, "splitMode", "tensorSplit"), notes...)
}

// slotCounts are the numbers of slots that are offered.
var slotCounts = []int{1, 2, 4, 8, 16}

func (p *Presenter) publishBuild(verdict plan.Verdict) {
	s := &p.state
	s.Builds, s.BuildNotes, s.Slots = nil, nil, nil
	counts := slotCounts
	if !slices.Contains(counts, s.Plan.Slots) {
		counts = append(slices.Clone(counts), s.Plan.Slots)
		slices.Sort(counts)
	}
	var slotNotes []Note
	for _, n := range counts {
		tried := s.Plan
		tried.Slots = n
		number := strconv.Itoa(n)
		o := Option{Value: number, Label: number, Chosen: n == s.Plan.Slots}
		s.Slots = append(s.Slots, p.option(plan.Try(tried, p.given(), "slots", number), words.T("load.slots.name", map[string]any{"Slots": n}), o, &slotNotes))
	}
	for _, b := range p.builds {
		o := Option{Value: b.ID, Label: words.Build(b), Chosen: b.ID == s.Build.ID, Off: b.Problem != ""}
		s.Builds = append(s.Builds, o)
		if o.Off {
			s.BuildNotes = append(s.BuildNotes, Note{Kind: Off, Text: words.T("load.build.off", map[string]any{
				"Build": o.Label, "Reason": words.BuildProblem(b).Text(),
			})})
		}
	}
	if b := s.Build; b.ID != "" && b.Problem == "" {
		note := Note{Kind: Good, Text: words.T("load.build.proven." + string(b.Source))}
		if !b.Proven {
			note = Note{Kind: Caution, Text: words.T("load.build.unproven." + string(b.Source))}
		}
		s.BuildNotes = slices.Insert(s.BuildNotes, 0, note)
	}
	s.BuildNotes = slices.Concat(s.BuildNotes, p.findings(verdict, "build", "slots", "kvUnified"), unique(slotNotes))
}

func (p *Presenter) publishDevices(verdict plan.Verdict) {
	s := &p.state
	s.Devices, s.DeviceNotes = nil, nil
	s.CPU = gguf.Printable(p.machine.CPU.Name)
	chosen := s.Plan.DeviceIDs()
	for _, d := range p.devices {
		data := map[string]any{"ID": d.ID, "GiB": words.GiB(freeOf(d, p.situation()))}
		s.Devices = append(s.Devices, Device{
			ID: d.ID, Name: gguf.Printable(d.Name), On: slices.Contains(chosen, d.ID),
			About: words.T("load.device.about", data), Free: words.T("load.device.free", data),
		})
	}
	switch {
	case p.deviceErr != nil:
		s.DeviceNotes = []Note{
			{Kind: Failed, Text: words.Error(p.deviceErr).Text()},
			{Kind: Info, Text: words.T("load.device.cpuOnly")},
		}
	case s.Preparing || s.Build.ID == "" || s.Build.Problem != "": // nothing is known of devices
	case len(p.devices) == 0:
		s.DeviceNotes = []Note{{Kind: Info, Text: words.T("load.device.none")}}
	case len(chosen) == 0:
		s.DeviceNotes = []Note{{Kind: Info, Text: words.T("load.device.cpuOnly")}}
	}
	s.DeviceNotes = append(s.DeviceNotes, p.findings(verdict, "devices", "rpcServers")...)
	for _, id := range chosen {
		i := slices.IndexFunc(p.devices, func(d build.Device) bool { return d.ID == id })
		switch {
		case i < 0:
			s.DeviceNotes = append(s.DeviceNotes, Note{Kind: Failed, Text: words.T("load.device.gone", map[string]any{"ID": id})})
		case p.devices[i].Software:
			s.DeviceNotes = append(s.DeviceNotes, Note{Kind: Caution, Text: words.T("load.device.software", map[string]any{"ID": id})})
		}
	}
}

func (p *Presenter) publishLayers(verdict plan.Verdict) {
	s := &p.state
	s.LayerNotes = nil
	s.Layers = Layers{Mode: p.asked.GPULayers, Most: p.mostLayers(), Number: p.mostLayers()}
	if n, err := strconv.Atoi(p.asked.GPULayers); err == nil {
		s.Layers.Mode, s.Layers.Number = LayersNumber, n
	}
	if len(s.Plan.DeviceIDs()) == 0 {
		s.Layers.Off = true
		s.LayerNotes = []Note{{Kind: Off, Text: words.T("load.layers.off")}}
		return
	}
	s.LayerNotes = p.findings(verdict, "gpuLayers")
	if s.Layers.Mode == LayersAuto {
		s.LayerNotes = append(s.LayerNotes, Note{Kind: Info, Text: words.T("load.layers.auto", map[string]any{"Layers": p.state.Model.Facts.Layers})})
	}
}

func (p *Presenter) publishContext(verdict plan.Verdict) {
	s := &p.state
	steps := contextSteps(s.Model.Facts.ContextTokens)
	s.Context = Context{
		Tokens: s.Plan.ContextTokens, Least: min(steps[0], max(s.Plan.ContextTokens, 1)), Trained: steps[len(steps)-1], Fits: s.Context.Fits,
	}
	s.ContextNotes = p.findings(verdict, "contextTokens")
}

// cacheTypes are those the screen offers; the command line knows the others.
var cacheTypes = []string{"f16", "q8_0", "q4_0"}

func (p *Presenter) publishCache(verdict plan.Verdict) {
	s := &p.state
	s.Cache, s.Flash, s.CacheNotes = nil, nil, nil
	var notes []Note
	for _, t := range p.shownCacheTypes() {
		tried := s.Plan
		tried.CacheK, tried.CacheV = t, t
		o := Option{Value: t, Label: t, Chosen: t == s.Plan.CacheK && t == s.Plan.CacheV}
		s.Cache = append(s.Cache, p.option(plan.Try(tried, p.given(), "cacheV", t), words.T("load.cache")+" "+t, o, &notes))
	}
	for _, offer := range p.offered().FlashAttn {
		label := words.T("load.flash." + offer.Value)
		o := Option{Value: offer.Value, Label: label, Chosen: offer.Value == s.Plan.FlashAttn}
		s.Flash = append(s.Flash, p.option(offer, words.T("load.flash")+" "+label, o, &notes))
	}
	s.CacheNotes = append(notes, p.findings(verdict, "cacheK", "cacheV", "flashAttn")...)
}

// shownCacheTypes are those the screen offers, and the one that is chosen.
func (p *Presenter) shownCacheTypes() []string {
	if k := p.state.Plan.CacheK; k == p.state.Plan.CacheV && !slices.Contains(cacheTypes, k) {
		return append(slices.Clone(cacheTypes), k)
	}
	return cacheTypes
}

// publishAsides puts what the last change came to under its control.
func (p *Presenter) publishAsides() {
	s := &p.state
	rows := map[setting]*[]Note{
		purposeSetting: &s.PurposeNotes, devicesSetting: &s.DeviceNotes, splitSetting: &s.SplitNotes, layersSetting: &s.LayerNotes,
		contextSetting: &s.ContextNotes, cacheSetting: &s.CacheNotes, specSetting: &s.SpecNotes, visionSetting: &s.VisionNotes,
		slotsSetting: &s.BuildNotes,
	}
	for _, a := range []aside{p.refused, p.said} {
		notes := rows[a.setting]
		if notes == nil {
			continue
		}
		said := func(n Note) bool { return strings.HasSuffix(n.Text, a.note.Text) } // with the choice's name before it
		if !slices.ContainsFunc(*notes, said) {
			*notes = slices.Insert(*notes, 0, a.note)
		}
	}
}

// publishFooter says whether Load can be pressed, and why not.
func (p *Presenter) publishFooter(verdict plan.Verdict) {
	s := &p.state
	s.Off, s.Footer, s.Short = true, Note{}, ""
	worst, pool := s.Memory.Worst()
	_, bytes := pool.Verdict()
	data := map[string]any{"GiB": words.GiB(bytes), "Pool": pool.Name}
	switch {
	case s.Preparing:
		s.Footer = Note{Kind: Info, Text: words.T("load.preparing")}
	case s.Build.ID == "":
		s.Footer = Note{Kind: Off, Text: words.T("load.off.noBuild")}
	case s.Build.Problem != "":
		s.Footer = Note{Kind: Off, Text: words.T("load.off.reason", map[string]any{"Reason": words.BuildProblem(s.Build).Message})}
	case !verdict.Valid():
		f := verdict.Refusals[0]
		s.Footer = Note{Kind: Off, Text: words.T("load.off.reason", map[string]any{"Reason": words.Finding(f).Message})}
	case len(p.gone(s.Plan)) > 0:
		s.Footer = Note{Kind: Off, Text: words.T("load.off.reason", map[string]any{"Reason": words.T("load.device.gone", map[string]any{"ID": p.gone(s.Plan)[0]})})}
	case p.fault() != nil:
		s.Footer = Note{Kind: Off, Text: words.T("load.off.reason", map[string]any{"Reason": words.Error(p.failure).Text()})}
	case p.verdict.TooLarge != "":
		s.Footer = Note{Kind: Off, Text: words.T("load.off.tooLarge", map[string]any{"Device": p.verdict.TooLarge})}
	case worst == TooMuch:
		s.Footer = Note{Kind: Off, Text: words.T("load.off.tooMuch", data)}
		s.Short = words.T("load.off.tooMuch.short", data)
		if fits := s.Context.Fits; fits > 0 && fits < s.Plan.ContextTokens {
			s.Footer.Text += " " + words.T("load.off.longest", map[string]any{"Tokens": words.Count(fits)})
		}
	default:
		s.Off = false
		switch {
		case s.Waiting:
			s.Footer = Note{Kind: Info, Text: words.T("load.waiting")}
		case p.failure != nil:
			s.Footer = Note{Kind: Caution, Text: words.T("load.unmeasured")}
		case worst == Tight:
			s.Footer = Note{Kind: Caution, Text: words.T("load.tight", data)}
		}
	}
}
