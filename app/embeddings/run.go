package embeddings

import (
	"context"
	"errors"
	"slices"
	"strconv"

	"paddock/app/widgets"
	"paddock/engine"
	"paddock/engine/embed"
)

// Start makes the vectors, and goes on with what an earlier run of the same name
// left: so it does what GoOn offers. Where the run's model is not loaded any more, it
// is loaded first.
func (p *Presenter) Start() {
	if p.state.Loadable() {
		p.load()
		return
	}
	p.start(true, false)
}

// load loads the model of the run that can be gone on with; SetEngine goes on.
func (p *Presenter) load() {
	s := &p.state
	s.Problem, s.Loading, p.failed = nil, true, s.Engine.Err
	p.publish()
	p.seams.Load(s.Job.Meta.ModelPath, func(err error) {
		if p.state.Loading {
			p.state.Loading, p.state.Problem = false, err
			p.publish()
		}
	})
}

// loadEnded says whether the load of the run's model has come to its end. Of the
// phases of an engine, of which the one before is given, some may not have been seen.
func (p *Presenter) loadEnded(before engine.Phase) bool {
	switch s := p.state.Engine; s.Phase {
	case engine.Ready:
		return true
	case engine.Failed:
		return s.Err != p.failed
	case engine.NotLoaded:
		return before != engine.NotLoaded && before != engine.Failed && before != ""
	}
	return false
}

// Take does what is offered otherwise.
func (p *Presenter) Take() {
	switch p.state.Offer {
	case StartOver:
		p.start(false, false)
	case WriteOver:
		p.start(true, true)
	}
}

// Startable says whether Start would do anything.
func (s State) Startable() bool {
	return s.Ready && len(s.Rows) > 0 && !s.Listing && !s.Runs()
}

// Loadable says whether Start would load the run's model.
func (s State) Loadable() bool {
	left := s.Run == Paused || s.Offer == GoOn && !s.Runs()
	return left && !s.Loading && s.noEngine() && s.Job.Meta.ModelPath != "" && len(s.Rows) > 0 && !s.Listing
}

// noEngine says whether no model is loaded, and none is being loaded.
func (s State) noEngine() bool {
	return s.Engine.Phase == engine.NotLoaded || s.Engine.Phase == engine.Failed || s.Engine.Phase == ""
}

// start begins a run: one that goes on from what there is or not, and that may write
// over files of others or not.
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
	p.pin = pin(p.seams.Engine, s.Engine)
	files := make([]string, len(s.Rows))
	s.Rows = slices.Clone(s.Rows)
	for i, row := range s.Rows {
		files[i] = row.Path
		s.Rows[i].FileState = embed.FileState{Path: row.Path, Phase: embed.FileWaiting}
	}
	cutter := embed.Documents{
		Reading: c.Reading, Strategy: c.Strategy, Prefix: c.Settings.Prefix, Limit: s.Limit, Tokenizer: p.pin,
	}
	states := widgets.NewMailbox(p.do, 0, func(j embed.State) { p.progress(run, j) })
	options := embed.Options{
		Files: files, Cutter: cutter, Embedder: p.pin, Settings: c.Settings, Width: s.Width,
		Meta: embed.Meta{
			Model: model.Name, ModelPath: model.Path, Chunker: cutter.Chunker(),
			Engine: "b" + strconv.Itoa(build.Number), App: p.seams.Version,
		},
		StatePath: statePath, Resume: resume, Keep: true, Outputs: outputs, Overwrite: over, Changed: states.Put,
	}
	s.Damaged = nil
	s.Run, s.Job, s.RunModel = Preparing, embed.State{Left: -1}, modelName(model)
	p.again = ""
	if slices.ContainsFunc(outputs, func(o embed.Output) bool { return o.Path == p.opens }) {
		p.again = p.opens // it is written anew
		p.closeIndex()
	}
	ended := make(chan struct{})
	p.ended = ended
	p.keep()
	p.publish()
	go func() {
		defer close(ended)
		defer cancel()
		err := embed.SparesFiles(outputs, files)
		if err == nil && !over {
			err = embed.MayWrite(outputs, statePath)
		}
		if err == nil {
			options.Meta.ModelSHA256, err = p.sums.of(ctx, model.Path)
		}
		if err != nil {
			p.do(func() { p.stopped(run, embed.State{Phase: phaseOf(err), Meta: options.Meta, Err: err}) })
			return
		}
		job := embed.Start(ctx, options)
		p.do(func() { p.began(run, job) })
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

func (p *Presenter) began(run int, job *embed.Job) {
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
		if j.Phase.Ended() { // nobody reads or asks any more
			rows[i].Begun = false
			if rows[i].Phase == embed.FileReading {
				rows[i].Phase = embed.FileWaiting
			}
		}
	}
	p.state.Rows = rows
}

func (p *Presenter) stopped(run int, j embed.State) {
	if run != p.runs || p.ctx.Err() != nil { // that a run was under way is kept
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
	var file *embed.FileError
	is := func(problem embed.FileProblem) bool { return errors.As(j.Err, &file) && file.Problem == problem }
	switch {
	case j.Phase == embed.Cancelled:
		s.Problem, s.Offer = nil, GoOn
	case is(embed.Exists):
		s.Run, s.Offer = Idle, WriteOver
	case is(embed.IsInput): // another name or folder is needed
		s.Run = Idle
	case is(embed.OtherRun), is(embed.Unreadable) && file.Path == embed.StatePath(p.base()):
		s.Offer = StartOver
	case j.Err != nil || j.ChunksFailed > 0:
		s.Offer = GoOn
	}
	p.adopt()
	p.keep()
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

// Pause lets the engine rest, or work on: only with the model the run began with.
func (p *Presenter) Pause() {
	switch {
	case p.job == nil:
	case p.state.Run == Paused && p.state.Ready && !p.state.Stranger:
		p.goOn()
	case p.state.Run == Working:
		p.state.Run = Paused
		p.job.Pause()
	}
	p.publish()
}

// goOn ends a pause, unless the model's file became another meanwhile.
func (p *Presenter) goOn() {
	p.state.Problem = nil
	run, job, path, want := p.runs, p.job, p.pin.path, p.state.Job.Meta.ModelSHA256
	go func() {
		sum, err := p.sums.of(p.ctx, path)
		p.do(func() {
			switch {
			case run != p.runs || p.job != job || p.state.Run != Paused:
				return
			case err == nil && sum != want && want != "":
				p.state.Problem = &embed.FileError{Problem: embed.ModelChanged, Path: path}
			case p.state.Stranger:
			default: // also when the file can't be read: what is loaded is what was
				p.state.Run = Working
				job.Continue()
			}
			p.publish()
		})
	}()
}

// Cancel ends the run. What it has is kept, to go on from. While its model is loaded,
// that it goes on then is taken back.
func (p *Presenter) Cancel() {
	if p.state.Loading {
		p.state.Loading = false
		p.publish()
		return
	}
	p.run()
}
