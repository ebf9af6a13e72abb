package hub

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// A Want is something to download: the files of one commit of a repository that
// belong together.
type Want struct {
	Repo   string `json:"repo"`
	Commit string `json:"commit"`
	Files  []File `json:"files"`
}

// SizeBytes is how large all files are.
func (w Want) SizeBytes() uint64 {
	total := uint64(0)
	for _, f := range w.Files {
		total += f.SizeBytes
	}
	return total
}

// A Result is what a download has brought.
type Result struct {
	Paths   []string // on this machine, in the order of the wanted files
	Already bool     // all of them were there before
}

// Download brings files into FOLDER/OWNER/NAME. A file is written beside its
// place, checked against the hub's hash while it comes, and put into its place
// when it is whole: what has its name is right. When ctx ends, or after an error,
// what has come stays as a part, from which the next download of the same goes
// on; only a part with a wrong hash is removed. progress is called on the
// calling goroutine, at most five times a second and whenever a phase begins. An
// error is an *Error, or that of ctx.
func (c *Client) Download(ctx context.Context, want Want, folder string, progress func(Progress)) (Result, error) {
	targets, err := targetsOf(want, folder)
	if err != nil {
		return Result{}, err
	}
	j := &job{Client: c, want: want, meter: &meter{tell: progress}}
	j.meter.now.TotalBytes = want.SizeBytes()
	for _, target := range targets {
		made, err := makeFolder(filepath.Dir(target), folder)
		defer made.removeEmpty()
		if err != nil {
			return Result{}, unwritable(filepath.Dir(target), err)
		}
		l, err := lockFile(target)
		if err != nil {
			return Result{}, err
		}
		defer l.free()
	}
	if err := checkSpace(want, folder, targets); err != nil {
		return Result{}, err
	}
	result := Result{Paths: targets, Already: true}
	for i, file := range want.Files {
		there, err := j.isThere(ctx, file, targets[i])
		if err == nil && !there {
			result.Already = false
			err = j.bring(ctx, file, targets[i])
		}
		if err != nil {
			return Result{}, err
		}
	}
	return result, nil
}

// A madeFolders are those a download made, the innermost first.
type madeFolders []string

// makeFolder makes a folder and those above it, and says which of those below
// another were not there.
func makeFolder(folder, below string) (made madeFolders, err error) {
	for at := folder; at != filepath.Clean(below) && len(at) > len(below); at = filepath.Dir(at) {
		if _, err := os.Lstat(at); errors.Is(err, os.ErrNotExist) {
			made = append(made, at)
		}
	}
	return made, os.MkdirAll(folder, 0o755)
}

// removeEmpty removes those into which nothing has come.
func (made madeFolders) removeEmpty() {
	for _, folder := range made {
		_ = os.Remove(folder) // with something in it, it stays
	}
}

// targetsOf are the places of the wanted files, no two the same.
func targetsOf(want Want, folder string) ([]string, error) {
	targets := make([]string, len(want.Files))
	taken := map[string]bool{}
	for i, file := range want.Files {
		target, err := Target(folder, want.Repo, file.Path)
		if err != nil {
			return nil, err
		}
		key := strings.ToLower(target) // on some systems they are the same
		if taken[key] {
			return nil, &Error{Kind: BadName, Repo: want.Repo, File: file.Path}
		}
		taken[key] = true
		targets[i] = target
	}
	return targets, nil
}

// checkSpace says when a disk has too little room for what is still to come. One
// that doesn't say how much it has is tried.
func checkSpace(want Want, folder string, targets []string) error {
	needed := uint64(0)
	for i, file := range want.Files {
		if _, err := os.Lstat(targets[i]); err != nil {
			done, _ := partBytes(targets[i], file)
			needed += file.SizeBytes - done
		}
	}
	free, err := FreeBytes(folder)
	if err == nil && free < needed {
		return &Error{Kind: NoSpace, File: folder, NeededBytes: needed, FreeBytes: free}
	}
	return nil
}

// A job is one download.
type job struct {
	*Client
	want  Want
	meter *meter
}

// isThere says whether a file is in its place and right. Another file in its
// place is somebody's and stays.
func (j *job) isThere(ctx context.Context, wanted File, target string) (bool, error) {
	info, err := os.Stat(target)
	if errors.Is(err, os.ErrNotExist) {
		return false, nil
	}
	if err != nil {
		return false, unwritable(target, err)
	}
	different := &Error{Kind: Different, Repo: j.want.Repo, File: target}
	if !info.Mode().IsRegular() || uint64(info.Size()) != wanted.SizeBytes {
		return false, different
	}
	file, err := os.Open(target)
	if err != nil {
		return false, unwritable(target, err)
	}
	defer file.Close()
	h := newHash(wanted)
	if err := j.readThrough(ctx, file, wanted.SizeBytes, h); err != nil {
		return false, err
	}
	if !isRight(h, wanted) {
		return false, different
	}
	return true, nil
}

// readThrough reads the first bytes of a file into a hash.
func (j *job) readThrough(ctx context.Context, file *os.File, bytes uint64, into io.Writer) error {
	j.meter.enter(Checking)
	buffer := make([]byte, copyBytes)
	for at := uint64(0); at < bytes; {
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
		n, err := file.ReadAt(buffer[:min(uint64(len(buffer)), bytes-at)], int64(at))
		into.Write(buffer[:n]) // a hash takes everything
		at += uint64(n)
		j.meter.add(int64(n))
		if err != nil && at < bytes {
			return unwritable(file.Name(), err)
		}
	}
	return nil
}
