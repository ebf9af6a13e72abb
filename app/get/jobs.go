package get

import (
	"cmp"
	"context"
	"errors"
	"path"
	"path/filepath"
	"slices"
	"time"

	"paddock/config"
	"paddock/engine/gguf"
	"paddock/engine/hub"
	"paddock/words"
)

// A job is a download. One runs at a time; the others wait for it.
type job struct {
	id       int
	want     hub.Want
	folder   string
	title    string
	model    bool // it can be set up when it is there
	phase    phase
	asks     bool // whether what came of it is to be deleted
	progress hub.Progress
	heard    time.Time // when progress came
	err      error
	paths    []string
	cancel   context.CancelFunc
}

type phase int

const (
	queued phase = iota
	running
	stopped // by the user, or another day
	failed
	done
)

// busy says whether a job will go on by itself.
func (j *job) busy() bool { return j.phase == queued || j.phase == running }

// Press does what the button under the files offers.
func (p *Presenter) Press() {
	if p.state.Offer.Label == "" || p.state.Offer.Off {
		return
	}
	row := p.state.Files[p.state.FileAt]
	want := p.listing.Want(row.item)
	if p.state.Offer.SetUp {
		if target, err := hub.Target(p.folder(), want.Repo, want.Files[0].Path); err == nil {
			p.setUp(target)
		}
		return
	}
	j := p.jobFor(p.folder(), want)
	if j == nil {
		j = p.add(p.folder(), want)
	}
	p.queue(j)
}

// add makes a job of a download.
func (p *Presenter) add(folder string, want hub.Want) *job {
	p.made++
	name := want.Files[0].Path
	j := &job{id: p.made, want: want, folder: folder, cancel: func() {}, model: hub.KindOf(name) == hub.Model}
	j.title = words.T("get.job", map[string]any{"File": gguf.Printable(path.Base(name)), "Repo": gguf.Printable(want.Repo), "More": len(want.Files) - 1})
	p.jobs = append(p.jobs, j)
	return j
}

// addStopped takes up a download that was broken off another day.
func (p *Presenter) addStopped(folder string, u hub.Unfinished) {
	if p.jobFor(folder, u.Want) != nil {
		return
	}
	j := p.add(folder, u.Want)
	j.phase = stopped
	j.progress = hub.Progress{DoneBytes: u.DoneBytes, TotalBytes: u.Want.SizeBytes()}
}

// jobFor is the job of a download into a folder, or nil.
func (p *Presenter) jobFor(folder string, want hub.Want) *job {
	at := slices.IndexFunc(p.jobs, func(j *job) bool { return j.folder == folder && j.brings(want) })
	if at < 0 {
		return nil
	}
	return p.jobs[at]
}

// brings says whether a job is a download of something, into whatever folder.
func (j *job) brings(want hub.Want) bool {
	return j.want.Repo == want.Repo && slices.Equal(j.want.Files, want.Files)
}

// Do does something with a job.
func (p *Presenter) Do(id int, a Action) {
	at := slices.IndexFunc(p.jobs, func(j *job) bool { return j.id == id })
	if at < 0 || !slices.Contains(actions(p.jobs[at]), a) {
		return
	}
	j := p.jobs[at]
	switch a {
	case Cancel:
		if j.phase == running {
			j.cancel()
			return
		}
		j.phase = stopped
	case Resume, Again:
		p.queue(j)
		return
	case SetUp:
		p.setUp(j.paths[0])
		return
	case Dismiss:
		p.jobs = slices.Delete(p.jobs, at, at+1)
	case Discard:
		if j.progress.DoneBytes > 0 {
			j.asks = true
			break
		}
		p.discard(at)
	case Keep:
		j.asks = false
	case Sure:
		p.discard(at)
	}
	p.publish()
}

// discard deletes what came of a job, and forgets it.
func (p *Presenter) discard(at int) {
	j := p.jobs[at]
	j.asks = false
	p.jobs = slices.Delete(p.jobs, at, at+1)
	go func() {
		err := hub.Discard(j.folder, j.want)
		p.do(func() {
			if err != nil {
				j.phase, j.err = failed, err
				p.jobs = append(p.jobs, j)
			}
			p.look()
			p.publish()
		})
	}()
}

