package embeddings

import (
	"context"
	"path/filepath"
	"slices"
	"sync"

	"paddock/engine"
	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/gguf"
	"paddock/engine/library"
)

// An Engine makes vectors: a *engine.Supervisor.
type Engine interface {
	embed.Embedder
	embed.RawEmbedder
	embed.Tokenizer
	State() engine.State
}

// Seams are what the presenter asks of the rest of the program.
type Seams struct {
	Engine Engine
	// Load loads a model as it was set up. How that goes comes back by SetEngine; unusable
	// is told why its file is no use.
	Load    func(path string, unusable func(error))
	Home    string // folder in which outputs begin
	Version string
	Kept    string // file in which the list and the choices are kept; empty for not
}

// A Presenter decides what the tab shows. All its methods, and show, run on one
// goroutine: the one that do posts to.
type Presenter struct {
	seams Seams
	do    func(func())
	show  func(State)

	state  State
	ctx    context.Context
	cancel context.CancelFunc
	loaded string // path of the model the settings are of
	family embed.Family

	roots  []string
	list   context.CancelFunc
	listed int  // number of the last listing
	starts bool // a run, when that is done
	named  bool
	left   map[string]bool // files taken off the list

	keeper   keeper
	touched  bool  // the user has begun: what was kept comes too late
	earlier  *kept // what an earlier Paddock kept, until a model is loaded
	offering bool  // to go on with a run of that one

	job    *embed.Job
	run    context.CancelFunc
	runs   int           // number of the last run
	failed error         // of the engine, when the run's model began to be loaded
	pin    pinned        // the engine as the last run began with it
	ended  chan struct{} // closed when that is over
	sums   *sums
	index  *embed.Index
	opens  string // path of the index that is open or being opened, empty for none
	wanted string // the one to open after a restart: it stays when it can't be opened now
	opened int
	again  string // the index to open again when a run comes to nothing
	search context.CancelFunc
	asked  int
	vector []float32 // of the last question
	place  embed.Projection
	chosen int // number of the last choice on the map

	drawing context.CancelFunc // of the map
	cutting context.CancelFunc // of the preview
	preview previewed          // what that is of

	indexes sync.WaitGroup // those that are being opened or closed: none is begun after Close
}

// NewPresenter makes a presenter without files.
func NewPresenter(seams Seams, do func(func()), show func(State)) *Presenter {
	nothing := func() {}
	p := &Presenter{seams: seams, do: do, show: show, keeper: keeperOf(seams.Kept), list: nothing, run: nothing, search: nothing, drawing: nothing, cutting: nothing, sums: newSums(), left: map[string]bool{}}
	p.ctx, p.cancel = context.WithCancel(context.Background())
	p.ended = make(chan struct{})
	close(p.ended)
	p.state = State{At: -1, Run: Idle, Choices: Choices{
		Strategy: chunk.Strategy{Method: chunk.Tokens, Tokens: chunk.StandardTokens, OverlapTokens: chunk.StandardOverlap},
		Settings: embed.SettingsOf(embed.Unknown, gguf.Facts{}),
		Formats:  []embed.Format{embed.JSONL, embed.SQLite},
		Folder:   filepath.Join(seams.Home, "vectors"),
		Name:     "vectors",
	}}
	p.restore()
	return p
}

// State is what is shown now.
func (p *Presenter) State() State { return p.state }

func (p *Presenter) publish() {
	p.cutPreview()
	p.show(p.state)
}

// SetModels says which models make vectors.
func (p *Presenter) SetModels(models []library.Model) {
	same := slices.EqualFunc(models, p.state.Models, func(a, b library.Model) bool { return a.Facts.Path == b.Facts.Path })
	if !same {
		p.state.Models = models
		p.publish()
	}
}

// SetEngine follows the engine. Another model brings its family's settings, but
// during a run nothing is changed.
func (p *Presenter) SetEngine(s engine.State) {
	was, before := p.state.Ready, p.state.Engine.Phase
	p.state.Engine = s
	p.state.Ready, p.state.Refused = false, nil
	if s.Phase == engine.Ready {
		p.state.Refused = embed.Usable(s.Model)
		p.state.Ready = p.state.Refused == nil
	}
	if !was && p.state.Ready && ofEngine(p.state.Problem) { // there is one again
		p.state.Problem = nil
	}
	p.adopt()
	if p.state.Loading && p.loadEnded(before) {
		p.state.Loading = false
		switch {
		case !p.state.Ready || s.Model.Path != p.state.Job.Meta.ModelPath:
		case p.state.Run == Paused:
			p.Pause()
			return
		default:
			p.start(true, false)
			return
		}
	}
	if !was {
		p.searchNow()
	}
	p.publish()
}

// adopt takes what the loaded model brings, unless a run is on.
func (p *Presenter) adopt() {
	s := p.state.Engine
	p.state.Stranger = p.state.Runs() && s.Phase == engine.Ready && !p.pin.is(s)
	if p.state.Runs() {
		return
	}
	p.state.Limit = 0
	if !p.state.Ready {
		return
	}
	p.state.Limit = embed.ChunkLimit(s.Plan, s.Model)
	if s.Model.Path != p.loaded {
		p.loaded = s.Model.Path
		p.useFamily(embed.FamilyOf(s.Model))
		p.useEarlier()
	}
	p.state.Choices.Settings.Pooling = poolingOf(s)
}

// useFamily takes the settings of a family for the loaded model.
func (p *Presenter) useFamily(f embed.Family) {
	facts := p.state.Engine.Model
	p.family = f
	p.state.Choices.Settings = embed.SettingsOf(f, facts)
	if p.state.Ready { // it was decided when that was loaded, whatever family is chosen now
		p.state.Choices.Settings.Pooling = poolingOf(p.state.Engine)
	}
	p.state.Own = false
	p.state.Width = facts.EmbeddingLength
	p.state.Shorter = nil
	for _, n := range f.Shorter {
		if n < p.state.Width {
			p.state.Shorter = append(p.state.Shorter, n)
		}
	}
}

// base is the outputs' path without an ending.
func (p *Presenter) base() string {
	return filepath.Join(p.state.Choices.Folder, p.state.Choices.Name)
}

// outputs are what a run writes, in the order of the formats.
func (p *Presenter) outputs() []embed.Output {
	var outputs []embed.Output
	for _, f := range embed.Formats() {
		if p.state.Choices.has(f) {
			outputs = append(outputs, embed.Output{Format: f, Path: p.base() + "." + string(f)})
		}
	}
	return outputs
}

// Close gives up what runs. What a run has so far is kept.
func (p *Presenter) Close() {
	p.cancel()
	p.dropIndex()
}

// Wait waits until a run has ended and all is on the disk, at most until ctx does.
func (p *Presenter) Wait(ctx context.Context) {
	all := make(chan struct{})
	go func() {
		<-p.ended
		p.keeper.wait()
		p.indexes.Wait()
		close(all)
	}()
	select {
	case <-all:
	case <-ctx.Done():
	}
}
