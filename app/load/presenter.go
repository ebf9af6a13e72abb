package load

import (
	"context"
	"slices"
	"time"

	"paddock/config"
	"paddock/engine"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/hardware"
	"paddock/words"
)

// Seams are what the presenter asks of the rest of the program. All but Load and
// Running are called beside the presenter's own goroutine, and those two are quick.
type Seams struct {
	Builds   func() []build.Build   // in order of preference, those with a problem too
	Demands  func(build.Build) bool // whether a build is to be used, even if it can't be, until the user chooses another; nil for none
	Devices  func(context.Context, build.Build) ([]build.Device, error)
	Measure  func(context.Context, build.Build, budget.Request) (budget.Memory, error)
	Hardware func() hardware.Snapshot
	Load     func(plan.Plan, plan.Given, build.Build)
	Learned  func(gguf.Facts, build.Build) budget.Overheads // from loads before; nil for none
	Running  func(purpose string) Running                   // what a load for a purpose meets; nil when nothing ever runs
	Setups   *config.Setups                                 // choices made before; nil for none

	// Compare tries ways of guessing on the loaded chat model, see
	// engine.Supervisor.Compare; nil for none.
	Compare func(context.Context, func(engine.Row)) (engine.Comparison, error)

	// Failed are the cautions that came true with a model and a build, see
	// plan.Given.Failed, and Forget forgets one entry. Nil when none is ever remembered.
	Failed func(gguf.Facts, build.Build) []string
	Forget func(gguf.Facts, build.Build, string)
}

func (s Seams) running(purpose string) Running {
	if s.Running == nil {
		return Running{}
	}
	return s.Running(purpose)
}

func (s Seams) learned(f gguf.Facts, b build.Build) budget.Overheads {
	if s.Learned == nil {
		return nil
	}
	return s.Learned(f, b)
}

func (s Seams) failed(f gguf.Facts, b build.Build) []string {
	if s.Failed == nil || b.ID == "" {
		return nil
	}
	return s.Failed(f, b)
}

// settleTime is how long a choice rests before it is measured.
const settleTime = 200 * time.Millisecond

// A Presenter decides what the screen shows. All its methods, and show, run on
// one goroutine: the one that do posts to.
type Presenter struct {
	seams  Seams
	do     func(func())
	show   func(State)
	now    func() time.Time
	settle time.Duration

	state      State
	asked      plan.Plan // every setting as it was last chosen, GPU layers perhaps "auto"
	beside     []gguf.Facts
	builds     []build.Build
	devices    []build.Device
	integrated []string // ids of devices
	failed     []string // as plan.Given has them
	deviceErr  error
	machine    hardware.Snapshot
	refused    aside
	said       aside
	learned    budget.Overheads // from loads of this model before
	running    Running
	memory     budget.Memory // what the plan that is shown needs, estimated or measured
	verdict    budget.Verdict
	failure    error // of the last measurement
	known      bool  // memory is measured
	history    history
	offers     offers

	findingsNow plan.Verdict // of the rules, about the plan that is shown

	kept   map[string]choices // by path of the model they were made for
	writes config.Queue
	warned bool               // it was said that earlier choices can't be read
	chosen string             // id of the build the user chose for this one
	then   func()             // what was asked for with the model, done once the engine has answered; nil for nothing
	cancel context.CancelFunc // of whatever runs for the plan that is shown
	opened int                // number of the model that is open
	sought int                // number of the preset that is looked for

	seeking seeking

	comparing  context.CancelFunc // nil while nothing is compared
	compared   []engine.Row       // so far
	comparison Note               // what came of it
}

// An aside is a note about the last change of a setting: why it was not made, or
// what else it changed.
type aside struct {
	setting setting
	note    Note
}

// A setting is a row of controls, under which its notes stand. The names are
// those the rules have for them.
type setting string