// actions are what can be done with a job, the first most wanted.
func actions(j *job) []Action {
	switch {
	case j.asks:
		return []Action{Sure, Keep}
	case j.busy():
		return []Action{Cancel}
	case j.phase == done && j.model:
		return []Action{SetUp, Dismiss}
	case j.phase == done:
		return []Action{Dismiss}
	case j.phase == failed:
		return []Action{Again, Discard}
	}
	return []Action{Resume, Discard}
}

// queue lets a job run when those before it are done.
func (p *Presenter) queue(j *job) {
	j.phase, j.asks, j.err = queued, false, nil
	if !slices.ContainsFunc(p.jobs, func(j *job) bool { return j.phase == running }) {
		p.run(j)
	}
	p.publish()
}

func (p *Presenter) run(j *job) {
	ctx, cancel := context.WithCancel(context.Background())
	j.cancel = cancel
	j.phase, j.heard = running, p.now()
	j.progress = hub.Progress{Phase: hub.Checking, TotalBytes: j.want.SizeBytes(), DoneBytes: j.progress.DoneBytes}
	go func() {
		defer cancel()
		var result hub.Result
		h, err := p.seams.Hub()
		if err == nil {
			result, err = h.Download(ctx, j.want, j.folder, func(now hub.Progress) {
				p.do(func() { p.heard(j, now) })
			})
		}
		if err == nil {
			err = p.keepFolder(j.folder)
		}
		kept, _ := hub.Done(j.folder, j.want)
		p.do(func() { p.ended(j, result, kept, err) })
	}()
	p.tick()
}

// keepFolder adds the folder of downloads to those of the library, unless it is in
// one of them.
func (p *Presenter) keepFolder(folder string) error {
	if slices.ContainsFunc(p.config.Get().ModelFolders, func(known string) bool { return isWithin(folder, known) }) {
		return nil
	}
	return p.config.Update(func(c *config.Config) { c.ModelFolders = append(c.ModelFolders, folder) })
}

// isWithin says whether a folder is another, or below it.
func isWithin(folder, of string) bool {
	inside, err := filepath.Rel(of, folder)
	return err == nil && filepath.IsLocal(inside)
}

// heard takes over how far a job is.
func (p *Presenter) heard(j *job, now hub.Progress) {
	if j.phase == running {
		j.progress, j.heard = now, p.now()
		p.publish()
	}
}

// ended takes over what a job came to, with how many bytes of it are on the disk,
// and lets the next one run.
func (p *Presenter) ended(j *job, result hub.Result, kept uint64, err error) {
	j.err, j.progress.DoneBytes = err, kept
	switch {
	case errors.Is(err, context.Canceled):
		j.phase, j.err = stopped, nil
	case len(result.Paths) == 0:
		j.phase = failed
	default: // the download is there, even where the settings can't be written
		j.phase, j.paths = done, result.Paths
	}
	if p.closed {
		return
	}
	if j.phase == done {
		p.seams.Got()
	}
	if next := slices.IndexFunc(p.jobs, func(j *job) bool { return j.phase == queued }); next >= 0 {
		p.run(p.jobs[next])
	}
	p.look()
	p.publish()
}

// setUp reads a file and opens it in Set up and load, or says why it can't be.
func (p *Presenter) setUp(path string) {
	go func() {
		model := p.seams.Read(path)
		p.do(func() {
			if model.Problem == nil && model.Facts.Kind == gguf.Model {
				p.seams.SetUp(model)
				return
			}
			p.state.FilesNote = Note{Failed, words.T("get.notModel", map[string]any{"File": gguf.Printable(filepath.Base(path))})}
			if model.Problem != nil {
				p.state.FilesNote = problem(model.Problem)
			}
			p.publish()
		})
	}()
}

