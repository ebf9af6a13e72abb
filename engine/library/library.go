// Package library finds models: it walks folders, reads the headers of GGUF
// files, and makes one row of every model, however many files it has.
package library

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"paddock/engine/gguf"
)

// Sources are where to look.
type Sources struct {
	Folders []string // searched to the bottom for *.gguf
	Files   []string // read whatever they are called
}

// A Model is one row: a file, or the parts of a split set. A file that can't be
// used is a row too, with its Problem.
type Model struct {
	Facts        gguf.Facts
	Files        []string // that are there, in order
	Missing      []string // names of the parts of its set that are not
	SizeBytes    uint64   // of Files
	Capabilities []string
	Folder       string
	Problem      error // a *gguf.Error, or nil
}

// A FolderError says which folder could not be read.
type FolderError struct {
	Path string
	Err  error
}

func (e *FolderError) Error() string { return fmt.Sprintf("folder %s: %v", e.Path, e.Err) }

func (e *FolderError) Unwrap() error { return e.Err }

// Scan calls found for every model as soon as it is read, on the calling
// goroutine. A file reached by two ways is found once. Folders that can't be
// read don't stop it; they are in the error, each a *FolderError. When ctx ends
// the error is its cause.
func Scan(ctx context.Context, sources Sources, found func(Model)) error {
	s := newScan(ctx, found)
	for _, file := range sources.Files {
		if s.ended() {
			break
		}
		s.file(absolute(file))
	}
	for _, folder := range sources.Folders {
		s.folder(absolute(folder))
	}
	if s.ended() {
		return context.Cause(ctx)
	}
	return errors.Join(s.problems...)
}

// One is the row of a single file, with the rest of its set.
func One(path string) Model {
	var model Model
	s := newScan(context.Background(), func(m Model) { model = m })
	s.file(absolute(path))
	return model
}

type scan struct {
	ctx      context.Context
	found    func(Model)
	folders  map[int64][]os.FileInfo // walked already, by time: links may lead in circles
	files    map[int64][]os.FileInfo // in rows already, by size
	problems []error
}

func newScan(ctx context.Context, found func(Model)) *scan {
	return &scan{ctx: ctx, found: found, folders: map[int64][]os.FileInfo{}, files: map[int64][]os.FileInfo{}}
}

func (s *scan) ended() bool { return s.ctx.Err() != nil }

// folder walks a folder and, through links too, those in it.
func (s *scan) folder(path string) {
	info, err := os.Stat(path)
	if err == nil && !info.IsDir() {
		err = fmt.Errorf("not a folder")
	}
	var entries []os.DirEntry
	if err == nil {
		if !first(s.folders, info.ModTime().UnixNano(), info) {
			return
		}
		entries, err = os.ReadDir(path)
	}
	if err != nil {
		s.problems = append(s.problems, &FolderError{path, err})
		return
	}

	var files []string
	var folders []string
	for _, entry := range entries {
		inside := filepath.Join(path, entry.Name())
		isDir := entry.IsDir()
		if entry.Type()&os.ModeSymlink != 0 {
			info, err := os.Stat(inside)
			isDir = err == nil && info.IsDir()
		}
		switch {
		case isDir:
			folders = append(folders, inside)
		case strings.EqualFold(filepath.Ext(inside), ".gguf"):
			files = append(files, inside)
		}
	}
	for _, set := range sets(files) {
		if s.ended() {
			return
		}
		s.row(set)
	}
	for _, inside := range folders {
		if s.ended() {
			return
		}
		s.folder(inside)
	}
}

// file reads a file given by itself, and what else there is of its set.
func (s *scan) file(path string) {
	name, ok := partName(path)
	if !ok {
		s.row(set{paths: []string{path}})
		return
	}
	whole := set{count: name.count}
	for i := range name.count {
		part := name.part(i)
		if _, err := os.Stat(part); err == nil {
			whole.paths = append(whole.paths, part)
		} else {
			whole.missing = append(whole.missing, filepath.Base(part))
		}
	}
	if len(whole.paths) == 0 {
		whole = set{paths: []string{path}} // its own problem says it best
	}
	s.row(whole)
}

// row reads one model and hands it on, unless its first file was in a row
// before.
func (s *scan) row(set set) {
	if info, err := os.Stat(set.paths[0]); err == nil && !first(s.files, info.Size(), info) {
		return
	}
	s.found(read(set))
}

// first says whether a file or folder was not seen before, and remembers it. What
// can be the same has the same mark: comparing each with all others takes minutes
// in a large folder.
func first(seen map[int64][]os.FileInfo, mark int64, info os.FileInfo) bool {
	if slices.ContainsFunc(seen[mark], func(other os.FileInfo) bool { return os.SameFile(other, info) }) {
		return false
	}
	seen[mark] = append(seen[mark], info)
	return true
}

func read(set set) Model {
	m := Model{Files: set.paths, Missing: set.missing, Folder: filepath.Dir(set.paths[0])}
	switch {
	case len(set.missing) > 0:
		m.Facts, m.Problem = gguf.Read(set.paths[0])
		if m.Problem == nil {
			m.Problem = &gguf.Error{Path: set.paths[0], Problem: gguf.MissingPart, Detail: strings.Join(set.missing, ", ")}
		}
	case set.count > 1:
		m.Facts, m.Problem = gguf.ReadSet(set.paths)
	default:
		m.Facts, m.Problem = gguf.Read(set.paths[0])
		if m.Problem == nil && m.Facts.Kind == gguf.Model && m.Facts.Split.Count > 1 {
			// The engine finds the other parts by their names only.
			m.Problem = &gguf.Error{Path: set.paths[0], Problem: gguf.MissingPart}
		}
	}
	for _, path := range set.paths {
		if info, err := os.Stat(path); err == nil && info.Mode().IsRegular() {
			m.SizeBytes += uint64(info.Size())
		}
	}
	m.Capabilities = capabilities(m.Facts, m.Problem)
	return m
}

func absolute(path string) string {
	if abs, err := filepath.Abs(path); err == nil {
		return abs
	}
	return filepath.Clean(path)
}
