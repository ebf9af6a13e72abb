package settings

import (
	"slices"
	"strings"

	"paddock/config"
	"paddock/engine/build"
	"paddock/engine/hub"
	"paddock/engine/library"
	"paddock/words"
)

// Store is what the tab needs of the configuration.
type Store interface {
	Folders() config.Folders
	Get() config.Config
	Later(change func(*config.Config), done func(error))
}

// Hooks are what the tab asks of the rest of the program.
type Hooks struct {
	Do           func(func()) // runs a function on the UI goroutine, later
	ApplyTheme   func(variant string)
	LookForBuild func()               // looks for engine builds again; they come by SetBuilds
	Apps         func() []library.App // where other apps keep models; takes a moment; nil for none
}

// A Presenter changes the configuration and shows it. Its methods belong to the
// UI goroutine; the configuration is written beside it.
type Presenter struct {
	store Store
	hooks Hooks
	show  func(State)

	builds  []build.Build
	apps    []App // without whether they are on
	looking bool
	problem string

	mirrorProblem string
}

// NewPresenter makes a presenter.
func NewPresenter(store Store, hooks Hooks, show func(State)) *Presenter {
	return &Presenter{store: store, hooks: hooks, show: show, looking: true}
}

// State is what is shown now.
func (p *Presenter) State() State {
	c := p.store.Get()
	return State{
		Theme:   c.Theme,
		Load:    c.LoadAtStart,
		Folders: shown(c.ModelFolders),
		Files:   len(c.ModelFiles),

		Mirror: c.HubMirror, MirrorProblem: p.mirrorProblem,

		Apps:    switched(p.apps, c),
		Out:     shown(c.Forgotten),
		Engines: engines(p.builds, c),
		Looking: p.looking,
		Problem: p.problem,
		Places:  places(p.store.Folders()),
	}
}

// Refresh draws the state as it is now.
func (p *Presenter) Refresh() { p.show(p.State()) }

// SetBuilds takes the engine builds there are.
func (p *Presenter) SetBuilds(builds []build.Build) {
	p.builds, p.looking = builds, false
	p.Refresh()
}

// SetTheme changes the theme at once and remembers it.
func (p *Presenter) SetTheme(variant string) {
	p.hooks.ApplyTheme(variant)
	p.update(func(c *config.Config) { c.Theme = variant }, nil)
}

// SetLoadAtStart has the model used last loaded when the window opens, or only
// offered.
func (p *Presenter) SetLoadAtStart(on bool) {
	p.update(func(c *config.Config) { c.LoadAtStart = on }, nil)
}

// AddFolder adds a folder to be scanned for models.
func (p *Presenter) AddFolder(path string) {
	p.update(func(c *config.Config) { c.ModelFolders = addPath(c.ModelFolders, path) }, nil)
}

// RemoveFolder takes a folder off the list. Nothing in it is touched.
func (p *Presenter) RemoveFolder(path string) {
	p.update(func(c *config.Config) {
		c.ModelFolders = slices.DeleteFunc(c.ModelFolders, func(f string) bool { return f == path })
	}, nil)
}

// SetMirror is the address models are searched at from now on, empty for the hub
// itself. One that is no address is said, and not kept.
func (p *Presenter) SetMirror(address string) {
	address = strings.TrimSpace(address)
	if address == p.store.Get().HubMirror {
		p.mirrorProblem = ""
		p.Refresh()
		return
	}
	if address != "" {
		if err := hub.CheckMirror(address); err != nil {
			p.mirrorProblem = words.Error(err).Text()
			p.Refresh()
			return
		}
	}
	p.update(func(c *config.Config) { c.HubMirror = address }, func() {
		p.mirrorProblem = ""
		p.Refresh()
	})
}

// ForgetFiles takes the models that were opened one by one off the list.
func (p *Presenter) ForgetFiles() {
	p.update(func(c *config.Config) { c.ModelFiles = nil }, nil)
}

// ChooseEngine prefers a build from now on.
func (p *Presenter) ChooseEngine(id string) {
	p.update(func(c *config.Config) { c.Engine = id }, nil)
}

// AddEngine adds a build by the path of llama-server or of its folder.
func (p *Presenter) AddEngine(path string) {
	p.look(func(c *config.Config) { c.Engines = addPath(c.Engines, path) })
}

// RemoveEngine forgets a build the user added. Nothing of it is touched.
func (p *Presenter) RemoveEngine(e Engine) {
	p.look(func(c *config.Config) {
		c.Engines = slices.DeleteFunc(c.Engines, func(path string) bool { return covers(path, e.Path) })
		if c.Engine == e.ID {
			c.Engine = ""
		}
	})
}

// LookAgain looks for builds again.
func (p *Presenter) LookAgain() {
	p.looking = true
	p.Refresh()
	p.hooks.LookForBuild()
}

// Fail says what went wrong in something the tab was asked to do.
func (p *Presenter) Fail(err error) {
	p.problem = words.Error(err).Text()
	p.Refresh()
}

func (p *Presenter) look(edit func(*config.Config)) {
	p.looking = true
	p.update(edit, p.hooks.LookForBuild)
}

// update makes a change of the configuration. It is written beside the UI goroutine;
// then it is shown, and what follows from it is done.
func (p *Presenter) update(edit func(*config.Config), then func()) {
	p.store.Later(edit, func(err error) {
		p.hooks.Do(func() {
			p.problem = ""
			if err != nil {
				p.problem = words.Error(err).Text()
			}
			p.Refresh()
			if then != nil {
				then()
			}
		})
	})
}
