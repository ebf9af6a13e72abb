package library

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/fsnotify/fsnotify"
)

// A watcher has folders watched. One goroutine adds folders, another listens.
type watcher struct {
	ctx      context.Context
	events   *fsnotify.Watcher
	sources  []corner
	limit    int
	files    map[string]bool // of Sources.Files
	awaited  map[string]bool // sources that are not there; of the goroutine that adds
	requests chan string     // what came or went and may be a folder to be watched
	added    chan struct{}   // some folder is watched that was not

	mu      sync.Mutex
	folders map[string]depth // that are watched
}

// A depth is what a folder is watched for.
type depth int

const (
	waiting depth = iota + 1 // for a source to appear below it
	flat                     // for what is in it
	deep                     // for what is below it, too
)

// A corner is a folder to be watched.
type corner struct {
	path  string
	depth depth
	disk  *disk // of its source
}

func newWatcher(ctx context.Context, events *fsnotify.Watcher, sources Sources, limit int) *watcher {
	w := &watcher{
		ctx: ctx, events: events, limit: limit,
		files: map[string]bool{}, awaited: map[string]bool{}, folders: map[string]depth{},
		requests: make(chan string), added: make(chan struct{}),
	}
	add := func(path string, depth depth) {
		w.sources = append(w.sources, corner{path, depth, newDisk(ctx, path, 0)})
	}
	for _, folder := range sources.Folders {
		add(absolute(folder), deep)
	}
	for _, app := range sources.Apps {
		for _, folder := range app.Folders {
			add(absolute(folder), deep)
		}
	}
	for _, file := range sources.Files {
		w.files[absolute(file)] = true
		add(filepath.Dir(absolute(file)), flat)
	}
	return w
}

// A disk that is plugged in has its folder made, and is put there a moment later,
// which nothing tells of: what is missing is looked for some times more.
const mountTries = 5

var mountWait = 2 * time.Second // tests don't wait

// addAll watches the sources, then what is asked for until the context ends.
func (w *watcher) addAll() {
	w.add(slices.Clone(w.sources))
	for _, c := range w.sources {
		w.awaited[c.path] = missing(c) != ""
	}
	w.tell(w.lookForAwaited())
	var again <-chan time.Time
	tries := 0
	for {
		select {
		case path := <-w.requests:
			if w.leadsToSource(path) {
				again, tries = time.After(mountWait), mountTries
			}
			w.tell(w.lookAt(path))
		case <-again:
			if tries--; tries > 0 {
				again = time.After(mountWait)
			}
			w.tell(w.lookForAwaited())
		case <-w.ctx.Done():
			return
		}
	}
}

// tell has it known that so many folders more are watched.
func (w *watcher) tell(added int) {
	if added == 0 {
		return
	}
	select {
	case w.added <- struct{}{}:
	case <-w.ctx.Done():
	}
}

// lookAt watches a folder that came, when it is below a source, and the sources it
// leads to.
func (w *watcher) lookAt(path string) (added int) {
	isDeep := w.isDeep(path)
	for _, c := range w.sources {
		switch {
		case isIn(c.path, path):
			added += w.lookFor(c)
		case isDeep && isIn(path, c.path):
			added += w.add([]corner{{path, deep, c.disk}})
			isDeep = false
		}
	}
	return added
}

func (w *watcher) lookForAwaited() (added int) {
	for _, c := range w.sources {
		if w.awaited[c.path] {
			added += w.lookFor(c)
		}
	}
	return added
}

// lookFor watches a source, or the folder in which the first part of its path that
// is missing would be made.
func (w *watcher) lookFor(c corner) (added int) {
	for before := ""; ; {
		gap := missing(c)
		w.awaited[c.path] = gap != ""
		if gap == "" {
			return w.add([]corner{c})
		}
		if gap == before || !w.watch(corner{filepath.Dir(gap), waiting, c.disk}) {
			return 0
		}
		before = gap // it may have been made before the folder was watched
	}
}

// missing is the first part of a source's path that is not there, empty when all
// is, or when there is no telling.
func missing(c corner) (gap string) {
	for path := c.path; ; path = filepath.Dir(path) {
		_, err := c.disk.folder(path)
		switch {
		case err == nil:
			return gap
		case !errors.Is(err, fs.ErrNotExist) || path == filepath.Dir(path):
			return ""
		}
		gap = path
	}
}

