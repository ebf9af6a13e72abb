package images

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// Beside is what an export of a .txt beside each picture would do.
type Beside struct {
	New       int // files that are not there yet
	Same      int // that say the same already
	Overwrite int // that say something else
	Without   int // pictures that have no text
	Pasted    int // that have one, and are no file to write beside
	// LongNames are of the pictures with a text those whose file keeps the picture's
	// suffix (photo.jpg.txt), because the shorter name is not theirs alone.
	LongNames int
	// Errors are of pictures with a text that has no name of its own: *Error with Taken.
	Errors []error

	files []besideFile
}

type besideFile struct {
	path string
	text string
	same bool
	over bool
}

// Written is what became of an export.
type Written struct {
	Files  int     // written
	Kept   int     // left as they were, because they say something else
	Errors []error // those of the plan, and *Error of files that could not be written; with Full it ended there
}

// PlanBeside is what an export of the texts would do. It reads the files that are there.
func (s *Set) PlanBeside(ctx context.Context) (Beside, error) {
	var b Beside
	items := s.State().Items
	names := besideNames(items)
	for _, item := range items {
		switch {
		case ctx.Err() != nil:
			return b, ctx.Err()
		case item.Text == "":
			b.Without++
			continue
		case item.Pasted:
			b.Pasted++
			continue
		}
		name := names[item.ID]
		if name == "" {
			b.Errors = append(b.Errors, &Error{Problem: Taken, Path: item.Path})
			continue
		}
		f := besideFile{path: name, text: item.Text + "\n"}
		if name != shortName(item.Path) {
			b.LongNames++
		}
		switch there, is := readUpTo(f.path, len(f.text)+1); {
		case !is:
			b.New++
		case there == f.text:
			f.same = true
			b.Same++
		default:
			f.over = true
			b.Overwrite++
		}
		b.files = append(b.files, f)
	}
	return b, nil
}

// besideNames are where the pictures' texts go: none is a picture, and none is two texts'.
// Those are empty that have no such name. What a text is called does not depend on which
// others there are by now, nor on the order of the pictures.
func besideNames(items []*Item) map[ID]string {
	pictures, shorts := map[string]bool{}, map[string]int{}
	for _, item := range items {
		pictures[folded(item.Path)] = true
		if !item.Pasted {
			shorts[folded(shortName(item.Path))]++
		}
	}
	// What is in the way of a short name is a longer name of a shorter path.
	items = slices.Clone(items)
	slices.SortStableFunc(items, func(a, b *Item) int { return len(folded(a.Path)) - len(folded(b.Path)) })
	names, taken := map[ID]string{}, map[string]*Item{}
	for _, item := range items {
		if item.Pasted {
			continue
		}
		name := shortName(item.Path)
		if key := folded(name); shorts[key] > 1 || pictures[key] || taken[key] != nil {
			name = item.Path + ".txt"
		}
		key := folded(name)
		if other := taken[key]; pictures[key] || other != nil && !twins(other.Path, item.Path) {
			continue
		}
		names[item.ID], taken[key] = name, item
	}
	return names
}

func shortName(path string) string { return strings.TrimSuffix(path, filepath.Ext(path)) + ".txt" }

// folded is a path as a disk sees it that knows no case.
func folded(path string) string { return strings.ToLower(path) }

// twins says whether two paths that differ in their case only are two files: then the disk
// knows case, and tells apart what is called after them.
func twins(a, b string) bool {
	first, errA := os.Stat(a)
	second, errB := os.Stat(b)
	return errA == nil && errB == nil && !os.SameFile(first, second)
}

// readUpTo is the start of a file, and whether there is anything of that name.
func readUpTo(path string, limit int) (string, bool) {
	info, err := os.Stat(path)
	if err != nil {
		_, err := os.Lstat(path) // a link to nothing, or what we may not look at
		return "", !errors.Is(err, fs.ErrNotExist)
	}
	if !info.Mode().IsRegular() || info.Size() >= int64(limit) {
		return "", true
	}
	text, err := os.ReadFile(path)
	if err != nil {
		return "", true
	}
	return string(text), true
}

// Write does what was planned. Each file is written whole or not at all, and one
// that is there and says something else only with overwrite, also when it came
// since the plan.
func (b Beside) Write(ctx context.Context, overwrite bool) (Written, error) {
	w := Written{Errors: slices.Clone(b.Errors)}
	for _, f := range b.files {
		if err := ctx.Err(); err != nil {
			return w, err
		}
		var err error
		switch {
		case f.same:
			continue
		case overwrite:
			err = overwriteFile(f.path, []byte(f.text))
		case f.over:
			w.Kept++
			continue
		default:
			err = createFile(f.path, []byte(f.text), 0o666)
		}
		var failed *Error
		switch {
		case err == nil:
			w.Files++
		case errors.Is(err, fs.ErrExist):
			w.Kept++
		default:
			w.Errors = append(w.Errors, err)
		}
		if errors.As(err, &failed) && failed.Problem == Full {
			return w, nil
		}
	}
	return w, nil
}

// Texts are all texts of some pictures, nil for all, in their order and with an
// empty line between: for the clipboard.
func (s *Set) Texts(ids []ID) string {
	var texts []string
	for _, item := range s.State().Items {
		if item.Text != "" && (ids == nil || slices.Contains(ids, item.ID)) {
			texts = append(texts, item.Text)
		}
	}
	return strings.Join(texts, "\n\n")
}
