package get

import (
	"context"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"paddock/config"
	"paddock/engine/hub"
	"paddock/engine/library"
	"paddock/hardware"
	"paddock/words"
)

// A Hub is where models are found: a *hub.Client.
type Hub interface {
	Host() string
	Search(ctx context.Context, query, cursor string) (hub.Page, error)
	Files(ctx context.Context, repo string) (hub.Listing, error)
	Download(ctx context.Context, want hub.Want, folder string, progress func(hub.Progress)) (hub.Result, error)
}

// Seams are what the presenter asks of the rest of the program. All but Got and
// SetUp are called beside the presenter's own goroutine.
type Seams struct {
	Hub      func() (Hub, error) // made anew for every question, as the settings are then
	Hardware func() hardware.Snapshot
	Free     func(folder string) (uint64, error)
	Read     func(path string) library.Model
	Got      func()              // a download has ended: the library has more
	SetUp    func(library.Model) // opens Set up and load
}

// A Presenter decides what the page shows. All its methods, and show, run on one
// goroutine: the one that do posts to.
type Presenter struct {
	config *config.Store
	seams  Seams
	do     func(func())
	show   func(State)
	now    func() time.Time

	state   State
	begun   bool
	closed  bool
	repos   []hub.Repo
	cursor  string // of the next page of repos
	search  context.CancelFunc
	asked   int // number of the last search
	list    context.CancelFunc
	listed  int // number of the last list of files
	listing hub.Listing
	machine hardware.Snapshot
	here    []here // of the listing's items
	free    uint64 // bytes of the folder's disk
	freeErr error
	looked  int // number of the last look at the folder

	jobs  []*job
	made  int // number of the last job
	ticks int // number of the timer that keeps times right
}

// NewPresenter makes a presenter that has asked nothing yet.
func NewPresenter(store *config.Store, seams Seams, do func(func()), show func(State)) *Presenter {
	p := &Presenter{config: store, seams: seams, do: do, show: show, now: time.Now, search: func() {}, list: func() {}}
	p.state.At, p.state.FileAt = -1, -1
	p.state.Folder = words.Path(p.folder())
	return p
}

// State is what is shown now.
func (p *Presenter) State() State { return p.state }

// folder is where downloads go.
func (p *Presenter) folder() string {
	if folder := p.config.Get().Downloads; folder != "" {
		return folder
	}
	return filepath.Join(p.config.Folders().Data, "models")
}

// Begin finds out which hub will be asked, and which downloads were broken off
// another day. It looks at this computer only.
func (p *Presenter) Begin() {
	first := !p.begun
	p.begun = true
	folder := p.folder()
	p.state.Folder = words.Path(folder)
	go func() {
		h, err := p.seams.Hub()
		p.do(func() {
			if err == nil {
				p.state.Host = h.Host()
			} else if p.state.Note.Text == "" {
				p.state.Note = problem(err)
			}
			p.publish()
		})
		if !first {
			return
		}
		unfinished := hub.FindUnfinished(folder) // which takes its time in a large folder
		p.do(func() {
			for _, u := range unfinished {
				p.addStopped(folder, u)
			}
			p.publish()
		})
	}()
	p.look()
}

// problem is a note about an error, with its next step.
func problem(err error) Note {
	return Note{Failed, words.Error(err).Text()}
}

// Search asks the hub for repositories by words of their names. A repository's
// address opens that at once.
func (p *Presenter) Search(query string) {
	query = strings.TrimSpace(query)
	if query == "" {
		return
	}
	if repo, ok := hub.RepoOf(query, p.state.Host); ok {
		p.Open(repo)
		return
	}
	p.state.Query = query
	p.repos, p.cursor = nil, ""
	p.state.Rows, p.state.At, p.state.More = nil, -1, false
	p.ask("")
}

// SearchMore asks for more of what the last search found.
func (p *Presenter) SearchMore() {
	if p.state.More && !p.state.Searching {
		p.ask(p.cursor)
	}
}

// SearchAgain asks the last question again, after it had no answer.
func (p *Presenter) SearchAgain() {
	if p.state.Query != "" && !p.state.Searching {
		p.ask(p.cursor)
	}
}

func (p *Presenter) ask(cursor string) {
	p.search()
	ctx, cancel := context.WithCancel(context.Background())
	p.search = cancel
	p.asked++
	asked, query := p.asked, p.state.Query
	p.state.Searching, p.state.Note = true, Note{}
	p.publish()
	go func() {
		defer cancel()
		var page hub.Page
		h, err := p.seams.Hub()
		if err == nil {
			page, err = h.Search(ctx, query, cursor)
		}
		p.do(func() {
			if asked == p.asked && !p.closed {
				p.answered(h, page, err)
			}
		})
	}()
}

