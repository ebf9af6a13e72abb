package plan

import (
	"fmt"
	"reflect"
	"slices"
	"strconv"
	"strings"
)

// A setting is a field of Plan by its name in JSON, which is also what rules call
// it.
type setting struct {
	name  string
	field int
}

// settings are all but the model's path.
var settings = func() []setting {
	var list []setting
	t := reflect.TypeFor[Plan]()
	for i := range t.NumField() {
		name, _, _ := strings.Cut(t.Field(i).Tag.Get("json"), ",")
		if name != "modelPath" {
			list = append(list, setting{name, i})
		}
	}
	return list
}()

// value is the setting of a plan as a text, empty for the zero value: what is
// false or 0 was not asked for, and a rule about it has nothing to speak of.
func (s setting) value(p Plan) string {
	v := reflect.ValueOf(&p).Elem().Field(s.field)
	switch {
	case v.IsZero():
		return ""
	case v.Kind() == reflect.Int:
		return strconv.FormatInt(v.Int(), 10)
	case v.Kind() == reflect.Bool:
		return "true"
	}
	return v.String()
}

// set is the reverse of value. It panics on a text that is no value of the
// setting: rules are part of the program.
func (s setting) set(p *Plan, text string) {
	field := reflect.ValueOf(p).Elem().Field(s.field)
	switch {
	case text == "":
		field.SetZero()
	case field.Kind() == reflect.Int:
		n, err := strconv.Atoi(text)
		if err != nil {
			panic(fmt.Sprintf("%s can't be %q", s.name, text))
		}
		field.SetInt(int64(n))
	case field.Kind() == reflect.Bool:
		field.SetBool(text == "true")
	default:
		field.SetString(text)
	}
}

func settingCalled(name string) (setting, bool) {
	i := slices.IndexFunc(settings, func(s setting) bool { return s.name == name })
	if i < 0 {
		return setting{}, false
	}
	return settings[i], true
}

// unset leaves a setting of a plan open, and what has no meaning without it.
func unset(p *Plan, name string) bool {
	s, known := settingCalled(name)
	if !known {
		return false
	}
	s.set(p, "")
	switch name {
	case "specTypes":
		*p = p.WithoutSpec()
		p.SpecTypes = ""
	case "splitMode", "devices":
		p.TensorSplit = ""
	case "purpose", "contextTokens", "slots", "kvUnified":
		if p.Purpose != Chat {
			p.BatchTokens, p.PhysicalBatchTokens = 0, 0
		}
	}
	return true
}

// A Change is a setting that differs between two plans. Values are the plan's,
// empty for the zero value.
type Change struct {
	Setting  string
	From, To string
}

// Changes are the settings in which two plans differ, in the plan's order.
func Changes(from, to Plan) []Change {
	var list []Change
	for _, s := range settings {
		if before, after := s.value(from), s.value(to); before != after {
			list = append(list, Change{s.name, before, after})
		}
	}
	return list
}

// Adjust makes a plan valid by leaving to Complete what rules refuse beside the
// setting that was just chosen. ok is false when that does not help: then the
// choice itself is refused. The plan it returns is complete.
func Adjust(p Plan, g Given, chosen string) (adjusted Plan, ok bool) {
	return evidenceOf(g).adjust(p, chosen)
}

func (e *evidence) adjust(p Plan, chosen string) (adjusted Plan, ok bool) {
	p, _ = e.complete(p)
	for range settings {
		refusals := e.check(p).Refusals
		if len(refusals) == 0 {
			return p, true
		}
		if !release(&p, refusals[0], chosen) {
			return p, false
		}
		p, _ = e.complete(p)
	}
	return p, false
}

// release leaves open what a refusal is about, or else another setting its rule
// looks at; never the chosen one.
func release(p *Plan, refusal Finding, chosen string) bool {
	for _, name := range append([]string{refusal.Setting}, refusal.looksAt()...) {
		s, known := settingCalled(name)
		if !known || name == chosen || name == "purpose" { // another purpose is never a side effect
			continue
		}
		before := s.value(*p)
		unset(p, name)
		if before != s.value(*p) {
			return true
		}
	}
	return false
}
