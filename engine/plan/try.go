package plan

// Try is one value of a setting that Offers does not list: several ways of
// guessing at once, a number. p is the plan with that value; what it leaves open is
// chosen.
func Try(p Plan, g Given, setting, value string) Offer {
	e := evidenceOf(g)
	p, _ = e.complete(p)
	return offer(setting, value, p, e)
}
