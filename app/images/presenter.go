package images

import (
	"context"
	"slices"
	"time"

	"paddock/app/widgets"
	"paddock/engine"
	job "paddock/engine/images"
	"paddock/engine/library"
	"paddock/words"
)

// Engine is what the tab needs of the supervisor. Its methods are safe from any
// goroutine, and Watch calls back from one of its own.
type Engine interface {
	job.Asker
	State() engine.State
	Watch(func(engine.State)) (stop func())
}

// Seams are what the presenter asks of the rest of the program.
type Seams struct {
	Engine Engine
	Follow func(*job.Job)         // has a job go on by itself after the engine died; nil for not
	Folder string                 // where pictures and texts are kept
	Seers  func() []library.Model // models in the library that can be shown pictures
	SetUp  func(library.Model)    // opens Set up and load
	Copy   func(string)
	Thumbs *job.Thumbnails // for an export with pictures

	Saved []Saved                               // instructions of the user's own
	Keep  func(saved []Saved, done func(error)) // has them written, and tells on another goroutine what that came to

	// PasteImage is the PNG picture on the clipboard; ok is false where there is
	// none. It may take a moment.
	PasteImage func() (data []byte, ok bool)
}

// A Presenter decides what the tab shows. All its methods, and show, run on one
// goroutine: the one that do posts to.
type Presenter struct {
	seams Seams
	do    func(func())
	show  func(State)
	ctx   context.Context // ends with the tab
	end   context.CancelFunc

	begun  bool
	set    *job.Set // nil until it is open
	early  []func() // to do as soon as it is
	kept   job.State
	job    *job.Job // the latest, nil for none
	loaded engine.State
	seers  []library.Model

	instruction Instruction
	saved       []Saved // never changed in place
	chosen      job.ID  // 0 for none: ids begin with 1
	note        Note
	busy        []string
	question    *Question
	typed       *typed      // nil when the set has all
	rest        *time.Timer // of typing
	promptRest  *time.Timer // of typing the instruction
	undo        []undoable  // the latest last
	names       names
	stops       []func()
	closed      chan struct{} // closed once all is on the disk, nil before Close
}

// NewPresenter makes a presenter that has read nothing yet.
func NewPresenter(seams Seams, do func(func()), show func(State)) *Presenter {
	ctx, end := context.WithCancel(context.Background())
	p := &Presenter{seams: seams, do: do, show: show, ctx: ctx, end: end}
	p.loaded = seams.Engine.State()
	p.saved = seams.Saved
	p.instruction = instructionOf(job.State{})
	return p
}

// Begin opens what was kept, once, and follows the engine.
func (p *Presenter) Begin() {
	p.ModelsChanged()
	if p.begun {
		return
	}
	p.begun = true
	p.stops = append(p.stops, p.seams.Engine.Watch(widgets.NewMailbox(p.do, 0, p.become).Put))
	go func() {
		set, err := job.Open(p.seams.Folder)
		p.do(func() { p.opened(set, err) })
		set.Refresh(p.ctx)
	}()
	p.publish()
}

func (p *Presenter) opened(set *job.Set, err error) {
	p.set = set
	p.kept = set.State()
	if err != nil && err != p.kept.Unsaved { // which stands
		p.note = problem(err)
	}
	p.instruction = instructionOf(p.kept)
	if len(p.kept.Items) > 0 {
		p.chosen = p.kept.Items[0].ID
	}
	if p.closed != nil { // meanwhile
		p.closeSet()
		return
	}
	p.stops = append(p.stops, set.Watch(widgets.NewMailbox(p.do, 0, p.follow).Put))
	for _, f := range p.early {
		f()
	}
	p.early = nil
	p.publish()
}

// whenOpen does something with the set, now or as soon as it is open.
func (p *Presenter) whenOpen(f func()) {
	p.Begin()
	if p.set == nil {
		p.early = append(p.early, f)
		return
	}
	f()
}

// follow takes over what the set is now: what came with the message may be older
// than what was looked up meanwhile.
func (p *Presenter) follow(job.State) {
	p.kept = p.set.State()
	p.publish()
}

// become takes over what the engine is.
func (p *Presenter) become(s engine.State) {
	p.loaded = s
	p.ModelsChanged()
}

// ModelsChanged looks again which models of the library could see.
func (p *Presenter) ModelsChanged() {
	p.seers = nil
	if p.seams.Seers != nil && !p.sees() {
		p.seers = p.seams.Seers()
	}
	p.publish()
}

