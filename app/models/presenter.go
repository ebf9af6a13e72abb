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

// batchEvery is how often models found by a scan are brought into the list. A
// scan finds thousands a second; the window draws ten lists a second.
const batchEvery = 100 * time.Millisecond

// ScanFunc finds models: library.Scan, or a script in tests.
type ScanFunc func(context.Context, library.Sources, func(library.Model)) error

// A Presenter decides what the tab shows. All its methods, and show, run on one
// goroutine: the one that do posts to. Scans and file work run beside it.
type Presenter struct {
	config *config.Store
	scan   ScanFunc
	do     func(func())
	show   func(State)

	builtIn string // path of the model that comes with the program, empty without
	begun   bool   // the user has chosen the built-in model: the first page is done

	state  State
	rows   map[string]known // by path
	cancel context.CancelFunc
	round  int    // number of the latest scan
	wanted string // path to select as soon as it is found
	looked bool   // there was a scan, of these folders
	in     []string
}

// A known row remembers the scan that saw it last: what a whole scan did not see
// is gone.
type known struct {
	Row
	round int
}

// NewPresenter makes a presenter with an empty list; Rescan fills it.
func NewPresenter(store *config.Store, scan ScanFunc, builtIn string, do func(func()), show func(State)) *Presenter {
	p := &Presenter{config: store, scan: scan, builtIn: builtIn, do: do, show: show, rows: map[string]known{}, cancel: func() {}}
	p.state.At = -1
	return p
}

// State is what is shown now.
func (p *Presenter) State() State { return p.state }

// Rescan looks through all folders and opened files again. Rows stay while it
// runs; a scan that runs already is given up.
func (p *Presenter) Rescan() {
	p.cancel()
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.round++
	p.state.Scanning = true
	p.state.Scan = Progress{}
	c := p.config.Get()
	p.looked, p.in = true, slices.Clone(c.ModelFolders)
	p.publish()
	round := p.round
	go func() {
		defer cancel()
		sources := library.Sources{Folders: c.ModelFolders, Files: c.ModelFiles}
		if p.builtIn != "" {
			sources.Files = append([]string{p.builtIn}, sources.Files...)
		}
		err := p.scanInBatches(ctx, sources, func(batch []library.Model) { p.take(round, batch) })
		cancelled := ctx.Err() != nil
		p.do(func() { p.finish(round, err, cancelled) })
	}()
}

// RescanIfChanged scans when there was no scan yet, or the folders are others
// than those of the last one.
func (p *Presenter) RescanIfChanged() {
	if !p.looked || !slices.Equal(p.in, p.config.Get().ModelFolders) {
		p.Rescan()
	}
}

// scanInBatches scans and hands what it finds to take, on the presenter's
// goroutine, a batch at a time.
func (p *Presenter) scanInBatches(ctx context.Context, sources library.Sources, take func([]library.Model)) error {
	var mu sync.Mutex
	var found []library.Model
	post := func() {
		mu.Lock()
		batch := found
		found = nil
		mu.Unlock()
		if len(batch) > 0 {
			p.do(func() { take(batch) })
		}
	}
	defer post()

	done := make(chan error, 1)
	go func() {
		done <- p.scan(ctx, sources, func(m library.Model) {
			mu.Lock()
			found = append(found, m)
			mu.Unlock()
		})
	}()
	tick := time.NewTicker(batchEvery)
	defer tick.Stop()
	for {
		select {
		case <-tick.C:
			post()
		case err := <-done:
			return err
		}
	}
}

// CancelScan gives a running scan up and keeps what it found.
func (p *Presenter) CancelScan() { p.cancel() }

// Close gives a running scan up; nothing is shown any more.
func (p *Presenter) Close() {
	p.round++
	p.cancel()
	p.show = func(State) {}
}

func (p *Presenter) take(round int, batch []library.Model) {
	if round != p.round {
		return
	}
	folders := p.config.Get().ModelFolders
	for _, m := range batch {
		r := newRow(m, folders)
		if r.Path == p.builtIn {
			r.Source, r.Where = sourceBuiltIn, words.T("models.source.builtIn")
		}
		p.rows[r.Path] = known{Row: r, round: round}
		p.state.Scan.Files += max(1, len(m.Files))
		p.state.Scan.Folder = r.Where
	}
	p.publish()
}

