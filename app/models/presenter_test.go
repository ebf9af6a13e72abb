package models

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"paddock/app/apptest"
	"paddock/config"
	"paddock/engine/gguf"
	"paddock/engine/library"
)

func model(path string, size uint64, change ...func(*library.Model)) library.Model {
	m := library.Model{
		Facts: gguf.Facts{
			Path: path, Kind: gguf.Model, Name: filepath.Base(path), Architecture: "llama",
			Quantisation: "Q4_K_M", Parameters: size * 2, ContextTokens: 8192,
		},
		Files: []string{path}, SizeBytes: size, Capabilities: []string{"chat"},
	}
	for _, c := range change {
		c(&m)
	}
	return m
}

func kind(k gguf.Kind, capability string) func(*library.Model) {
	return func(m *library.Model) { m.Facts.Kind, m.Capabilities = k, []string{capability} }
}

func problemOf(p gguf.Problem) func(*library.Model) {
	return func(m *library.Model) { m.Problem = &gguf.Error{Path: m.Facts.Path, Problem: p} }
}

// scripted is a scan that finds the same models every time.
func scripted(models ...library.Model) ScanFunc {
	return func(_ context.Context, s library.Sources, found func(library.Model)) error {
		for _, m := range models {
			inFolder := slices.ContainsFunc(s.Folders, func(f string) bool { return within(m.Facts.Path, f) })
			if inFolder || slices.Contains(s.Files, m.Facts.Path) {
				found(m)
			}
		}
		return nil
	}
}

func newStore(t *testing.T, folders ...string) *config.Store {
	t.Helper()
	store, err := config.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Wait(context.Background()) }) // before its folder goes
	if err := store.Update(func(c *config.Config) { c.ModelFolders = folders }); err != nil {
		t.Fatal(err)
	}
	return store
}

func newPresenter(t *testing.T, store *config.Store, scan ScanFunc) (*Presenter, apptest.Loop) {
	l := apptest.NewLoop()
	p := NewPresenter(Seams{Config: store, Scan: scan, Do: l.Do}, func(State) {})
	t.Cleanup(p.Close)
	return p, l
}

// scanned is a presenter whose first scan is over.
func scanned(t *testing.T, models ...library.Model) (*Presenter, apptest.Loop) {
	t.Helper()
	p, l := newPresenter(t, newStore(t, "/m"), scripted(models...))
	p.Rescan()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	return p, l
}

func names(rows []*Row) []string {
	var list []string
	for _, r := range rows {
		list = append(list, r.Name)
	}
	return list
}

func TestAScanBringsRowsBeforeItEnds(t *testing.T) {
	release := make(chan struct{})
	p, l := newPresenter(t, newStore(t, "/m"), func(_ context.Context, _ library.Sources, found func(library.Model)) error {
		found(model("/m/a.gguf", 1))
		<-release
		found(model("/m/b.gguf", 1))
		return nil
	})
	p.Rescan()
	l.Until(t, "the first row is there", func() bool { return len(p.State().Rows) == 1 })
	if s := p.State(); !s.Scanning || s.Scan.Files != 1 || s.Scan.Folder != "/m" {
		t.Errorf("while scanning: %+v", s.Scan)
	}
	close(release)
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	if got := names(p.State().Rows); !slices.Equal(got, []string{"a.gguf", "b.gguf"}) {
		t.Errorf("rows are %v", got)
	}
}

func TestACancelledScanKeepsWhatItFound(t *testing.T) {
	p, l := newPresenter(t, newStore(t, "/m"), func(ctx context.Context, _ library.Sources, found func(library.Model)) error {
		found(model("/m/a.gguf", 1))
		<-ctx.Done()
		return ctx.Err()
	})
	p.Rescan()
	l.Until(t, "the first row is there", func() bool { return len(p.State().Rows) == 1 })
	p.CancelScan()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	if s := p.State(); len(s.Rows) != 1 || s.Notice != "" {
		t.Errorf("after cancel: %d rows, notice %q", len(s.Rows), s.Notice)
	}
}

