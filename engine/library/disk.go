package library

import (
	"context"
	"errors"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"paddock/engine/gguf"
)

const (
	// defaultPatience is how long a folder or file may give no sign of life.
	defaultPatience = 5 * time.Second

	// slowRead is how many times the patience a header may take once its first
	// bytes came: 7 MB in 20 seconds is the slowest of networks.
	slowRead = 4

	// shortest is what part of the patience is left after many times without an
	// answer: a folder of a thousand links to a mount that hangs is no reason to
	// wait for hours.
	shortest = 50

	// hungInFolder is after how many without an answer a folder, or the files in
	// one, are not asked any more.
	hungInFolder = 3

	// hungInSource bounds the threads that wait for answers which may never come, for
	// each source: one full of links to a dead mount is no reason to ask no other.
	// Dozens of such sources fit into the 10,000 threads Go allows.
	hungInSource = 256
)

// errNoAnswer is what a network mount that hangs comes to.
var errNoAnswer = errors.New("no answer")

// stuck counts the operations the system has not answered in time, nor since. It
// outlives a scan: else each would leave some more behind at the same dead mount,
// until healthy folders of the source are not asked either.
var stuck = counter{in: map[string]int{}, at: map[string]int{}}

// A counter counts operations by their source, and by what they ask.
type counter struct {
	mu     sync.Mutex
	in, at map[string]int
}

func (c *counter) add(source, at string, n int) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.in[source] += n; c.in[source] == 0 {
		delete(c.in, source)
	}
	if c.at[at] += n; c.at[at] == 0 {
		delete(c.at, at)
	}
}

// isHopeless says whether one more would only get stuck too.
func (c *counter) isHopeless(source, at string) bool {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.at[at] >= hungInFolder || c.in[source] >= hungInSource
}

// What operations ask: something in a folder, or a folder itself, each of which
// may be a mount of its own.
func inFolderOf(path string) string { return "in " + filepath.Dir(path) }
func folderAt(path string) string   { return "folder " + path }

// A disk asks the file system for a place, and does not wait for ever. Its
// functions are fields so that tests can make them hang.
type disk struct {
	ctx    context.Context
	source string // the place's folder, empty for files one by one

	stat    func(string) (os.FileInfo, error)
	readDir func(path string, progress func()) ([]os.DirEntry, error)
	head    func(string) error
	header  func([]string) (gguf.Facts, error)

	least time.Duration // of patience

	mu       sync.Mutex
	patience time.Duration // less after every time without an answer
}

func newDisk(ctx context.Context, source string, patience time.Duration) *disk {
	if patience <= 0 {
		patience = defaultPatience
	}
	return &disk{
		ctx: ctx, source: source, patience: patience, least: patience / shortest,
		stat: os.Stat, readDir: readDir, head: readHead, header: readHeader,
	}
}

// ask runs an operation on a goroutine of its own, which stays behind when the
// system never answers. It waits for the first sign of life as long as the
// patience lasts, and from one to the next so many times as long. Where others of
// the same kind are stuck it does not begin.
func ask[T any](d *disk, at string, times time.Duration, operation func(progress func()) (T, error)) (T, error) {
	if stuck.isHopeless(d.source, at) {
		return *new(T), errNoAnswer
	}
	d.mu.Lock()
	patience := d.patience
	d.mu.Unlock()
	type answer struct {
		value T
		err   error
	}
	done := make(chan answer, 1)
	alive := make(chan struct{}, 1)
	var settled atomic.Bool // answered, or given up
	go func() {
		value, err := operation(func() {
			select {
			case alive <- struct{}{}:
			default:
			}
		})
		done <- answer{value, err}
		if !settled.CompareAndSwap(false, true) {
			stuck.add(d.source, at, -1)
		}
	}()
	giveUp := func() bool { // false when the answer came just now
		if !settled.CompareAndSwap(false, true) {
			return false
		}
		stuck.add(d.source, at, 1)
		return true
	}
	timer := time.NewTimer(patience)
	defer timer.Stop()
	for {
		select {
		case a := <-done:
			return a.value, a.err
		case <-alive:
			timer.Reset(times * patience)
		case <-timer.C:
			if !giveUp() {
				a := <-done
				return a.value, a.err
			}
			d.mu.Lock()
			d.patience = max(d.patience/2, d.least)
			d.mu.Unlock()
			return *new(T), errNoAnswer
		case <-d.ctx.Done():
			// A scan that was cancelled says nothing about the disk; that nothing comes
			// for as long as another would have waited does.
			time.AfterFunc(times*patience, func() { giveUp() })
			return *new(T), d.ctx.Err()
		}
	}
}

// file asks about a file. Where others in its folder hang it is not asked.
func (d *disk) file(path string) (os.FileInfo, error) {
	return ask(d, inFolderOf(path), 1, func(func()) (os.FileInfo, error) { return d.stat(path) })
}

// folder asks about a folder.
func (d *disk) folder(path string) (os.FileInfo, error) {
	return ask(d, folderAt(path), 1, func(func()) (os.FileInfo, error) { return d.stat(path) })
}

// entries are those of a folder, by name; beside an error those that were read.
func (d *disk) entries(path string) ([]os.DirEntry, error) {
	return ask(d, folderAt(path), 1, func(progress func()) ([]os.DirEntry, error) { return d.readDir(path, progress) })
}

// facts reads the header of a set of files and has judge say what it is worth,
// also when the answer comes too late.
func (d *disk) facts(set set, judge func(gguf.Facts, error) (gguf.Facts, error)) (gguf.Facts, error) {
	paths := set.paths
	if len(set.missing) > 0 {
		paths = paths[:1]
	}
	return ask(d, inFolderOf(paths[0]), slowRead, func(progress func()) (gguf.Facts, error) {
		if d.head(paths[0]) == nil {
			progress()
		}
		return judge(d.header(paths))
	})
}

// small reads a whole file of at most the given bytes.
func (d *disk) small(path string, limit int64) ([]byte, error) {
	return ask(d, inFolderOf(path), 1, func(func()) ([]byte, error) {
		info, err := d.stat(path)
		if err != nil {
			return nil, err
		}
		if !info.Mode().IsRegular() || info.Size() > limit {
			return nil, os.ErrInvalid
		}
		return os.ReadFile(path)
	})
}

// readDir is os.ReadDir, with signs of life.
func readDir(path string, progress func()) ([]os.DirEntry, error) {
	folder, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer folder.Close()
	var all []os.DirEntry
	for err == nil {
		var some []os.DirEntry
		some, err = folder.ReadDir(512)
		all = append(all, some...)
		progress()
	}
	slices.SortFunc(all, func(a, b os.DirEntry) int { return strings.Compare(a.Name(), b.Name()) })
	if errors.Is(err, io.EOF) {
		err = nil
	}
	return all, err
}

// readHead reads the beginning of a file, when it is one.
func readHead(path string) error {
	info, err := os.Stat(path)
	if err != nil {
		return err
	}
	if !info.Mode().IsRegular() {
		return os.ErrInvalid // opening a pipe waits for its other end
	}
	file, err := os.Open(path)
	if err != nil {
		return err
	}
	defer file.Close()
	_, err = file.Read(make([]byte, 4096))
	return err
}

func readHeader(paths []string) (gguf.Facts, error) {
	if len(paths) > 1 {
		return gguf.ReadSet(paths)
	}
	return gguf.Read(paths[0])
}
