package cli

import (
	"context"

	"paddock/engine/library"
)

// A Request is what the command line asks of the window.
type Request struct {
	Files     []string // models and pictures to open
	ConfigDir string   // empty: the user's own folders
	Engine    string   // id or path of a build, empty for the chosen one
	LogPath   string   // empty: the usual place
	Verbose   bool
}

// A TourRequest is what `paddock tour` asks of the window.
type TourRequest struct {
	Request
	Dir   string // where screenshots and tour.json go
	Model string // a model's path, empty for the starter
	Shots bool   // take every screen in both themes and both sizes
}

// Hooks are what the command line can't do itself: it never reaches the window.
type Hooks struct {
	Version       string               // of the program
	Commit        string               // it was made from, empty when that is not known
	BundledEngine string               // folder of the bundle beside the program, empty when there is none
	Apps          func() []library.App // whose models are found too; nil for those of this machine
	Window        func(context.Context, Request) error
	Tour          func(context.Context, TourRequest) error
}

func (h Hooks) apps() []library.App {
	if h.Apps != nil {
		return h.Apps()
	}
	return library.Apps(library.Here())
}