func (p *Presenter) answered(h Hub, page hub.Page, err error) {
	p.state.Searching = false
	if err != nil {
		p.state.Note = problem(err)
		p.publish()
		return
	}
	p.state.Host = h.Host()
	for _, r := range page.Repos { // the hub's list may have moved between two pages
		if !slices.ContainsFunc(p.repos, func(known hub.Repo) bool { return known.ID == r.ID }) {
			p.repos = append(p.repos, r)
		}
	}
	p.cursor = page.Next
	p.state.More = page.Next != ""
	if len(p.repos) == 0 {
		p.state.Note = Note{Info, words.T("get.none", map[string]any{"Query": p.state.Query, "Host": p.state.Host})}
	} else if p.state.At < 0 {
		p.state.At = 0
	}
	p.publish()
}

// Move chooses another row, without asking for its files.
func (p *Presenter) Move(by int) {
	if len(p.state.Rows) > 0 {
		p.state.At = min(max(p.state.At+by, 0), len(p.state.Rows)-1)
		p.publish()
	}
}

// Choose chooses a row and shows its files.
func (p *Presenter) Choose(at int) {
	if at >= 0 && at < len(p.repos) {
		p.state.At = at
		p.Open(p.repos[at].ID)
	}
}

// Open asks for the files of a repository.
func (p *Presenter) Open(repo string) {
	p.list()
	ctx, cancel := context.WithCancel(context.Background())
	p.list = cancel
	p.listed++
	listed := p.listed
	p.listing, p.here = hub.Listing{}, nil
	p.state.Repo, p.state.Listing, p.state.FilesNote, p.state.FileAt = repo, true, Note{}, -1
	p.publish()
	go func() {
		defer cancel()
		var listing hub.Listing
		h, err := p.seams.Hub()
		if err == nil {
			listing, err = h.Files(ctx, repo)
		}
		machine := p.seams.Hardware()
		p.do(func() {
			if listed == p.listed && !p.closed {
				p.opened(listing, machine, err)
			}
		})
	}()
}

// OpenAgain asks for the files again, after there was no answer.
func (p *Presenter) OpenAgain() {
	if p.state.Repo != "" && !p.state.Listing {
		p.Open(p.state.Repo)
	}
}

func (p *Presenter) opened(listing hub.Listing, machine hardware.Snapshot, err error) {
	p.state.Listing = false
	if err != nil {
		p.state.FilesNote = problem(err)
		p.publish()
		return
	}
	p.listing, p.machine = listing, machine
	p.here = make([]here, len(listing.Items))
	switch {
	case len(listing.Items) == 0:
		p.state.FilesNote = Note{Info, words.T("get.files.none")}
	case listing.Unsafe > 0:
		p.state.FilesNote = Note{Caution, words.T("get.files.unsafe", map[string]any{"Count": listing.Unsafe})}
	}
	p.state.FileAt = usual(listing.Items)
	p.publish()
	p.look()
}

// usualLabel is the quantisation most people want.
const usualLabel = "Q4_K_M"

// usual is the item that is chosen at first, -1 when there is none.
func usual(items []hub.Item) int {
	at := slices.IndexFunc(items, func(i hub.Item) bool { return strings.HasSuffix(i.Quantisation, usualLabel) && i.Missing == 0 })
	if at < 0 && len(items) > 0 {
		at = 0
	}
	return at
}

// MoveFile chooses another file.
func (p *Presenter) MoveFile(by int) { p.ChooseFile(p.state.FileAt + by) }

// ChooseFile chooses a file to download.
func (p *Presenter) ChooseFile(at int) {
	if n := len(p.listing.Items); n > 0 {
		p.state.FileAt = min(max(at, 0), n-1)
		p.publish()
	}
}

// SetFolder is where downloads go from now on. Those that have begun stay where
// they are.
func (p *Presenter) SetFolder(path string) {
	p.config.Later(func(c *config.Config) { c.Downloads = path }, func(err error) {
		p.do(func() {
			p.state.Folder = words.Path(p.folder())
			if err != nil {
				p.state.FilesNote = problem(err)
			}
			p.publish()
			p.look()
		})
	})
}

// Say shows an error beside the files.
func (p *Presenter) Say(err error) {
	p.state.FilesNote = problem(err)
	p.publish()
}

// here is what of an item is in the folder.
type here struct {
	bytes uint64
	whole bool
}

// look sees what of the files is in the folder already, and how much room it has.
func (p *Presenter) look() {
	p.looked++
	looked, folder, listing := p.looked, p.folder(), p.listing
	go func() {
		found := make([]here, len(listing.Items))
		for i, item := range listing.Items {
			found[i].bytes, found[i].whole = hub.Done(folder, listing.Want(item))
		}
		free, err := p.seams.Free(folder)
		p.do(func() {
			if looked == p.looked && !p.closed {
				p.here, p.free, p.freeErr = found, free, err
				p.publish()
			}
		})
	}()
}

// Close gives up what is asked and stops the downloads. What has come stays.
func (p *Presenter) Close() {
	p.closed = true
	p.search()
	p.list()
	for _, j := range p.jobs {
		j.cancel()
	}
}