func TestWhatGoesWrongInAScanIsSaidUntilItIsDismissed(t *testing.T) {
	p, l := newPresenter(t, newStore(t, "/m"), func(_ context.Context, _ library.Sources, found func(library.Model)) error {
		found(model("/m/a.gguf", 1))
		return errors.New("the Guide can't be written")
	})
	p.Rescan()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	if s := p.State(); !strings.Contains(s.Notice, "the Guide can't be written") || len(s.Rows) != 1 {
		t.Errorf("after a failed scan: %d rows, notice %q", len(s.Rows), s.Notice)
	}
	p.Dismiss()
	if p.State().Notice != "" {
		t.Error("the notice can't be dismissed")
	}
}

func TestASecondScanDropsFilesThatAreGone(t *testing.T) {
	found := []library.Model{model("/m/a.gguf", 1), model("/m/b.gguf", 1)}
	p, l := newPresenter(t, newStore(t, "/m"), func(_ context.Context, _ library.Sources, f func(library.Model)) error {
		for _, m := range found {
			f(m)
		}
		return nil
	})
	p.Rescan()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	p.Select(0)
	found = found[1:]
	p.Rescan()
	l.Until(t, "the second scan ends", func() bool { return !p.State().Scanning })
	if s := p.State(); len(s.Rows) != 1 || s.Selected.Name != "b.gguf" || s.At != 0 {
		t.Errorf("after the second scan: %v, selected %q at %d", names(s.Rows), s.Selected.Name, s.At)
	}
}

func TestWhatAGivenUpScanFindsLaterIsNotShown(t *testing.T) {
	calls := make(chan int, 2)
	calls <- 1
	calls <- 2
	begun, release := make(chan struct{}), make(chan struct{})
	p, l := newPresenter(t, newStore(t, "/m"), func(_ context.Context, _ library.Sources, f func(library.Model)) error {
		if <-calls == 1 {
			close(begun)
			<-release
			f(model("/m/old.gguf", 1))
			return nil
		}
		f(model("/m/new.gguf", 1))
		return nil
	})
	p.Rescan()
	<-begun
	p.Rescan()
	l.Until(t, "the second scan ends", func() bool { return !p.State().Scanning })
	close(release)
	for range 2 { // what the first scan found, and its end
		(<-l)()
	}
	if got := names(p.State().Rows); !slices.Equal(got, []string{"new.gguf"}) {
		t.Errorf("rows are %v", got)
	}
}

func TestRowsAreSortedByAnyColumnBothWays(t *testing.T) {
	small := model("/m/small.gguf", 10, func(m *library.Model) {
		m.Facts.Architecture, m.Facts.ContextTokens, m.Facts.Quantisation = "bert", 512, "F16"
	})
	large := model("/m/Large.gguf", 1<<40)
	p, _ := scanned(t, small, large)
	for _, c := range []struct {
		column Column
		first  string
	}{
		{ColumnArchitecture, "small.gguf"},
		{ColumnParameters, "small.gguf"},
		{ColumnQuantisation, "small.gguf"},
		{ColumnSize, "small.gguf"},
		{ColumnContext, "small.gguf"},
		{ColumnCan, "Large.gguf"}, // alike: by name
		{ColumnWhere, "Large.gguf"},
	} {
		p.SortBy(c.column)
		if got := p.State().Rows[0].Name; got != c.first {
			t.Errorf("column %d ascending begins with %s", c.column, got)
		}
		p.SortBy(c.column)
		if p.State().Sort != (Sort{c.column, true}) {
			t.Errorf("column %d did not turn round", c.column)
		}
		if p.SortBy(c.column); p.State().Sort != (Sort{Column: RecentFirst}) {
			t.Errorf("a third press on column %d sorts by %+v", c.column, p.State().Sort)
		}
	}
	p.SortBy(ColumnName)
	if got := names(p.State().Rows); !slices.Equal(got, []string{"Large.gguf", "small.gguf"}) {
		t.Errorf("by name: %v", got)
	}
}

