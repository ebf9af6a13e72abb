package load

import (
	"context"
	"encoding/json"
	"slices"
	"strconv"

	"paddock/config"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/words"
)

// choices are what the user chose for a model.
type choices struct {
	asked plan.Plan // empty when only the build was chosen
	build string    // id, empty for the preferred one
}

// remembered are the choices made for a model before Paddock was started.
func (s Seams) remembered(f gguf.Facts) (choices, bool) {
	if s.Setups == nil {
		return choices{}, false
	}
	setup, ok := s.Setups.Get(f.Path, f.SizeBytes)
	if !ok {
		return choices{}, false
	}
	c := choices{build: setup.Build}
	if json.Unmarshal(setup.Plan, &c.asked) != nil {
		return choices{}, false
	}
	c.asked = sensible(c.asked)
	c.asked.ModelPath = f.Path
	return c, true
}

// setupsProblem is why earlier choices could not be read.
func (s Seams) setupsProblem() error {
	if s.Setups == nil {
		return nil
	}
	return s.Setups.Problem()
}

// sensible is a plan read from a file, with what has no value that could be chosen
// left open.
func sensible(p plan.Plan) plan.Plan {
	of := func(value *string, values []string) {
		if !slices.Contains(values, *value) {
			*value = ""
		}
	}
	of(&p.Purpose, plan.Purposes())
	of(&p.SplitMode, plan.SplitModes())
	of(&p.CacheK, plan.CacheTypes())
	of(&p.CacheV, plan.CacheTypes())
	of(&p.DraftCacheK, plan.CacheTypes())
	of(&p.DraftCacheV, plan.CacheTypes())
	of(&p.FlashAttn, plan.FlashAttnModes())
	of(&p.ProjectorDevice, plan.ProjectorDevices())
	for _, n := range []*int{&p.ContextTokens, &p.Slots, &p.DraftMax, &p.BatchTokens, &p.PhysicalBatchTokens, &p.CacheReuseTokens} {
		*n = max(*n, 0)
	}
	for _, method := range p.SpecMethods() {
		if !slices.Contains(plan.SpecMethods(), method) {
			p.SpecTypes, p.DraftPath = "", ""
		}
	}
	if _, err := strconv.Atoi(p.GPULayers); err != nil && p.GPULayers != LayersAll {
		p.GPULayers = LayersAuto
	}
	return p
}

// stillThere is a plan that was chosen before, without files that are not beside
// the model any more, and complete.
func (p *Presenter) stillThere(q plan.Plan) plan.Plan {
	there := func(path string) bool {
		return slices.ContainsFunc(p.beside, func(f gguf.Facts) bool { return f.Path == path })
	}
	if q.DraftPath != "" && !there(q.DraftPath) {
		q.SpecTypes, q.DraftPath, q.DraftMax = "", "", 0
	}
	if q.Projector() != "" && !there(q.Projector()) {
		q.ProjectorPath, q.ProjectorDevice = "", ""
	}
	if q.LoRAPath != "" && !there(q.LoRAPath) {
		q.LoRAPath = ""
	}
	layers := q.GPULayers
	q = p.complete(q)
	q.GPULayers = layers
	return p.asAsked(q, p.asked.GPULayers)
}

// keep remembers the choices made for the model that is open.
func (p *Presenter) keep() {
	f := p.state.Model.Facts
	p.kept[f.Path] = choices{p.asked, p.chosen}
	p.state.Kept = true
	if p.seams.Setups == nil {
		return
	}
	data, err := json.Marshal(p.asked)
	if err != nil {
		p.saved(err)
		return
	}
	setup := config.Setup{Plan: data, Build: p.chosen}
	p.write(f, func() error { return p.seams.Setups.Put(f.Path, f.SizeBytes, setup) })
}

// forget forgets them, but for the build.
func (p *Presenter) forget() {
	f := p.state.Model.Facts
	p.kept[f.Path] = choices{build: p.chosen}
	p.state.Kept = false
	if p.seams.Setups != nil {
		p.write(f, func() error { return p.seams.Setups.Forget(f.Path, f.SizeBytes) })
	}
}

func (p *Presenter) write(f gguf.Facts, write func() error) {
	opened := p.opened
	p.writes.Add(f.Path, func() {
		err := write()
		p.do(func() {
			if opened == p.opened {
				p.saved(err)
			}
		})
	})
}

// saved says when something could not be remembered, or read.
func (p *Presenter) saved(err error) {
	if err != nil {
		p.state.Notice = Note{Kind: Caution, Text: words.Error(err).Text()}
		p.show(p.state)
	}
}

// Wait returns once what was chosen is written, or ctx ends. It is safe from any
// goroutine after Close.
func (p *Presenter) Wait(ctx context.Context) { p.writes.Wait(ctx) }