// isIn says whether a path is a folder, or below it.
func isIn(path, folder string) bool {
	return path == folder || strings.HasPrefix(path, strings.TrimSuffix(folder, separator)+separator)
}

const separator = string(filepath.Separator)

func (w *watcher) leadsToSource(path string) bool {
	return slices.ContainsFunc(w.sources, func(c corner) bool { return isIn(c.path, path) })
}

// add watches folders and those below them, the upper ones first, and returns how
// many.
func (w *watcher) add(corners []corner) (added int) {
	seen := map[int64][]os.FileInfo{} // links may lead in circles
	for len(corners) > 0 && w.ctx.Err() == nil {
		c := corners[0]
		corners = corners[1:]
		if runtime.GOOS == "linux" && slices.Contains(pseudo, c.path) {
			continue
		}
		info, err := c.disk.folder(c.path)
		if err != nil || !info.IsDir() || !first(seen, info.ModTime().UnixNano(), info) || !w.watch(c) {
			continue
		}
		added++
		if c.depth != deep {
			continue
		}
		entries, _ := c.disk.entries(c.path) // what can't be read is not watched
		for _, name := range foldersToWatch(entries) {
			corners = append(corners, corner{filepath.Join(c.path, name), deep, c.disk})
		}
	}
	return added
}

// foldersToWatch are the folders, and links which may lead to some. Where files
// come under their checksum before they are given a name, the name is enough.
func foldersToWatch(entries []os.DirEntry) []string {
	var names []string
	for _, entry := range entries {
		isLink := entry.Type()&(os.ModeSymlink|os.ModeIrregular) != 0
		if entry.IsDir() || isLink && !isGGUF(entry.Name()) {
			names = append(names, entry.Name())
		}
	}
	named := func(name string) bool { return slices.Contains(names, name) }
	if named("snapshots") || named(manifests) || named(manifestsV2) {
		names = slices.DeleteFunc(names, func(name string) bool { return name == blobs })
	}
	return names
}

// watch watches one folder. It fails where the system, or the limit, does not let
// it.
func (w *watcher) watch(c corner) bool {
	w.mu.Lock()
	before, known := w.folders[c.path]
	full := len(w.folders) >= w.limit
	if known {
		w.folders[c.path] = max(before, c.depth)
	}
	w.mu.Unlock()
	if known {
		return true
	}
	if full || w.events.Add(c.path) != nil {
		return false
	}
	w.mu.Lock()
	w.folders[c.path] = c.depth
	w.mu.Unlock()
	return true
}

// isDeep says whether something is in a folder that is watched to the bottom.
func (w *watcher) isDeep(path string) bool {
	w.mu.Lock()
	defer w.mu.Unlock()
	return w.folders[filepath.Dir(path)] == deep
}

// forget drops a folder that is gone, with those below it: when they come back
// they are others. It says whether anything was watched in them.
func (w *watcher) forget(path string) (watched bool) {
	leads := w.leadsToSource(path)
	w.mu.Lock()
	var gone []string
	if w.folders[path] != 0 || leads {
		for folder, depth := range w.folders {
			if isIn(folder, path) {
				gone = append(gone, folder)
				watched = watched || depth > waiting
				delete(w.folders, folder)
			}
		}
	}
	w.mu.Unlock()
	for _, folder := range gone {
		_ = w.events.Remove(folder) // of what was removed the system has done so
	}
	return watched
}

// matters says whether an event may change what a scan finds.
func (w *watcher) matters(e fsnotify.Event) bool {
	if (e.Has(fsnotify.Remove) || e.Has(fsnotify.Rename)) && w.forget(e.Name) {
		return true
	}
	w.mu.Lock()
	onlyWaits := w.folders[filepath.Dir(e.Name)] == waiting
	w.mu.Unlock()
	if onlyWaits {
		return false
	}
	if isGGUF(e.Name) || w.files[e.Name] {
		return true
	}
	folder := filepath.ToSlash(filepath.Dir(e.Name)) + "/"
	return strings.Contains(folder, "/"+manifests+"/") || strings.Contains(folder, "/"+manifestsV2+"/")
}

func isGGUF(name string) bool { return strings.EqualFold(filepath.Ext(name), ".gguf") }