const (
	purposeSetting setting = "purpose"
	devicesSetting setting = "devices"
	splitSetting   setting = "splitMode"
	layersSetting  setting = "gpuLayers"
	contextSetting setting = "contextTokens"
	cacheSetting   setting = "cache"
	specSetting    setting = "specTypes"
	visionSetting  setting = "projectorPath"
	slotsSetting   setting = "slots"
)

// NewPresenter makes a presenter that shows nothing until Open.
func NewPresenter(seams Seams, do func(func()), show func(State)) *Presenter {
	return &Presenter{
		seams: seams, do: do, show: show, now: time.Now, settle: settleTime,
		kept:   map[string]choices{},
		cancel: func() {},
	}
}

// State is what is shown now.
func (p *Presenter) State() State { return p.state }

// Open begins with a model and the files that work beside it, with the choices
// made for it before. The engine is asked for its devices first.
func (p *Presenter) Open(m library.Model, beside []gguf.Facts) { p.open(m, beside, nil) }

// OpenBest does the same and then chooses the best settings.
func (p *Presenter) OpenBest(m library.Model, beside []gguf.Facts) { p.open(m, beside, p.Best) }

// OpenAndLoad does the same and then loads the model as it was set up, unless that
// is refused or turns out not to fit: then it is shown why.
func (p *Presenter) OpenAndLoad(m library.Model, beside []gguf.Facts) { p.open(m, beside, p.Load) }

func (p *Presenter) open(m library.Model, beside []gguf.Facts, then func()) {
	p.cancel()
	if p.comparing != nil {
		p.comparing()
	}
	p.compared, p.comparison = nil, Note{}
	p.opened++
	p.sought++
	p.state = State{
		Model:     m,
		Title:     gguf.Printable(m.Facts.Name),
		About:     about(m),
		Preparing: true,
	}
	p.beside, p.then = beside, then
	p.devices, p.deviceErr, p.integrated, p.failed = nil, nil, nil, nil
	p.memory = budget.Memory{}
	p.asked, p.refused, p.said, p.known, p.failure = plan.Plan{}, aside{}, aside{}, false, nil
	p.chosen, p.history = "", history{}
	p.offers = offers{}
	p.show(p.state)
	p.prepare("")
}

// SetBeside says which files work beside the model that is open, when more is
// known of that.
func (p *Presenter) SetBeside(beside []gguf.Facts) {
	same := slices.EqualFunc(p.beside, beside, func(a, b gguf.Facts) bool { return a.Path == b.Path })
	if same || p.state.Model.Facts.Path == "" {
		return
	}
	p.beside = beside
	p.offers, p.history = offers{}, history{} // it may name files that are gone
	if p.state.Finding {                      // with the new files
		defer p.preset(p.seeking.kind, p.seeking.label)
	}
	p.seekNoMore()
	if p.state.Preparing {
		return
	}
	if c, ok := p.kept[p.state.Model.Facts.Path]; ok {
		p.asked = p.stillThere(c.asked)
		p.changed()
	} else {
		p.reset()
	}
}

func about(m library.Model) string {
	size := words.T("load.gib", map[string]any{"GiB": words.GiB(m.SizeBytes)})
	if m.Facts.Quantisation == "" {
		return size
	}
	return gguf.Printable(m.Facts.Quantisation) + " · " + size
}

// prepare asks which builds there are, and the wanted one, or the one that was
// chosen before, or the first that works, for its devices.
func (p *Presenter) prepare(wanted string) {
	opened, facts := p.opened, p.state.Model.Facts
	before, remembered := p.kept[facts.Path]
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() {
		if !remembered {
			before, remembered = p.seams.remembered(facts)
		}
		problem := p.seams.setupsProblem()
		if wanted == "" {
			wanted = before.build
		}
		builds := p.seams.Builds()
		b := choose(builds, wanted, p.seams.Demands)
		var devices []build.Device
		var err error
		if b.Problem == "" && b.ID != "" {
			devices, err = p.seams.Devices(ctx, b)
		}
		machine := p.seams.Hardware()
		learned, failed := p.seams.learned(facts, b), p.seams.failed(facts, b)
		p.do(func() {
			if opened != p.opened || ctx.Err() != nil {
				return
			}
			if remembered {
				p.kept[facts.Path] = before
			}
			if problem != nil && !p.warned {
				defer p.saved(problem)
				p.warned = true
			}
			p.machine, p.learned, p.failed = machine, learned, failed
			p.prepared(builds, b, devices, err)
		})
	}()
}

