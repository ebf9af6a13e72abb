package images

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"paddock/diskfile"
	"paddock/engine/picture"
)

// Added is what became of files and folders.
type Added struct {
	Items   []ID    // new ones, in their order
	Known   []ID    // that were in the set already
	Skipped int     // files in folders that are no pictures, and links to nothing
	Errors  []error // folders that can't be read: *Error with Unreadable
}

// batch is how many pictures are added at once, so that the first show soon.
const batch = 128

// Add adds files and what is in folders, and in the folders in those when
// recursive. A file named by itself is always added: what is wrong with it shows when it
// runs. Of a folder's files those are that begin like a picture, whatever they are
// called, or that are called like one. Hidden ones are left out. It reads the start
// of every file; when ctx ends, what was found by then is added.
func (s *Set) Add(ctx context.Context, recursive bool, paths ...string) Added {
	a := adding{set: s, ctx: ctx, recursive: recursive}
	for _, path := range paths {
		if absolute, err := filepath.Abs(path); err == nil {
			path = absolute
		}
		info, err := os.Stat(path)
		if err == nil && info.IsDir() {
			a.folder(path)
		} else {
			a.file(path, info)
		}
	}
	a.flush()
	return a.added
}

type adding struct {
	set       *Set
	ctx       context.Context
	recursive bool
	added     Added
	found     []*Item
	changed   []changedFile
}

// A changedFile is one of the set that is not what it was by its size and time.
type changedFile struct {
	entry *entry
	state fileState
}

func (a *adding) file(path string, info fs.FileInfo) {
	if a.ctx.Err() != nil {
		return
	}
	item := &Item{Path: path, Name: filepath.Base(path)}
	if info != nil {
		item.file = stateOf(info)
	}
	if a.found = append(a.found, item); len(a.found) >= batch {
		a.flush()
	}
}

// folder adds a folder's pictures, its own before those of the folders in it.
func (a *adding) folder(folder string) {
	if a.ctx.Err() != nil {
		return
	}
	entries, err := os.ReadDir(folder)
	if err != nil {
		a.added.Errors = append(a.added.Errors, &Error{Problem: Unreadable, Path: folder, Err: err})
	}
	var deeper []string
	for _, entry := range entries {
		path := filepath.Join(folder, entry.Name())
		switch {
		case strings.HasPrefix(entry.Name(), "."):
		case entry.IsDir():
			deeper = append(deeper, path)
		default: // a link to a folder is not followed: it may lead back here
			switch info, err := os.Stat(path); {
			case err == nil && info.IsDir():
			case err == nil && info.Mode().IsRegular() && looksLikePicture(path):
				a.file(path, info)
			default:
				a.added.Skipped++
			}
		}
		if a.ctx.Err() != nil {
			return
		}
	}
	if a.recursive {
		for _, path := range deeper {
			a.folder(path)
		}
	}
}

// suffixes are what pictures are called; one with something else in it is worth saying.
var suffixes = []string{
	".png", ".jpg", ".jpeg", ".jpe", ".jfif", ".webp", ".gif", ".bmp", ".tif", ".tiff", ".heic", ".heif", ".avif", ".jxl",
}

func looksLikePicture(path string) bool {
	if slices.Contains(suffixes, strings.ToLower(filepath.Ext(path))) {
		return true
	}
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	start := make([]byte, picture.SniffBytes)
	n, _ := io.ReadFull(file, start) // most are shorter, or longer
	kind, _ := picture.Sniff(start[:n])
	return kind != ""
}

// flush adds what was found so far.
func (a *adding) flush() {
	s := a.set
	s.mu.Lock()
	for _, item := range a.found {
		e := s.byPath[item.Path]
		if e == nil {
			s.add(item)
			a.added.Items = append(a.added.Items, item.ID)
			continue
		}
		a.added.Known = append(a.added.Known, e.item.ID)
		if !item.file.like(e.item.file) {
			a.changed = append(a.changed, changedFile{e, item.file})
		}
	}
	a.found = nil
	if s.job != nil {
		s.job.pump()
	}
	s.mu.Unlock()
	for _, c := range a.changed {
		s.lookAgain(a.ctx, c)
	}
	a.changed = nil
}

