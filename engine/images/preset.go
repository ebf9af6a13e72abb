package images

// A Preset is an instruction with what suits it.
type Preset struct {
	ID        string // of the sentence that names it, and for --preset
	Prompt    string
	Schema    string // JSON schema of the answer, empty for none
	MaxTokens int
}

// The presets.
const (
	Caption  = "caption"
	Describe = "describe"
	ReadText = "text"
	Tags     = "tags"
	AltText  = "alt"
)

// tagSchema has the most tags first: a model that repeats itself ends there.
const tagSchema = `{"type":"object","properties":{"tags":{"type":"array","items":{"type":"string","minLength":1,"maxLength":40},"minItems":1,"maxItems":15}},"required":["tags"],"additionalProperties":false}`

// Presets are all of them, in the order they are shown.
func Presets() []Preset {
	return []Preset{
		{ID: Caption, MaxTokens: 96,
			Prompt: "Write one plain sentence that says what is in this picture. Do not guess names."},
		{ID: Describe, MaxTokens: 400,
			Prompt: "Describe this picture in a short paragraph: what is in it, where things are, colours and light. Do not guess what can't be seen."},
		{ID: ReadText, MaxTokens: 1500,
			Prompt: "Write down all text in this picture, word by word, line by line, in its own language. Add nothing. If there is no text, write: no text."},
		{ID: Tags, MaxTokens: 300, Schema: tagSchema,
			Prompt: `List up to 15 short tags for this picture, the most fitting first, in lower case, as JSON: {"tags": ["…"]}.`},
		{ID: AltText, MaxTokens: 120,
			Prompt: "Write an alt text for this picture, for somebody who can't see it: one or two short sentences with what matters. Do not begin with \"image of\"."},
	}
}

// PresetOf is the preset of an id.
func PresetOf(id string) (Preset, bool) {
	for _, p := range Presets() {
		if p.ID == id {
			return p, true
		}
	}
	return Preset{}, false
}

// Run is what a job with this preset does. Answers are greedy: the same picture
// gets the same text again.
func (p Preset) Run() Run {
	return Run{Preset: p.ID, Prompt: p.Prompt, Schema: p.Schema, MaxTokens: p.MaxTokens, Temperature: new(float64)}
}