// choose finds a build by id, or else the demanded one, or else the first that
// works, or else the first.
func choose(builds []build.Build, wanted string, demands func(build.Build) bool) build.Build {
	for _, match := range []func(build.Build) bool{
		func(b build.Build) bool { return b.ID == wanted },
		func(b build.Build) bool { return demands != nil && demands(b) },
		func(b build.Build) bool { return b.Problem == "" },
		func(build.Build) bool { return true },
	} {
		if i := slices.IndexFunc(builds, match); i >= 0 {
			return builds[i]
		}
	}
	return build.Build{}
}

func (p *Presenter) prepared(builds []build.Build, b build.Build, devices []build.Device, err error) {
	p.builds, p.devices, p.deviceErr = builds, devices, err
	p.integrated = budget.Integrated(p.machine, devices)
	p.offers = offers{}
	p.state.Build = b
	p.state.Preparing = false
	c, remembered := p.kept[p.state.Model.Facts.Path]
	p.state.Kept = remembered && c.asked.ModelPath != ""
	switch {
	case p.asked.ModelPath != "":
		p.asked = p.withoutGone(p.asked)
		p.changed() // another build of the model that was open
	case remembered && c.asked.ModelPath != "":
		p.asked, p.chosen = p.stillThere(p.withoutGone(c.asked)), c.build
		p.changed()
	default:
		p.chosen = c.build
		p.reset()
	}
	if then := p.then; then != nil {
		p.then = nil
		then()
	}
}

// purpose is what the plan that is asked for is for.
func (p *Presenter) purpose() string { return p.complete(p.asked).Purpose }

// given is what a plan is made for here.
func (p *Presenter) given() plan.Given {
	return plan.Given{
		Model: p.state.Model.Facts, Beside: p.beside, Devices: p.devices, Integrated: p.integrated,
		Build: p.state.Build.Number, Failed: p.failed,
	}
}

// Reset puts every setting back to what Paddock chooses by itself, and forgets
// what was chosen for the model.
func (p *Presenter) Reset() {
	if !p.state.Preparing {
		p.remember("")
		p.forget()
		p.reset()
	}
}

func (p *Presenter) reset() {
	p.seekNoMore()
	p.state.Context.Fits = 0
	p.quiet()
	p.asked = plan.Plan{}
	complete := p.complete(plan.Plan{})
	p.asked.GPULayers = LayersAuto
	p.asked = p.asAsked(complete, LayersAuto)
	p.changed()
}

// Remeasure measures the plan again: other programs may have taken memory, or
// given it back.
func (p *Presenter) Remeasure() {
	if !p.state.Preparing {
		p.changed()
	}
}

// Load starts the plan. While it is being measured, it starts as soon as it is
// known to fit.
func (p *Presenter) Load() {
	switch {
	case p.state.Preparing || p.state.Off:
	case p.state.Memory.Measuring:
		p.state.Waiting = true
		p.publish()
	default:
		p.seams.Load(p.state.Plan, p.given(), p.state.Build)
	}
}

// Close stops what runs for the model that is open.
func (p *Presenter) Close() {
	p.cancel()
	p.opened++
	p.sought++
	p.state.Waiting = false
}

// changed shows the plan as it is now and measures it once it rests.
func (p *Presenter) changed() {
	p.known, p.failure = false, nil
	p.running = p.seams.running(p.purpose())
	p.state.Waiting = false
	p.state.Remedies, p.state.Searched = nil, false
	p.estimate()
	p.startMeasuring()
	p.publish()
}
