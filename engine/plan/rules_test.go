package plan

import (
	"strings"
	"testing"
	"testing/fstest"
)

const goodRule = `
[[rule]]
id = "r"
setting = "cacheK"
verdict = "refuse"
message = "m"
remedy = "n"
source = "s"
proof = "TestP"
fails = "start"
when = [{ subject = "cacheK", is = ["q8_0"] }]
`

func TestLoadRulesRefusesABrokenEntry(t *testing.T) {
	tests := []struct {
		name, file, want string
	}{
		{"a rule without a proof", strings.Replace(goodRule, `proof = "TestP"`, "", 1), "must all be given"},
		{"a verdict that is none", strings.Replace(goodRule, `"refuse"`, `"perhaps"`, 1), "unknown verdict"},
		{"a subject that is none", strings.Replace(goodRule, `subject = "cacheK"`, `subject = "colour"`, 1), "unknown subject"},
		{"a comparison with a subject that is none", strings.Replace(goodRule, `is = ["q8_0"]`, `above = "colour"`, 1), "unknown subject"},
		{"a comparison from below with one", strings.Replace(goodRule, `is = ["q8_0"]`, `below = "colour"`, 1), "unknown subject"},
		{"a rule that would always hold", strings.Replace(goodRule, `when = [{ subject = "cacheK", is = ["q8_0"] }]`, "", 1), "always hold"},
		{"a condition that compares nothing", strings.Replace(goodRule, `, is = ["q8_0"]`, "", 1), "something to compare"},
		{"a misspelt key", strings.Replace(goodRule, "remedy", "remedi", 1), "unknown key"},
		{"an id used twice", goodRule + goodRule, "there twice"},
		{"no TOML at all", "rule rule", "rules/x.toml"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := loadRules(fstest.MapFS{"rules/x.toml": {Data: []byte(test.file)}})
			if err == nil || !strings.Contains(err.Error(), test.want) {
				t.Errorf("error %v, want one with %q", err, test.want)
			}
		})
	}
}

func TestARuleHoldsOnlyForItsBuilds(t *testing.T) {
	rule := Rule{
		FromBuild: 100, ToBuild: NewestKnownBuild,
		Conditions: []Condition{{Subject: "cacheK", Is: []string{"q8_0"}}},
	}
	rule.find()
	of := func(build int) subjects {
		s := make(subjects, len(subjectNames))
		s.put("cacheK", "q8_0")
		s.countKnown("build", build)
		return s
	}
	tests := []struct {
		name  string
		build int
		want  bool
	}{
		{"before the first", 99, false},
		{"the first", 100, true},
		{"the last", NewestKnownBuild, true},
		{"a newer one counts as the newest known", NewestKnownBuild + 500, true},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := rule.holds(of(test.build)); got != test.want {
				t.Errorf("got %v", got)
			}
		})
	}
	if !rule.holds(of(0)) {
		t.Error("a build that does not tell its number escapes the rule")
	}
	rule.ToBuild = 200
	if rule.holds(of(NewestKnownBuild + 1)) {
		t.Error("a rule that ended before the newest known build holds for a newer one")
	}
}
