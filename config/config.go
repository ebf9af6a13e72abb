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
}

// defaults is what holds without a config.toml.
func defaults() Config { return Config{Theme: "system"} }
