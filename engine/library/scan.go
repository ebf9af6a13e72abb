package library

import (
	"cmp"
	"context"
	"errors"
	"os"
	"slices"
	"sync"
	"time"
)

// A Scanner finds models. The zero Scanner is one without a cache. It may scan
// several times at once.
type Scanner struct {
	Cache    *Cache        // what is known of files from before; nil for nothing
	Patience time.Duration // how long a folder or file may give no sign of life; 0 for 5 s

	grace time.Duration // tests; 0 for the usual one
	spoil func(*disk)   // tests make disks hang
}

// usualGrace is how long the folders of one source are waited for, counted from the
// beginning, so that the order of rows, and which source a file reached by two
// ways belongs to, are the same every time.
const usualGrace = 500 * time.Millisecond

// Scan calls found for every model as soon as it is read, on the calling
// goroutine. The sources are searched at once, so that one that hangs holds up
// none of the others; the rows of each come in the order of its folders. A file
// reached by two ways is found once, for the first source that has it.
//
// Folders that can't be read don't stop it; they are in the error, each a
// *FolderError. An app's folders need not be there. When ctx ends, Scan returns
// at once with its cause, even while a folder hangs.
func (sc *Scanner) Scan(ctx context.Context, sources Sources, found func(Model)) error {
	inner, cancel := context.WithCancel(ctx)
	defer cancel()
	s := &scan{
		Scanner: sc,
		ctx:     inner,
		events:  make(chan event),
		late:    make(chan struct{}),
		paths:   map[string]bool{},
		folders: map[int64][]os.FileInfo{},
		files:   map[int64][]os.FileInfo{},
	}
	timer := time.AfterFunc(cmp.Or(sc.grace, usualGrace), func() { close(s.late) })
	defer timer.Stop()
	places := s.places(sources)
	before := make(chan struct{})
	close(before)
	for _, p := range places {
		go p.run(before)
		before = p.listed
	}
	if err := s.deliver(ctx, places, found); err != nil {
		return err
	}
	if sc.Cache != nil {
		_ = sc.Cache.save() // it is a cache: the next scan reads the files again
	}
	var problems []error
	for _, p := range places {
		problems = append(problems, p.problems...)
	}
	return errors.Join(problems...)
}

// A scan is one call of Scan.
type scan struct {
	*Scanner
	ctx    context.Context
	events chan event
	late   chan struct{} // closed when the grace is over

	mu      sync.Mutex
	paths   map[string]bool         // in rows already, of files that can't be asked
	folders map[int64][]os.FileInfo // walked already, by time: links may lead in circles
	files   map[int64][]os.FileInfo // in rows already, by size
}

// An event is a model found in a place, or that there are no more.
type event struct {
	place int
	model Model
	end   bool
}

// places are all that is searched by itself: the files, and each folder.
func (s *scan) places(sources Sources) []*place {
	var all []*place
	add := func(p *place) {
		p.scan, p.number, p.listed = s, len(all), make(chan struct{})
		p.disk = newDisk(s.ctx, p.folder, s.Patience)
		if s.spoil != nil {
			s.spoil(p.disk)
		}
		all = append(all, p)
	}
	if len(sources.Files) > 0 {
		add(&place{files: sources.Files})
	}
	for _, folder := range sources.Folders {
		add(&place{folder: absolute(folder), source: folder})
	}
	for _, app := range sources.Apps {
		for _, folder := range app.Folders {
			add(&place{folder: absolute(folder), source: app.ID, app: true})
		}
	}
	return all
}

// deliver hands models on, those of an earlier place first while the grace
// lasts, then as they come.
func (s *scan) deliver(ctx context.Context, places []*place, found func(Model)) error {
	waiting := make([][]Model, len(places))
	ended := make([]bool, len(places))
	turn := 0
	late := s.late
	for turn < len(places) {
		select {
		case e := <-s.events:
			if e.end {
				ended[e.place] = true
			} else {
				waiting[e.place] = append(waiting[e.place], e.model)
			}
		case <-late:
			late = nil
		case <-ctx.Done():
		}
		for i := turn; i < len(places) && (late == nil || i == turn); i++ {
			for _, m := range waiting[i] {
				if ctx.Err() != nil {
					break
				}
				found(m)
			}
			waiting[i] = nil
			if i == turn && ended[i] {
				turn++
			}
		}
		if ctx.Err() != nil {
			return context.Cause(ctx)
		}
	}
	return nil
}

// newFolder says whether a folder was not walked before, and remembers it.
func (s *scan) newFolder(info os.FileInfo) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	return first(s.folders, info.ModTime().UnixNano(), info)
}

// newFile says whether a file was in no row before, and remembers it.
func (s *scan) newFile(path string, info os.FileInfo) bool {
	s.mu.Lock()
	defer s.mu.Unlock()
	if info != nil {
		return first(s.files, info.Size(), info)
	}
	known := s.paths[path]
	s.paths[path] = true
	return !known
}

// first says whether a file or folder was not seen before, and remembers it. What
// can be the same has the same mark: comparing each with all others takes minutes
// in a large folder.
func first(seen map[int64][]os.FileInfo, mark int64, info os.FileInfo) bool {
	if slices.ContainsFunc(seen[mark], func(other os.FileInfo) bool { return os.SameFile(other, info) }) {
		return false
	}
	seen[mark] = append(seen[mark], info)
	return true
}
