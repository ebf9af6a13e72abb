package chat

// Settings are those of a conversation.
type Settings struct {
	System   string // the system prompt
	Sampling Sampling
	Schema   string // JSON schema of answers, empty for none
	Thinking *bool  // reasoning on or off; nil leaves it to the template
}

// Sampling is how the next token is chosen. What is nil is left to the model's
// file or the engine.
type Sampling struct {
	Temperature   *float64 // 0 to 2
	TopP          *float64 // 0 to 1
	TopK          *int     // 0 is all
	MinP          *float64 // 0 to 1
	RepeatPenalty *float64 // 1 is none
	Seed          *int64   // nil is another every time
	MaxTokens     *int     // nil is as many as there is room for
}

// A Preset is a sampling that has a name.
type Preset struct {
	Name     string // as it is shown
	Own      bool   // the user's: it can be deleted
	Sampling Sampling
}

// A Prompt is a system prompt that has a name.
type Prompt struct {
	Name string
	Text string
	Own  bool // the user's: it can be deleted
}
