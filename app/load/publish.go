package load

import (
	"slices"
	"strconv"

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
	s.ModelNotes = nil
	if f := s.Model.Facts; f.Kind == gguf.Model && f.ChatTemplate == "" {
		s.ModelNotes = []Note{{Caution, words.T("load.noTemplate")}}
	}
	p.publishBuild()
	p.publishDevices()
	p.publishLayers(verdict)
	p.publishContext(verdict)
	p.publishCache(verdict)
	p.publishMemory()
	p.publishRefused()
	p.publishFooter(verdict)
	p.show(*s)
}

func (p *Presenter) publishBuild() {
	s := &p.state
	s.Builds, s.BuildNotes = nil, nil
	for _, b := range p.builds {
		o := Option{Value: b.ID, Label: buildLabel(b), Chosen: b.ID == s.Build.ID, Off: b.Problem != ""}
		s.Builds = append(s.Builds, o)
		if o.Off {
			s.BuildNotes = append(s.BuildNotes, Note{Off, words.T("load.build.off", map[string]any{
				"Build": o.Label, "Reason": buildProblem(b),
			})})
		}
	}
	if b := s.Build; b.ID != "" && b.Problem == "" {
		note := Note{Good, words.T("load.build.proven." + string(b.Source))}
		if !b.Proven {
			note = Note{Caution, words.T("load.build.unproven." + string(b.Source))}
		}
		s.BuildNotes = slices.Insert(s.BuildNotes, 0, note)
	}
}

// buildProblem is why a build can't be used.
func buildProblem(b build.Build) string {
	err := b.Err()
	if err == nil { // only its kind is known
		err = &build.Error{Problem: build.Problem(b.Problem), Path: b.Path}
	}
	return words.Error(err).Message
}

func buildLabel(b build.Build) string {
	label := "llama.cpp"
	if b.Number > 0 {
		label += " b" + strconv.Itoa(b.Number)
	}
	for _, backend := range b.Backends {
		if backend != "CPU" && backend != "RPC" { // every build has them
			label += " · " + gguf.Printable(backend)
		}
	}
	return label
}

func (p *Presenter) publishDevices() {
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
		s.DeviceNotes = []Note{{Failed, words.Error(p.deviceErr).Message}, {Info, words.T("load.device.cpuOnly")}}
	case s.Preparing || s.Build.ID == "" || s.Build.Problem != "": // nothing is known of devices
	case len(p.devices) == 0:
		s.DeviceNotes = []Note{{Info, words.T("load.device.none")}}
	case len(chosen) == 0:
		s.DeviceNotes = []Note{{Info, words.T("load.device.cpuOnly")}}
	}
	for _, id := range chosen {
		i := slices.IndexFunc(p.devices, func(d build.Device) bool { return d.ID == id })
		switch {
		case i < 0:
			s.DeviceNotes = append(s.DeviceNotes, Note{Failed, words.T("load.device.gone", map[string]any{"ID": id})})
		case p.devices[i].Software:
			s.DeviceNotes = append(s.DeviceNotes, Note{Caution, words.T("load.device.software", map[string]any{"ID": id})})
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
		s.LayerNotes = []Note{{Off, words.T("load.layers.off")}}
		return
	}
	s.LayerNotes = findings("gpuLayers", verdict)
	if s.Layers.Mode == LayersAuto {
		s.LayerNotes = append(s.LayerNotes, Note{Info, words.T("load.layers.auto", map[string]any{"Layers": p.state.Model.Facts.Layers})})
	}
}

func (p *Presenter) publishContext(verdict plan.Verdict) {
	s := &p.state
	steps := contextSteps(s.Model.Facts.ContextTokens)
	s.Context = Context{
		Tokens: s.Plan.ContextTokens, Least: steps[0], Trained: steps[len(steps)-1], Fits: s.Context.Fits,
	}
	s.ContextNotes = findings("contextTokens", verdict)
}

// cacheTypes are those the screen offers; the command line knows the others.
var cacheTypes = []string{"f16", "q8_0", "q4_0"}

