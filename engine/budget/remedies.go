package budget

import (
	"slices"
	"strconv"
	"strings"

	"paddock/engine/plan"
)

// A RemedyKind is what a remedy changes.
type RemedyKind string

// The kinds of remedy, in the order in which they cost least.
const (
	NoPromptCache   RemedyKind = "prompt-cache"
	ProjectorOnCPU  RemedyKind = "projector-cpu"
	DraftOff        RemedyKind = "draft-off"
	SmallerCache    RemedyKind = "cache-q8"
	ShorterContext  RemedyKind = "context"
	OtherDevices    RemedyKind = "devices"
	FewerLayers     RemedyKind = "gpu-layers"
	CacheAndContext RemedyKind = "cache-and-context"
)

// A Remedy is a change after which a plan fits, with the margin untouched where its
// verdict says Fits.
type Remedy struct {
	Kind    RemedyKind
	Plan    plan.Plan
	Memory  Memory
	Verdict Verdict
}

// LeftBytes is what the fullest pool has left.
func (r Remedy) LeftBytes() uint64 {
	left, first := uint64(0), true
	for _, pool := range r.Verdict.Pools {
		if pool.Known && (first || pool.LeftBytes() < left) {
			left, first = pool.LeftBytes(), false
		}
	}
	return left
}

// Remedies are the single changes that make a plan fit, each tried by Estimate;
// when none does, a smaller cache and a shorter context together. Where nothing
// makes it fit with the margin untouched, they are those after which it is Tight.
// There are none when the plan fits as it is.
func Remedies(r Request, s Situation) []Remedy {
	fit := Judge(Estimate(r), s).Fit
	if fit == Fits {
		return nil
	}
	list := s.remedies(r, Fits)
	if len(list) == 0 && fit == DoesNotFit {
		list = s.remedies(r, Tight)
	}
	return list
}

// remedies are the changes after which a plan is no worse than a fit.
func (s Situation) remedies(r Request, worst Fit) []Remedy {
	var list []Remedy
	try := func(kind RemedyKind, changed Request, possible bool) {
		if !possible || changed.Plan == r.Plan {
			return
		}
		if remedy, ok := s.remedy(kind, changed, worst); ok {
			list = append(list, remedy)
		}
	}
	forgetful := r
	forgetful.Plan.PromptCacheMiB = plan.NoPromptCache
	try(NoPromptCache, forgetful, r.Plan.PromptCacheBytes() > 0)
	p := r
	p.Plan.ProjectorDevice = plan.ProjectorCPU
	try(ProjectorOnCPU, p, r.Plan.Projector() != "" && len(r.Plan.DeviceIDs()) > 0)
	silent := r
	silent.Plan = r.Plan.WithoutSpec()
	try(DraftOff, silent, len(r.Plan.SpecMethods()) > 0)
	try(SmallerCache, smallerCache(r), true)
	shorter := r
	shorter.Plan.ContextTokens = s.longestContext(r, worst)
	try(ShorterContext, shorter, shorter.Plan.ContextTokens > 0 && shorter.Plan.ContextTokens < r.Plan.ContextTokens)
	for _, other := range otherDevices(r) {
		if n := len(list); n > 0 && list[n-1].Kind == OtherDevices {
			break
		}
		try(OtherDevices, other, true)
	}
	fewer, possible := s.fewerLayers(r, worst)
	try(FewerLayers, fewer, possible)
	if len(list) == 0 {
		both := smallerCache(r)
		both.Plan.ContextTokens = s.longestContext(both, worst)
		try(CacheAndContext, both, both.Plan.ContextTokens > 0 && both.Plan.ContextTokens < r.Plan.ContextTokens)
	}
	return list
}

// remedy holds a changed plan against the rules and the situation.
func (s Situation) remedy(kind RemedyKind, r Request, worst Fit) (Remedy, bool) {
	if !plan.Check(r.Plan, r.Given).Valid() {
		return Remedy{}, false
	}
	memory := Estimate(r)
	verdict := Judge(memory, s)
	return Remedy{kind, r.Plan, memory, verdict}, !worse(verdict.Fit, worst)
}

// holds says whether a plan is no worse than a fit.
func (s Situation) holds(r Request, worst Fit) bool { return !worse(Judge(Estimate(r), s).Fit, worst) }

// contextStep is what lengths of context are counted in, in tokens: the engine
// rounds to it.
const contextStep = 256

// LongestContext is the longest context that fits with the rest of a plan, up to
// what the plan asks for or the model was trained for; 0 when none does. Memory
// grows with the context, so halving finds it.
func LongestContext(r Request, s Situation) int { return s.longestContext(r, Fits) }

func (s Situation) longestContext(r Request, worst Fit) int {
	most := max(r.Plan.ContextTokens, r.Model.ContextTokens)
	at := func(steps int) bool {
		r.Plan.ContextTokens = min(steps*contextStep, most)
		return s.holds(r, worst)
	}
	low, high := 0, (most+contextStep-1)/contextStep
	for low < high {
		middle := (low + high + 1) / 2
		if at(middle) {
			low = middle
		} else {
			high = middle - 1
		}
	}
	return min(low*contextStep, most)
}

func smallerCache(r Request) Request {
	wide := []string{"", "f16", "bf16", "f32"}
	if slices.Contains(wide, r.Plan.CacheK) && slices.Contains(wide, r.Plan.CacheV) {
		r.Plan.CacheK, r.Plan.CacheV = "q8_0", "q8_0"
	}
	return r
}

// otherDevices are the plans on all hardware devices, on each one alone, and on
// the processor.
func otherDevices(r Request) []Request {
	var ids []string
	for _, d := range r.Devices {
		if !d.Software {
			ids = append(ids, d.ID)
		}
	}
	choices := []string{strings.Join(ids, ",")}
	if len(ids) > 1 {
		choices = append(choices, ids...)
	}
	choices = append(choices, plan.CPU)
	var list []Request
	for _, choice := range choices {
		if choice == "" || choice == r.Plan.Devices {
			continue
		}
		other := r
		other.Plan.Devices, other.Plan.TensorSplit, other.Plan.SplitMode = choice, "", ""
		other.Plan.GPULayers = "all"
		if choice == plan.CPU {
			other.Plan.GPULayers = "0"
		}
		list = append(list, other)
	}
	return list
}

// fewerLayers is the plan with as many layers on its devices as there is room for.
func (s Situation) fewerLayers(r Request, worst Fit) (Request, bool) {
	if len(r.Plan.DeviceIDs()) == 0 {
		return r, false
	}
	most := len(r.Model.Network.Blocks)
	if n, err := strconv.Atoi(r.Plan.GPULayers); err == nil {
		most = min(most, n-1)
	}
	for n := most; n > 0; n-- {
		r.Plan.GPULayers = strconv.Itoa(n)
		if s.holds(r, worst) {
			return r, true
		}
	}
	return r, false
}
