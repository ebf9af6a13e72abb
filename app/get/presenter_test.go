package get

import (
	"bytes"
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"paddock/app/apptest"
	"paddock/config"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/hub"
	"paddock/engine/hub/hubtest"
	"paddock/engine/library"
	"paddock/hardware"
)

const (
	gib  = 1 << 30
	tiny = "bartowski/Tiny-GGUF"
)

// machine has a card of 16 GiB and 64 GiB of RAM.
var machine = hardware.Snapshot{Pools: []hardware.Pool{
	{ID: "ram", Name: "RAM", Kind: hardware.RAM, TotalBytes: 64 * gib},
	{ID: "gpu", Name: "Radeon 8060S", Kind: hardware.VRAM, TotalBytes: 16 * gib},
}}

// A desk is what a presenter in a test works with.
type desk struct {
	*Presenter
	loop   apptest.Loop
	hub    *hubtest.Hub
	store  *config.Store
	free   atomic.Uint64
	got    int
	setUp  []string
	folder string
}

// model is a file that can be loaded.
func model(t *testing.T) []byte {
	t.Helper()
	data, err := os.ReadFile(gguftest.Llama(t))
	if err != nil {
		t.Fatal(err)
	}
	return data
}

func claim(path string, size uint64) hubtest.File {
	return hubtest.File{Path: path, Content: []byte(path), ClaimsBytes: size}
}

func tinyRepos(t *testing.T) []hubtest.Repo {
	updated := time.Date(2026, 7, 20, 12, 0, 0, 0, time.UTC)
	return []hubtest.Repo{
		{ID: tiny, Downloads: 1234567, Likes: 42, Updated: updated, Licence: "apache-2.0", Files: []hubtest.File{
			{Path: "Tiny-F16.gguf", Content: model(t)},
			{Path: "mmproj-Tiny.gguf", Content: bytes.Repeat([]byte("p"), 999)},
		}},
		{ID: "big/Tiny-Big-GGUF", Downloads: 10, Gated: true, Updated: updated, Files: []hubtest.File{
			claim("Big-Q2_K.gguf", 10*gib), claim("Big-UD-Q4_K_M.gguf", 40*gib), claim("Big-Q8_0.gguf", 80*gib),
			claim("Big-F16-00001-of-00003.gguf", 50*gib),
		}},
	}
}

// newDesk makes a presenter for a hub, with the window's functions written down.
func newDesk(t *testing.T, show func(State)) *desk {
	t.Helper()
	store, err := config.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Wait(context.Background()) }) // before its folder goes
	d := &desk{loop: apptest.NewLoop(), hub: hubtest.Start(tinyRepos(t)...), store: store}
	d.free.Store(1000 * gib)
	d.folder = filepath.Join(store.Folders().Data, "models")
	t.Cleanup(d.hub.Close)
	d.Presenter = NewPresenter(store, d.seams(), d.loop.Do, show)
	t.Cleanup(d.Presenter.Close)
	return d
}

func (d *desk) seams() Seams {
	return Seams{
		Hub:      func() (Hub, error) { return &hub.Client{Endpoint: d.hub.URL(), Wait: time.Millisecond}, nil },
		Hardware: func() hardware.Snapshot { return machine },
		Free:     func(string) (uint64, error) { return d.free.Load(), nil },
		Read:     library.One,
		Got:      func() { d.got++ },
		SetUp:    func(m library.Model) { d.setUp = append(d.setUp, m.Facts.Path) },
	}
}

func plainDesk(t *testing.T) *desk { return newDesk(t, func(State) {}) }

func (d *desk) search(t *testing.T, query string) {
	t.Helper()
	d.Search(query)
	d.loop.Until(t, "the search ends", func() bool { return !d.State().Searching })
}

// open shows the files of a repository, and what is there of them.
func (d *desk) open(t *testing.T, repo string) {
	t.Helper()
	d.Open(repo)
	d.loop.Until(t, "the files are there", func() bool { return !d.State().Listing })
	d.settle(t)
}

// settle waits until the folder has been looked at.
func (d *desk) settle(t *testing.T) {
	t.Helper()
	before := d.looked
	d.look()
	d.Presenter.free = 0
	d.loop.Until(t, "the folder is looked at", func() bool { return d.looked == before+1 && (d.Presenter.free != 0 || d.free.Load() == 0) })
}

// fetch downloads the chosen file and waits for the end.
func (d *desk) fetch(t *testing.T) Job {
	t.Helper()
	d.Press()
	d.loop.Until(t, "the download ends", func() bool { return !d.last().Runs && d.jobs[len(d.jobs)-1].phase != queued })
	d.settle(t)
	return d.last()
}