func (p *Presenter) publishCache(verdict plan.Verdict) {
	s := &p.state
	s.Cache, s.Flash, s.CacheNotes = nil, nil, nil
	for _, t := range cacheTypes {
		tried := p.asked
		tried.CacheK, tried.CacheV = t, t
		s.Cache = append(s.Cache, p.option("load.cache", t, t, t == s.Plan.CacheK && t == s.Plan.CacheV, tried))
	}
	for _, mode := range plan.FlashAttnModes() {
		tried := p.asked
		tried.FlashAttn = mode
		s.Flash = append(s.Flash, p.option("load.flash", mode, words.T("load.flash."+mode), mode == s.Plan.FlashAttn, tried))
	}
	for _, setting := range []string{"cacheK", "cacheV", "flashAttn"} {
		s.CacheNotes = append(s.CacheNotes, findings(setting, verdict)...)
	}
}

// publishRefused puts what the last change came to under its control.
func (p *Presenter) publishRefused() {
	s := &p.state
	notes := map[setting]*[]Note{
		devicesSetting: &s.DeviceNotes, layersSetting: &s.LayerNotes,
		contextSetting: &s.ContextNotes, cacheSetting: &s.CacheNotes,
	}[p.refused.setting]
	if notes != nil && !slices.Contains(*notes, p.refused.note) {
		*notes = append(*notes, p.refused.note)
	}
}

// option is a value of the cache's settings: off when a rule refuses the plan
// with it, its reason then among the notes.
func (p *Presenter) option(setting, value, label string, chosen bool, tried plan.Plan) Option {
	o := Option{Value: value, Label: label, Chosen: chosen}
	if chosen {
		return o
	}
	if refusal := p.newRefusal(tried); refusal != nil {
		o.Off = true
		note := Note{Off, words.T("load.option.off", map[string]any{
			"Setting": words.T(setting), "Option": label, "Reason": words.Finding(*refusal).Message,
		})}
		p.state.CacheNotes = append(p.state.CacheNotes, note)
	}
	return o
}

// findings are the notes the rules have about a setting of the plan.
func findings(setting string, verdict plan.Verdict) []Note {
	var notes []Note
	for _, f := range verdict.Refusals {
		if f.Setting == setting {
			notes = append(notes, Note{Failed, words.Finding(f).Message})
		}
	}
	for _, f := range verdict.Cautions {
		if f.Setting == setting {
			notes = append(notes, Note{Caution, words.Finding(f).Message})
		}
	}
	return notes
}

// publishFooter says whether Load can be pressed, and why not.
func (p *Presenter) publishFooter(verdict plan.Verdict) {
	s := &p.state
	s.Off, s.Footer = true, Note{}
	worst, pool := s.Memory.Worst()
	_, bytes := pool.Verdict()
	data := map[string]any{"GiB": words.GiB(bytes), "Pool": pool.Name}
	switch {
	case s.Preparing:
		s.Footer = Note{Info, words.T("load.preparing")}
	case s.Build.ID == "":
		s.Footer = Note{Off, words.T("load.off.noBuild")}
	case s.Build.Problem != "":
		s.Footer = Note{Off, words.T("load.off.reason", map[string]any{"Reason": buildProblem(s.Build)})}
	case !verdict.Valid():
		f := verdict.Refusals[0]
		s.Footer = Note{Off, words.T("load.off.reason", map[string]any{"Reason": words.Finding(f).Message})}
	case p.verdict.TooLarge != "":
		s.Footer = Note{Off, words.T("load.off.tooLarge", map[string]any{"Device": p.verdict.TooLarge})}
	case worst == TooMuch:
		s.Footer = Note{Off, words.T("load.off.tooMuch", data)}
		if fits := s.Context.Fits; fits > 0 && fits < s.Plan.ContextTokens {
			s.Footer.Text += " " + words.T("load.off.longest", map[string]any{"Tokens": words.Count(fits)})
		}
	default:
		s.Off = false
		switch {
		case s.Waiting:
			s.Footer = Note{Info, words.T("load.waiting")}
		case p.failure != nil:
			s.Footer = Note{Caution, words.T("load.unmeasured")}
		case worst == Tight:
			s.Footer = Note{Caution, words.T("load.tight", data)}
		}
	}
}
