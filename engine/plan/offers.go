package plan

import (
	"slices"

	"paddock/engine/gguf"
)

// An Offer is one value of a setting: valid together with the rest of the plan
// when Refusal is nil.
type Offer struct {
	Value   string
	Refusal *Finding // the rule that forbids it, preferably one about this setting
	Caution *Finding // the rule about this setting that marks it
	Plan    Plan     // complete, with this value
}

// Offered are the values of every setting with a fixed set of them, or one that
// follows from the files.
type Offered struct {
	Purpose         []Offer // with the rest adjusted to it, see Adjust
	Split           []Offer
	Spec            []Offer // one way of guessing at a time, NoSpec first
	Draft           []Offer // files beside the model that guess, by path
	CacheK          []Offer
	CacheV          []Offer
	DraftCacheK     []Offer
	DraftCacheV     []Offer
	FlashAttn       []Offer
	Projector       []Offer // NoProjector, and files beside the model
	ProjectorDevice []Offer // of the plan's projector, or the one it would have
}

// Offers tries every value of every setting against the rest of a complete plan.
func Offers(p Plan, g Given) Offered {
	e := evidenceOf(g)
	try := func(setting string, values []string, set func(*Plan, string)) []Offer {
		offers := make([]Offer, len(values))
		for i, value := range values {
			tried := p
			set(&tried, value)
			tried, _ = e.complete(tried)
			offers[i] = offer(setting, value, tried, e)
		}
		return offers
	}
	return Offered{
		Purpose:   purposes(p, e),
		Split:     try("splitMode", SplitModes(), func(p *Plan, v string) { p.SplitMode, p.TensorSplit = v, "" }),
		Spec:      try("specTypes", append([]string{NoSpec}, SpecMethods()...), SetSpec),
		Draft:     try("draftPath", drafts(g), func(p *Plan, v string) { SetSpec(p, ""); p.DraftPath = v }),
		CacheK:    try("cacheK", CacheTypes(), func(p *Plan, v string) { p.CacheK = v }),
		CacheV:    try("cacheV", CacheTypes(), func(p *Plan, v string) { p.CacheV = v }),
		FlashAttn: try("flashAttn", FlashAttnModes(), func(p *Plan, v string) { p.FlashAttn = v }),

		DraftCacheK: try("draftCacheK", CacheTypes(), func(p *Plan, v string) { p.DraftCacheK = v }),
		DraftCacheV: try("draftCacheV", CacheTypes(), func(p *Plan, v string) { p.DraftCacheV = v }),
		Projector:   try("projectorPath", projectors(g), func(p *Plan, v string) { p.ProjectorPath = v }),
		ProjectorDevice: try("projectorDevice", ProjectorDevices(), func(p *Plan, v string) {
			p.ProjectorDevice = v
			if files := projectors(g); p.Projector() == "" && len(files) > 1 {
				p.ProjectorPath = files[1]
			}
		}),
	}
}

func offer(setting, value string, tried Plan, e *evidence) Offer {
	v := e.check(tried)
	o := Offer{Value: value, Plan: tried, Refusal: about(setting, v.Refusals), Caution: about(setting, v.Cautions)}
	if o.Refusal == nil && !v.Valid() {
		o.Refusal = &v.Refusals[0]
	}
	return o
}

// purposes are tried with what else would be in their way left to Complete:
// another purpose is another set-up.
func purposes(p Plan, e *evidence) []Offer {
	var offers []Offer
	for _, purpose := range Purposes() {
		tried, _ := e.adjust(WithPurpose(p, purpose), "purpose")
		offers = append(offers, offer("purpose", purpose, tried, e))
	}
	return offers
}

// WithPurpose is a plan for another purpose, with what only had a meaning for the
// one before left open.
func WithPurpose(p Plan, purpose string) Plan {
	if p.Purpose == purpose {
		return p
	}
	for _, name := range []string{"contextTokens", "specTypes", "projectorPath", "projectorDevice", "pooling"} {
		unset(&p, name)
	}
	if p.Purpose != Chat {
		unset(&p, "promptCacheMiB") // it followed from the purpose
	}
	p.Purpose, p.BatchTokens, p.PhysicalBatchTokens = purpose, 0, 0
	return p
}

// SetSpec sets how a plan guesses, one way, and leaves open with which file.
func SetSpec(p *Plan, method string) {
	if method != p.SpecTypes {
		p.SpecTypes, p.DraftPath = method, ""
	}
}

// drafts are the files beside the model that guess.
func drafts(g Given) []string {
	var paths []string
	for _, f := range g.Beside {
		if SpecOf(f) != NoSpec {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

func projectors(g Given) []string {
	paths := []string{NoProjector}
	for _, f := range g.Beside {
		if f.Kind == gguf.Projector {
			paths = append(paths, f.Path)
		}
	}
	return paths
}

// ValidValues are the values that may be chosen.
func ValidValues(offers []Offer) []string {
	values := []string{}
	for _, o := range offers {
		if o.Refusal == nil {
			values = append(values, o.Value)
		}
	}
	return values
}

func about(setting string, findings []Finding) *Finding {
	i := slices.IndexFunc(findings, func(f Finding) bool { return f.Setting == setting })
	if i < 0 {
		return nil
	}
	return &findings[i]
}
