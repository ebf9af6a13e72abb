package config

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"paddock/diskfile"

	"github.com/BurntSushi/toml"
)

// sizeLimit is how large a config.toml may be, in bytes. Nobody writes more.
const sizeLimit = 1 << 20

// A Store holds the configuration and writes changes of it to config.toml. It is
// safe for use by several goroutines.
type Store struct {
	folders Folders
	path    string // of config.toml
	problem error

	mu     sync.Mutex // held for a moment only: Get is for goroutines that don't wait
	config Config

	writes   Queue  // of config.toml, which alone change what is below
	readOnly error  // why config.toml must not be written over
	foreign  []byte // what config.toml was when it had settings we don't know, until it is kept

	replace func(path string, mode fs.FileMode, data []byte) error // diskfile.ReplaceBytes, but in tests
}

// Open makes Paddock's folders and reads config.toml: the user's own with an
// empty dir, else all of them under dir. What could be worked around is the
// store's Problem; the error, a *Error, is what nothing can run without.
func Open(dir string) (*Store, error) {
	if dir != "" {
		absolute, err := filepath.Abs(dir)
		if err != nil {
			return nil, &Error{Problem: NoFolder, Path: dir, Err: err}
		}
		dir = absolute
	}
	s := &Store{config: defaults(), replace: diskfile.ReplaceBytes}
	var wanted string
	s.folders, wanted = folders(dir)
	s.path = filepath.Join(s.folders.Config, "config.toml")
	var err error
	if s.folders.Runtime, err = runtimeFolder(wanted, s.folders.Config, os.TempDir(), "/tmp"); err != nil {
		return nil, err
	}
	var problems []error
	for _, folder := range []string{s.folders.Config, s.folders.Data, s.folders.Cache, s.folders.Log} {
		if err := os.MkdirAll(folder, 0o700); err != nil {
			problems = append(problems, &Error{Problem: NoFolder, Path: folder, Err: err})
			break // the others fail for the same reason
		}
	}
	if err := s.read(); err != nil {
		problems = append(problems, err)
	}
	s.problem = errors.Join(problems...)
	return s, nil
}

// Folders are where Paddock keeps its files.
func (s *Store) Folders() Folders { return s.folders }

// Problem is what was wrong when the store was opened and is worked around, one
// or several *Error joined, or nil.
func (s *Store) Problem() error { return s.problem }

// Get is the configuration as it is now.
func (s *Store) Get() Config {
	s.mu.Lock()
	defer s.mu.Unlock()
	return clone(s.config)
}

// Update changes the configuration and writes it. When it can't be written the
// error is a *Error with Unsaved, and the change holds until Paddock ends.
func (s *Store) Update(change func(*Config)) error {
	done := make(chan error, 1)
	s.Later(change, func(err error) { done <- err })
	return <-done
}

// Later is Update for who must not wait for the disk. The change holds when it
// returns, and what it came to is told on another goroutine, which waits for that: done
// must not call Update. Changes are written and told in the order they were made in.
func (s *Store) Later(change func(*Config), done func(error)) {
	s.mu.Lock()
	defer s.mu.Unlock()
	next := clone(s.config)
	change(&next)
	s.config = clone(next)
	s.writes.Add("", func() { done(s.write()) })
}

// Wait returns once all changes are written, and those who made them were told, or
// ctx ends.
func (s *Store) Wait(ctx context.Context) { s.writes.Wait(ctx) }

// read takes config.toml over, as far as it can be.
func (s *Store) read() error {
	data, err := readFile(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		s.readOnly = err
		return &Error{Problem: Unreadable, Path: s.path, Err: err}
	}
	read := defaults()
	meta, err := toml.Decode(string(data), &read)
	if err != nil {
		return s.setAside(err)
	}
	var unknown []string
	for _, key := range meta.Undecoded() {
		unknown = append(unknown, key.String())
	}
	if !slices.Contains([]string{"system", "dark", "light"}, read.Theme) {
		unknown = append(unknown, fmt.Sprintf("theme = %q", read.Theme))
		read.Theme = defaults().Theme
	}
	s.config = read
	if unknown != nil {
		s.foreign = data
		return &Error{Problem: Unknown, Path: s.path, Settings: unknown}
	}
	return nil
}

// setAside moves a config.toml that can't be understood out of the way, so that
// it is not lost when the next change is written.
func (s *Store) setAside(reason error) error {
	aside := diskfile.FreeName(s.path + ".broken")
	if err := os.Rename(s.path, aside); err != nil {
		s.readOnly = err
		return &Error{Problem: Broken, Path: s.path, Err: reason}
	}
	return &Error{Problem: Broken, Path: s.path, SetAside: aside, Err: reason}
}

// write puts the configuration on the disk whole or not at all, as it is now: also
// with changes that are to be written after this one. The error is a *Error.
func (s *Store) write() error {
	if err := s.put(s.Get()); err != nil {
		return &Error{Problem: Unsaved, Path: s.path, Err: err}
	}
	return nil
}

// put writes config.toml. A file with settings that we would drop is kept beside it
// first.
func (s *Store) put(c Config) error {
	if s.readOnly != nil {
		return s.readOnly
	}
	var text bytes.Buffer
	if err := toml.NewEncoder(&text).Encode(c); err != nil {
		return err
	}
	if s.foreign != nil {
		if err := os.WriteFile(diskfile.FreeName(s.path+".old"), s.foreign, 0o600); err != nil {
			return err
		}
		s.foreign = nil
	}
	// Where config.toml is a link, what it points to is ours to change.
	path, err := filepath.EvalSymlinks(s.path)
	if err != nil {
		path = s.path
	}
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	return s.replace(path, 0o600, text.Bytes())
}

// readFile reads a file that is one, and of a size a person could have written.
func readFile(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if !info.Mode().IsRegular() {
		return nil, errors.New("not a regular file")
	}
	if info.Size() > sizeLimit {
		return nil, fmt.Errorf("larger than %d bytes", sizeLimit)
	}
	return os.ReadFile(path)
}

func clone(c Config) Config {
	c.ModelFolders = slices.Clone(c.ModelFolders)
	c.ModelFiles = slices.Clone(c.ModelFiles)
	c.AppsOff = slices.Clone(c.AppsOff)
	c.Forgotten = slices.Clone(c.Forgotten)
	c.Recent = slices.Clone(c.Recent)
	c.Engines = slices.Clone(c.Engines)
	c.ChatPresets = slices.Clone(c.ChatPresets) // their values are never changed in place
	c.ChatPrompts = slices.Clone(c.ChatPrompts)
	c.ImagePrompts = slices.Clone(c.ImagePrompts)
	return c
}