// tick keeps the times of the job that runs right.
func (p *Presenter) tick() {
	p.ticks++
	number := p.ticks
	time.AfterFunc(time.Second, func() {
		p.do(func() {
			runs := slices.ContainsFunc(p.jobs, func(j *job) bool { return j.phase == running })
			if number == p.ticks && runs && !p.closed {
				p.publish()
				p.tick()
			}
		})
	})
}

// silence is how long nothing may come before that is said.
const silence = 3 * time.Second

// shownJobs are the jobs in the order of their worth to the user.
func (p *Presenter) shownJobs() []Job {
	order := func(j *job) int {
		switch j.phase {
		case running:
			return -2
		case queued:
			return -1
		}
		return 0
	}
	sorted := slices.Clone(p.jobs)
	slices.SortFunc(sorted, func(a, b *job) int {
		if first := cmp.Compare(order(a), order(b)); first != 0 || order(a) < 0 {
			return cmp.Or(first, a.id-b.id)
		}
		return b.id - a.id
	})
	var shown []Job
	for _, j := range sorted {
		shown = append(shown, p.jobOf(j))
	}
	return shown
}

// jobOf is what is shown of a job.
func (p *Presenter) jobOf(j *job) Job {
	shown := Job{ID: j.id, Title: j.title, Runs: j.phase == running, Does: actions(j)}
	now := j.progress
	if now.TotalBytes > 0 {
		shown.Done = float64(now.DoneBytes) / float64(now.TotalBytes)
	}
	data := map[string]any{"Done": amount(now.DoneBytes), "Total": amount(now.TotalBytes), "Speed": "", "Left": "", "Over": now.StartedOver}
	if j.asks {
		shown.Kind, shown.Line = Caution, words.T("get.job.discard", data)
		return shown
	}
	switch j.phase {
	case queued:
		shown.Line = words.T("get.job.queued", data)
	case running:
		shown.Kind, shown.Line = p.line(j, data)
	case stopped:
		shown.Line = words.T("get.job.stopped", data)
	case failed:
		note := problem(j.err)
		shown.Kind, shown.Line = note.Kind, note.Text
	case done:
		shown.Done, shown.Kind = 1, Good
		shown.Line = words.T("get.job.done", map[string]any{"Folder": words.Path(j.folder)})
		if j.err != nil {
			shown.Kind, shown.Line = Caution, words.T("get.job.unlisted", map[string]any{"Reason": words.Error(j.err).Text()})
		}
	}
	return shown
}

// line is how far a running job is.
func (p *Presenter) line(j *job, data map[string]any) (NoteKind, string) {
	now := j.progress
	switch now.Phase {
	case hub.Checking:
		return Info, words.T("get.job.checking", data)
	case hub.Finishing:
		return Info, words.T("get.job.finishing", data)
	case hub.Waiting:
		data["Reason"] = words.Error(now.Cause).Message
		data["Seconds"] = max(0, int(now.Until.Sub(p.now()).Seconds()+0.5))
		return Caution, words.T("get.job.waiting", data)
	}
	switch {
	case p.now().Sub(j.heard) > silence:
		return Caution, words.T("get.job.silent", data)
	case now.BytesPerSecond > 0:
		data["Speed"] = speed(now.BytesPerSecond)
		data["Left"] = left(float64(now.TotalBytes-min(now.DoneBytes, now.TotalBytes)) / float64(now.BytesPerSecond))
	}
	return Info, words.T("get.job.runs", data)
}

// left is a time in seconds as one says how long something still takes.
func left(seconds float64) string {
	minutes := int(seconds/60 + 0.5)
	switch {
	case seconds < 90:
		return words.T("get.left.seconds", map[string]any{"Seconds": int(seconds + 0.99)})
	case minutes < 90:
		return words.T("get.left.minutes", map[string]any{"Minutes": minutes})
	case minutes < 48*60:
		return words.T("get.left.hours", map[string]any{"Hours": minutes / 60, "Minutes": minutes % 60})
	}
	return words.T("get.left.days", map[string]any{"Days": minutes / 60 / 24})
}
