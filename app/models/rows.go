package models

import (
	"cmp"
	"errors"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"

	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/words"
)

// A Row is one model or companion, or a folder that can't be read, with its
// cells as they are shown.
type Row struct {
	Path         string // of its first file; what the row is known by
	Under        string // path of the model it is shown under, empty for a row of its own
	Name         string
	Architecture string
	Parameters   string
	Quantisation string
	Size         string
	Context      string
	Badges       []string // capabilities, by name
	Where        string
	Source       string // id of the source it came from
	Problem      string // why it can't be loaded, in words; empty when nothing is wrong
	Off          string // why Set up and load is off; empty when it is on
	Fits         string // why it is where it is: "fits this model"; empty for a model
	Companion    bool   // works beside a model, not alone
	Folder       bool   // a folder that can't be read, not a file
	Model        library.Model
	Works        []Work // what works beside it, or what it works beside
	MTP          library.MTPHead

	searchable string // see searchable
	folded     string // its name in lower case, to sort by
}

// A Work is a pair of files that work together, as a row's detail pane says it.
type Work struct {
	Path         string // of the other one
	Name         string
	Quantisation string
	Kind         string // of the companion, as a capability is called
	Reason       string // in words
}

// Known says whether the row stands for anything at all.
func (r *Row) Known() bool { return r.Path != "" }

// same says whether two rows stand for the same thing in the same place.
func (r *Row) same(other *Row) bool { return r.key() == other.key() && r.Under == other.Under }

// key is what a row is known by: what was added as a folder may be a file that is
// in the list as well.
func (r *Row) key() string {
	if r.Folder {
		return "folder " + r.Path
	}
	return r.Path
}

// A places is where models may have come from.
type places struct {
	folders []string
	files   []string // opened one by one
	apps    []library.App
	builtIn string // path of the model that comes with the program
}

// newRow writes the cells of a model. It takes a moment and needs no widgets.
func newRow(m library.Model, from places) Row {
	f := m.Facts
	r := Row{
		Path:         f.Path,
		Name:         nameOf(m),
		Architecture: gguf.Printable(f.Architecture),
		Quantisation: gguf.Printable(f.Quantisation),
		Size:         words.GiB(m.SizeBytes),
		Badges:       m.Capabilities,
		Model:        m,
	}
	if r.Path == "" && len(m.Files) > 0 {
		r.Path = m.Files[0]
	}
	r.Source, r.Where = from.of(m, r.Path)
	if r.Name == "" {
		r.Name = gguf.Printable(strings.TrimSuffix(filepath.Base(r.Path), ".gguf"))
	}
	if f.Parameters > 0 {
		r.Parameters = words.Parameters(f.Parameters)
	}
	if f.ContextTokens > 0 {
		r.Context = words.Count(f.ContextTokens)
	}
	r.Companion = m.Problem == nil && f.Kind != gguf.Model
	if r.Companion && len(r.Badges) == 0 {
		r.Badges = []string{string(f.Kind)}
	}
	switch refusals := plan.Check(plan.Plan{}, plan.Given{Model: f}).Refusals; {
	case m.Problem != nil:
		sentence := words.Error(m.Problem)
		r.Off = sentence.Text()
		r.Problem = cmp.Or(missingParts(m.Missing), shortProblem(m.Problem), sentence.Message)
	case len(refusals) > 0:
		r.Off = words.Finding(refusals[0]).Text()
	}
	r.folded = strings.ToLower(r.Name)
	r.searchable = searchable(r)
	return r
}

// newTrouble is the row of a folder that can't be read.
func newTrouble(e *library.FolderError, from places) Row {
	r := Row{Path: e.Path, Name: from.place(e.Path), Folder: true, Problem: words.T("models.folder." + string(e.Kind)),
		Off: words.Error(e).Text()}
	r.Source, r.Where = from.of(library.Model{}, e.Path)
	r.folded = strings.ToLower(r.Name)
	r.searchable = searchable(r)
	return r
}

