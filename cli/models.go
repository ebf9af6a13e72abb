package cli

import (
	"errors"
	"io/fs"
	"os"
	"slices"

	"paddock/config"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/words"
)

type modelsCommand struct {
	Paths []string `arg:"" optional:"" name:"path" help:"${modelsPaths}"`
}

// A modelRow is a model as JSON.
type modelRow struct {
	Path          string     `json:"path"`
	Name          string     `json:"name"`
	Kind          string     `json:"kind"`
	Architecture  string     `json:"architecture"`
	Parameters    uint64     `json:"parameters"`
	Quantisation  string     `json:"quantisation"`
	SizeBytes     uint64     `json:"sizeBytes"`
	ContextTokens int        `json:"contextTokens"`
	Capabilities  []string   `json:"capabilities"`
	Files         []string   `json:"files"`
	Missing       []string   `json:"missing"`
	Companions    companions `json:"companions"`
	Source        string     `json:"source"` // id of the app, or folder, it was found in; empty for a file by itself
	Alias         string     `json:"alias"`  // what that app calls it
	Problem       string     `json:"problem"`
}

// companions are the files that load beside a model, the best first.
type companions struct {
	Projectors []string `json:"projectors"`
	Drafts     []string `json:"drafts"`
	MTP        []string `json:"mtp"`
	LoRA       []string `json:"lora"`
}

func companionsOf(c library.Companions) companions {
	paths := func(list []library.Companion) []string {
		all := []string{}
		for _, one := range list {
			all = append(all, one.Path)
		}
		return all
	}
	return companions{paths(c.Projectors), paths(c.Drafts), paths(c.MTP), paths(c.LoRA)}
}

// pairedRow is a model with what works beside it.
func pairedRow(m library.Model, c library.Companions) modelRow {
	row := modelRow{
		Path: m.Files[0], Name: m.Facts.Name, Kind: string(m.Facts.Kind), Architecture: m.Facts.Architecture,
		Parameters: m.Facts.Parameters, Quantisation: m.Facts.Quantisation, SizeBytes: m.SizeBytes,
		ContextTokens: m.Facts.ContextTokens, Capabilities: c.Capabilities(m),
		Files: m.Files, Missing: m.Missing,
		Companions: companionsOf(c), Source: m.Source, Alias: m.Alias,
	}
	if row.Missing == nil {
		row.Missing = []string{}
	}
	if m.Problem != nil {
		row.Problem = words.Error(m.Problem).Message
	}
	return row
}

func (c *modelsCommand) Run(s *session) error {
	sources, missing, err := c.sources(s)
	if err != nil {
		return err
	}
	var models []library.Model
	scanner := new(library.Scanner)
	if len(c.Paths) == 0 {
		scanner = s.scanner()
	}
	err = scanner.Scan(s.ctx, sources, func(m library.Model) { models = append(models, m) })
	err = errors.Join(append(missing, err)...)
	if err != nil && len(models) == 0 {
		return err
	}
	pairs := library.Pair(models)
	rows := []modelRow{}
	for _, m := range models {
		rows = append(rows, pairedRow(m, pairs[m.Files[0]]))
	}
	if len(c.Paths) > 0 && len(sources.Folders) == 0 && s.ctx.Err() == nil {
		if problems, all := problemsOf(models); all {
			return s.noModels(append(missing, problems...), rows)
		}
	}
	if s.JSON {
		s.write(rows)
	} else {
		s.printModels(models, pairs)
	}
	return s.folderProblems(err)
}

// problemsOf are what is wrong with models, and whether something is with all of
// them.
func problemsOf(models []library.Model) (problems []error, all bool) {
	for _, m := range models {
		if m.Problem != nil {
			problems = append(problems, m.Problem)
		}
	}
	return problems, len(problems) == len(models)
}

// noModels says that nothing of what was named is a model. With --json the
// document of the first error has the rows too.
func (s *session) noModels(problems []error, rows []modelRow) error {
	for _, problem := range problems {
		sentence, _ := describe(problem)
		s.complain(sentence)
	}
	if s.JSON {
		s.write(map[string]any{"error": errorOf(problems[0]), "models": rows})
	}
	return statusError(Failed)
}

// sources are where to look, and what was named and is not there.
func (c *modelsCommand) sources(s *session) (sources library.Sources, missing []error, err error) {
	for _, path := range c.Paths {
		path = onDisk(path)
		info, err := os.Stat(path)
		switch {
		case errors.Is(err, fs.ErrNotExist):
			missing = append(missing, &gguf.Error{Path: path, Problem: gguf.Missing, Err: err})
		case err == nil && info.IsDir():
			sources.Folders = append(sources.Folders, path)
		default:
			sources.Files = append(sources.Files, path)
		}
	}
	if len(c.Paths) > 0 {
		s.tryFolders()
		return sources, missing, nil
	}
	store, err := s.store()
	if err != nil {
		return sources, nil, err
	}
	return s.ownSources(store.Get()), nil, nil
}

// tryFolders says what is wrong with the folders --config names, where nothing in
// them is needed.
func (s *session) tryFolders() {
	if s.Config == "" {
		return
	}
	if _, err := s.store(); err != nil { // what it works around it says itself
		s.complain(words.Error(err))
	}
}

// ownSources are the user's folders and files, and the apps that are not switched
// off.
func (s *session) ownSources(settings config.Config) library.Sources {
	off := func(app library.App) bool { return slices.Contains(settings.AppsOff, app.ID) }
	return library.Sources{
		Folders: settings.ModelFolders, Files: settings.ModelFiles,
		Apps: slices.DeleteFunc(s.hooks.apps(), off),
	}
}

// scanner is one that remembers what it read before when the user's own models
// are looked for.
func (s *session) scanner() *library.Scanner {
	if s.config == nil {
		return new(library.Scanner)
	}
	cache, err := library.OpenCache(library.CachePath(s.config.Folders().Cache))
	if err != nil {
		s.log.WithError(err).Warn("what was known of models can't be read")
	}
	return &library.Scanner{Cache: cache}
}

// folderProblems says which folders could not be read, and which files are not
// there, beside the models that were found.
func (s *session) folderProblems(err error) error {
	if err == nil {
		return nil
	}
	joined, several := err.(interface{ Unwrap() []error })
	if !several {
		s.complain(words.Error(err))
		return statusError(Failed)
	}
	for _, problem := range joined.Unwrap() {
		_ = s.folderProblems(problem) // the status is the same
	}
	return statusError(Failed)
}
