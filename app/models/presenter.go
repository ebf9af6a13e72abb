package models

import (
	"context"
	"maps"
	"slices"
	"sync"
	"time"

	"paddock/config"
	"paddock/engine/library"
	"paddock/words"
)

// Seams are what a Presenter works with.
type Seams struct {
	Config *config.Store
	Scan   ScanFunc
	Watch  WatchFunc            // nil when nothing is watched
	Apps   func() []library.App // places of other apps, read beside the UI goroutine; nil for none
	Pair   PairFunc             // nil for library.Pair
	Near   NearFunc             // nil where opened files are taken alone
	Judge  JudgeFunc            // nil for none
	Room   func() Room          // of this machine; takes a moment; nil for none
	Usual  UsualFunc            // folders with models to offer who has none; nil for none
	Guide  string               // path of the model that comes with the program, empty without
	Do     func(func())         // runs a function on the UI goroutine, later
}

// A Presenter decides what the tab shows. All its methods, and show, run on one
// goroutine: the one that Do posts to. Scans and file work run beside it.
type Presenter struct {
	seams  Seams
	config *config.Store
	do     func(func())
	show   func(State)

	roomAsked bool
	usual     usual

	begun bool // the user has chosen the built-in model: the first page is done

	state  State
	rows   map[string]known // by path
	pairs  map[string]paired
	shelf  *shelf // of rows and pairs, nil when they have changed
	hidden hiding // what shelf leaves out
	from   places // where rows may have come from, as of the last scan

	scanning scanning
	watching watching
	matching matching
	judging  judging
	hashing  map[string]*hashJob  // by path
	wanted   string               // path to select as soon as it is found
	awaiting bool                 // files Paddock was started with: nothing else is selected before
	undo     func(*config.Config) // takes back what state.Undo names
	opening  sync.WaitGroup       // of files, which change the configuration
	ctx      context.Context      // of that: ends openTime after Close
	cancel   context.CancelFunc
	closed   bool
}

// A known row remembers the scan that saw it last: what a whole scan did not see
// is gone.
type known struct {
	Row
	round int
}

// NewPresenter makes a presenter with an empty list; Rescan fills it.
func NewPresenter(seams Seams, show func(State)) *Presenter {
	if seams.Pair == nil {
		seams.Pair = library.Pair
	}
	p := &Presenter{
		seams: seams, config: seams.Config, do: seams.Do, show: show,
		rows: map[string]known{}, hashing: map[string]*hashJob{},
		from: places{builtIn: seams.Guide},
	}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.scanning.cancel, p.watching.stop, p.judging.cancel, p.usual.cancel = func() {}, func() {}, func() {}, func() {}
	p.state.At = -1
	p.state.Sort.Column = RecentFirst
	return p
}

// State is what is shown now.
func (p *Presenter) State() State { return p.state }

// Await has nothing selected until Open is done, or AwaitNothing says that it will not
// be called: Enter must not take another model than the one Paddock was started with.
func (p *Presenter) Await() { p.awaiting = true }

// AwaitNothing ends Await.
func (p *Presenter) AwaitNothing() {
	if p.awaiting {
		p.awaiting = false
		p.publish()
	}
}

// openTime is how long files the user opened may still be looked at after Close, to be
// remembered.
const openTime = 2 * time.Second

// Close gives up what runs; nothing is shown any more.
func (p *Presenter) Close() {
	p.closed = true
	time.AfterFunc(openTime, p.cancel)
	p.scanning.round++
	p.scanning.cancel()
	p.watching.stop()
	p.judging.cancel()
	p.usual.cancel()
	for _, job := range p.hashing {
		job.cancel()
	}
	p.show = func(State) {}
}

// A hiding is what the user took out of the list.
type hiding struct {
	forgotten []string // files found in folders
	files     []string // opened ones, which are in the list while they are here
}

func (h hiding) hides(r *Row) bool {
	if r.Source == sourceOpened && !r.Folder {
		listed := func(path string) bool { return path == r.Path || slices.Contains(r.Model.Files, path) }
		return !slices.ContainsFunc(h.files, listed)
	}
	return slices.Contains(h.forgotten, r.Path)
}

