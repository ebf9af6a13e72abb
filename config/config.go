// Package config is what Paddock remembers between starts, and the folders it
// keeps things in.
package config

// Folders are where Paddock keeps its own files. With --config DIR all of them
// are under DIR.
type Folders struct {
	Config  string // config.toml
	Data    string // conversations
	Cache   string // engine downloads, thumbnails
	Runtime string // sockets and key files; short, mode 0700
	Log     string
}

// Config is config.toml.
type Config struct {
	Theme        string   `toml:"theme"`         // "system", "dark" or "light"
	ModelFolders []string `toml:"model_folders"` // scanned for GGUF files
	ModelFiles   []string `toml:"model_files"`   // opened one by one
	AppsOff      []string `toml:"apps_off"`      // ids of other apps whose models are not shown
	Forgotten    []string `toml:"forgotten"`     // files taken out of the list by the user
	Recent       []string `toml:"recent"`        // models loaded, the latest first, by their first file
	Downloads    string   `toml:"downloads"`     // folder for models fetched, empty for one in the data folder
	HubMirror    string   `toml:"hub_mirror"`    // address to use instead of huggingface.co
	Engine       string   `toml:"engine"`        // id of the chosen build, empty for the first that works
	Engines      []string `toml:"engines"`       // paths of builds the user added
	LoadAtStart  bool     `toml:"load_at_start"` // the model chatted with last is loaded when the window opens

	ChatPresets []ChatPreset `toml:"chat_presets,omitempty"` // sampling the user has saved under a name
	ChatPrompts []ChatPrompt `toml:"chat_prompts,omitempty"` // system prompts the user has saved under a name

	ImagePrompts []ImagePrompt `toml:"image_prompts"` // instructions of the user's own for many pictures
}

// A ChatPreset is a sampling under a name. What is nil is left to the model.
type ChatPreset struct {
	Name          string   `toml:"name"`
	Temperature   *float64 `toml:"temperature,omitempty"`
	TopP          *float64 `toml:"top_p,omitempty"`
	TopK          *int     `toml:"top_k,omitempty"`
	MinP          *float64 `toml:"min_p,omitempty"`
	RepeatPenalty *float64 `toml:"repeat_penalty,omitempty"`
	Seed          *int64   `toml:"seed,omitempty"`
	MaxTokens     *int     `toml:"max_tokens,omitempty"`
}

// A ChatPrompt is a system prompt under a name.
type ChatPrompt struct {
	Name string `toml:"name"`
	Text string `toml:"text"`
}

// An ImagePrompt is an instruction for pictures under a name.
type ImagePrompt struct {
	Name      string `toml:"name"`
	Prompt    string `toml:"prompt"`
	MaxTokens int    `toml:"max_tokens"` // of an answer, 0 for as many as fit
}

// defaults is what holds without a config.toml.
func defaults() Config { return Config{Theme: "system"} }
