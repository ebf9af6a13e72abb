package budget

import (
	"math"
	"slices"
	"strings"

	"paddock/engine/plan"
)

// A PresetKind is what a preset is good for.
type PresetKind string

// The kinds of preset, in the order in which they are offered.
const (
	Recommended PresetKind = "recommended"
	LongContext PresetKind = "long-context"
	Fastest     PresetKind = "fastest"
	Smallest    PresetKind = "smallest"
)

// PresetKinds are all kinds of preset.
func PresetKinds() []PresetKind { return []PresetKind{Recommended, LongContext, Fastest, Smallest} }

// A Preset is a whole set-up that is valid and fits, with the margin untouched.
type Preset struct {
	Kind    PresetKind
	Plan    plan.Plan // complete
	Memory  Memory
	Verdict Verdict
}

// Contexts of presets, in tokens.
const (
	fastestTokens  = 8192
	smallestTokens = 4096
)

// recommendedTokens are the contexts that are recommended where there is room.
var recommendedTokens = []int{32768, 16384, 8192}

// Presets are the set-ups for a request's model and purpose, by estimate. Nothing
// else of the request's plan counts. A kind of which none is valid and fits is
// missing. None takes what a rule marks as likely to fail.
func Presets(r Request, s Situation) []Preset {
	var list []Preset
	for _, kind := range PresetKinds() {
		if preset, ok := PresetOf(kind, r, s); ok {
			list = append(list, preset)
		}
	}
	return list
}

// PresetOf is one of Presets. ok is false when none of the kind is valid and fits.
func PresetOf(kind PresetKind, r Request, s Situation) (preset Preset, ok bool) {
	w := presetWork{request: r, situation: s}
	switch kind {
	case Recommended:
		preset, ok = w.recommended()
	case LongContext:
		preset, ok = w.longContext()
	case Fastest:
		preset, ok = w.fastest()
	case Smallest:
		preset, ok = w.smallest()
	}
	preset.Kind = kind
	return preset, ok
}

// presetWork is the search for presets.
type presetWork struct {
	request   Request
	situation Situation
}

// try completes a plan of the request's model and purpose. What a rule marks as
// likely to fail is replaced by what it would fall back to, except where that gives
// up the devices. ok says whether the plan is valid, not marked so, and fits.
func (w presetWork) try(p plan.Plan) (preset Preset, ok bool) {
	p.ModelPath, p.Purpose = w.request.Plan.ModelPath, w.request.Plan.Purpose
	p, _ = plan.Complete(p, w.request.Given)
	// One caution may stand behind another; each settles a setting.
	for range mostCautions {
		verdict := plan.Check(p, w.request.Given)
		if !verdict.Valid() {
			return Preset{Plan: p}, false
		}
		if !slices.ContainsFunc(verdict.Cautions, func(f plan.Finding) bool { return len(f.Fallback) > 0 }) {
			r := w.request
			r.Plan = p
			memory := Estimate(r)
			preset = Preset{Plan: p, Memory: memory, Verdict: Judge(memory, w.situation)}
			return preset, preset.Verdict.Fit == Fits
		}
		instead, _, found := plan.Fallback(p, w.request.Given)
		if !found || instead.Devices != p.Devices {
			break
		}
		p = instead
	}
	return Preset{Plan: p}, false
}

// mostCautions is how many cautions of one plan give way to their fallbacks.
const mostCautions = 4

// tokens is a context the model takes. One that does not say what it was trained
// for gets what Complete would choose: what is longer may answer nonsense.
func (w presetWork) tokens(wanted int) int {
	if trained := w.request.Model.ContextTokens; trained > 0 {
		return min(wanted, trained)
	}
	p, _ := plan.Complete(plan.Plan{Purpose: w.request.Plan.Purpose}, w.request.Given)
	return min(wanted, p.ContextTokens)
}

// isChat says whether contexts are a matter of choice: a text that becomes a
// vector is computed in one go, and has a context to suit.
func (w presetWork) isChat() bool {
	p, _ := plan.Complete(plan.Plan{Purpose: w.request.Plan.Purpose}, w.request.Given)
	return p.Purpose == plan.Chat
}

// places are the devices worth trying: each card alone, which waits for no other,
// in the engine's order, then several cards, then what is part of the processor.
func (w presetWork) places() []string {
	cards, integrated := w.standard(false), w.standard(true)
	var places []string
	add := func(ids ...string) {
		if place := strings.Join(ids, ","); place != "" && !slices.Contains(places, place) {
			places = append(places, place)
		}
	}
	for _, id := range cards {
		add(id)
	}
	add(cards...)
	for _, id := range integrated {
		add(id)
	}
	all, _ := plan.Complete(plan.Plan{}, w.request.Given)
	add(all.DeviceIDs()...)
	return places
}

// standard are the devices that would be chosen if there were only those that are
// part of the processor, or only the others.
func (w presetWork) standard(integrated bool) []string {
	g := w.request.Given
	g.Devices = nil
	for _, d := range w.request.Devices {
		if slices.Contains(w.request.Integrated, d.ID) == integrated {
			g.Devices = append(g.Devices, d)
		}
	}
	p, _ := plan.Complete(plan.Plan{}, g)
	return p.DeviceIDs()
}