func TestTheFilterTakesWordsAndSizes(t *testing.T) {
	p, _ := scanned(t,
		model("/m/Gemma.gguf", 5<<30),
		model("/m/Qwen.gguf", 80<<30, func(m *library.Model) { m.Capabilities = []string{"chat", "vision"} }),
	)
	for _, c := range []struct {
		text string
		want []string
	}{
		{"", []string{"Gemma.gguf", "Qwen.gguf"}},
		{"gem", []string{"Gemma.gguf"}},
		{"VISION", []string{"Qwen.gguf"}},
		{"q4 llama", []string{"Gemma.gguf", "Qwen.gguf"}},
		{"q4 nothing", nil},
		{"< 20 GiB", []string{"Gemma.gguf"}},
		{"<20", []string{"Gemma.gguf"}},
		{"> 20gib", []string{"Qwen.gguf"}},
		{"qwen < 20 GiB", nil},
		{"<6GB", []string{"Gemma.gguf"}},
		{">= 81000 MiB", []string{"Qwen.gguf"}},
		{"q4<6", []string{"Gemma.gguf"}},
		{"<", []string{"Gemma.gguf", "Qwen.gguf"}},
		{"< x", []string{"Gemma.gguf", "Qwen.gguf"}},
	} {
		p.SetFilter(c.text)
		if got := names(p.State().Rows); !slices.Equal(got, c.want) {
			t.Errorf("%q shows %v, not %v", c.text, got, c.want)
		}
	}
}

func TestTheFirstRowIsSelectedWhereAFilterHidesTheSelection(t *testing.T) {
	p, _ := scanned(t, model("/m/a.gguf", 1), model("/m/b.gguf", 1))
	p.Select(1)
	p.SetFilter("a.gguf")
	if s := p.State(); s.Selected.Name != "a.gguf" || s.At != 0 {
		t.Errorf("selected is %q at %d", s.Selected.Name, s.At)
	}
	p.SetFilter("nothing like it")
	if s := p.State(); s.Selected.Name != "a.gguf" || s.At != -1 {
		t.Errorf("where nothing is shown, %q at %d is selected", s.Selected.Name, s.At)
	}
}

func TestMovingStopsAtTheEnds(t *testing.T) {
	p, _ := scanned(t, model("/m/a.gguf", 1), model("/m/b.gguf", 1), model("/m/c.gguf", 1))
	for _, c := range []struct{ by, want int }{{-1, 0}, {1, 1}, {10, 2}, {1, 2}, {-10, 0}} {
		if p.Move(c.by); p.State().At != c.want {
			t.Errorf("moving by %d goes to %d", c.by, p.State().At)
		}
	}
}

func TestTotalsAndSourcesCountEverythingTheFilterHides(t *testing.T) {
	store := newStore(t, "/m", "/n")
	if err := store.Update(func(c *config.Config) { c.ModelFiles = []string{"/far/c.gguf"} }); err != nil {
		t.Fatal(err)
	}
	p, l := newPresenter(t, store, scripted(
		model("/m/a.gguf", 1<<30),
		model("/n/p.gguf", 1<<30, kind(gguf.Projector, "projector")),
		model("/far/c.gguf", 1<<30),
	))
	p.Rescan()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	p.SetFilter("no such model")
	s := p.State()
	if s.Total != (Totals{Models: 2, Companions: 1, SizeBytes: 3 << 30}) {
		t.Errorf("totals are %+v", s.Total)
	}
	var chips []string
	for _, c := range s.Sources {
		chips = append(chips, fmt.Sprint(c.Label, " ", c.Count))
	}
	if want := []string{"All 3", "/m 1", "/n 1", "Opened 1"}; !slices.Equal(chips, want) {
		t.Errorf("chips are %q", chips)
	}
	p.SetFilter("")
	p.SetSource("/n")
	if got := names(p.State().Rows); !slices.Equal(got, []string{"p.gguf"}) {
		t.Errorf("the chip shows %v", got)
	}
}

