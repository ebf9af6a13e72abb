package chat

import (
	"context"
	"encoding/json"
	"reflect"
	"slices"
	"strconv"
	"strings"

	store "paddock/engine/chat"
	"paddock/engine/gguf"
	"paddock/words"
)

// presets are the ones that come with Paddock. The first leaves everything to the
// model's file and the engine.
func presets() []Preset {
	of := func(key string, s Sampling) Preset { return Preset{Name: words.T("chat.preset." + key), Sampling: s} }
	num := func(v float64) *float64 { return &v }
	count := func(v int) *int { return &v }
	return []Preset{
		of("balanced", Sampling{}),
		of("precise", Sampling{Temperature: num(0.2), TopP: num(0.9), TopK: count(20), MinP: num(0.05)}),
		of("creative", Sampling{Temperature: num(1.1), TopP: num(0.98), TopK: count(0), MinP: num(0.02)}),
	}
}

// prompts are the system prompts that come with Paddock.
func prompts() []Prompt {
	var all []Prompt
	for _, key := range []string{"brief", "coder", "translator", "editor"} {
		all = append(all, Prompt{Name: words.T("chat.prompt." + key), Text: words.T("chat.prompt." + key + ".text")})
	}
	return all
}

// engineSampling is what llama-server takes when neither a request nor the model's
// file says anything (b11669).
func engineSampling() Sampling {
	temperature, topP, topK, minP, penalty := 0.8, 0.95, 40, 0.05, 1.0
	return Sampling{Temperature: &temperature, TopP: &topP, TopK: &topK, MinP: &minP, RepeatPenalty: &penalty}
}

// effective is what holds where settings leave it open: what the model's file says
// in its general.sampling keys, which the engine follows, else the engine's own.
func effective(f gguf.Facts) Sampling {
	s := engineSampling()
	for _, e := range f.Metadata {
		name, ok := strings.CutPrefix(e.Key, "general.sampling.")
		if !ok {
			continue
		}
		v, err := strconv.ParseFloat(e.Value, 64)
		if err != nil {
			continue
		}
		switch name {
		case "temp":
			s.Temperature = &v
		case "top_p":
			s.TopP = &v
		case "min_p":
			s.MinP = &v
		case "penalty_repeat":
			s.RepeatPenalty = &v
		case "top_k":
			n := int(v)
			s.TopK = &n
		}
	}
	return s
}

func (p *Presenter) canReason() bool {
	return slices.Contains(p.loaded.Model.TemplateKnows, gguf.KnowsThinking)
}

// A readSchema is a schema and why it can't be used. States are made too often to
// read it for each.
type readSchema struct{ schema, problem string }

// schemaProblem says why the conversation's schema can't be used.
func (p *Presenter) schemaProblem() string {
	schema := p.current.settings.Settings.Schema
	if p.schema.schema != schema {
		p.schema = readSchema{schema, problemOfSchema(schema)}
	}
	return p.schema.problem
}

func problemOfSchema(schema string) string {
	if strings.TrimSpace(schema) == "" {
		return ""
	}
	var object map[string]any
	if err := json.Unmarshal([]byte(schema), &object); err != nil {
		return words.T("chat.schema.off", map[string]any{"Reason": words.Reason(err)})
	}
	return ""
}

func (p *Presenter) stateOfSettings(s *State) {
	s.Settings = p.current.settings.Settings
	s.Effective = p.effective
	s.SettingsChanged = !reflect.DeepEqual(s.Settings, Settings{})
	s.Presets = append(presets(), p.own.Presets...)
	s.Prompts = append(prompts(), p.own.Prompts...)
	s.CanReason = p.canReason()
	s.SchemaProblem = p.schemaProblem()
	for _, preset := range s.Presets {
		if reflect.DeepEqual(preset.Sampling, s.Settings.Sampling) {
			s.Preset = preset.Name
			break
		}
	}
}

// SetSettings gives the conversation on view other settings.
func (p *Presenter) SetSettings(s Settings) {
	c := p.current
	c.settings.Settings = s.bounded()
	c.unset = true
	p.touch(c)
	p.publish()
}