// last is the download that was begun last.
func (d *desk) last() Job {
	return slices.MaxFunc(d.State().Jobs, func(a, b Job) int { return a.ID - b.ID })
}

func TestNothingIsAskedBeforeTheUserAsks(t *testing.T) {
	d := plainDesk(t)
	d.Begin()
	d.loop.Until(t, "the hub is named", func() bool { return d.State().Host != "" })
	d.settle(t)
	d.Search("  ")
	d.SearchMore()
	d.SearchAgain()
	d.OpenAgain()
	d.Move(1)
	d.Choose(0)
	d.Press()
	if n := len(d.hub.Requests()); n != 0 {
		t.Errorf("there were %d requests", n)
	}
	if !strings.HasPrefix(d.hub.URL(), "http://"+d.State().Host) {
		t.Errorf("the hub is %s", d.State().Host)
	}
}

func TestASearchShowsWhatItFound(t *testing.T) {
	d := plainDesk(t)
	d.search(t, " tiny ")
	s := d.State()
	if s.Query != "tiny" || len(s.Rows) != 2 || s.At != 0 || s.More || s.Note.Text != "" {
		t.Fatalf("got %+v", s)
	}
	want := Row{ID: tiny, Name: "Tiny-GGUF", Owner: "bartowski", About: "bartowski · 1,234,567 downloads · 42 likes · 2026-07-20"}
	if s.Rows[0] != want || !s.Rows[1].Gated {
		t.Errorf("got %+v", s.Rows)
	}
	before := len(d.hub.Requests())
	d.Move(5)
	if d.State().At != 1 || len(d.hub.Requests()) != before {
		t.Error("moving asks the hub")
	}
	d.search(t, "no such thing")
	if s := d.State(); len(s.Rows) != 0 || !strings.Contains(s.Note.Text, `no GGUF models called "no such thing"`) {
		t.Errorf("got %+v", s)
	}
}

func TestMoreResultsAreAddedOnce(t *testing.T) {
	d := plainDesk(t)
	d.hub.Break(hubtest.Faults{PageSize: 1})
	d.search(t, "tiny")
	if s := d.State(); len(s.Rows) != 1 || !s.More {
		t.Fatalf("got %+v", s)
	}
	d.SearchMore()
	d.SearchMore()
	d.loop.Until(t, "there are more", func() bool { return !d.State().Searching })
	if s := d.State(); len(s.Rows) != 2 || s.More || s.At != 0 {
		t.Errorf("got %+v", s)
	}
}

func TestOnlyTheLastSearchCounts(t *testing.T) {
	d := plainDesk(t)
	d.Search("tiny")
	d.Search("big")
	d.loop.Until(t, "the search ends", func() bool { return !d.State().Searching })
	for len(d.loop) > 0 {
		(<-d.loop)()
	}
	if s := d.State(); len(s.Rows) != 1 || s.Rows[0].ID != "big/Tiny-Big-GGUF" {
		t.Errorf("got %+v", s.Rows)
	}
}

func TestWhatWentWrongIsASentenceAndCanBeTriedAgain(t *testing.T) {
	d := plainDesk(t)
	d.hub.Break(hubtest.Faults{Status: 503})
	d.search(t, "tiny")
	if n := d.State().Note; n.Kind != Failed || !strings.Contains(n.Text, "problem of its own (status 503)") || !strings.Contains(n.Text, "in a few minutes") {
		t.Errorf("got %+v", n)
	}
	d.Open(tiny)
	d.loop.Until(t, "the answer is there", func() bool { return !d.State().Listing })
	if n := d.State().FilesNote; n.Kind != Failed {
		t.Errorf("got %+v", n)
	}
	d.hub.Break(hubtest.Faults{})
	d.SearchAgain()
	d.OpenAgain()
	d.loop.Until(t, "both are there", func() bool { return len(d.State().Rows) == 2 && len(d.State().Files) == 2 })
	if d.State().Note.Text != "" || d.State().FilesNote.Text != "" {
		t.Error("the sentences stay")
	}
}

func TestWithoutANetworkASentenceSaysSo(t *testing.T) {
	d := plainDesk(t)
	d.hub.Close()
	d.search(t, "tiny")
	if n := d.State().Note; n.Kind != Failed || !strings.Contains(n.Text, "can't be reached") || !strings.Contains(n.Text, "works without it") {
		t.Errorf("got %+v", n)
	}
}

func TestABadMirrorIsSaidBeforeASearch(t *testing.T) {
	d := plainDesk(t)
	d.seamsOf().Hub = func() (Hub, error) { _, err := hub.New("ftp://x"); return nil, err }
	d.Begin()
	d.loop.Until(t, "it is said", func() bool { return d.State().Note.Kind == Failed })
	d.search(t, "tiny")
	if n := d.State().Note; !strings.Contains(n.Text, "ftp://x is not the address of a hub") {
		t.Errorf("got %+v", n)
	}
}