// anywhere tries a plan on the fastest devices that hold it whole, then with as
// many layers on them as fit, then on the processor.
func (w presetWork) anywhere(p plan.Plan) (Preset, bool) {
	places := w.places()
	for _, place := range places {
		p.Devices, p.GPULayers = place, ""
		if preset, ok := w.try(p); ok {
			return preset, true
		}
	}
	for _, place := range places {
		p.Devices, p.GPULayers = place, ""
		preset, _ := w.try(p)
		r := w.request
		r.Plan = preset.Plan
		fewer, possible := w.situation.fewerLayers(r, Fits)
		if !possible {
			continue
		}
		if preset, ok := w.try(fewer.Plan); ok {
			return preset, true
		}
	}
	p.Devices, p.GPULayers = plan.CPU, ""
	return w.try(p)
}

// recommended are Complete's defaults with the longest of the usual contexts that
// leaves room.
func (w presetWork) recommended() (Preset, bool) {
	if w.isChat() {
		for _, tokens := range recommendedTokens {
			if preset, ok := w.try(plan.Plan{ContextTokens: w.tokens(tokens)}); ok && preset.roomy() {
				return preset, true
			}
		}
	}
	if preset, ok := w.try(plan.Plan{}); ok {
		return preset, true
	}
	return w.anywhere(plan.Plan{})
}

// roomy says whether a twentieth of every pool stays free.
func (p Preset) roomy() bool {
	for _, pool := range p.Verdict.Pools {
		if pool.Known && pool.LeftBytes() < pool.TotalBytes/20 {
			return false
		}
	}
	return true
}

// cacheGain is how many times longer the context has to get for a smaller cache
// to be worth its loss.
const cacheGain = 1.5

// longContext is the longest context that fits on any of the graphics devices, or
// else on the processor.
func (w presetWork) longContext() (best Preset, ok bool) {
	for _, place := range append(w.places(), plan.CPU) {
		if place == plan.CPU && ok {
			break // it would hold more, and take hours to read it
		}
		for _, cache := range []string{"f16", "q8_0"} {
			preset, fits := w.longest(plan.Plan{Devices: place, CacheK: cache, CacheV: cache})
			gained := float64(preset.Plan.ContextTokens) / float64(max(1, best.Plan.ContextTokens))
			sameCache := best.Plan.CacheK == cache
			if fits && (!ok || gained >= cacheGain || gained > 1 && sameCache) {
				best, ok = preset, true
			}
		}
	}
	return best, ok
}

// longest is a plan with the longest context that fits.
func (w presetWork) longest(p plan.Plan) (Preset, bool) {
	if !w.isChat() {
		for tokens := w.request.Model.ContextTokens; tokens >= contextStep; tokens /= 2 {
			p.ContextTokens = tokens
			if preset, ok := w.try(p); ok {
				return preset, true
			}
		}
		p.ContextTokens = 0
		return w.try(p)
	}
	p.ContextTokens = w.tokens(contextStep)
	least, ok := w.try(p)
	if !ok {
		return least, false
	}
	r := w.request
	r.Plan = least.Plan
	r.Plan.ContextTokens = w.tokens(math.MaxInt)
	p.ContextTokens = max(LongestContext(r, w.situation), p.ContextTokens)
	if preset, ok := w.try(p); ok {
		return preset, true
	}
	return least, true // what a rule marks only long contexts with
}

// fastest guesses where it can without giving up vision, on the fastest devices.
func (w presetWork) fastest() (Preset, bool) {
	p := plan.Plan{FlashAttn: "auto"}
	if w.isChat() {
		p.ContextTokens = w.tokens(fastestTokens)
	}
	without, ok := w.anywhere(p)
	if !ok {
		return without, false
	}
	if without.Plan.Purpose != plan.Chat {
		return without, true
	}
	for _, method := range w.methods() {
		if method == plan.SpecDraft && len(without.Plan.DeviceIDs()) == 0 {
			continue // the processor computes both: nothing is won
		}
		p.SpecTypes = method
		// On the same devices: a model that moves to slower ones for its draft is
		// not faster.
		p.Devices, p.GPULayers = without.Plan.Devices, without.Plan.GPULayers
		// Nor is one better that no longer sees.
		if preset, ok := w.try(p); ok && preset.Plan.Projector() == without.Plan.Projector() {
			return preset, true
		}
	}
	return without, true
}

// methods are the ways of guessing there are weights for, the best first.
func (w presetWork) methods() []string {
	var list []string
	if w.request.Model.NextNLayers > 0 {
		list = append(list, plan.SpecMTP)
	}
	for _, method := range []string{plan.SpecMTP, plan.SpecEAGLE3, plan.SpecDFlash, plan.SpecDraft} {
		for _, f := range w.request.Beside {
			if plan.SpecOf(f) == method && !slices.Contains(list, method) {
				list = append(list, method)
			}
		}
	}
	return list
}

// smallest has a short context in a small cache, and nothing beside the model.
func (w presetWork) smallest() (Preset, bool) {
	p := plan.Plan{SpecTypes: plan.NoSpec, ProjectorPath: plan.NoProjector}
	if w.isChat() {
		p.ContextTokens = w.tokens(smallestTokens)
	}
	small := p
	small.CacheK, small.CacheV = "q8_0", "q8_0"
	if preset, ok := w.anywhere(small); ok {
		return preset, true
	}
	return w.anywhere(p)
}
