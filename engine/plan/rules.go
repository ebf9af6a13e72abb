package plan

import (
	"embed"
	"fmt"
	"io/fs"
	"slices"
	"strconv"

	"github.com/BurntSushi/toml"
)

//go:embed rules/*.toml
var ruleFiles embed.FS

// A Rule is one entry of rules/*.toml: a combination the engine was seen to
// refuse, to mishandle or to treat in a way the user must know of. It holds when
// all its conditions do.
type Rule struct {
	ID         string      `toml:"id"`
	Setting    string      `toml:"setting"` // of the plan, where the reason is shown; "model" for the file itself
	Verdict    string      `toml:"verdict"` // "refuse" or "caution"
	FromBuild  int         `toml:"from_build"`
	ToBuild    int         `toml:"to_build"` // inclusive; 0: up to the newest
	Conditions []Condition `toml:"when"`
	Message    string      `toml:"message"` // key of the sentence
	Remedy     string      `toml:"remedy"`  // key of the next step
	Source     string      `toml:"source"`
	Proof      string      `toml:"proof"` // the test that shows it on the real engine
	// Fails is what the engine does with such a plan: see the constants.
	Fails string `toml:"fails"`
	// Fallback are settings and the values to load with instead when a caution comes
	// true: "tensor" split falls back to "layer". An empty value leaves it to Complete.
	Fallback map[string]string `toml:"fallback"`
}

// What the engine does with a plan a rule speaks of.
const (
	failsAtStart   = "start"   // it does not start
	failsOnRequest = "request" // it starts, and then a request fails or kills it
	ignores        = "ignored" // it works, and leaves something out that was asked for
	answersWrong   = "wrong"   // it answers, and what it says is worth nothing
	unseen         = "unseen"  // not here: on other builds or hardware, by the rule's source
	works          = "works"   // it works; the rule says what to know
)

var allFails = []string{failsAtStart, failsOnRequest, ignores, answersWrong, unseen, works}

// A Condition compares one subject. All its parts that are set must hold; a
// subject that is unknown never holds.
type Condition struct {
	Subject       string   `toml:"subject"`
	Is            []string `toml:"is"`     // any of a list is one of these
	IsNot         []string `toml:"is_not"` // none of a list is one of these
	NotMultipleOf int      `toml:"not_multiple_of"`
	Above         string   `toml:"above"`      // another subject, or a number
	Below         string   `toml:"below"`      // the same
	OtherThan     string   `toml:"other_than"` // another subject, which must be known

	at                      int // place of the subject
	above, below, otherThan operand
}

// An operand is what a condition compares with: a subject, or a number that is
// written out.
type operand struct {
	place  int
	number int
	fixed  bool
}

func operandOf(name string) operand {
	if number, err := strconv.Atoi(name); err == nil {
		return operand{number: number, fixed: true}
	}
	return operand{place: places[name]}
}

// of is the operand's number among subjects.
func (o operand) of(s subjects) (number int, known bool) {
	if o.fixed {
		return o.number, true
	}
	return s[o.place].number, s[o.place].kind == aNumber
}

// ruleFile is the shape of one rules/*.toml.
type ruleFile struct {
	Rules []Rule `toml:"rule"`
}

var rules = mustLoadRules(ruleFiles)

// Rules lists every rule there is.
func Rules() []Rule {
	return slices.Clone(rules)
}

// mustLoadRules panics on a broken entry: rules are part of the program.
func mustLoadRules(files fs.FS) []Rule {
	all, err := loadRules(files)
	if err != nil {
		panic("embedded rules: " + err.Error())
	}
	return all
}