func (p *Presenter) finish(round int, err error, cancelled bool) {
	if round != p.round {
		return
	}
	p.state.Scanning = false
	switch {
	case cancelled:
	case err != nil:
		p.state.Notice = notice(err)
	default:
		maps.DeleteFunc(p.rows, func(_ string, k known) bool { return k.round != round })
	}
	p.publish()
}

// publish makes the next state from what is known and shows it.
func (p *Presenter) publish() {
	s := &p.state
	c := p.config.Get()
	folders := c.ModelFolders
	s.First = len(c.ModelFolders)+len(c.ModelFiles) == 0 && !p.begun
	if s.Source != sourceAll && s.Source != sourceOpened && s.Source != sourceBuiltIn && !slices.Contains(folders, s.Source) {
		s.Source = sourceAll // its folder was taken out in Settings
	}
	f := parseFilter(s.Filter)
	s.Rows = make([]Row, 0, len(p.rows))
	s.Total = Totals{}
	counts := map[string]int{}
	for _, k := range p.rows {
		counts[k.Source]++
		s.Total.SizeBytes += k.Model.SizeBytes
		if k.Companion {
			s.Total.Companions++
		} else {
			s.Total.Models++
		}
		if (s.Source == sourceAll || s.Source == k.Source) && f.matches(k.Row) {
			s.Rows = append(s.Rows, k.Row)
		}
	}
	sortRows(s.Rows, s.Sort)
	s.Sources = sources(folders, counts, len(p.rows))
	p.settleSelection()
	p.show(*s)
}

// sources are the chips: all, each folder, and the files opened by themselves
// where there are some.
func sources(folders []string, counts map[string]int, all int) []Source {
	list := []Source{{ID: sourceAll, Label: words.T("models.source.all"), Count: all}}
	for _, folder := range folders {
		list = append(list, Source{ID: folder, Label: words.Path(folder), Count: counts[folder]})
	}
	if n := counts[sourceOpened]; n > 0 {
		list = append(list, Source{ID: sourceOpened, Label: words.T("models.source.opened"), Count: n})
	}
	if n := counts[sourceBuiltIn]; n > 0 {
		list = append(list, Source{ID: sourceBuiltIn, Label: words.T("models.source.builtIn"), Count: n})
	}
	return list
}

// Begin leaves the first page for the list, with the built-in model selected.
// ok is false while that is not found yet.
func (p *Presenter) Begin() (guide library.Model, ok bool) {
	k, ok := p.rows[p.builtIn]
	if ok {
		p.begun, p.wanted = true, p.builtIn
		p.publish()
	}
	return k.Model, ok
}

// settleSelection finds the selected row again among the new ones. A selection
// the filter hides stays; one whose file is gone moves on, as does
// none at all once a scan is over: the first that can be loaded.
func (p *Presenter) settleSelection() {
	s := &p.state
	path := s.Selected.Path
	if _, found := p.rows[p.wanted]; found {
		path = p.wanted
		p.wanted = ""
	}
	s.Selected = p.rows[path].Row
	if !s.Selected.Known() && !s.Scanning && len(s.Rows) > 0 {
		s.Selected = s.Rows[max(0, slices.IndexFunc(s.Rows, func(r Row) bool { return r.Off == "" }))]
	}
	s.At = slices.IndexFunc(s.Rows, func(r Row) bool { return r.Path == s.Selected.Path })
}

// Select chooses the row at an index of State.Rows.
func (p *Presenter) Select(at int) {
	if at < 0 || at >= len(p.state.Rows) {
		return
	}
	p.state.Selected = p.state.Rows[at]
	p.state.At = at
	p.show(p.state)
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

// SortBy orders the rows by a column, the other way round when they are already.
func (p *Presenter) SortBy(column Column) {
	by := Sort{Column: column}
	if p.state.Sort.Column == column {
		by.Descending = !p.state.Sort.Descending
	}
	p.state.Sort = by
	p.publish()
}

// Say shows what went wrong.
func (p *Presenter) Say(err error) {
	p.state.Notice = notice(err)
	p.show(p.state)
}

// notice says what went wrong, and what to do about it.
func notice(err error) string {
	sentence := words.Error(err)
	return sentence.Message + " " + sentence.Remedy
}

// Dismiss takes the notice away.
func (p *Presenter) Dismiss() {
	p.state.Notice = ""
	p.show(p.state)
}
