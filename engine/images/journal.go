package images

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"sync"
	"syscall"
	"time"

	"paddock/diskfile"
)

// The journal is JSON Lines: each says what a picture has become, which are gone,
// what the latest run was or that it has ended, or what the user is about to ask. The last of a picture holds. What was
// written stays when the program is killed; a line that was cut off then is no loss but
// of itself.
const journalName = "images.jsonl"

// writeEvery is how long changes are collected before they are written together.
const writeEvery = 200 * time.Millisecond

// lineLimit is how long a line may be, in bytes. Answers are a few kilobytes.
const lineLimit = 64 << 20

// A line is one of the journal. Of its fields one is set, but for Through.
type line struct {
	Item    *kept    `json:"item,omitempty"`
	Through bool     `json:"through,omitempty"` // the latest run has no more to do with Item
	Removed []ID     `json:"removed,omitempty"`
	Run     *keptRun `json:"run,omitempty"`
	Ended   bool     `json:"ended,omitempty"` // the latest run came to its end, or was cancelled
	Next    *Run     `json:"next,omitempty"`
}

// A keptRun is the latest run with what it takes to go on with it.
type keptRun struct {
	Run
	Overwrite Overwrite `json:"overwrite,omitempty"`
	Some      bool      `json:"some,omitempty"` // it was for some pictures only
	Left      []ID      `json:"left,omitempty"` // those it is not through with
}

// keepRun is the latest run now. s.mu is held, or nobody else has the set yet.
func (s *Set) keepRun() *keptRun {
	return &keptRun{Run: s.run, Overwrite: s.run.Overwrite, Some: s.run.Only != nil, Left: slices.Sorted(maps.Keys(s.left))}
}

func (k *keptRun) run() Run {
	r := k.Run
	r.Overwrite = k.Overwrite
	if k.Some {
		r.Only = k.Left
	}
	return r
}

// A journal appends lines on a goroutine of its own.
type journal struct {
	path   string
	failed func() // called when problem has changed, without a lock
	// unkept is that it could not be read. Then nothing is written: pictures have their
	// numbers, and new ones would take those of the ones that could not be read.
	unkept bool

	mu      sync.Mutex
	pending bytes.Buffer
	err     error

	wake, end chan struct{}
	ended     chan struct{}
}

// openJournal reads the journal of a folder into an empty set. One with more than it needs is
// written anew. The journal works also when there is an error, a *Error.
func openJournal(folder string, s *Set) (*journal, error) {
	j := &journal{
		path: filepath.Join(folder, journalName), failed: s.changedNow,
		wake: make(chan struct{}, 1), end: make(chan struct{}), ended: make(chan struct{}),
	}
	lines, damaged, err := readJournal(j.path, s)
	switch {
	case errors.Is(err, fs.ErrNotExist), errors.Is(err, syscall.ENOTDIR):
		err = nil
	case err != nil:
		err = &Error{Problem: Unkept, Path: j.path, Err: err}
		j.unkept, j.err = true, err
	case damaged != nil:
		problem := &Error{Problem: Damaged, Path: j.path, SetAside: diskfile.FreeName(j.path + ".broken"), Err: damaged}
		if os.Rename(j.path, problem.SetAside) != nil {
			problem.SetAside = ""
		}
		j.rewrite(s)
		err = problem
	case lines > len(s.entries)+2:
		j.rewrite(s)
	}
	if j.pending.Len() > 0 { // it could not be written anew
		j.wake <- struct{}{}
	}
	go j.write()
	return j, err
}

// readJournal takes the lines of a file into a set. damaged is what was wrong with
// a line other than the last, which a killed program leaves behind.
func readJournal(path string, s *Set) (lines int, damaged, err error) {
	file, err := os.Open(path)
	if err != nil {
		return 0, nil, err
	}
	defer file.Close()
	if info, err := file.Stat(); err != nil || !info.Mode().IsRegular() {
		return 0, nil, errors.Join(err, errors.New("not a regular file"))
	}
	reader := bufio.NewReaderSize(file, 1<<20)
	for {
		text, err := readLine(reader)
		if len(bytes.TrimSpace(text)) > 0 {
			lines++
			var l line
			if bad := json.Unmarshal(text, &l); bad == nil {
				s.take(l)
			} else if err == nil {
				damaged = fmt.Errorf("line %d: %w", lines, bad)
			} else {
				lines += len(s.entries) + 2 // the torn line has to go
			}
		}
		if errors.Is(err, io.EOF) {
			return lines, damaged, nil
		}
		if err != nil {
			return lines, damaged, err
		}
	}
}

