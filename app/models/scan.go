package models

import (
	"context"
	"errors"
	"os"
	"reflect"
	"slices"
	"sync"
	"time"

	"paddock/config"
	"paddock/engine/library"
	"paddock/words"
)

const (
	// batchEvery is how often models found by a scan are brought into the list. A
	// scan finds thousands a second; the window draws ten lists a second.
	batchEvery = 100 * time.Millisecond

	// firstBatch is how long the first models wait: what is known from the last
	// start is found at once.
	firstBatch = 30 * time.Millisecond
)

// ScanFunc finds models: library.Scanner's Scan, or a script in tests.
type ScanFunc func(context.Context, library.Sources, func(library.Model)) error

// WatchFunc calls changed when something in the sources may have changed, not too
// often, until ctx ends: library.Watch, or a script in tests.
type WatchFunc func(ctx context.Context, sources library.Sources, changed func())

// scanning is the scan that runs, or the last one.
type scanning struct {
	cancel  context.CancelFunc
	round   int // number of the latest scan
	running bool
	long    bool // it has run for longer than a moment, or was not the first
	again   bool // something changed while it ran
	looked  bool // there was a scan, of these:
	folders []string
	files   []string
	appsOff []string
}

// Rescan looks through all folders, apps and opened files again. Rows stay while
// it runs; a scan that runs already is given up.
func (p *Presenter) Rescan() { p.look(false) }

// Settled says whether the first look for models is over and it is known which of
// them go together.
func (p *Presenter) Settled() bool {
	return p.scanning.looked && !p.scanning.running && !p.matching.running
}

// CancelScan gives a running scan up and keeps what it found.
func (p *Presenter) CancelScan() { p.scanning.cancel() }

// RescanIfChanged scans when there was no scan yet, or when Settings have
// changed where to look.
func (p *Presenter) RescanIfChanged() {
	c, s := p.config.Get(), p.scanning
	switch {
	case !s.looked || !slices.Equal(s.folders, c.ModelFolders) || !slices.Equal(s.appsOff, c.AppsOff):
		p.Rescan()
	case !slices.Equal(s.files, c.ModelFiles):
		p.look(true)
	default:
		p.publish() // forgotten files may be back
	}
}

func (p *Presenter) look(quiet bool) {
	if p.closed {
		return
	}
	p.scanning.cancel()
	ctx, cancel := context.WithCancel(context.Background())
	c := p.config.Get()
	round := p.scanning.round + 1
	p.scanning = scanning{
		cancel: cancel, round: round, running: true, long: p.scanning.looked, looked: true,
		folders: c.ModelFolders, files: c.ModelFiles, appsOff: c.AppsOff,
	}
	p.state.Scanning = !quiet
	if !quiet {
		p.state.Scan = Progress{}
		time.AfterFunc(patience, func() {
			p.do(func() {
				if p.scanning.round == round && p.scanning.running {
					p.scanning.long = true
					p.publish()
				}
			})
		})
	}
	p.publish()
	go func() {
		defer cancel()
		p.scan(ctx, round, c)
	}()
}

// scan runs beside the UI goroutine.
func (p *Presenter) scan(ctx context.Context, round int, c config.Config) {
	from := places{folders: c.ModelFolders, files: c.ModelFiles, apps: p.apps(c), builtIn: p.seams.Guide}
	sources := library.Sources{Folders: c.ModelFolders, Files: c.ModelFiles, Apps: from.apps}
	if p.seams.Guide != "" {
		sources.Files = append([]string{p.seams.Guide}, sources.Files...)
	}
	p.do(func() { p.lookIn(round, from, sources) })
	go p.visit(round, from.apps)
	err := p.inBatches(ctx, sources, func(batch []library.Model) {
		rows := make([]Row, len(batch))
		for i, m := range batch {
			rows[i] = newRow(m, from)
		}
		p.do(func() { p.take(round, rows) })
	})
	cancelled := ctx.Err() != nil
	troubles, rest := troublesIn(err, from)
	p.do(func() { p.finish(round, troubles, rest, cancelled) })
}

