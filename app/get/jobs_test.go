package get

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"paddock/config"
	"paddock/engine/hub"
	"paddock/engine/hub/hubtest"
)

func TestADownloadEndsInTheLibraryAndCanBeSetUp(t *testing.T) {
	d := plainDesk(t)
	d.open(t, tiny)
	job := d.fetch(t)
	path := filepath.Join(d.folder, "bartowski", "Tiny-GGUF", "Tiny-F16.gguf")
	if _, err := os.Stat(path); err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(job.Title, "Tiny-F16.gguf · bartowski/Tiny-GGUF") || job.Kind != Good || job.Done != 1 ||
		!slices.Equal(job.Does, []Action{SetUp, Dismiss}) || !strings.Contains(job.Line, "Downloaded and checked") {
		t.Errorf("the job is %+v", job)
	}
	if folders := d.store.Get().ModelFolders; !slices.Equal(folders, []string{d.folder}) || d.got != 1 {
		t.Errorf("folders %v, told %d times", folders, d.got)
	}
	d.Do(job.ID, SetUp)
	d.loop.Until(t, "it is set up", func() bool { return slices.Equal(d.setUp, []string{path}) })
	if f := d.State().Files[0]; !f.Whole || f.Here != "On this computer" || !d.State().Offer.SetUp {
		t.Errorf("the file is %+v, the offer %+v", f, d.State().Offer)
	}
	d.Press()
	d.loop.Until(t, "it is set up again", func() bool { return len(d.setUp) == 2 })
	d.Do(job.ID, Dismiss)
	if len(d.State().Jobs) != 0 {
		t.Error("the job stays")
	}

	d.ChooseFile(1)
	if job := d.fetch(t); !slices.Equal(job.Does, []Action{Dismiss}) {
		t.Errorf("a projector can %v", job.Does)
	}
	if o := d.State().Offer; !o.Off || o.Note.Kind != Good {
		t.Errorf("the offer is %+v", o)
	}
	if folders := d.store.Get().ModelFolders; len(folders) != 1 {
		t.Errorf("folders %v", folders)
	}
}

func TestAFolderTheLibraryHasAlreadyIsNotAddedTwice(t *testing.T) {
	d := plainDesk(t)
	above := t.TempDir()
	if err := d.store.Update(func(c *config.Config) {
		c.ModelFolders, c.Downloads = []string{above}, filepath.Join(above, "new")
	}); err != nil {
		t.Fatal(err)
	}
	d.open(t, tiny)
	d.fetch(t)
	if folders := d.store.Get().ModelFolders; !slices.Equal(folders, []string{above}) {
		t.Errorf("folders %v", folders)
	}
	if _, err := os.Stat(filepath.Join(above, "new", "bartowski", "Tiny-GGUF", "Tiny-F16.gguf")); err != nil {
		t.Error(err)
	}
}