// publish makes the next state from what is known and shows it.
func (p *Presenter) publish() {
	s := &p.state
	c := p.config.Get()
	hidden := hiding{forgotten: c.Forgotten, files: c.ModelFiles}
	if p.shelf == nil || !slices.Equal(hidden.forgotten, p.hidden.forgotten) || !slices.Equal(hidden.files, p.hidden.files) {
		rows := make(map[string]*Row, len(p.rows))
		for key, k := range p.rows {
			if !hidden.hides(&k.Row) {
				rows[key] = &k.Row
			}
		}
		p.shelf, p.hidden = newShelf(rows, p.pairs), hidden
	}
	var counts map[string]int
	s.Total, counts = p.shelf.totals()
	s.Sources = sources(p.from, counts, s.Total.Rows())
	if !slices.ContainsFunc(s.Sources, func(c Source) bool { return c.ID == s.Source }) {
		s.Source = sourceAll // its folder was taken out in Settings
	}
	nothing := len(c.ModelFolders)+len(c.ModelFiles) == 0 && !p.begun && s.Total.Rows() == counts[sourceBuiltIn]
	s.Blank = nothing && (p.awaiting || s.Scanning && !p.scanning.long)
	s.First = nothing && !s.Blank
	s.Rows = p.shelf.arrange(parseFilter(s.Filter), s.Source, newOrder(s.Sort, c.Recent))
	p.settleSelection()
	p.judge()
	if s.First {
		p.findRoom()
		p.findUsual()
	}
	p.show(*s)
}

// sources are the chips: all, each folder, and each app and other place that has
// models.
func sources(from places, counts map[string]int, all int) []Source {
	list := []Source{{ID: sourceAll, Label: words.T("models.source.all"), Count: all}}
	for _, folder := range from.folders {
		list = append(list, Source{ID: folder, Label: from.chipLabel(folder), Count: counts[folder]})
	}
	add := func(id, label string) {
		if n := counts[id]; n > 0 {
			list = append(list, Source{ID: id, Label: label, Count: n})
		}
	}
	for _, app := range from.apps {
		add(app.ID, app.Name)
	}
	add(sourceOpened, words.T("models.source.opened"))
	add(sourceBuiltIn, words.T("models.source.builtIn"))
	return list
}

// chipLabel is a folder on a chip, whole where it is short.
func (p places) chipLabel(folder string) string {
	const most = 28
	if shown := words.Path(folder); len([]rune(shown)) <= most {
		return shown
	}
	return clip(p.place(folder), most)
}

// settleSelection finds the selected row again among the new ones. Where a filter
// hides it the first that is shown is selected: Enter acts on what is seen. It
// stays only where nothing is shown. Where its file is gone the row that took its
// place is selected, and without any the first that can be loaded, once a scan is
// over.
func (p *Presenter) settleSelection() {
	s := &p.state
	rows := p.shelf.rows
	if _, found := rows[p.wanted]; found {
		s.Selected = Row{Path: p.wanted}
		p.wanted = ""
	}
	before := s.Selected
	at := slices.IndexFunc(s.Rows, before.same)
	if at < 0 { // shown somewhere else now: under a model, or no more
		at = slices.IndexFunc(s.Rows, func(r *Row) bool { return r.key() == before.key() })
	}
	hidden, there := rows[before.key()]
	switch {
	case at >= 0:
	case there && len(s.Rows) > 0:
		at = 0
	case there:
	case len(s.Rows) == 0 || (s.Scanning || p.awaiting) && !before.Known():
	case before.Known():
		at = min(max(s.At, 0), len(s.Rows)-1)
	default:
		at = max(0, slices.IndexFunc(s.Rows, func(r *Row) bool { return r.Off == "" }))
	}
	s.At, s.Selected = at, Row{}
	switch {
	case at >= 0:
		s.Selected = *s.Rows[at]
	case there:
		s.Selected = *hidden
	}
}

// Begin leaves the first page for the list, with the built-in model selected.
// ok is false while that is not found yet.
func (p *Presenter) Begin() (guide library.Model, ok bool) {
	k, ok := p.rows[p.seams.Guide]
	if ok {
		p.begun, p.wanted = true, p.seams.Guide
		p.publish()
	}
	return k.Model, ok
}

