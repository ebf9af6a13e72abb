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
}

// Offered are the values of every setting with a fixed set of them.
type Offered struct {
	CacheK    []Offer
	CacheV    []Offer
	FlashAttn []Offer
}

// Offers tries every value of every setting against the rest of p.
func Offers(p Plan, f gguf.Facts, buildNumber int) Offered {
	try := func(setting string, values []string, set func(*Plan, string)) []Offer {
		offers := make([]Offer, len(values))
		for i, value := range values {
			tried := p
			set(&tried, value)
			v := Check(tried, f, buildNumber)
			offers[i] = Offer{Value: value, Refusal: about(setting, v.Refusals), Caution: about(setting, v.Cautions)}
			if offers[i].Refusal == nil && !v.Valid() {
				offers[i].Refusal = &v.Refusals[0]
			}
		}
		return offers
	}
	return Offered{
		CacheK:    try("cacheK", CacheTypes(), func(p *Plan, v string) { p.CacheK = v }),
		CacheV:    try("cacheV", CacheTypes(), func(p *Plan, v string) { p.CacheV = v }),
		FlashAttn: try("flashAttn", FlashAttnModes(), func(p *Plan, v string) { p.FlashAttn = v }),
	}
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