// Refresh looks which files have become other pictures since their text was made.
// It asks for every file's size and time, and reads those that differ.
func (s *Set) Refresh(ctx context.Context) {
	s.mu.Lock()
	entries := slices.Clone(s.entries)
	items := make([]*Item, len(entries))
	for i, e := range entries {
		items[i] = e.item
	}
	s.mu.Unlock()
	for i, item := range items {
		if ctx.Err() != nil {
			return
		}
		info, err := os.Stat(item.Path)
		if err != nil {
			continue
		}
		if state := stateOf(info); !state.like(item.file) {
			s.lookAgain(ctx, changedFile{entries[i], state})
		}
	}
}

// lookAgain finds out whether a file holds another picture by now.
func (s *Set) lookAgain(ctx context.Context, c changedFile) {
	s.mu.Lock()
	path, before := c.entry.item.Path, c.entry.item.file.SHA256
	s.mu.Unlock()
	if before != "" { // its text was made of what it was then
		var err error
		if c.state.SHA256, err = hashFile(ctx, path); err != nil {
			return
		}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.byID[c.entry.item.ID] != c.entry || c.entry.item.file.SHA256 != before {
		return
	}
	item := *c.entry.item
	item.Changed = c.state.SHA256 != before
	item.file = c.state
	item.file.SHA256 = before
	s.put(c.entry, &item)
}

// hashFile is the SHA-256 of what is in a file.
func hashFile(ctx context.Context, path string) (string, error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", err
	}
	if !info.Mode().IsRegular() || info.Size() > picture.MaxFileBytes {
		return "", errors.New("not a picture's file")
	}
	file, err := os.Open(path)
	if err != nil {
		return "", err
	}
	defer file.Close()
	sum := sha256.New()
	if _, err := io.Copy(sum, &stoppable{ctx, file}); err != nil {
		return "", err
	}
	return hex.EncodeToString(sum.Sum(nil)), nil
}

// A stoppable reader ends with its context.
type stoppable struct {
	ctx context.Context
	io.Reader
}

func (r *stoppable) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.Reader.Read(p)
}

// AddBytes adds a picture that is no file, as from the clipboard: the set keeps a
// copy in its folder, so it must be kept somewhere. The same bytes are the same
// picture. The error is a *Error.
func (s *Set) AddBytes(name string, data []byte) (ID, error) {
	if s.folder == "" {
		return 0, &Error{Problem: Unsaved, Path: name, Err: errors.New("the set has no folder")}
	}
	sum := sha256.Sum256(data)
	folder := s.pastedFolder()
	path := filepath.Join(folder, hex.EncodeToString(sum[:16]))
	s.pasting.Lock()
	defer s.pasting.Unlock()
	s.mu.Lock()
	if e := s.byPath[path]; e != nil {
		defer s.mu.Unlock()
		return e.item.ID, nil
	}
	s.mu.Unlock()
	if err := os.MkdirAll(folder, 0o700); err != nil {
		return 0, writeError(folder, err)
	}
	if err := diskfile.ReplaceBytes(path, 0o600, data); err != nil {
		return 0, writeError(path, err)
	}
	info, err := os.Stat(path)
	if err != nil {
		return 0, &Error{Problem: Unreadable, Path: path, Err: err}
	}
	s.mu.Lock()
	defer s.mu.Unlock()
	item := &Item{Path: path, Name: name, Pasted: true, file: stateOf(info)}
	s.add(item)
	if s.job != nil {
		s.job.pump()
	}
	return item.ID, nil
}

// removePasted removes the copy of a pasted picture, unless it was pasted again
// meanwhile. One that stays takes space and does no harm.
func (s *Set) removePasted(path string) {
	s.pasting.Lock()
	defer s.pasting.Unlock()
	s.mu.Lock()
	again := s.byPath[path] != nil
	s.mu.Unlock()
	if !again {
		_ = os.Remove(path)
	}
}

// statFile is a file's size and time, nothing when there is none.
func statFile(path string) fileState {
	info, err := os.Stat(path)
	if err != nil {
		return fileState{}
	}
	return stateOf(info)
}

func stateOf(info fs.FileInfo) fileState {
	return fileState{Bytes: uint64(info.Size()), Modified: info.ModTime()}
}

// like says whether a file is as it was, by its size and time.
func (s fileState) like(before fileState) bool {
	return s.Bytes == before.Bytes && s.Modified.Equal(before.Modified)
}
