package embeddings

import (
	"context"
	"errors"
	"path/filepath"
	"slices"
	"strings"

	"paddock/engine"
	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/words"
)

// An Engine makes vectors: a *engine.Supervisor.
type Engine interface {
	embed.Embedder
	embed.RawEmbedder
	embed.Tokenizer
}

// Seams are what the presenter asks of the rest of the program.
type Seams struct {
	Engine  Engine
	Home    string // folder in which outputs begin
	Version string
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
	listed int // number of the last listing
	named  bool
	left   map[string]bool // files taken off the list

	job    *embed.Job
	run    context.CancelFunc
	runs   int           // number of the last run
	ended  chan struct{} // closed when that is over
	sums   map[string]string
	index  *embed.Index
	opened int
	again  string // the index to open again when a run comes to nothing
	search context.CancelFunc
	asked  int
	place  embed.Projection
}

// NewPresenter makes a presenter without files.
func NewPresenter(seams Seams, do func(func()), show func(State)) *Presenter {
	p := &Presenter{seams: seams, do: do, show: show, list: func() {}, run: func() {}, search: func() {}, sums: map[string]string{}, left: map[string]bool{}}
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
	return p
}

// State is what is shown now.
func (p *Presenter) State() State { return p.state }

func (p *Presenter) publish() { p.show(p.state) }

// SetModels says which models make vectors.
func (p *Presenter) SetModels(models []library.Model) {
	same := slices.EqualFunc(models, p.state.Models, func(a, b library.Model) bool { return a.Facts.Path == b.Facts.Path })
	if !same {
		p.state.Models = models
		p.publish()
	}
}

// SetEngine follows the engine. Another model brings its family's settings.
func (p *Presenter) SetEngine(s engine.State) {
	p.state.Engine = s
	p.state.Ready, p.state.Refused, p.state.Limit = false, nil, 0
	if s.Phase == engine.Ready {
		p.state.Refused = embed.Usable(s.Model)
		p.state.Ready = p.state.Refused == nil
		if p.state.Ready {
			p.state.Limit = embed.ChunkLimit(s.Plan, s.Model)
			if s.Model.Path != p.loaded {
				p.loaded = s.Model.Path
				p.useFamily(embed.FamilyOf(s.Model))
			}
			if s.Plan.Pooling != "" {
				p.state.Choices.Settings.Pooling = s.Plan.Pooling
			}
		}
	}
	p.publish()
}