// Select chooses the row at an index of State.Rows.
func (p *Presenter) Select(at int) {
	if at < 0 || at >= len(p.state.Rows) {
		return
	}
	p.state.Selected = *p.state.Rows[at]
	p.state.At = at
	p.judge()
	p.show(p.state)
}

// SelectPath chooses the row of a file, wherever it is in the list.
func (p *Presenter) SelectPath(path string) {
	at := slices.IndexFunc(p.state.Rows, func(r *Row) bool { return r.Path == path && r.Under == "" })
	if at < 0 {
		at = slices.IndexFunc(p.state.Rows, func(r *Row) bool { return r.Path == path })
	}
	if at < 0 { // the filter hides it
		p.state.Filter, p.state.Source, p.wanted = "", sourceAll, path
		p.publish()
		return
	}
	p.Select(at)
}

// Move chooses the row that is so many below the selected one, or above it,
// stopping at the ends.
func (p *Presenter) Move(by int) {
	last := len(p.state.Rows) - 1
	at := p.state.At + by
	if p.state.At < 0 {
		at = 0
	}
	p.Select(min(max(at, 0), last))
}

// SetFilter shows only rows that match what the user typed.
func (p *Presenter) SetFilter(text string) {
	p.state.Filter = text
	p.publish()
}

// SetSource shows only rows of one chip.
func (p *Presenter) SetSource(id string) {
	p.state.Source = id
	p.publish()
}

// SortBy orders the rows by a column, the other way round when they are already,
// and the third time by what was used last.
func (p *Presenter) SortBy(column Column) {
	p.state.Sort = p.state.Sort.next(column)
	p.publish()
}

// recentKept is how many models are remembered as used.
const recentKept = 50

// Used remembers that a model was used just now, by the path of its first file.
func (p *Presenter) Used(path string) {
	p.change(func(c *config.Config) {
		recent := slices.DeleteFunc(c.Recent, func(other string) bool { return other == path })
		recent = append([]string{path}, recent...)
		c.Recent = recent[:min(len(recent), recentKept)]
	}, func() {})
}

// change changes the configuration, which is written beside the UI goroutine, and
// then does what follows from it and shows it.
func (p *Presenter) change(edit func(*config.Config), then func()) {
	p.config.Later(edit, func(err error) {
		p.do(func() {
			if err != nil {
				p.state.Notice = words.Error(err).Text()
			}
			then()
			p.publish()
		})
	})
}

// Wait returns once the files that were opened are, and the configuration is written,
// or ctx ends. It is safe from any goroutine after Close.
func (p *Presenter) Wait(ctx context.Context) {
	done := make(chan struct{})
	go func() {
		p.opening.Wait()
		close(done)
	}()
	select {
	case <-done:
		p.config.Wait(ctx)
	case <-ctx.Done():
	}
}

// Say shows what went wrong.
func (p *Presenter) Say(err error) {
	p.state.Notice = words.Error(err).Text()
	p.show(p.state)
}

// Dismiss takes the notice away.
func (p *Presenter) Dismiss() {
	p.state.Notice, p.state.Undo, p.undo = "", Undo{}, nil
	p.show(p.state)
}

// matching is the work of finding out which files go together.
type matching struct{ running, again bool }

// match finds out beside the UI goroutine which files go together. It runs once
// at a time, however fast rows come.
func (p *Presenter) match() {
	if p.matching.running {
		p.matching.again = true
		return
	}
	p.matching = matching{running: true}
	var models []library.Model
	for _, k := range p.rows {
		if !k.Folder {
			models = append(models, k.Model)
		}
	}
	go func() {
		pairs := pairUp(p.seams.Pair, models)
		p.do(func() {
			p.pairs, p.shelf = pairs, nil
			again := p.matching.again
			p.matching = matching{}
			if again && !p.closed {
				p.match()
			}
			p.publish()
		})
	}()
}

// drop forgets what is known of some rows, and says whether there were any.
func (p *Presenter) drop(gone func(known) bool) bool {
	before := len(p.rows)
	maps.DeleteFunc(p.rows, func(_ string, k known) bool { return gone(k) })
	if len(p.rows) == before {
		return false
	}
	p.shelf = nil
	return true
}

// patience is how long the first page waits for the first scan: models of other
// apps are mostly found by then, and the list is shown instead.
const patience = 400 * time.Millisecond
