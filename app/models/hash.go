package models

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"io"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"time"

	"paddock/words"
)

// A Hash is the SHA-256 of a file, or how far reckoning it has come.
type Hash struct {
	Asked      bool // for; the zero Hash is that of a file nobody asked for
	DoneBytes  uint64
	TotalBytes uint64
	Sum        string // in hexadecimal, empty until it is known
	Name       Named  // whether it is the one in the file's name
	Problem    string // why it could not be reckoned, in words
}

// Running says whether it is being reckoned.
func (h Hash) Running() bool { return h.Sum == "" && h.Problem == "" }

// Named says what a file's name says of its content.
type Named string

// The answers.
const (
	NotNamed Named = ""        // nothing
	Matches  Named = "matches" // its SHA-256
	Differs  Named = "differs" // another SHA-256
)

// hashEvery is how often progress is shown.
const hashEvery = 150 * time.Millisecond

// Hash reckons the SHA-256 of a file beside the UI goroutine. Its progress and
// result are in State.Hashes, by the path.
func (p *Presenter) Hash(path string) {
	if p.hashing[path] != nil {
		return
	}
	ctx, cancel := context.WithCancel(context.Background())
	job := &hashJob{cancel}
	p.hashing[path] = job
	p.setHash(path, &Hash{Asked: true})
	go func() {
		last := time.Now()
		sum, name, err := sumFile(ctx, path, func(done, total uint64) {
			if time.Since(last) < hashEvery {
				return
			}
			last = time.Now()
			p.do(func() { p.hashed(job, path, Hash{Asked: true, DoneBytes: done, TotalBytes: total}) })
		})
		h := Hash{Asked: true, Sum: sum, Name: name}
		if err != nil {
			h.Problem = words.T("models.hash.failed", map[string]any{"Reason": words.Reason(err)})
		}
		p.do(func() { p.hashed(job, path, h) })
	}()
}

// A hashJob is one file being read.
type hashJob struct{ cancel context.CancelFunc }

// StopHash gives reckoning a file's SHA-256 up.
func (p *Presenter) StopHash(path string) {
	if job := p.hashing[path]; job != nil {
		job.cancel()
		delete(p.hashing, path)
		p.setHash(path, nil)
	}
}

// hashed shows how far a file is, unless that was given up.
func (p *Presenter) hashed(job *hashJob, path string, h Hash) {
	if p.hashing[path] != job {
		return
	}
	if !h.Running() {
		job.cancel()
		delete(p.hashing, path)
	}
	p.setHash(path, &h)
}

// dropHashes forgets what is known of files that have changed.
func (p *Presenter) dropHashes(paths []string) {
	for _, path := range paths {
		if _, is := p.state.Hashes[path]; is && p.hashing[path] == nil {
			p.setHash(path, nil)
		}
	}
}

// setHash shows what is known of a file's SHA-256, nil for nothing.
func (p *Presenter) setHash(path string, h *Hash) {
	hashes := maps.Clone(p.state.Hashes) // states shown before keep theirs
	if hashes == nil {
		hashes = map[string]Hash{}
	}
	delete(hashes, path)
	if h != nil {
		hashes[path] = *h
	}
	p.state.Hashes = hashes
	p.show(p.state)
}

// hashChunk is how much is read between two looks at whether to go on, in bytes.
const hashChunk = 1 << 20

// sumFile is the SHA-256 of a file, and whether its name has it. It gives up when
// ctx ends.
func sumFile(ctx context.Context, path string, progress func(done, total uint64)) (sum string, name Named, err error) {
	info, err := os.Stat(path)
	if err != nil {
		return "", "", err
	}
	if !info.Mode().IsRegular() {
		return "", "", errors.New("not a regular file")
	}
	file, err := os.Open(path)
	if err != nil {
		return "", "", err
	}
	defer file.Close()
	hash, done := sha256.New(), uint64(0)
	for {
		if err := ctx.Err(); err != nil {
			return "", "", err
		}
		n, err := io.CopyN(hash, file, hashChunk)
		done += uint64(n)
		progress(done, uint64(info.Size()))
		if err == io.EOF {
			break
		}
		if err != nil {
			return "", "", err
		}
	}
	sum = hex.EncodeToString(hash.Sum(nil))
	switch named := namedSum(path); named {
	case "":
		return sum, NotNamed, nil
	case sum:
		return sum, Matches, nil
	}
	return sum, Differs, nil
}

var sumName = regexp.MustCompile(`^(?:sha256[-:])?([0-9a-f]{64})$`)

// namedSum is the SHA-256 in the name of the file a path leads to: Ollama's blobs
// and those of the Hugging Face cache are called by it. It is empty for any other
// file.
func namedSum(path string) string {
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	found := sumName.FindStringSubmatch(strings.ToLower(filepath.Base(path)))
	if found == nil || filepath.Base(filepath.Dir(path)) != "blobs" {
		return ""
	}
	return found[1]
}
