package cli

import (
	"context"
	"os"
	"path/filepath"
	"strings"
	"unicode/utf8"

	"paddock/config"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/starter"
)

// guide is the MODEL that means the built-in one.
const guide = "guide"

// store opens the configuration. What is wrong with it and can be worked around
// is said, and no failure.
func (s *session) store() (*config.Store, error) {
	if s.config != nil {
		return s.config, nil
	}
	store, err := config.Open(s.Config)
	if err != nil {
		return nil, err
	}
	if problem := store.Problem(); problem != nil {
		sentence, _ := describe(problem)
		s.complain(sentence)
	}
	s.config = store
	return store, nil
}

// model is what MODEL means: a path, or a name from the library. What looks like a
// path and is none may still be what another app calls a model: ana/mine:v2.
func (s *session) model(name string) (library.Model, error) {
	if strings.EqualFold(name, guide) {
		store, err := s.store()
		if err != nil {
			return library.Model{}, err
		}
		if name, err = starter.Install(store.Folders().Cache); err != nil {
			return library.Model{}, err
		}
	}
	name = onDisk(name)
	byPath := func() (library.Model, error) {
		m := library.One(name)
		return m, m.Problem
	}
	looksLikePath := isPath(name)
	if looksLikePath && !mayBeAlias(name) {
		return byPath()
	}
	store, err := s.store()
	if err != nil {
		return library.Model{}, err
	}
	ctx, found := context.WithCancel(s.ctx)
	defer found()
	var match *library.Model
	sources := s.ownSources(store.Get())
	err = s.scanner().Scan(ctx, sources, func(m library.Model) {
		if named(m, name) && (!looksLikePath || strings.EqualFold(m.Alias, name)) {
			match = &m
			found()
		}
	})
	switch {
	case match != nil:
		return *match, match.Problem
	case s.ctx.Err() != nil:
		return library.Model{}, err
	case looksLikePath:
		return byPath()
	}
	return library.Model{}, modelError{"cli.unknown-model", name}
}

// isPath tells a path from a name: it is there, or looks like one.
func isPath(name string) bool {
	if _, err := os.Stat(name); err == nil {
		return true
	}
	return strings.ContainsRune(name, filepath.Separator) || strings.Contains(name, "/") ||
		strings.EqualFold(filepath.Ext(name), ".gguf")
}

// mayBeAlias says whether a name with a slash that is no path here could be an
// app's name for a model: that of a place from the root or from here can't.
func mayBeAlias(name string) bool {
	_, err := os.Stat(name) // which for Windows is no name when it has a colon
	return err != nil && !filepath.IsAbs(name) && !strings.HasPrefix(name, ".")
}

// onDisk is a path as the file system has it. Where a file's name is no UTF-8,
// the parser of arguments, like JSON, puts U+FFFD for each byte that is not.
func onDisk(path string) string {
	if !strings.ContainsRune(path, utf8.RuneError) {
		return path
	}
	if _, err := os.Lstat(path); err == nil {
		return path
	}
	folder, name := filepath.Split(path)
	entries, err := os.ReadDir(filepath.Clean(folder))
	if err != nil {
		return path // which is said not to be there
	}
	for _, entry := range entries {
		if string([]rune(entry.Name())) == name {
			return folder + entry.Name()
		}
	}
	return path
}

func named(m library.Model, name string) bool {
	file := filepath.Base(m.Facts.Path)
	if strings.EqualFold(m.Alias, name) { // which the files beside it have too
		return m.Facts.Kind == gguf.Model
	}
	return strings.EqualFold(m.Facts.Name, name) || strings.EqualFold(strings.TrimSuffix(file, filepath.Ext(file)), name)
}

// builds are all engine builds of this machine.
func (s *session) builds() ([]build.Build, error) {
	store, err := s.store()
	if err != nil {
		return nil, err
	}
	return build.Find(s.ctx, build.Places{Bundled: s.hooks.BundledEngine, Path: true, Added: store.Get().Engines}), nil
}

// build is the engine build to use: the one --engine names, or the one chosen in
// the settings, or the first that works.
func (s *session) build() (build.Build, error) {
	if build.IsPath(s.Engine) {
		b := build.Identify(s.ctx, s.Engine, build.Added)
		return b, b.Err()
	}
	builds, err := s.builds()
	if err != nil {
		return build.Build{}, err
	}
	if s.Engine != "" {
		return build.Choose(builds, s.Engine)
	}
	if id := s.config.Get().Engine; id != "" {
		if b, err := build.Choose(builds, id); err == nil {
			return b, nil
		}
	}
	return build.Choose(builds, "")
}