// useFamily takes the settings of a family for the loaded model.
func (p *Presenter) useFamily(f embed.Family) {
	facts := p.state.Engine.Model
	p.family = f
	p.state.Choices.Settings = embed.SettingsOf(f, facts)
	if asked := p.state.Engine.Plan.Pooling; asked != "" {
		p.state.Choices.Settings.Pooling = asked
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

// choose changes what the user sets. During a run nothing is.
func (p *Presenter) choose(edit func(*Choices)) {
	if !p.state.Runs() {
		edit(&p.state.Choices)
		p.forgive()
	}
	p.publish()
}

// forgive forgets what stopped the last run: what it was about has changed.
func (p *Presenter) forgive() {
	p.state.Problem, p.state.Offer = nil, NoOffer
}

// SetFamily takes another family's settings.
func (p *Presenter) SetFamily(id string) {
	p.choose(func(*Choices) {
		for _, f := range embed.Families() {
			if f.ID == id {
				p.useFamily(f)
			}
		}
	})
}

// SetMethod is what a chunk is.
func (p *Presenter) SetMethod(m chunk.Method) {
	p.choose(func(c *Choices) { c.Strategy.Method = m })
}

// SetTokens is how many tokens a chunk has, and how many it repeats.
func (p *Presenter) SetTokens(tokens, overlap int) {
	p.choose(func(c *Choices) {
		c.Strategy.Tokens = max(tokens, 8)
		c.Strategy.OverlapTokens = min(max(overlap, 0), c.Strategy.Tokens/2)
	})
}

// SetPrefixes are what stands before a chunk and before a question.
func (p *Presenter) SetPrefixes(document, query string) {
	if s := p.state.Choices.Settings; s.Prefix == document && s.QueryPrefix == query {
		return
	}
	p.choose(func(c *Choices) {
		c.Settings.Prefix, c.Settings.QueryPrefix = document, query
		p.state.Own = true
	})
}

// SetNormalise makes vectors of length 1, or leaves them as they are.
func (p *Presenter) SetNormalise(on bool) {
	p.choose(func(c *Choices) {
		c.Settings.Normalise = embed.None
		if on {
			c.Settings.Normalise = embed.L2
		}
	})
}

// SetDimensions shortens vectors; 0 for all.
func (p *Presenter) SetDimensions(n int) {
	p.choose(func(c *Choices) { c.Settings.Dimensions = n })
}

// SetFormat writes a format or not. One at least is written.
func (p *Presenter) SetFormat(f embed.Format, on bool) {
	p.choose(func(c *Choices) {
		formats := slices.DeleteFunc(slices.Clone(c.Formats), func(g embed.Format) bool { return g == f })
		if on {
			formats = append(formats, f)
		}
		if len(formats) > 0 {
			c.Formats = formats
		}
	})
}

// SetFolder is where outputs go.
func (p *Presenter) SetFolder(path string) {
	path = strings.TrimSpace(path)
	if path == words.Path(p.state.Choices.Folder) {
		return
	}
	if rest, home := strings.CutPrefix(path, "~"); home && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		path = filepath.Join(p.seams.Home, rest)
	}
	if path != "" && filepath.IsAbs(path) && path != p.state.Choices.Folder {
		p.choose(func(c *Choices) { c.Folder = path })
		return
	}
	p.publish()
}

// SetName is what outputs are called.
func (p *Presenter) SetName(name string) {
	name = strings.TrimSpace(name)
	if name == "" || name != filepath.Base(name) || name == p.state.Choices.Name {
		p.publish()
		return
	}
	p.named = true
	p.choose(func(c *Choices) { c.Name = name })
}

// SetColumns say which column of a table is the text and which the id; empty ones
// are guessed.
func (p *Presenter) SetColumns(text, id string) {
	if r := p.state.Choices.Reading; r.TextColumn == text && r.IDColumn == id {
		return
	}
	p.choose(func(c *Choices) { c.Reading.TextColumn, c.Reading.IDColumn = text, id })
}

// SetPatterns say which files of folders are taken: patterns with commas between.
func (p *Presenter) SetPatterns(include, exclude string) {
	patterns := document.Patterns{Include: split(include), Exclude: split(exclude)}
	if now := p.state.Choices.Patterns; slices.Equal(now.Include, patterns.Include) && slices.Equal(now.Exclude, patterns.Exclude) {
		return
	}
	if !p.state.Runs() {
		p.state.Choices.Patterns = patterns
		p.look()
	}
	p.publish()
}

func split(text string) []string {
	var list []string
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}

// Add takes files and folders.
func (p *Presenter) Add(paths []string) {
	if p.state.Runs() || len(paths) == 0 {
		p.publish()
		return
	}
	for _, path := range paths {
		if absolute, err := filepath.Abs(path); err == nil {
			path = absolute
		}
		delete(p.left, path)
		if !slices.Contains(p.roots, path) {
			p.roots = append(p.roots, path)
		}
	}
	if !p.named {
		base := filepath.Base(p.roots[0])
		p.state.Choices.Name = strings.TrimSuffix(base, filepath.Ext(base))
	}
	p.look()
	p.publish()
}

// Clear empties the list.
func (p *Presenter) Clear() {
	if !p.state.Runs() {
		p.roots, p.left = nil, map[string]bool{}
		p.look()
	}
	p.publish()
}

// Remove takes the chosen file off the list.
func (p *Presenter) Remove() {
	if at := p.state.At; !p.state.Runs() && at >= 0 && at < len(p.state.Rows) {
		path := p.state.Rows[at].Path
		p.left[path] = true
		p.roots = slices.DeleteFunc(p.roots, func(root string) bool { return root == path })
		p.state.Sources = slices.Clone(p.roots)
		p.state.Rows = slices.Delete(slices.Clone(p.state.Rows), at, at+1)
		p.state.At = min(at, len(p.state.Rows)-1)
		p.forgive()
	}
	p.publish()
}

// ChooseRow chooses a file of the list, to see what is wrong with it.
func (p *Presenter) ChooseRow(at int) {
	if at >= -1 && at < len(p.state.Rows) && at != p.state.At {
		p.state.At = at
		p.publish()
	}
}

// look lists the files of what was picked.
func (p *Presenter) look() {
	p.list()
	ctx, cancel := context.WithCancel(p.ctx)
	p.list = cancel
	p.listed++
	listed, roots, patterns, out := p.listed, slices.Clone(p.roots), p.state.Choices.Patterns, p.own()
	for path := range p.left {
		out = append(out, path)
	}
	p.forgive()
	p.state.Sources = roots
	p.state.Rows, p.state.Unlisted, p.state.At, p.state.Listing = nil, nil, -1, len(roots) > 0
	if p.state.Run == Ended {
		p.state.Run = Idle
	}
	go func() {
		defer cancel()
		var rows []Row
		var problems []error
		for file, err := range document.List(ctx, roots, patterns) {
			if err != nil {
				problems = append(problems, err)
				continue
			}
			if !slices.Contains(out, file.Path) {
				rows = append(rows, Row{Path: file.Path, Name: file.Name, SizeBytes: file.SizeBytes, FileState: embed.FileState{Path: file.Path, Phase: embed.FileWaiting}})
			}
		}
		p.do(func() {
			if listed != p.listed || errors.Is(ctx.Err(), context.Canceled) && p.ctx.Err() != nil {
				return
			}
			p.state.Rows, p.state.Unlisted, p.state.Listing = rows, problems, false
			p.publish()
		})
	}()
}

// own are the files a run writes: they are none to read.
func (p *Presenter) own() []string {
	state := embed.StatePath(p.base())
	own := []string{state, state + "-wal", state + "-shm"}
	for _, o := range p.outputs() {
		own = append(append(own, o.Path), o.Beside()...)
	}
	return own
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
	if p.index != nil {
		p.index.Close()
		p.index = nil
	}
}

// Wait waits until a run has ended, at most until ctx does.
func (p *Presenter) Wait(ctx context.Context) {
	select {
	case <-p.ended:
	case <-ctx.Done():
	}
}
