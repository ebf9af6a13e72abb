// Package settings is the tab for what holds everywhere: model folders, engine
// builds, the theme and where Paddock keeps its files.
package settings

import (
	"slices"
	"strings"

	"paddock/config"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/words"
)

// A State is everything the tab shows at one moment.
type State struct {
	Theme   string // "system", "dark" or "light"
	Load    bool   // the model used last is loaded at the start
	Folders []Folder
	Files   int // models opened one by one

	Mirror        string // the hub's address, empty for the hub itself
	MirrorProblem string // why what was typed is none

	Apps    []App    // nil until they are known
	Out     []Folder // files taken out of the list of models
	Engines []Engine
	Looking bool // builds are being looked for
	Problem string
	Places  []Place
}

// A Folder is scanned for models. A file has the same to show.
type Folder struct {
	Path  string
	Shown string // the path as people write it
}

// An Engine is one engine build.
type Engine struct {
	ID      string
	Path    string
	Shown   string // the path as people write it
	Name    string // "llama.cpp b11669"
	About   string // version, backends
	Source  string
	Chosen  bool
	Usable  bool
	Added   bool   // by the user, so it can be removed
	Verdict string // the self-test's result, or why it can't be used
}

// A Place is a folder Paddock keeps its own files in.
type Place struct{ Name, Path, Shown string }

// shown are paths as people write them.
func shown(paths []string) []Folder {
	list := make([]Folder, len(paths))
	for i, path := range paths {
		list[i] = Folder{path, words.Path(path)}
	}
	return list
}

// engines describes the builds. The chosen one is the one the configuration
// names, or else the first that works.
func engines(builds []build.Build, c config.Config) []Engine {
	chosen := ""
	if b, err := build.Choose(builds, c.Engine); err == nil {
		chosen = b.ID
	} else if b, err := build.Choose(builds, ""); err == nil {
		chosen = b.ID
	}
	list := make([]Engine, len(builds))
	for i, b := range builds {
		e := Engine{
			ID: b.ID, Path: b.Path, Shown: words.Path(b.Path),
			Name:   words.T("settings.engine.name", map[string]any{"Number": b.Number}),
			About:  about(b),
			Source: words.T("settings.source." + string(b.Source)),
			Usable: b.Problem == "",
			Added:  b.Source == build.Added,
		}
		e.Chosen = e.Usable && b.ID == chosen
		switch {
		case !e.Usable:
			e.Name = words.T("settings.engine.broken")
			e.Verdict = words.Error(b.Err()).Text()
		case b.Proven:
			e.Verdict = words.T("settings.engine.proven")
		default:
			e.Verdict = words.T("settings.engine.unproven")
		}
		list[i] = e
	}
	return list
}

func about(b build.Build) string {
	var parts []string
	if b.Version != "" {
		parts = append(parts, words.T("settings.engine.version", map[string]any{"Version": gguf.Printable(b.Version)}))
	}
	if len(b.Backends) > 0 {
		parts = append(parts, strings.Join(b.Backends, ", "))
	}
	return strings.Join(parts, " · ")
}

func places(f config.Folders) []Place {
	return []Place{
		{words.T("settings.place.config"), f.Config, words.Path(f.Config)},
		{words.T("settings.place.log"), f.Log, words.Path(f.Log)},
	}
}

// addPath adds a path to a list once.
func addPath(list []string, path string) []string {
	if slices.Contains(list, path) {
		return list
	}
	return append(list, path)
}

// covers says whether an added path, of a build's folder or program, is that of
// a build.
func covers(added, program string) bool {
	return added == program || strings.HasPrefix(program, strings.TrimSuffix(added, "/")+"/")
}
