package document

import (
	"context"
	"errors"
	"io/fs"
	"iter"
	"os"
	"path"
	"path/filepath"
	"strings"

	"github.com/bmatcuk/doublestar/v4"
)

// Patterns choose files of folders. A pattern is a path below the folder, with *
// for a part of a name, ** for any folders, ? and [a-z] and {a,b}; one without a
// slash is a name in any folder. Case counts.
type Patterns struct {
	Include []string // none is all
	Exclude []string // stronger than Include; a folder's name leaves out all in it
	Hidden  bool     // also names that begin with a dot
}

// A File is one to read.
type File struct {
	Path string
	// Name is the path below the folder it was found in, with slashes; of a file
	// that was named itself its base name.
	Name string
	// SizeBytes is as of the listing.
	SizeBytes uint64
}

// Check is the error of a pattern that is none: a *Error of problem BadPattern.
func (p Patterns) Check() error {
	for _, pattern := range append(append([]string{}, p.Include...), p.Exclude...) {
		if !doublestar.ValidatePattern(pattern) {
			return &Error{Problem: BadPattern, Path: pattern}
		}
	}
	return nil
}

// List gives the files of roots, which are files or folders, in the order of the
// roots and within a folder of the names, each file once. Links are followed. A
// *Error is about one file or folder that can't be listed, and the rest goes on;
// ctx's error, and one of a wrong pattern, is the last. What the patterns leave
// out is not mentioned.
func List(ctx context.Context, roots []string, patterns Patterns) iter.Seq2[File, error] {
	return func(yield func(File, error) bool) {
		if err := patterns.Check(); err != nil {
			yield(File{}, err)
			return
		}
		l := &lister{ctx: ctx, patterns: patterns, seen: map[string]bool{}, yield: yield}
		for _, root := range roots {
			if l.root(root); l.ended {
				return
			}
		}
	}
}

// IsNotice says whether an error of List is of a folder of which nothing is missing: it
// contains itself by a link.
func IsNotice(err error) bool {
	var list *Error
	return errors.As(err, &list) && list.Problem == LinkLoop
}

type lister struct {
	ctx      context.Context
	patterns Patterns
	seen     map[string]bool // by the path behind all links
	yield    func(File, error) bool
	ended    bool
}

func (l *lister) give(f File) { l.ended = l.ended || !l.yield(f, nil) }

func (l *lister) problem(problem Problem, path string, err error) {
	l.ended = l.ended || !l.yield(File{}, &Error{Problem: problem, Path: path, Err: err})
}

// root lists a file or folder the user named: patterns do not leave out itself.
func (l *lister) root(root string) {
	info, err := os.Stat(root)
	if err != nil {
		l.unlisted(root, err)
		return
	}
	if info.IsDir() {
		l.folder(root, "", nil)
		return
	}
	l.file(root, filepath.Base(root), info)
}

func (l *lister) unlisted(path string, err error) {
	if errors.Is(err, fs.ErrNotExist) {
		l.problem(Missing, path, err)
		return
	}
	l.problem(Unreadable, path, err)
}

// first is whether a file or folder was not listed before, by another way to it.
func (l *lister) first(path string) bool {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	if whole, err := filepath.Abs(real); err == nil {
		real = whole
	}
	if l.seen[real] {
		return false
	}
	l.seen[real] = true
	return true
}

func (l *lister) file(path, name string, info fs.FileInfo) {
	switch {
	case !info.Mode().IsRegular():
		l.problem(NotAFile, path, nil)
	case l.first(path):
		l.give(File{Path: path, Name: name, SizeBytes: uint64(info.Size())})
	}
}

// folder lists a folder whose path below the root is name. above are the folders
// it is in.
func (l *lister) folder(folder, name string, above []fs.FileInfo) {
	info, err := os.Stat(folder)
	if err != nil {
		l.unlisted(folder, err)
		return
	}
	for _, outer := range above {
		if os.SameFile(outer, info) {
			l.problem(LinkLoop, folder, nil)
			return
		}
	}
	if !l.first(folder) {
		return
	}
	entries, err := os.ReadDir(folder) // what could be read, even with an error
	if err != nil {
		l.unlisted(folder, err)
	}
	above = append(above[:len(above):len(above)], info)
	for _, entry := range entries {
		if l.ended {
			return
		}
		if err := l.ctx.Err(); err != nil {
			l.yield(File{}, err)
			l.ended = true
			return
		}
		l.entry(filepath.Join(folder, entry.Name()), path.Join(name, entry.Name()), entry, above)
	}
}

func (l *lister) entry(full, name string, entry fs.DirEntry, above []fs.FileInfo) {
	if strings.HasPrefix(entry.Name(), ".") && !l.patterns.Hidden || matches(l.patterns.Exclude, name) {
		return
	}
	isDir := entry.IsDir()
	var info fs.FileInfo
	var err error
	if entry.Type()&fs.ModeSymlink != 0 {
		if info, err = os.Stat(full); err == nil {
			isDir = info.IsDir()
		}
	} else if !isDir {
		info, err = entry.Info()
	}
	if isDir {
		l.folder(full, name, above)
		return
	}
	if len(l.patterns.Include) > 0 && !matches(l.patterns.Include, name) {
		return
	}
	if err != nil {
		l.unlisted(full, err)
		return
	}
	l.file(full, name, info)
}

func matches(patterns []string, name string) bool {
	for _, pattern := range patterns {
		candidate := name
		if !strings.Contains(strings.TrimSuffix(pattern, "/"), "/") {
			candidate = path.Base(name)
		}
		if doublestar.MatchUnvalidated(strings.TrimPrefix(strings.TrimSuffix(pattern, "/"), "/"), candidate) {
			return true
		}
	}
	return false
}