func (p *Presenter) seamsOf() *Seams { return &p.seams }

func TestFilesHaveAVerdictAndAnOffer(t *testing.T) {
	d := plainDesk(t)
	d.search(t, "big")
	d.Choose(0)
	d.loop.Until(t, "the files are there", func() bool { return len(d.State().Files) == 4 })
	d.settle(t)
	s := d.State()
	if !s.Rows[0].Opened || s.About != "10 downloads a month · updated 2026-07-20 · needs an account" {
		t.Errorf("about: %q, %+v", s.About, s.Rows[0])
	}
	for i, want := range []struct {
		label, size string
		fit         Fit
		text        string
	}{
		{"Q2_K", "10.0 GiB", Fits, "Fits Radeon 8060S (estimate)"},
		{"UD-Q4_K_M", "40.0 GiB", Slow, "Too large for Radeon 8060S, fits RAM, slower (estimate)"},
		{"F16", "50.0 GiB", Slow, "Too large for Radeon 8060S, fits RAM, slower (estimate)"},
		{"Q8_0", "80.0 GiB", TooLarge, "Too large for this computer (estimate)"},
	} {
		f := s.Files[i]
		if f.Label != want.label || f.Size != want.size || f.Verdict != (Verdict{want.fit, want.text}) || f.Here != "" {
			t.Errorf("file %d is %+v", i, f)
		}
	}
	if s.FileAt != 1 {
		t.Errorf("chosen at first is %d", s.FileAt)
	}
	if o := s.Offer; o.Off || o.Label != "Download 40.0 GiB" || o.Note.Text != "960.0 GiB will stay free on this disk." {
		t.Errorf("the offer is %+v", o)
	}
	d.MoveFile(1)
	if o := d.State().Offer; !o.Off || o.Note.Text != "2 of 3 parts are missing in the repository" {
		t.Errorf("the offer is %+v", o)
	}
	d.Press()
	if len(d.State().Jobs) != 0 {
		t.Error("an incomplete set is downloaded")
	}
	d.free.Store(5 * gib)
	d.ChooseFile(0)
	d.settle(t)
	if o := d.State().Offer; !o.Off || !strings.Contains(o.Note.Text, "10.0 GiB are needed and 5.0 GiB are free") {
		t.Errorf("the offer is %+v", o)
	}
}

func TestVerdicts(t *testing.T) {
	ram := hardware.Pool{Name: "RAM", Kind: hardware.RAM, TotalBytes: 32 * gib}
	apu := hardware.Pool{Name: "Radeon 780M", Kind: hardware.APU, TotalBytes: 24 * gib}
	for name, test := range map[string]struct {
		pools []hardware.Pool
		size  uint64
		want  Fit
		says  string
	}{
		"nothing is known":            {nil, gib, Unknown, ""},
		"the processor alone":         {[]hardware.Pool{ram}, 20 * gib, Fits, "Fits RAM"},
		"an integrated card":          {[]hardware.Pool{ram, apu}, 15 * gib, Fits, "Fits Radeon 780M"},
		"RAM holds more":              {[]hardware.Pool{ram, apu}, 25 * gib, Slow, "fits RAM, slower"},
		"room beside the weights too": {[]hardware.Pool{ram}, 28 * gib, TooLarge, "Too large"},
		"the largest card counts":     {[]hardware.Pool{{Name: "A", TotalBytes: 8 * gib}, apu}, 15 * gib, Fits, "Radeon 780M"},
	} {
		if v := verdict(test.size, hardware.Snapshot{Pools: test.pools}); v.Fit != test.want || !strings.Contains(v.Text, test.says) {
			t.Errorf("%s: %+v", name, v)
		}
	}
}

func TestARepositorysAddressOpensIt(t *testing.T) {
	d := plainDesk(t)
	d.Search("https://huggingface.co/" + tiny + "/tree/main")
	d.loop.Until(t, "its files are there", func() bool { return len(d.State().Files) == 2 })
	if s := d.State(); s.Repo != tiny || s.Query != "" {
		t.Errorf("got %+v", s)
	}
	d.Begin()
	d.loop.Until(t, "the hub is named", func() bool { return d.State().Host != "" })
	d.Search(d.hub.URL() + "/big/Tiny-Big-GGUF")
	if s := d.State(); s.Repo != "big/Tiny-Big-GGUF" {
		t.Errorf("an address of the hub in use: %+v", s)
	}
}