// nameOf is what a model is called: by itself, or by the app it is of where its
// file has no name to speak of.
func nameOf(m library.Model) string {
	if m.Facts.Origin.Name == "" && m.Alias != "" {
		return gguf.Printable(m.Alias)
	}
	name := m.Facts.Name
	if m.Facts.Origin.Name == "" { // the file's own, which of a set says that it is a part
		name = partSuffix.ReplaceAllString(name, "")
	}
	return gguf.Printable(name)
}

// of is the source a file belongs to, and where that is in a few letters.
func (p places) of(m library.Model, path string) (source, where string) {
	if path == p.builtIn && path != "" {
		return sourceBuiltIn, words.T("models.source.builtIn")
	}
	for _, app := range p.apps {
		inApp := slices.ContainsFunc(app.Folders, func(folder string) bool { return path == folder || within(path, folder) })
		if m.Source == app.ID || m.Source == "" && inApp {
			return app.ID, appInShort(app)
		}
	}
	for _, folder := range p.folders {
		if m.Source == folder || path == folder || within(path, folder) {
			return folder, p.place(folder)
		}
	}
	return sourceOpened, p.place(filepath.Dir(path))
}

// appInShort is an app's name in the few letters a column has.
func appInShort(app library.App) string {
	switch app.ID {
	case library.HuggingFace, library.TextGen:
		return words.T("models.where." + app.ID)
	}
	return app.Name
}

// shortProblem says what is wrong with a file in a few words: the row has its
// name already.
func shortProblem(problem error) string {
	var other *library.FileError
	if errors.As(problem, &other) {
		return words.T("models.problem." + string(other.Problem))
	}
	var file *gguf.Error
	if !errors.As(problem, &file) {
		return ""
	}
	data := map[string]any{"GiB": "", "MiB": ""}
	switch n := file.MissingBytes; {
	case n >= 1<<30/10:
		data["GiB"] = words.GiB(n)
	case n > 0:
		data["MiB"] = words.MiB(n)
	}
	return words.T("models.problem."+string(file.Problem), data)
}

var partSuffix = regexp.MustCompile(`-\d{5}-of-\d{5}$`)

var partName = regexp.MustCompile(`-(\d{5})-of-(\d{5})\.(?i:gguf)$`)

// partsNamed is how many missing parts a row names.
const partsNamed = 3

// missingParts says which parts of a set are missing, empty when their names do
// not tell.
func missingParts(names []string) string {
	var parts []string
	count := 0
	for _, name := range names {
		found := partName.FindStringSubmatch(name)
		if found == nil {
			return ""
		}
		part, _ := strconv.Atoi(found[1]) // five digits
		count, _ = strconv.Atoi(found[2])
		parts = append(parts, strconv.Itoa(part))
	}
	data := map[string]any{"Parts": strings.Join(parts, ", "), "Missing": len(parts), "Count": count}
	switch n := len(parts); {
	case n == 0:
		return ""
	case n == 1:
		return words.T("models.missing.part", data)
	case n <= partsNamed:
		return words.T("models.missing.parts", data)
	}
	return words.T("models.missing.many", data)
}

// within says whether a file is somewhere under a folder.
func within(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator)))
	return ok && strings.HasPrefix(rest, string(filepath.Separator))
}

// place is a folder in the few letters a column has: its end tells more than
// its beginning.
func place(folder string) string { return ending(folder, 1) }

// ending is a path with so many parts of its end, whole where it has few more.
func ending(folder string, parts int) string {
	shown := words.Path(folder)
	const separator = string(filepath.Separator)
	all := strings.Split(shown, separator)
	if len(all) <= parts+1 {
		return shown
	}
	return "…" + separator + strings.Join(all[len(all)-parts:], separator)
}

// place is a folder as place has it, or with one more part where another folder
// of the list ends alike.
func (p places) place(folder string) string {
	short := place(folder)
	alike := func(other string) bool { return other != folder && place(other) == short }
	aside := func(file string) bool { return alike(filepath.Dir(file)) }
	if slices.ContainsFunc(p.folders, alike) || slices.ContainsFunc(p.files, aside) {
		return ending(folder, 2)
	}
	return short
}