func (p *Presenter) sees() bool {
	return p.loaded.Phase == engine.Ready && p.loaded.Plan.Projector() != ""
}

func (p *Presenter) publish() {
	if p.typed != nil && p.typed.id != p.chosen { // the user has left it
		p.keepTyped()
	}
	if p.closed == nil {
		p.show(p.State())
	}
}

// State is what the tab shows now.
func (p *Presenter) State() State {
	s := State{
		Opening: p.begun && p.set == nil, Items: p.kept.Items, Counts: p.kept.Counts, At: -1,
		Instruction: p.instruction, Saved: p.saved, Run: p.running(), Vision: p.vision(), Note: p.note, Question: p.question,
	}
	if preset, ok := job.PresetOf(p.instruction.Preset); ok {
		s.Instruction.Edited = preset.Prompt != p.instruction.Prompt
	}
	s.At = slices.IndexFunc(s.Items, func(i *job.Item) bool { return i.ID == p.chosen })
	if len(p.busy) > 0 {
		s.Busy = p.busy[len(p.busy)-1]
	}
	p.names.update(s.Items)
	s.twins = p.names.of
	s.Standing, s.Undo = p.standing(), p.undoOffered()
	return s
}

// standing says what holds on, whatever else is done meanwhile.
func (p *Presenter) standing() []Note {
	var notes []Note
	if p.kept.Unsaved != nil {
		notes = append(notes, problem(p.kept.Unsaved))
	}
	if j := p.kept.Job; p.job != nil && j != nil && !j.Ended && j.Reason != nil {
		notes = append(notes, stopped(j))
	}
	if n := p.interrupted(); n > 0 {
		notes = append(notes, Note{widgets.Info, words.T("pictures.interrupted", map[string]any{"Count": n})})
	}
	if fell := p.loaded.FellBack; p.sees() && p.loaded.WithoutSpeculation() && len(p.kept.Items) > 0 {
		notes = append(notes, Note{widgets.Info, words.FellBack(fell).Message})
	}
	return notes
}

// problem is a note about an error, with its next step.
func problem(err error) Note { return Note{widgets.Bad, words.Error(err).Text()} }

// Move chooses another picture.
func (p *Presenter) Move(by int) {
	if n := len(p.kept.Items); n > 0 {
		p.Choose(min(max(p.State().At+by, 0), n-1))
	}
}

// Choose chooses a picture.
func (p *Presenter) Choose(at int) {
	if at >= 0 && at < len(p.kept.Items) {
		p.chosen = p.kept.Items[at].ID
		p.publish()
	}
}

// beside does something slow with the set, beside this goroutine, and says so
// meanwhile. What it returns is done here after it.
func (p *Presenter) beside(text string, slow func(set *job.Set) func()) {
	p.keepTyped()
	p.whenOpen(func() {
		p.busy = append(p.busy, text)
		p.note = Note{}
		p.publish()
		set := p.set
		go func() {
			then := slow(set)
			p.do(func() {
				p.busy = slices.Delete(p.busy, slices.Index(p.busy, text), slices.Index(p.busy, text)+1)
				p.kept = set.State()
				then()
				p.publish()
			})
		}()
	})
}

// Answer answers the question: the number of a choice, or -1 for none of them.
func (p *Presenter) Answer(choice int) {
	q := p.question
	p.question = nil
	if q != nil && choice >= 0 && choice < len(q.Choices) {
		q.Choices[choice].do()
	}
	p.publish()
}

// Close ends the run; what was done stays done. Wait waits until it is on the disk.
func (p *Presenter) Close() {
	if p.closed != nil {
		return
	}
	p.keepTyped()
	p.keepInstruction()
	p.closed = make(chan struct{})
	p.end()
	for _, stop := range p.stops {
		stop()
	}
	switch {
	case p.set != nil:
		p.closeSet()
	case !p.begun:
		close(p.closed)
	}
}

func (p *Presenter) closeSet() {
	set, closed := p.set, p.closed
	go func() {
		_ = set.Close() // what can't be written has been said
		close(closed)
	}()
}

// Wait waits for the end of what Close began, or of ctx.
func (p *Presenter) Wait(ctx context.Context) {
	select {
	case <-p.closed:
	case <-ctx.Done():
	}
}