func loadRules(files fs.FS) ([]Rule, error) {
	names, err := fs.Glob(files, "rules/*.toml")
	if err != nil {
		return nil, err
	}
	var all []Rule
	seen := map[string]bool{}
	for _, name := range names {
		var file ruleFile
		meta, err := toml.DecodeFS(files, name, &file)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", name, err)
		}
		if unknown := meta.Undecoded(); len(unknown) > 0 {
			return nil, fmt.Errorf("%s: unknown key %s", name, unknown[0])
		}
		for _, r := range file.Rules {
			if err := r.validate(); err != nil {
				return nil, fmt.Errorf("%s: rule %q: %w", name, r.ID, err)
			}
			if seen[r.ID] {
				return nil, fmt.Errorf("%s: rule %q is there twice", name, r.ID)
			}
			seen[r.ID] = true
			r.find()
		}
		all = append(all, file.Rules...)
	}
	return all, nil
}

func (r Rule) validate() error {
	switch {
	case r.ID == "" || r.Setting == "" || r.Message == "" || r.Remedy == "" || r.Source == "" || r.Proof == "":
		return fmt.Errorf("id, setting, message, remedy, source and proof must all be given")
	case r.Verdict != refuse && r.Verdict != caution:
		return fmt.Errorf("unknown verdict %q", r.Verdict)
	case !slices.Contains(allFails, r.Fails):
		return fmt.Errorf("fails is one of %v, not %q", allFails, r.Fails)
	case r.Verdict != caution && len(r.Fallback) > 0:
		return fmt.Errorf("only a caution has a fallback")
	case len(r.Conditions) == 0:
		return fmt.Errorf("no condition: it would always hold")
	}
	for name := range r.Fallback {
		if _, known := settingCalled(name); !known {
			return fmt.Errorf("unknown setting %q", name)
		}
	}
	for _, c := range r.Conditions {
		for _, name := range []string{c.Subject, c.Above, c.Below, c.OtherThan} {
			_, err := strconv.Atoi(name)
			isNumber := err == nil && name != c.Subject
			if name != "" && !isNumber && !slices.Contains(subjectNames, name) {
				return fmt.Errorf("unknown subject %q", name)
			}
		}
		if c.Subject == "" || len(c.Is) == 0 && len(c.IsNot) == 0 && c.NotMultipleOf == 0 && c.Above == "" && c.Below == "" && c.OtherThan == "" {
			return fmt.Errorf("a condition needs a subject and something to compare it with")
		}
	}
	return nil
}

// find looks up the subjects of a rule's conditions.
func (r Rule) find() {
	for i := range r.Conditions {
		c := &r.Conditions[i]
		c.at = places[c.Subject]
		c.above, c.below, c.otherThan = operandOf(c.Above), operandOf(c.Below), operandOf(c.OtherThan)
	}
}

// holds reports whether the rule speaks of these subjects. A build newer than
// the newest known one counts as that one, so it is inside every open range, and so
// does one that does not tell its number: rules of builds that exclude each other
// must not hold together.
func (r Rule) holds(s subjects) bool {
	build := NewestKnownBuild
	if b := s[buildPlace]; b.kind == aNumber {
		build = min(b.number, NewestKnownBuild)
	}
	if build < r.FromBuild || r.ToBuild != 0 && build > r.ToBuild {
		return false
	}
	for i := range r.Conditions {
		if !r.Conditions[i].holds(s) {
			return false
		}
	}
	return true
}

var buildPlace = places["build"]

func (c *Condition) holds(s subjects) bool {
	value := s[c.at]
	if value.kind == unknown || len(c.Is) > 0 && !value.among(c.Is) || len(c.IsNot) > 0 && value.among(c.IsNot) {
		return false
	}
	if c.OtherThan != "" {
		other := s[c.otherThan.place]
		if other.kind == unknown || value.equal(other) {
			return false
		}
	}
	if c.NotMultipleOf == 0 && c.Above == "" && c.Below == "" {
		return true
	}
	if value.kind != aNumber || c.NotMultipleOf != 0 && value.number%c.NotMultipleOf == 0 {
		return false
	}
	if c.Above != "" {
		limit, known := c.above.of(s)
		if !known || value.number <= limit {
			return false
		}
	}
	if c.Below != "" {
		limit, known := c.below.of(s)
		return known && value.number < limit
	}
	return true
}
