package main

import (
	"bytes"
	"io/fs"
	"os"
	"path/filepath"
	"time"
)

// A tree is a folder in which files lie as they will on an installed system.
type tree struct {
	root string
	when time.Time // of everything in it
}

// write makes a file that everybody may read.
func (t tree) write(name string, data []byte) error { return t.put(name, data, 0o644) }

func (t tree) put(name string, data []byte, mode fs.FileMode) error {
	path := filepath.Join(t.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.WriteFile(path, data, mode)
}

func (t tree) copy(from, name string, mode fs.FileMode) error {
	data, err := os.ReadFile(from)
	if err != nil {
		return err
	}
	return t.put(name, data, mode)
}

func (t tree) link(target, name string) error {
	path := filepath.Join(t.root, name)
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return err
	}
	return os.Symlink(target, path)
}

// settle gives everything the same time, and modes that no umask has had a say in.
func (t tree) settle() error {
	return filepath.WalkDir(t.root, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.Type()&fs.ModeSymlink != 0 {
			return err
		}
		info, err := entry.Info()
		if err != nil {
			return err
		}
		mode := fs.FileMode(0o644)
		if info.Mode()&0o100 != 0 { // folders and programs
			mode = 0o755
		}
		if err := os.Chmod(path, mode); err != nil {
			return err
		}
		return os.Chtimes(path, t.when, t.when)
	})
}

// filled is a text with the version and the day where it has marks for them.
func (in inputs) filled(text []byte) []byte {
	text = bytes.ReplaceAll(text, []byte("@VERSION@"), []byte(in.version))
	return bytes.ReplaceAll(text, []byte("@DATE@"), []byte(in.when.Format(time.DateOnly)))
}
