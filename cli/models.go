package cli

import (
	"errors"
	"io/fs"
	"os"
	"strings"
	"text/tabwriter"

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
	Problem       string     `json:"problem"`
}

// companions are the files that load beside a model. Nothing pairs them yet.
type companions struct {
	Projectors []string `json:"projectors"`
	Drafts     []string `json:"drafts"`
	MTP        []string `json:"mtp"`
}

func rowOf(m library.Model) modelRow {
	row := modelRow{
		Path: m.Files[0], Name: m.Facts.Name, Kind: string(m.Facts.Kind), Architecture: m.Facts.Architecture,
		Parameters: m.Facts.Parameters, Quantisation: m.Facts.Quantisation, SizeBytes: m.SizeBytes,
		ContextTokens: m.Facts.ContextTokens, Capabilities: m.Capabilities,
		Files: m.Files, Missing: m.Missing,
		Companions: companions{[]string{}, []string{}, []string{}},
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
	rows := []modelRow{}
	err = library.Scan(s.ctx, sources, func(m library.Model) { rows = append(rows, rowOf(m)) })
	err = errors.Join(append(missing, err)...)
	if err != nil && len(rows) == 0 {
		return err
	}
	if s.JSON {
		s.write(rows)
	} else {
		s.printModels(rows)
	}
	return s.folderProblems(err)
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
		return sources, missing, nil
	}
	store, err := s.store()
	if err != nil {
		return sources, nil, err
	}
	settings := store.Get()
	return library.Sources{Folders: settings.ModelFolders, Files: settings.ModelFiles}, nil, nil
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

func (s *session) printModels(rows []modelRow) {
	if len(rows) == 0 {
		s.print("%s\n", words.T("cli.models.none"))
		return
	}
	table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	line := func(cells ...string) {
		for i, cell := range cells {
			cells[i] = gguf.Printable(cell)
		}
		// A terminal that has gone away is nobody's failure.
		_, _ = table.Write([]byte(strings.Join(cells, "\t") + "\n"))
	}
	line(words.T("cli.models.name"), words.T("cli.models.architecture"), words.T("cli.models.parameters"),
		words.T("cli.models.quantisation"), words.T("cli.models.size"), words.T("cli.models.context"),
		words.T("cli.models.can"), words.T("cli.models.path"))
	for _, row := range rows {
		can := strings.Join(row.Capabilities, ", ")
		if row.Problem != "" {
			can = row.Problem
		}
		context := ""
		if row.ContextTokens > 0 {
			context = words.Count(row.ContextTokens)
		}
		line(row.Name, row.Architecture, words.Parameters(row.Parameters), row.Quantisation,
			words.GiB(row.SizeBytes), context, can, row.Path)
	}
	_ = table.Flush()
}
