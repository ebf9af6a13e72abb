// Package librarytest makes a tree of files with everything in it that a library
// of models may meet: whole models of every kind and broken ones, the stores of
// other apps, links in circles, names nobody would think of. It says what a right
// scan finds there.
package librarytest

import (
	"cmp"
	"errors"
	"slices"

	"paddock/engine/gguf"
	"paddock/engine/library"
)

// Expected is what a right scan of a tree finds.
type Expected struct {
	Sources     library.Sources     // all there is to be scanned
	Environment library.Environment // of the made-up home the apps' folders are in
	Files       int                 // files and links in the tree
	Rows        []Row               // by path
	Folders     []Folder            // that can't be read, by path
}

// A Row is what is expected of a library.Model.
type Row struct {
	Path    string // of the first file
	Source  string
	Alias   string
	Kind    gguf.Kind // empty beside a problem
	Problem string    // a gguf.Problem or library.FileProblem
	Files   int
	Missing []string
}

// A Folder is what is expected of a library.FolderError.
type Folder struct {
	Path string
	Kind library.FolderKind
}

// RowOf is a model as it is compared with what was expected.
func RowOf(m library.Model) Row {
	row := Row{Path: m.Files[0], Source: m.Source, Alias: m.Alias, Kind: m.Facts.Kind, Files: len(m.Files), Missing: m.Missing}
	if m.Problem == nil {
		return row
	}
	row.Kind, row.Problem = "", "of an unknown kind: "+m.Problem.Error()
	var header *gguf.Error
	var file *library.FileError
	switch {
	case errors.As(m.Problem, &header):
		row.Problem = string(header.Problem)
	case errors.As(m.Problem, &file):
		row.Problem = string(file.Problem)
	}
	return row
}

// FoldersOf are the folders an error of a scan speaks of, by path.
func FoldersOf(err error) []Folder {
	var found []Folder
	var visit func(error)
	visit = func(err error) {
		var folder *library.FolderError
		if joined, several := err.(interface{ Unwrap() []error }); several {
			for _, e := range joined.Unwrap() {
				visit(e)
			}
		} else if errors.As(err, &folder) {
			found = append(found, Folder{folder.Path, folder.Kind})
		}
	}
	visit(err)
	slices.SortFunc(found, func(a, b Folder) int { return cmp.Compare(a.Path, b.Path) })
	return found
}

// SortRows puts rows in the order of Expected.Rows.
func SortRows(rows []Row) {
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Path, b.Path) })
}