// bounded is settings that the engine takes.
func (s Settings) bounded() Settings {
	bound := func(v *float64, low, high float64) *float64 {
		if v == nil || *v != *v {
			return nil
		}
		b := min(max(*v, low), high)
		return &b
	}
	n := &s.Sampling
	n.Temperature = bound(n.Temperature, 0, 2)
	n.TopP, n.MinP = bound(n.TopP, 0, 1), bound(n.MinP, 0, 1)
	n.RepeatPenalty = bound(n.RepeatPenalty, 0.1, 2)
	if n.TopK != nil {
		k := max(*n.TopK, 0)
		n.TopK = &k
	}
	if n.MaxTokens != nil && *n.MaxTokens <= 0 {
		n.MaxTokens = nil
	}
	return s
}

// UsePreset takes the sampling of a preset, by its name.
func (p *Presenter) UsePreset(name string) {
	for _, preset := range append(presets(), p.own.Presets...) {
		if preset.Name == name {
			s := p.current.settings.Settings
			s.Sampling = preset.Sampling
			p.SetSettings(s)
			return
		}
	}
}

// SavePreset keeps the sampling of the conversation on view under a name, in the
// place of the user's own preset of that name. It says why not, or nothing.
func (p *Presenter) SavePreset(name string) (problem string) {
	name = strings.TrimSpace(name)
	builtIn := slices.ContainsFunc(presets(), func(q Preset) bool { return q.Name == name })
	if problem := nameProblem(name, builtIn); problem != "" {
		return problem
	}
	own := slices.DeleteFunc(slices.Clone(p.own.Presets), func(q Preset) bool { return q.Name == name })
	p.own.Presets = append(own, Preset{Name: name, Own: true, Sampling: p.current.settings.Settings.Sampling})
	p.keepOwn()
	return ""
}

// nameProblem says why nothing can be saved under a name, empty when it can.
func nameProblem(name string, builtIn bool) string {
	switch {
	case name == "":
		return words.T("chat.set.name.none")
	case builtIn:
		return words.T("chat.set.name.taken", map[string]any{"Name": name})
	}
	return ""
}

// DeletePreset deletes one of the user's own presets.
func (p *Presenter) DeletePreset(name string) {
	p.own.Presets = slices.DeleteFunc(slices.Clone(p.own.Presets), func(q Preset) bool { return q.Name == name })
	p.keepOwn()
}

// UsePrompt takes a system prompt of the library, by its name.
func (p *Presenter) UsePrompt(name string) {
	for _, prompt := range append(prompts(), p.own.Prompts...) {
		if prompt.Name == name {
			s := p.current.settings.Settings
			s.System = prompt.Text
			p.SetSettings(s)
			return
		}
	}
}

// SavePrompt keeps the system prompt of the conversation on view under a name. It says
// why not, or nothing.
func (p *Presenter) SavePrompt(name string) (problem string) {
	name = strings.TrimSpace(name)
	text := p.current.settings.Settings.System
	builtIn := slices.ContainsFunc(prompts(), func(q Prompt) bool { return q.Name == name })
	if problem := nameProblem(name, builtIn); problem != "" {
		return problem
	}
	if text == "" {
		return words.T("chat.set.save.empty")
	}
	own := slices.DeleteFunc(slices.Clone(p.own.Prompts), func(q Prompt) bool { return q.Name == name })
	p.own.Prompts = append(own, Prompt{Name: name, Text: text, Own: true})
	p.keepOwn()
	return ""
}

// DeletePrompt deletes one of the user's own system prompts.
func (p *Presenter) DeletePrompt(name string) {
	p.own.Prompts = slices.DeleteFunc(slices.Clone(p.own.Prompts), func(q Prompt) bool { return q.Name == name })
	p.keepOwn()
}

// keepOwn saves the user's presets and prompts.
func (p *Presenter) keepOwn() {
	own := p.own
	if own.Keep != nil {
		p.keeper.put(func(context.Context, *store.Store) (func(), error) {
			return nil, own.Keep(own.Presets, own.Prompts)
		})
	}
	p.publish()
}
