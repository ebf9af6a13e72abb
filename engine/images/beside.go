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
	// suffix (photo.jpg.txt), because another is called the same but for that.
	LongNames int

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
	Errors []error // *Error of files that could not be written; with Full it ended there
}

// PlanBeside is what an export of the texts would do. It reads the files that are there.
func (s *Set) PlanBeside(ctx context.Context) (Beside, error) {
	var b Beside
	names := map[string]int{}
	items := s.State().Items
	for _, item := range items {
		if !item.Pasted {
			names[short(item.Path)]++
		}
	}
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
		f := besideFile{path: strings.TrimSuffix(item.Path, filepath.Ext(item.Path)) + ".txt", text: item.Text + "\n"}
		if names[short(item.Path)] > 1 {
			f.path = item.Path + ".txt"
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

// short is a path without its suffix, as a disk sees it that knows no case.
func short(path string) string {
	return strings.ToLower(strings.TrimSuffix(path, filepath.Ext(path)))
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
	var w Written
	for _, f := range b.files {
		if err := ctx.Err(); err != nil {
			return w, err
		}
		var err error
		switch {
		case f.same:
			continue
		case overwrite:
			err = replaceFile(f.path, []byte(f.text), modeOf(f.path))
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

// modeOf is what a file that is written anew may be used for: the same as before.
func modeOf(path string) fs.FileMode {
	if info, err := os.Stat(path); err == nil {
		return info.Mode().Perm()
	}
	return 0o666
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