func TestWhatIsDownloadedIsThereAlsoWhenItsFolderCantBeRemembered(t *testing.T) {
	d := plainDesk(t)
	if err := d.store.Update(func(c *config.Config) { c.Downloads = t.TempDir() }); err != nil {
		t.Fatal(err)
	}
	d.open(t, tiny)
	settings := d.store.Folders().Config
	if err := os.RemoveAll(settings); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(settings, []byte("a file in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	job := d.fetch(t)
	for _, want := range []string{"Downloaded and checked", "can't be saved", "Make the folder writable"} {
		if !strings.Contains(job.Line, want) {
			t.Errorf("it says %q, want %q in it", job.Line, want)
		}
	}
	if job.Kind != Caution || !slices.Equal(job.Does, []Action{SetUp, Dismiss}) || len(d.store.Get().ModelFolders) != 1 {
		t.Errorf("the job is %+v, the folders are %v", job, d.store.Get().ModelFolders)
	}
}

func TestAnotherFolderIsRemembered(t *testing.T) {
	d := plainDesk(t)
	d.open(t, tiny)
	other := t.TempDir()
	d.SetFolder(other)
	d.loop.Until(t, "it is shown", func() bool { return d.State().Folder == other })
	if d.store.Get().Downloads != other {
		t.Errorf("the settings have %q", d.store.Get().Downloads)
	}
}

func TestOfTwoFoldersTheLaterOneIsRemembered(t *testing.T) {
	d := plainDesk(t)
	d.open(t, tiny)
	first, second := t.TempDir(), t.TempDir()
	for range 20 {
		d.SetFolder(first)
		d.SetFolder(second)
		d.store.Wait(t.Context())
		if got := d.store.Get().Downloads; got != second {
			t.Fatalf("the settings have %q", got)
		}
	}
}

func TestAStoppedDownloadStaysInItsFolderWhenAnotherIsChosen(t *testing.T) {
	d := plainDesk(t)
	d.open(t, tiny)
	d.hub.Break(hubtest.Faults{BytesPerSecond: 1_000_000})
	d.Press()
	d.loop.Until(t, "something comes", func() bool { return d.last().Done > 0 })
	d.Do(d.last().ID, Cancel)
	d.loop.Until(t, "it stops", func() bool { return !d.last().Runs })
	d.settle(t)
	other := t.TempDir()
	d.SetFolder(other)
	d.loop.Until(t, "the other folder is looked at", func() bool { return strings.HasPrefix(d.State().Offer.Label, "Download") })
	d.hub.Break(hubtest.Faults{})
	d.Press()
	d.loop.Until(t, "it is there", func() bool { return len(d.State().Jobs) == 2 && d.State().Jobs[0].Kind == Good })
	if _, err := os.Stat(filepath.Join(other, "bartowski", "Tiny-GGUF", "Tiny-F16.gguf")); err != nil {
		t.Error(err)
	}
	stopped := d.State().Jobs[1]
	if !slices.Equal(stopped.Does, []Action{Resume, Discard}) {
		t.Fatalf("the stopped one is %+v", stopped)
	}
	d.Do(stopped.ID, Discard)
	d.Do(stopped.ID, Sure)
	d.loop.Until(t, "its part is gone", func() bool { return len(hub.FindUnfinished(d.folder)) == 0 })
}

func TestCancelKeepsThePartAndResumeGoesOn(t *testing.T) {
	d := plainDesk(t)
	d.open(t, tiny)
	d.hub.Break(hubtest.Faults{BytesPerSecond: 1_000_000})
	d.Press()
	if o := d.State().Offer; !o.Off || o.Note.Kind != Info {
		t.Errorf("a second download is offered: %+v", o)
	}
	d.loop.Until(t, "something comes", func() bool { return strings.Contains(d.last().Line, "iB/s") })
	if line := d.last().Line; !strings.Contains(line, " of ") || !strings.Contains(line, "left") {
		t.Errorf("it says %q", line)
	}
	d.Do(d.last().ID, Cancel)
	d.loop.Until(t, "it stops", func() bool { return !d.last().Runs })
	d.settle(t)
	if j := d.last(); !strings.HasPrefix(j.Line, "Stopped.") || !strings.HasSuffix(j.Line, "are kept.") || !slices.Equal(j.Does, []Action{Resume, Discard}) {
		t.Errorf("the job is %+v", j)
	}
	if f := d.State().Files[0]; !strings.HasSuffix(f.Here, "are here") || f.Whole || !strings.HasPrefix(d.State().Offer.Label, "Resume, ") {
		t.Errorf("the file is %+v, the offer %+v", f, d.State().Offer)
	}
	d.hub.Break(hubtest.Faults{})
	d.Do(d.last().ID, Resume)
	d.loop.Until(t, "it is done", func() bool { return d.last().Kind == Good })
	requests := d.hub.Requests()
	if requests[len(requests)-1].Header.Get("Range") == "" {
		t.Error("it began again")
	}
}

func TestADownloadOfAnotherDayIsShownAndCanBeDiscarded(t *testing.T) {
	d := plainDesk(t)
	listing, err := (&hub.Client{Endpoint: d.hub.URL()}).Files(t.Context(), tiny)
	if err != nil {
		t.Fatal(err)
	}
	ctx, cancel := context.WithCancel(t.Context())
	d.hub.Break(hubtest.Faults{BytesPerSecond: 3_000_000})
	c := &hub.Client{Endpoint: d.hub.URL()}
	_, err = c.Download(ctx, listing.Want(listing.Items[0]), d.folder, func(p hub.Progress) {
		if p.DoneBytes > 0 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) {
		t.Fatal(err)
	}
	d.Begin()
	d.loop.Until(t, "it is shown", func() bool { return len(d.State().Jobs) == 1 })
	d.Begin()
	d.settle(t)
	if jobs := d.State().Jobs; len(jobs) != 1 || jobs[0].Done <= 0 || jobs[0].Done >= 1 || !slices.Equal(jobs[0].Does, []Action{Resume, Discard}) {
		t.Fatalf("jobs %+v", jobs)
	}
	kept := d.last()
	d.Do(kept.ID, Discard)
	if j := d.last(); j.Kind != Caution || !strings.Contains(j.Line, "Delete what has come") || !slices.Equal(j.Does, []Action{Sure, Keep}) {
		t.Errorf("it doesn't ask first: %+v", j)
	}
	d.Do(kept.ID, Keep)
	if j := d.last(); j.Line != kept.Line || !slices.Equal(j.Does, kept.Does) || len(hub.FindUnfinished(d.folder)) != 1 {
		t.Errorf("after Keep it is %+v, before %+v", j, kept)
	}
	d.Do(kept.ID, Discard)
	d.Do(kept.ID, Sure)
	d.loop.Until(t, "the part is gone", func() bool { return len(hub.FindUnfinished(d.folder)) == 0 })
	if len(d.State().Jobs) != 0 {
		t.Error("the job stays")
	}
}

func TestDownloadsWaitForEachOther(t *testing.T) {
	d := plainDesk(t)
	d.open(t, tiny)
	d.hub.Break(hubtest.Faults{BytesPerSecond: 2_000_000})
	d.Press()
	d.ChooseFile(1)
	d.Press()
	jobs := d.State().Jobs
	if len(jobs) != 2 || !jobs[0].Runs || jobs[1].Runs || jobs[1].Line != "Waits for the download before it" {
		t.Fatalf("jobs %+v", jobs)
	}
	d.Do(jobs[1].ID, Cancel)
	if j := d.last(); !slices.Contains(j.Does, Resume) {
		t.Errorf("a cancelled one that waited can %v", j.Does)
	}
	d.Do(jobs[1].ID, Resume)
	d.hub.Break(hubtest.Faults{})
	d.loop.Until(t, "both are done", func() bool {
		return !slices.ContainsFunc(d.State().Jobs, func(j Job) bool { return j.Kind != Good })
	})
}

func TestAFailedDownloadSaysWhyAndCanBeTriedAgain(t *testing.T) {
	d := plainDesk(t)
	d.open(t, tiny)
	d.hub.Break(hubtest.Faults{WrongBytes: true})
	job := d.fetch(t)
	if job.Kind != Failed || !strings.Contains(job.Line, "Tiny-F16.gguf arrived damaged") || !slices.Equal(job.Does, []Action{Again, Discard}) {
		t.Errorf("the job is %+v", job)
	}
	if job.Done != 0 {
		t.Errorf("nothing was kept, and %v of it are shown", job.Done)
	}
	if d.got != 0 || len(d.store.Get().ModelFolders) != 0 {
		t.Error("the library was told")
	}
	d.hub.Break(hubtest.Faults{})
	d.Do(job.ID, Again)
	d.loop.Until(t, "it is done", func() bool { return d.last().Kind == Good })
}

func TestAGatedRepositorySaysHowToGetIn(t *testing.T) {
	d := plainDesk(t)
	d.hub.SetRepos(hubtest.Repo{ID: tiny, Gated: true, Files: []hubtest.File{{Path: "a.gguf", Content: []byte("GGUF and so on")}}})
	d.open(t, tiny)
	job := d.fetch(t)
	if !strings.Contains(job.Line, "only for people with an account") || !strings.Contains(job.Line, "HF_TOKEN") {
		t.Errorf("it says %q", job.Line)
	}
}

func TestWaitingIsSaidWithItsReason(t *testing.T) {
	d := plainDesk(t)
	d.open(t, tiny)
	d.hub.Break(hubtest.Faults{Status: 429, RetryAfter: "30"})
	d.Press()
	d.loop.Until(t, "it waits", func() bool { return strings.Contains(d.last().Line, "Tries again in 30 s.") })
	if j := d.last(); j.Kind != Caution || !strings.Contains(j.Line, "no more questions for now") {
		t.Errorf("the job is %+v", j)
	}
}

func TestSilenceIsSaid(t *testing.T) {
	d := plainDesk(t)
	d.open(t, tiny)
	d.hub.Break(hubtest.Faults{Stall: true})
	d.Press()
	now := time.Now()
	d.now = func() time.Time { return now }
	d.loop.Until(t, "it downloads", func() bool { return d.jobs[0].progress.Phase == hub.Downloading })
	now = now.Add(silence + time.Second)
	d.loop.Until(t, "the clock ticks", func() bool { return strings.Contains(d.last().Line, "nothing comes at the moment") })
}

func TestClosingStopsDownloadsAndKeepsWhatHasCome(t *testing.T) {
	d := plainDesk(t)
	d.open(t, tiny)
	d.hub.Break(hubtest.Faults{BytesPerSecond: 1_000_000})
	d.Press()
	d.loop.Until(t, "something comes", func() bool { return d.last().Done > 0.1 })
	d.Close()
	d.loop.Until(t, "it has stopped", func() bool { return d.jobs[0].phase == stopped })
	if left := hub.FindUnfinished(d.folder); len(left) != 1 || left[0].DoneBytes == 0 {
		t.Errorf("left is %+v", left)
	}
}

func TestWhatIsNoModelIsNotSetUp(t *testing.T) {
	d := plainDesk(t)
	d.hub.SetRepos(hubtest.Repo{ID: tiny, Files: []hubtest.File{{Path: "notes.gguf", Content: []byte("these are notes")}}})
	d.open(t, tiny)
	job := d.fetch(t)
	d.Do(job.ID, SetUp)
	d.loop.Until(t, "it is said", func() bool { return d.State().FilesNote.Kind == Failed })
	if !strings.Contains(d.State().FilesNote.Text, "notes.gguf is not a GGUF file") || len(d.setUp) != 0 {
		t.Errorf("got %+v, %v", d.State().FilesNote, d.setUp)
	}
}

func TestTimesLeft(t *testing.T) {
	for seconds, want := range map[float64]string{
		0.2: "1 s left", 89: "89 s left", 100: "2 min left", 60 * 89: "89 min left", 2*3600 + 300: "2 h 5 min left", 1e6: "11 days left",
	} {
		if got := left(seconds); got != want {
			t.Errorf("%v: %q", seconds, got)
		}
	}
}

func TestTheDownloadThatRunsIsFirst(t *testing.T) {
	d := plainDesk(t)
	for id, phase := range []phase{done, queued, stopped, running, failed, queued} {
		d.jobs = append(d.jobs, &job{id: id, phase: phase, err: context.Canceled, want: hub.Want{}})
	}
	var ids []int
	for _, j := range d.shownJobs() {
		ids = append(ids, j.ID)
	}
	if !slices.Equal(ids, []int{3, 1, 5, 4, 2, 0}) {
		t.Errorf("the order is %v", ids)
	}
	d.jobs = nil
}

func TestSpeedsAreInTheUnitThatSaysSomething(t *testing.T) {
	for bytes, want := range map[uint64]string{1: "1 KiB/s", 60_000: "58 KiB/s", 1 << 19: "0.5 MiB/s", 12 << 20: "12.0 MiB/s"} {
		if got := speed(bytes); got != want {
			t.Errorf("%d bytes a second are %q, not %q", bytes, got, want)
		}
	}
}
