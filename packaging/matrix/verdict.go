package main

import (
	"slices"

	"paddock/engine/plan"
)

// A verdict compares what the product offers with what the engine did.
type verdict struct {
	cell    cell
	result  result
	check   plan.Verdict
	kind    string
	explain string // of what is explained: the rule that says why
}

// The kinds of verdict.
const (
	offeredWorks = "offered, works"
	marked       = "offered with a caution"
	refusedFails = "refused, fails"
	explained    = "refused, works here"
	unexplained  = "unexplained"
)

// judge is the verdict on a cell. plain is the answer of the same plan without
// speculation, empty where none is known.
func judge(c cell, r result, plain string, build int) verdict {
	given := c.given
	given.Build = build
	v := verdict{cell: c, result: r, check: plan.Check(c.plan, given)}
	if r.Outcome == works && len(c.plan.SpecMethods()) > 0 && plain != "" && r.Text != plain {
		v.result.Outcome, v.result.Reason = wrong, "the answer is not that without speculation"
	}
	fails := v.result.Outcome != works
	switch {
	case v.check.Valid() && !fails:
		v.kind = offeredWorks
		if len(v.check.Cautions) > 0 {
			v.kind = marked
		}
	case v.check.Valid():
		v.kind = unexplained
		if foreseen(v.check.Cautions, v.result.Outcome) {
			v.kind = marked
		}
	case fails:
		v.kind = refusedFails
	default:
		v.kind = unexplained
		if rule, ok := recorded(v.check); ok {
			v.kind, v.explain = explained, rule
		}
	}
	return v
}

// foreseen says whether any of some cautions spoke of what happened: by what its rule
// says the engine does, or because it was never seen here. One with a fallback has
// the product load that.
func foreseen(cautions []plan.Finding, outcome string) bool {
	return slices.ContainsFunc(cautions, func(f plan.Finding) bool {
		fails := ruleCalled(f.Rule).Fails
		return fails == outcome || fails == "unseen" || len(f.Fallback) > 0
	})
}

// otherwise says whether a rule, the only one that refuses a plan, has it fail in
// another way than it does: no wrong verdict, but a wrong reason.
func (v verdict) otherwise() bool {
	if v.kind != refusedFails || len(v.check.Refusals) != 1 {
		return false
	}
	fails := ruleCalled(v.check.Refusals[0].Rule).Fails
	return fails != "unseen" && fails != v.result.Outcome
}

// seenElsewhere are what a rule may say of plans that run well here: they fail on
// other builds or hardware, or leave something out, or answer what nobody checks.
var seenElsewhere = []string{"unseen", "ignored", "wrong", "works"}

// recorded is a rule that refuses a plan and says why it may work all the same.
func recorded(v plan.Verdict) (rule string, ok bool) {
	for _, refusal := range v.Refusals {
		if refusal.Failed || slices.Contains(seenElsewhere, ruleCalled(refusal.Rule).Fails) {
			return refusal.Rule, true
		}
	}
	return "", false
}