func TestEmptySaysWhyThereIsNothing(t *testing.T) {
	p, l := newPresenter(t, newStore(t), scripted())
	p.Rescan()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	if got := p.State().Empty(); got != FirstStart {
		t.Errorf("without folders: %d", got)
	}
	p, l = newPresenter(t, newStore(t, "/m"), scripted())
	p.Rescan()
	if got := p.State().Empty(); got != NotEmpty {
		t.Errorf("while scanning: %d", got)
	}
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	if got := p.State().Empty(); got != NothingFound {
		t.Errorf("with an empty folder: %d", got)
	}
	p, _ = scanned(t, model("/m/a.gguf", 1))
	p.SetFilter("zzz")
	if got := p.State().Empty(); got != NoMatch {
		t.Errorf("with a filter: %d", got)
	}
}

func TestOnlyAWholeModelCanBeSetUp(t *testing.T) {
	for _, c := range []struct {
		name      string
		m         library.Model
		off       bool
		companion bool
	}{
		{"a model", model("/m/a.gguf", 1), false, false},
		{"a projector", model("/m/a.gguf", 1, kind(gguf.Projector, "projector")), true, true},
		{"an MTP head", model("/m/a.gguf", 1, kind(gguf.MTPHead, "mtp")), true, true},
		{"a LoRA", model("/m/a.gguf", 1, kind(gguf.LoRA, "lora")), true, true},
		{"a truncated file", model("/m/a.gguf", 1, problemOf(gguf.Truncated)), true, false},
		{"an incomplete set", model("/m/a.gguf", 1, problemOf(gguf.MissingPart)), true, false},
	} {
		r := newRow(c.m, places{})
		if (r.Off != "") != c.off || r.Companion != c.companion {
			t.Errorf("%s: off %q, companion %v", c.name, r.Off, r.Companion)
		}
	}
}

func TestWhatAFileSaysOfItselfIsEscaped(t *testing.T) {
	r := newRow(model("/m/a.gguf", 1, func(m *library.Model) {
		m.Facts.Name, m.Facts.Architecture = "evil\x1b[31m\u202e", "a\nb"
	}), places{})
	if r.Name != `evil\x1b[31m\u202e` || r.Architecture != `a\nb` {
		t.Errorf("name %q, architecture %q", r.Name, r.Architecture)
	}
}

func TestOpeningAFileAddsAndSelectsIt(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "new model.gguf")
	if err := os.WriteFile(path, []byte("GGUF"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := newStore(t, "/m")
	p, l := newPresenter(t, store, scripted(model("/m/a.gguf", 1), model(path, 1)))
	p.Rescan()
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	p.SetFilter("a.gguf")
	p.Open([]string{path})
	l.Until(t, "the file is selected", func() bool { return p.State().Selected.Path == path })
	if s := p.State(); s.Filter != "" || s.At < 0 {
		t.Errorf("an opened file is hidden by the filter %q", s.Filter)
	}
	if got := store.Get().ModelFiles; !slices.Equal(got, []string{path}) {
		t.Errorf("remembered files are %v", got)
	}
	p.Forget(p.State().Selected)
	l.Until(t, "the file is forgotten", func() bool { return len(p.State().Rows) == 1 })
	if got := store.Get().ModelFiles; len(got) != 0 {
		t.Errorf("remembered files are %v", got)
	}
}

func TestOpeningAFileBringsTheProjectorAndTheHeadBesideIt(t *testing.T) {
	store := newStore(t)
	dir := t.TempDir()
	path, eyes, head, adapter := filepath.Join(dir, "a.gguf"), filepath.Join(dir, "eyes.gguf"), filepath.Join(dir, "head.gguf"), filepath.Join(dir, "lora.gguf")
	if err := os.WriteFile(path, []byte("GGUF"), 0o600); err != nil {
		t.Fatal(err)
	}
	all := []library.Model{model(path, 1), model(eyes, 1), model(head, 1), model(adapter, 1)}
	p, l := newPresenter(t, store, scripted(all...))
	p.seams.Near = func(_ context.Context, m library.Model) ([]library.Model, error) { return all, nil }
	p.seams.Pair = func([]library.Model) map[string]library.Companions {
		return map[string]library.Companions{path: {
			Projectors: []library.Companion{{Path: eyes, Model: all[1]}},
			MTP:        []library.Companion{{Path: head, Model: all[2]}},
			LoRA:       []library.Companion{{Path: adapter, Model: all[3]}},
		}}
	}
	p.Open([]string{path})
	l.Until(t, "the file is selected", func() bool { return p.State().Selected.Path == path })
	if got := store.Get().ModelFiles; !slices.Equal(got, []string{path, eyes, head}) {
		t.Errorf("remembered files are %v", got)
	}
}

func TestOpeningAFileOfAScannedFolderDoesNotRememberItTwice(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "a.gguf")
	if err := os.WriteFile(path, []byte("GGUF"), 0o600); err != nil {
		t.Fatal(err)
	}
	store := newStore(t, dir)
	p, l := newPresenter(t, store, scripted(model(path, 1)))
	p.Open([]string{path})
	l.Until(t, "the file is selected", func() bool { return p.State().Selected.Path == path })
	if got := store.Get().ModelFiles; len(got) != 0 {
		t.Errorf("remembered files are %v", got)
	}
	if got := p.State().Selected.Source; got != dir {
		t.Errorf("the row's source is %q", got)
	}
}

