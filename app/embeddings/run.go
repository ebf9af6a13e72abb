package embeddings

import (
	"context"
	"errors"
	"os"
	"slices"
	"strconv"

	"paddock/engine/embed"
)

// An ExistsError is an output that would be written over.
type ExistsError struct{ Path string }

func (e *ExistsError) Error() string { return e.Path + " is there already" }

// Start makes the vectors, and goes on with what an earlier run of the same name
// left.
func (p *Presenter) Start() { p.start(true, false) }

// Take does what is offered.
func (p *Presenter) Take() {
	switch p.state.Offer {
	case GoOn:
		p.start(true, true)
	case StartOver, WriteOver:
		p.start(false, true)
	}
}

// Startable says whether Start would do anything.
func (s State) Startable() bool {
	return s.Ready && len(s.Rows) > 0 && !s.Listing && !s.Runs()
}

func (p *Presenter) start(resume, over bool) {
	s := &p.state
	if !s.Startable() {
		return
	}
	p.forgive()
	c := s.Choices
	if err := c.Settings.Check(p.family, s.Engine.Model); err != nil {
		s.Problem = err
		p.publish()
		return
	}
	ctx, cancel := context.WithCancel(p.ctx)
	p.run = cancel
	p.runs++
	run, outputs, statePath, model, build := p.runs, p.outputs(), embed.StatePath(p.base()), s.Engine.Model, s.Engine.Build
	known := p.sums[model.Path]
	files := make([]string, len(s.Rows))
	s.Rows = slices.Clone(s.Rows)
	for i, row := range s.Rows {
		files[i] = row.Path
		s.Rows[i].FileState = embed.FileState{Path: row.Path, Phase: embed.FileWaiting}
	}
	cutter := embed.Documents{
		Reading: c.Reading, Strategy: c.Strategy, Prefix: c.Settings.Prefix, Limit: s.Limit, Tokenizer: p.seams.Engine,
	}
	options := embed.Options{
		Files: files, Cutter: cutter, Embedder: p.seams.Engine, Settings: c.Settings, Width: s.Width,
		Meta: embed.Meta{
			Model: model.Name, ModelPath: model.Path, Chunker: cutter.Chunker(),
			Engine: "b" + strconv.Itoa(build.Number), App: p.seams.Version,
		},
		StatePath: statePath, Resume: resume, Keep: true, Outputs: outputs,
	}
	s.Run, s.Job = Preparing, embed.State{Left: -1}
	p.again = ""
	if slices.ContainsFunc(outputs, func(o embed.Output) bool { return o.Path == s.Index }) {
		p.again = s.Index // it is written anew
		p.closeIndex()
	}
	ended := make(chan struct{})
	p.ended = ended
	p.publish()
	go func() {
		defer close(ended)
		defer cancel()
		if err := mayWrite(outputs, statePath, over); err != nil {
			p.do(func() { p.stopped(run, embed.State{Phase: embed.Failed, Err: err}) })
			return
		}
		sum := known
		if sum == "" {
			var err error
			if sum, err = embed.HashFile(ctx, model.Path); err != nil {
				p.do(func() { p.stopped(run, embed.State{Phase: phaseOf(err), Err: err}) })
				return
			}
		}
		options.Meta.ModelSHA256 = sum
		options.Changed = func(j embed.State) { p.do(func() { p.progress(run, j) }) }
		job := embed.Start(ctx, options)
		p.do(func() { p.began(run, job, model.Path, sum) })
		state, _ := job.Wait()
		p.do(func() { p.stopped(run, state) })
	}()
}

func phaseOf(err error) embed.Phase {
	if errors.Is(err, context.Canceled) {
		return embed.Cancelled
	}
	return embed.Failed
}

// mayWrite is the error of an output that is there and no earlier run's.
func mayWrite(outputs []embed.Output, statePath string, over bool) error {
	if over {
		return nil
	}
	if _, err := os.Stat(statePath); err == nil {
		return nil
	}
	for _, o := range outputs {
		if _, err := os.Stat(o.Path); err == nil {
			return &ExistsError{Path: o.Path}
		}
	}
	return nil
}

func (p *Presenter) began(run int, job *embed.Job, path, sum string) {
	p.sums[path] = sum
	if run != p.runs {
		return
	}
	p.job = job
	if p.state.Run == Preparing {
		p.state.Run = Working
	}
	p.publish()
}

func (p *Presenter) progress(run int, j embed.State) {
	if run != p.runs || !p.state.Runs() || j.Phase.Ended() {
		return
	}
	p.state.Run = Working
	if j.Phase == embed.Paused || j.Phase == embed.Pausing {
		p.state.Run = Paused
	}
	p.take(j)
	p.publish()
}

// take shows the state of the job in the rows. A row keeps its place: the job has
// the files in the order of the list.
func (p *Presenter) take(j embed.State) {
	p.state.Job, p.state.Left = j, j.Left
	rows := make([]Row, len(p.state.Rows))
	copy(rows, p.state.Rows)
	for i := range min(len(rows), len(j.Files)) {
		rows[i].FileState = j.Files[i]
	}
	p.state.Rows = rows
}

func (p *Presenter) stopped(run int, j embed.State) {
	if run != p.runs {
		return
	}
	s := &p.state
	s.Run, p.job = Ended, nil
	if len(j.Files) > 0 {
		p.take(j)
	} else {
		s.Job = j
	}
	s.Problem = j.Err
	var exists *ExistsError
	var file *embed.FileError
	switch {
	case j.Phase == embed.Cancelled:
		s.Problem, s.Offer = nil, GoOn
	case errors.As(j.Err, &exists):
		s.Run, s.Offer = Idle, WriteOver
	case errors.As(j.Err, &file) && (file.Problem == embed.OtherRun || file.Problem == embed.Unreadable && file.Path == embed.StatePath(p.base())):
		s.Offer = StartOver
	case j.Err != nil || j.ChunksFailed > 0:
		s.Offer = GoOn
	}
	p.publish()
	if j.Phase != embed.Done {
		if p.again != "" {
			p.OpenIndex(p.again) // as it was
		}
		return
	}
	for _, o := range j.Outputs {
		if o.Format == embed.SQLite {
			p.OpenIndex(o.Path)
		}
	}
}

// Pause lets the engine rest, or work on.
func (p *Presenter) Pause() {
	switch {
	case p.job == nil:
	case p.state.Run == Paused:
		p.state.Run = Working
		p.job.Continue()
	case p.state.Run == Working:
		p.state.Run = Paused
		p.job.Pause()
	}
	p.publish()
}

// Cancel ends the run. What it has is kept, to go on from.
func (p *Presenter) Cancel() { p.run() }
