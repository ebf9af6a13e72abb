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
}

// A Condition compares one subject. All its parts that are set must hold; a
// subject that is unknown never holds.
type Condition struct {
	Subject       string   `toml:"subject"`
	Is            []string `toml:"is"`
	IsNot         []string `toml:"is_not"`
	NotMultipleOf int      `toml:"not_multiple_of"`
	Above         string   `toml:"above"` // another subject, or a number
	Below         string   `toml:"below"` // the same
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
	case len(r.Conditions) == 0:
		return fmt.Errorf("no condition: it would always hold")
	}
	for _, c := range r.Conditions {
		for _, name := range []string{c.Subject, c.Above, c.Below} {
			_, err := strconv.Atoi(name)
			isNumber := err == nil && name != c.Subject
			if name != "" && !isNumber && !slices.Contains(subjectNames, name) {
				return fmt.Errorf("unknown subject %q", name)
			}
		}
		if c.Subject == "" || len(c.Is) == 0 && len(c.IsNot) == 0 && c.NotMultipleOf == 0 && c.Above == "" && c.Below == "" {
			return fmt.Errorf("a condition needs a subject and something to compare it with")
		}
	}
	return nil
}

// holds reports whether the rule speaks of these subjects. A build newer than
// the newest known one counts as that one, so it is inside every open range.
func (r Rule) holds(s subjects) bool {
	if b, known := s["build"].(int); known && (b < r.FromBuild || r.ToBuild != 0 && min(b, NewestKnownBuild) > r.ToBuild) {
		return false
	}
	return !slices.ContainsFunc(r.Conditions, func(c Condition) bool { return !c.holds(s) })
}

func (c Condition) holds(s subjects) bool {
	value, known := s[c.Subject]
	if !known {
		return false
	}
	text := fmt.Sprint(value)
	if len(c.Is) > 0 && !slices.Contains(c.Is, text) || slices.Contains(c.IsNot, text) {
		return false
	}
	number, err := strconv.Atoi(text)
	if c.NotMultipleOf != 0 && (err != nil || number%c.NotMultipleOf == 0) {
		return false
	}
	if c.Above != "" {
		limit, known := s.number(c.Above)
		if err != nil || !known || number <= limit {
			return false
		}
	}
	if c.Below != "" {
		limit, known := s.number(c.Below)
		return err == nil && known && number < limit
	}
	return true
}

// number is a subject's number, or the one that is written out.
func (s subjects) number(name string) (n int, known bool) {
	if fixed, err := strconv.Atoi(name); err == nil {
		return fixed, true
	}
	n, known = s[name].(int)
	return n, known
}