func TestOpeningWhatIsNoModelSaysWhichFileAndWhatToDo(t *testing.T) {
	dir := t.TempDir()
	text, gone := filepath.Join(dir, "notes.txt"), filepath.Join(dir, "gone.gguf")
	if err := os.WriteFile(text, []byte("hello"), 0o600); err != nil {
		t.Fatal(err)
	}
	notText := "notes.txt is not a GGUF file. Choose a model in the GGUF format."
	notThere := "There is no file gone.gguf at that place. Look in " + dir + ", or choose the file again."
	for _, c := range []struct {
		name  string
		paths []string
		want  string
	}{
		{"a text file", []string{text}, notText},
		{"a file that is not there", []string{gone}, notThere},
		{"both", []string{text, gone}, notText + " " + notThere},
		{"the same twice", []string{text, text}, "notes.txt is not a GGUF file. " + notText},
	} {
		store := newStore(t)
		p, l := newPresenter(t, store, func(_ context.Context, s library.Sources, found func(library.Model)) error {
			for _, path := range s.Files {
				found(library.One(path))
			}
			return nil
		})
		p.Open(c.paths)
		l.Until(t, "there is a notice", func() bool { return p.State().Notice != "" })
		if p.State().Notice != c.want {
			t.Errorf("of %s it says %q", c.name, p.State().Notice)
		}
		if len(p.State().Rows) != 0 || len(store.Get().ModelFiles) != 0 {
			t.Errorf("%s joined the list", c.name)
		}
	}
}

func TestADamagedGGUFStaysInTheListWithItsReason(t *testing.T) {
	path := filepath.Join(t.TempDir(), "cut.gguf")
	if err := os.WriteFile(path, []byte("GGUF"), 0o600); err != nil {
		t.Fatal(err)
	}
	p, l := newPresenter(t, newStore(t), scripted(model(path, 1, problemOf(gguf.Truncated))))
	p.Open([]string{path})
	l.Until(t, "the file is selected", func() bool { return p.State().Selected.Path == path })
	if r := p.State().Selected; r.Problem == "" || r.Off == "" {
		t.Errorf("problem %q, off %q", r.Problem, r.Off)
	}
}

func TestOpeningAFolderAddsAndScansIt(t *testing.T) {
	dir := t.TempDir()
	store := newStore(t)
	p, l := newPresenter(t, store, scripted(model(filepath.Join(dir, "a.gguf"), 1)))
	p.Open([]string{dir})
	l.Until(t, "its model is there", func() bool { return len(p.State().Rows) == 1 && !p.State().Scanning })
	p.Open([]string{dir})
	l.Until(t, "it is scanned again", func() bool { return p.State().Scanning })
	l.Until(t, "the scan ends", func() bool { return !p.State().Scanning })
	if got := store.Get().ModelFolders; !slices.Equal(got, []string{dir}) {
		t.Errorf("remembered folders are %v", got)
	}
}

