// Package models is the tab that lists the GGUF files Paddock knows, says what
// each one is, and hands the chosen one to Set up and load.
package models

import (
	"cmp"
	"errors"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"

	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/words"
)

// A State is everything the tab shows at one moment. It is a value: the
// presenter makes a new one for every change and never writes to an old one.
type State struct {
	Rows     []Row    // what passes the filter, in order
	Sources  []Source // the chips, All first
	Source   string   // id of the chosen chip
	Filter   string
	Sort     Sort
	Selected Row  // the zero Row when nothing is selected
	At       int  // index of Selected in Rows, -1 when it is not among them
	First    bool // the user has no models yet, but for the built-in one
	Scanning bool // models may still be added to Rows
	Scan     Progress
	Total    Totals
	Notice   string // a sentence about the last thing that went wrong
}

// A Progress is how far a scan has come.
type Progress struct {
	Folder string // where the last file was found, as the user reads it
	Files  int
}

// Totals count every model known, whatever the filter hides.
type Totals struct {
	Models     int
	Companions int
	SizeBytes  uint64
}

// A Source is one chip: all models, those of one folder, or those opened one by
// one.
type Source struct {
	ID    string // sourceAll, sourceOpened, sourceBuiltIn or a folder's path
	Label string
	Count int
}

// The sources that are not a folder.
const (
	sourceAll     = ""
	sourceOpened  = "opened"
	sourceBuiltIn = "built in"
)

// Empty says why there are no rows to show.
type Empty int

// The reasons.
const (
	NotEmpty     Empty = iota
	FirstStart         // nothing was ever added
	NothingFound       // the folders hold no GGUF file
	NoMatch            // the filter hides everything
)

// Empty is why there are no rows, NotEmpty while there are some or while a scan
// may still bring them.
func (s State) Empty() Empty {
	switch {
	case s.First:
		return FirstStart
	case len(s.Rows) > 0:
		return NotEmpty
	case s.Total.Models+s.Total.Companions > 0:
		return NoMatch
	case s.Scanning:
		return NotEmpty
	default:
		return NothingFound
	}
}

// A Row is one model or companion, with its cells as they are shown.
type Row struct {
	Path         string // of its first file; what the row is known by
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
	Companion    bool   // works beside a model, not alone
	Model        library.Model

	searchable string // see searchable
}

// Known says whether the row stands for a file at all.
func (r Row) Known() bool { return r.Path != "" }

// newRow writes the cells of a model found in one of the folders, or opened by
// itself when none of them holds it.
func newRow(m library.Model, folders []string) Row {
	f := m.Facts
	r := Row{
		Path:         f.Path,
		Name:         gguf.Printable(f.Name),
		Architecture: gguf.Printable(f.Architecture),
		Quantisation: gguf.Printable(f.Quantisation),
		Size:         words.GiB(m.SizeBytes),
		Badges:       m.Capabilities,
		Source:       sourceOpened,
		Model:        m,
	}
	if r.Path == "" && len(m.Files) > 0 {
		r.Path = m.Files[0]
	}
	r.Where = place(filepath.Dir(r.Path))
	for _, folder := range folders {
		if within(r.Path, folder) {
			r.Source = folder
			r.Where = place(folder)
			break
		}
	}
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
	switch refusals := plan.Check(plan.Plan{}, f, 0).Refusals; {
	case m.Problem != nil:
		sentence := words.Error(m.Problem)
		r.Off = sentence.Message + " " + sentence.Remedy
		r.Problem = cmp.Or(missingParts(m.Missing), shortProblem(m.Problem), sentence.Message)
	case len(refusals) > 0:
		sentence := words.Finding(refusals[0])
		r.Off = sentence.Message + " " + sentence.Remedy
	}
	r.searchable = searchable(r)
	return r
}

// shortProblem says what is wrong with a file in a few words: the row has its
// name already.
func shortProblem(problem error) string {
	var file *gguf.Error
	if !errors.As(problem, &file) {
		return ""
	}
	data := map[string]any{"GiB": ""}
	if file.MissingBytes > 0 {
		data["GiB"] = words.GiB(file.MissingBytes)
	}
	return words.T("models.problem."+string(file.Problem), data)
}

var partName = regexp.MustCompile(`-(\d{5})-of-(\d{5})\.(?i:gguf)$`)

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
	data := map[string]any{"Parts": strings.Join(parts, ", "), "Count": count}
	switch len(parts) {
	case 0:
		return ""
	case 1:
		return words.T("models.missing.part", data)
	default:
		return words.T("models.missing.parts", data)
	}
}

// within says whether a file is somewhere under a folder.
func within(path, folder string) bool {
	rest, ok := strings.CutPrefix(path, strings.TrimSuffix(folder, string(filepath.Separator)))
	return ok && strings.HasPrefix(rest, string(filepath.Separator))
}

// place is a folder in the few letters a column has: its end tells more than
// its beginning.
func place(folder string) string {
	shown := words.Path(folder)
	if strings.Count(shown, string(filepath.Separator)) > 1 {
		shown = "…" + string(filepath.Separator) + filepath.Base(shown)
	}
	return shown
}
