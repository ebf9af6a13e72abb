package hub

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
)

// An Unfinished download is one that was broken off: what is there of it stays
// until it is gone on with or discarded.
type Unfinished struct {
	Want      Want
	DoneBytes uint64
}

// unfinishedMax is how many are looked for.
const unfinishedMax = 100

// FindUnfinished looks for downloads into a folder that were broken off. What is
// wrong with a note makes it none of them.
func FindUnfinished(folder string) []Unfinished {
	var found []Unfinished
	_ = filepath.WalkDir(folder, func(path string, entry fs.DirEntry, err error) error {
		switch {
		case err != nil:
			return nil // the others are still there
		case entry.IsDir() && strings.Count(strings.TrimPrefix(path, folder), string(filepath.Separator)) > 6:
			return fs.SkipDir
		case len(found) == unfinishedMax:
			return fs.SkipAll
		case entry.Type().IsRegular() && strings.HasSuffix(path, noteSuffix):
			n, err := readNote(path)
			if err == nil && isOf(n, folder, strings.TrimSuffix(path, noteSuffix)) && !slices.ContainsFunc(found, n.Want.same) {
				done, _ := Done(folder, n.Want)
				found = append(found, Unfinished{n.Want, done})
			}
		}
		return nil
	})
	return found
}

// isOf says whether a note is about the file it stands beside.
func isOf(n note, folder, target string) bool {
	at := slices.IndexFunc(n.Want.Files, func(f File) bool { return f.Path == n.Path })
	if at < 0 {
		return false
	}
	targets, err := targetsOf(n.Want, folder)
	return err == nil && targets[at] == target
}

func (w Want) same(u Unfinished) bool {
	return w.Repo == u.Want.Repo && slices.Equal(w.Files, u.Want.Files)
}

// Done is how much of a download is in a folder, going by sizes; whole when all
// of it is.
func Done(folder string, want Want) (bytes uint64, whole bool) {
	targets, err := targetsOf(want, folder)
	if err != nil {
		return 0, false
	}
	whole = true
	for i, file := range want.Files {
		if info, err := os.Stat(targets[i]); err == nil && info.Mode().IsRegular() && uint64(info.Size()) == file.SizeBytes {
			bytes += file.SizeBytes
			continue
		}
		whole = false
		part, _ := partBytes(targets[i], file)
		bytes += part
	}
	return bytes, whole
}

// Discard removes what has come of a download but for its whole files: parts,
// notes and locks, and of the folders OWNER/NAME what is empty then. An error is
// an *Error.
func Discard(folder string, want Want) error {
	targets, err := targetsOf(want, folder)
	if err != nil {
		return err
	}
	var failed error
	for _, target := range targets {
		if !isBegun(target) {
			continue
		}
		l, err := lockFile(target)
		if err != nil {
			return err
		}
		failed = errors.Join(failed, forget(target))
		l.free()
		removeEmpty(filepath.Dir(target), folder)
	}
	return failed
}

// isBegun says whether something of a download stands beside a target.
func isBegun(target string) bool {
	return slices.ContainsFunc([]string{partSuffix, noteSuffix, lockSuffix}, func(suffix string) bool {
		_, err := os.Lstat(target + suffix)
		return err == nil
	})
}

// removeEmpty removes a folder and those above it up to another, as long as they
// are empty.
func removeEmpty(folder, upTo string) {
	for ; folder != filepath.Clean(upTo) && len(folder) > len(upTo); folder = filepath.Dir(folder) {
		if entries, err := os.ReadDir(folder); err != nil || len(entries) > 0 || os.Remove(folder) != nil {
			return // somebody needs it
		}
	}
}