func TestThousandsOfRowsAreShownWithoutLag(t *testing.T) {
	models := make([]library.Model, 5000)
	for i := range models {
		models[i] = model(fmt.Sprintf("/m/%04d.gguf", len(models)-i), uint64(i+1))
	}
	p, _ := scanned(t, models...)
	start := time.Now()
	p.SetFilter("q4")
	p.SortBy(ColumnSize)
	if took := time.Since(start); took > 2*time.Second { // about 10 ms, but not with -race on a busy machine
		t.Errorf("filtering and sorting 5,000 rows took %v", took)
	}
	if got := len(p.State().Rows); got != 5000 {
		t.Errorf("%d rows", got)
	}
}

func TestOfTwoModelsTheOneUsedLaterIsFirst(t *testing.T) {
	store := newStore(t)
	p, _ := newPresenter(t, store, scripted())
	for range 20 {
		p.Used("/m/a.gguf")
		p.Used("/m/b.gguf")
		p.Wait(t.Context())
		if recent := store.Get().Recent; !slices.Equal(recent, []string{"/m/b.gguf", "/m/a.gguf"}) {
			t.Fatalf("recent are %v", recent)
		}
	}
}

func TestAFileThatHangsIsNotLookedAtForEverOnceTheTabIsClosed(t *testing.T) {
	p, _ := newPresenter(t, newStore(t), func(ctx context.Context, _ library.Sources, _ func(library.Model)) error {
		<-ctx.Done()
		return ctx.Err()
	})
	p.Open([]string{"/hangs/a.gguf"})
	p.Close()
	patience, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	p.Wait(patience)
	if patience.Err() != nil {
		t.Error("it is still looked at")
	}
}

func TestNothingElseIsSelectedBeforeTheFilePaddockWasStartedWith(t *testing.T) {
	dir := t.TempDir()
	guide, wanted := filepath.Join(dir, "guide.gguf"), filepath.Join(dir, "wanted.gguf")
	text := filepath.Join(t.TempDir(), "notes.txt")
	for _, path := range []string{guide, wanted, text} {
		if err := os.WriteFile(path, nil, 0o600); err != nil {
			t.Fatal(err)
		}
	}
	for name, c := range map[string]struct {
		folders []string
		open    func(p *Presenter)
		want    string
	}{
		"a model":                        {[]string{dir}, func(p *Presenter) { p.Open([]string{wanted}) }, wanted},
		"a model, and there is no other": {nil, func(p *Presenter) { p.Open([]string{wanted}) }, wanted},
		"a file that is no model":        {[]string{dir}, func(p *Presenter) { p.Open([]string{text}) }, ""},
		"a picture, which opens in Chat": {[]string{dir}, func(p *Presenter) { p.AwaitNothing() }, ""},
	} {
		t.Run(name, func(t *testing.T) {
			l := apptest.NewLoop()
			p := NewPresenter(Seams{
				Config: newStore(t, c.folders...), Do: l.Do, Guide: guide,
				Scan: scripted(model(guide, 1), model(wanted, 1), model(text, 1, problemOf(gguf.NotGGUF))),
			}, func(State) {})
			t.Cleanup(p.Close)
			p.Await()
			p.Rescan()
			l.Until(t, "the scan ends", func() bool { return !p.State().Scanning && len(p.State().Rows) > 0 })
			if s := p.State(); s.At != -1 || s.Selected.Known() || s.First {
				t.Fatalf("selected is %q, the first page is there: %t", s.Selected.Path, s.First)
			}
			c.open(p)
			l.Until(t, "what was asked for is selected", func() bool {
				s := p.State()
				return s.At >= 0 && (c.want == "" || s.Selected.Path == c.want)
			})
		})
	}
}
