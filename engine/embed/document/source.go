package document

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"hash"
	"io"
	"io/fs"
	"os"
	"time"
)

// An Identity says which content a file had.
type Identity struct {
	SizeBytes uint64
	ModTime   time.Time
	SHA256    string // in hexadecimal
}

// A source is an opened file. io.ReaderAt lets archives and PDFs be read in any
// order, stream goes from the start to the end.
type source struct {
	path    string
	at      io.ReaderAt
	size    int64
	modTime time.Time
	opened  fs.FileInfo // nil in tests
	closer  io.Closer   // nil in tests
	stat    func() (fs.FileInfo, error)

	summed hash.Hash // of what stream gave, as long as it was read in order
	given  int64
}

func openSource(path string) (*source, error) {
	info, err := os.Stat(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, &Error{Problem: Missing, Path: path, Err: err}
	case err != nil:
		return nil, &Error{Problem: Unreadable, Path: path, Err: err}
	case !info.Mode().IsRegular(): // opening a pipe could wait for ever
		return nil, &Error{Problem: NotAFile, Path: path}
	}
	file, err := os.Open(path)
	if err != nil {
		return nil, &Error{Problem: Unreadable, Path: path, Err: err}
	}
	if info, err = file.Stat(); err != nil {
		file.Close() // was not read
		return nil, &Error{Problem: Unreadable, Path: path, Err: err}
	}
	return &source{
		path: path, at: file, size: info.Size(), modTime: info.ModTime(), opened: info, closer: file,
		stat: func() (fs.FileInfo, error) { return os.Stat(path) },
	}, nil
}

// Close closes the file.
func (s *source) Close() {
	if s.closer != nil {
		s.closer.Close() // was only read
	}
}

// stream reads from the start, hashing what it gives for verify.
func (s *source) stream(ctx context.Context) io.Reader {
	s.summed, s.given = sha256.New(), 0
	return &summing{ctx: ctx, s: s, section: io.NewSectionReader(s.at, 0, s.size)}
}

type summing struct {
	ctx     context.Context
	s       *source
	section *io.SectionReader
}

func (r *summing) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	n, err := r.section.Read(p)
	r.s.summed.Write(p[:n])
	r.s.given += int64(n)
	return n, err
}

// verify is the error of a file that is not what it was when it was identified:
// by size and time, then by hash, as a file can be written within a tick of the
// clock or through a memory map.
func (s *source) verify(ctx context.Context, was Identity) error {
	changed := &Error{Problem: Changed, Path: s.path}
	info, err := s.stat()
	if err != nil {
		changed.Err = err
		return changed
	}
	if uint64(info.Size()) != was.SizeBytes {
		return changed
	}
	if s.summed != nil && s.given == s.size {
		if hex.EncodeToString(s.summed.Sum(nil)) != was.SHA256 {
			return changed
		}
		if info.ModTime().Equal(was.ModTime) && (s.opened == nil || os.SameFile(s.opened, info)) {
			return nil
		}
	}
	// A file put in the place of the one that is open has another content at the
	// path than behind the handle.
	current, err := openSource(s.path)
	if err != nil {
		current = s // a test's, without a path
	} else {
		defer current.Close()
	}
	sum := sha256.New()
	if err := current.scan(ctx, func(block []byte) bool {
		sum.Write(block)
		return true
	}); err != nil {
		if ctx.Err() != nil {
			return ctx.Err()
		}
		changed.Err = err
		return changed
	}
	if hex.EncodeToString(sum.Sum(nil)) != was.SHA256 {
		return changed
	}
	return nil
}

// scanBytes is how much scan reads at a time.
const scanBytes = 256 << 10

// scan goes through the whole file, or until each returns false.
func (s *source) scan(ctx context.Context, each func([]byte) bool) error {
	block := make([]byte, scanBytes)
	for offset := int64(0); offset < s.size; {
		if err := ctx.Err(); err != nil {
			return err
		}
		n, err := s.at.ReadAt(block[:min(int64(len(block)), s.size-offset)], offset)
		if !each(block[:n]) {
			return nil
		}
		offset += int64(n)
		if err != nil && (err != io.EOF || offset < s.size) {
			return err
		}
	}
	return nil
}