// readLine is the next line, of an overlong one nothing.
func readLine(r *bufio.Reader) ([]byte, error) {
	var line []byte
	for {
		part, err := r.ReadSlice('\n')
		if len(line)+len(part) <= lineLimit {
			line = append(line, part...)
		}
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// take is a line's effect on a set that has no journal yet.
func (s *Set) take(l line) {
	switch {
	case l.Item != nil:
		item := l.Item.item()
		if l.Through {
			delete(s.left, item.ID)
		}
		if e := s.byID[item.ID]; e != nil {
			s.put(e, item)
		} else if item.ID > 0 && s.byPath[item.Path] == nil {
			s.add(item)
		}
	case l.Run != nil:
		s.run, s.left = l.Run.run(), map[ID]struct{}{}
		for _, id := range l.Run.Left {
			if s.byID[id] != nil {
				s.left[id] = struct{}{}
			}
		}
	case l.Ended:
		clear(s.left)
	case l.Next != nil:
		s.next = l.Next
	default:
		s.forget(l.Removed)
	}
}

// rewrite puts a journal of just what is in the set in place of the file. When
// that fails it is appended to the old one, which says the same in the end.
func (j *journal) rewrite(s *Set) {
	var text bytes.Buffer
	for _, e := range s.entries {
		text.Write(encodeLine(line{Item: keep(e.item)}))
	}
	text.Write(encodeLine(line{Run: s.keepRun()}))
	if s.next != nil {
		text.Write(encodeLine(line{Next: s.next}))
	}
	err := os.MkdirAll(filepath.Dir(j.path), 0o700)
	if err == nil {
		err = diskfile.ReplaceBytes(j.path, 0o600, text.Bytes())
	}
	if err != nil {
		j.err = &Error{Problem: Unsaved, Path: j.path, Err: err}
		j.pending.WriteByte('\n') // ends a line that was torn
		j.pending.Write(text.Bytes())
	}
}

func encodeLine(l line) []byte {
	text, err := json.Marshal(l)
	if err != nil {
		panic("a line is no JSON: " + err.Error())
	}
	return append(text, '\n')
}

// append has a line written soon.
func (j *journal) append(l line) {
	if j.unkept {
		return
	}
	j.mu.Lock()
	j.pending.Write(encodeLine(l))
	j.mu.Unlock()
	select {
	case j.wake <- struct{}{}:
	default:
	}
}

func (j *journal) problem() error {
	j.mu.Lock()
	defer j.mu.Unlock()
	return j.err
}

// retryEvery is how soon a disk that could not be written is tried again.
const retryEvery = 2 * time.Second

// write appends what is pending, again and again.
func (j *journal) write() {
	defer close(j.ended)
	var retry <-chan time.Time
	for {
		select {
		case <-j.wake:
		case <-retry:
		case <-j.end:
			j.flush()
			return
		}
		retry = nil
		wait := writeEvery
		if j.flush() != nil {
			retry, wait = time.After(retryEvery), 0
		}
		select {
		case <-time.After(wait):
		case <-j.end:
		}
	}
}

// flush writes what is pending now. What can't be written stays pending.
func (j *journal) flush() error {
	j.mu.Lock()
	text := bytes.Clone(j.pending.Bytes())
	before := j.err
	j.mu.Unlock()
	if len(text) == 0 {
		return before
	}
	err := appendTo(j.path, text)
	if err != nil {
		err = &Error{Problem: Unsaved, Path: j.path, Err: err}
	}
	j.mu.Lock()
	if err == nil {
		j.pending.Next(len(text))
	}
	j.err = err
	j.mu.Unlock()
	if (err == nil) != (before == nil) {
		j.failed()
	}
	return err
}

// close writes what is pending, and is the reason when that fails.
func (j *journal) close() error {
	close(j.end)
	<-j.ended
	return j.problem()
}

// appendTo adds text to a file, or leaves it as it was.
func appendTo(path string, text []byte) error {
	if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
		return err
	}
	file, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE, 0o600)
	if err != nil {
		return err
	}
	end, err := file.Seek(0, io.SeekEnd)
	if err == nil {
		if _, err = file.Write(text); err == nil {
			err = file.Sync()
		}
		if err != nil {
			err = errors.Join(err, file.Truncate(end))
		}
	}
	return errors.Join(err, file.Close())
}