// apps are the places of other apps that are not switched off.
func (p *Presenter) apps(c config.Config) []library.App {
	if p.seams.Apps == nil {
		return nil
	}
	return slices.DeleteFunc(p.seams.Apps(), func(a library.App) bool { return slices.Contains(c.AppsOff, a.ID) })
}

// lookIn takes note of where a scan looks.
func (p *Presenter) lookIn(round int, from places, sources library.Sources) {
	if round != p.scanning.round {
		return
	}
	p.from = from
	p.watch(sources)
	p.publish()
}

// visit finds out which places of other apps are there at all. It waits for disks
// that answer slowly, and nothing waits for it.
func (p *Presenter) visit(round int, apps []library.App) {
	visited := make([]AppPlace, len(apps))
	for i, app := range apps {
		visited[i].Name = app.Name
		for _, folder := range app.Folders {
			_, err := os.Stat(folder)
			if visited[i].Folder == "" || err == nil {
				visited[i].Folder = words.Path(folder)
			}
			if err == nil {
				visited[i].There = true
				break
			}
		}
	}
	p.do(func() {
		if round == p.scanning.round {
			p.state.Apps = visited
			p.publish()
		}
	})
}

// inBatches scans and hands what it finds to take, a batch at a time.
func (p *Presenter) inBatches(ctx context.Context, sources library.Sources, take func([]library.Model)) error {
	var mu sync.Mutex
	var found []library.Model
	post := func() {
		mu.Lock()
		batch := found
		found = nil
		mu.Unlock()
		if len(batch) > 0 {
			take(batch)
		}
	}
	defer post()

	done := make(chan error, 1)
	go func() {
		done <- p.seams.Scan(ctx, sources, func(m library.Model) {
			mu.Lock()
			found = append(found, m)
			mu.Unlock()
		})
	}()
	tick := time.NewTimer(firstBatch)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			post()
			tick.Reset(batchEvery)
		case err := <-done:
			return err
		}
	}
}

// take brings what a scan found into the list.
func (p *Presenter) take(round int, rows []Row) {
	if round != p.scanning.round {
		return
	}
	news := false
	for _, r := range rows {
		before, there := p.rows[r.Path]
		if there && before.Model.SizeBytes != r.Model.SizeBytes {
			p.dropHashes(r.Model.Files)
		}
		if !there || before.Source != r.Source || !reflect.DeepEqual(before.Model, r.Model) {
			news = true
		}
		p.rows[r.Path] = known{Row: r, round: round}
		p.state.Scan.Files += max(1, len(r.Model.Files))
		p.state.Scan.Folder = p.from.label(r.Source, r.Where)
	}
	if news {
		p.shelf = nil
		p.match()
	}
	p.publish()
}

// label is a source as a chip names it, or else where a file is.
func (p places) label(source, where string) string {
	if slices.Contains(p.folders, source) {
		return p.chipLabel(source)
	}
	for _, app := range p.apps {
		if app.ID == source {
			return app.Name
		}
	}
	return where
}

// finish ends a scan. What a whole one did not see is gone.
func (p *Presenter) finish(round int, troubles []Row, err error, cancelled bool) {
	if round != p.scanning.round {
		return
	}
	p.scanning.running = false
	p.state.Scanning = false
	if !cancelled {
		for _, r := range troubles {
			p.rows[r.key()] = known{Row: r, round: round}
			p.shelf = nil
		}
		if p.drop(func(k known) bool { return k.round != round }) {
			p.match()
		}
		if err != nil {
			p.state.Notice = words.Error(err).Text()
		}
	}
	p.publish()
	if p.scanning.again {
		p.look(true)
	}
}

// troublesIn tells folders that can't be read, which get a row each, from what
// else a scan says went wrong.
func troublesIn(err error, from places) (troubles []Row, rest error) {
	var others []error
	var visit func(error)
	visit = func(err error) {
		var folder *library.FolderError
		joined, several := err.(interface{ Unwrap() []error })
		switch {
		case err == nil:
		case several:
			for _, e := range joined.Unwrap() {
				visit(e)
			}
		case errors.As(err, &folder):
			troubles = append(troubles, newTrouble(folder, from))
		default:
			others = append(others, err)
		}
	}
	visit(err)
	return troubles, errors.Join(others...)
}
