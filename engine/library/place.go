package library

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
)

// A place is a folder that is searched, or the files that were given one by one.
// One goroutine lists it; each file found gets one that reads it.
type place struct {
	*scan
	disk   *disk
	number int
	folder string   // to the bottom; empty for files
	files  []string // one by one
	source string   // of its models
	app    bool     // the folder is an app's and need not be there

	listed   chan struct{} // closed when all is listed
	problems []error       // of folders; complete when the place has ended
	readers  chan struct{} // as many as may read at once
	last     chan struct{} // closed when the model before was handed on
}

// readersPerPlace is how many headers of a place are read at once: more is no
// faster on most disks, and slower on those that turn.
const readersPerPlace = 4

// run lists the place and hands on its models, after the places before it have
// been listed, or are late.
func (p *place) run(before <-chan struct{}) {
	p.readers = make(chan struct{}, min(readersPerPlace, runtime.GOMAXPROCS(0)))
	p.last = make(chan struct{})
	close(p.last)
	select {
	case <-before:
	case <-p.late:
	case <-p.ctx.Done():
	}
	for _, file := range p.files {
		p.file(absolute(file))
	}
	if p.folder != "" {
		p.walk(p.folder, p.app)
	}
	close(p.listed)
	select {
	case <-p.last:
		p.send(event{place: p.number, end: true})
	case <-p.ctx.Done():
	}
}

func (p *place) send(e event) {
	select {
	case p.events <- e:
	case <-p.ctx.Done():
	}
}

func (p *place) ended() bool { return p.ctx.Err() != nil }

// pseudo are folders with no files in them, but endless folders.
var pseudo = []string{"/proc", "/sys", "/dev"}

// walk lists a folder and, through links too, those in it. One that is optional
// need not be there.
func (p *place) walk(path string, optional bool) {
	if p.ended() || runtime.GOOS == "linux" && slices.Contains(pseudo, path) {
		return
	}
	info, err := p.disk.folder(path)
	if err == nil && !info.IsDir() {
		err = errNotFolder
	}
	if err != nil {
		if !optional || !errors.Is(err, fs.ErrNotExist) {
			p.problem(path, err)
		}
		return
	}
	if !p.newFolder(info) {
		return
	}
	entries, err := p.disk.entries(path)
	if err != nil {
		p.problem(path, err)
	}
	folders, files := p.sort(path, entries)
	if isStore(folders) {
		p.store(path)
		folders = slices.DeleteFunc(folders, func(f string) bool { return inStore(filepath.Base(f)) })
	}
	for _, set := range sets(files) {
		p.row(set)
	}
	for _, folder := range folders {
		p.walk(folder, false)
	}
}

func (p *place) problem(path string, err error) {
	if !p.ended() {
		p.problems = append(p.problems, newFolderError(path, err))
	}
}

// sort tells the folders in a folder from the GGUF files.
func (p *place) sort(path string, entries []os.DirEntry) (folders, files []string) {
	for _, entry := range entries {
		inside := filepath.Join(path, entry.Name())
		named := isGGUF(inside)
		isDir := entry.IsDir()
		// A link, or a junction of Windows, may lead to a folder.
		if entry.Type()&(os.ModeSymlink|os.ModeIrregular) != 0 {
			ask := p.disk.folder
			if named {
				ask = p.disk.file
			}
			info, err := ask(inside)
			isDir = err == nil && info.IsDir()
			if errors.Is(err, errNoAnswer) && !named {
				p.problem(inside, err)
			}
		}
		switch {
		case isDir:
			folders = append(folders, inside)
		case named:
			files = append(files, inside)
		}
	}
	return folders, files
}

// file finds what else there is of the set of a file given by itself.
func (p *place) file(path string) {
	name, ok := partName(path)
	if !ok {
		p.row(set{paths: []string{path}})
		return
	}
	whole := set{count: name.count}
	for i := range name.count {
		part := name.part(i)
		if _, err := p.disk.file(part); err == nil {
			whole.paths = append(whole.paths, part)
		} else {
			whole.missing = append(whole.missing, filepath.Base(part))
		}
	}
	if len(whole.paths) == 0 {
		whole = set{paths: []string{path}} // its own problem says it best
	}
	p.row(whole)
}

// row has one model read and handed on after those before it, unless its first
// file was in a row before.
func (p *place) row(set set) {
	if p.ended() {
		return
	}
	set.infos = make([]os.FileInfo, len(set.paths))
	for i, path := range set.paths {
		info, err := p.disk.file(path)
		if err == nil {
			set.infos[i] = info
		} else if errors.Is(err, errNoAnswer) && set.problem == nil {
			set.problem = &FileError{Path: path, Problem: FileNoAnswer, Err: err}
		}
	}
	if !p.newFile(set.paths[0], set.infos[0]) {
		return
	}
	before, after := p.last, make(chan struct{})
	p.last = after
	go func() {
		defer close(after)
		m := p.model(set)
		select {
		case <-before:
			p.send(event{place: p.number, model: m})
		case <-p.ctx.Done():
		}
	}()
}
