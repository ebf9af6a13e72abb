package load

import (
	"context"
	"slices"
	"strconv"
	"strings"
	"time"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/hardware"
	"paddock/words"
)

// Seams are what the presenter asks of the rest of the program. All but Load are
// called beside the presenter's own goroutine.
type Seams struct {
	Builds   func() []build.Build   // in order of preference, those with a problem too
	Demands  func(build.Build) bool // whether a build is to be used, even if it can't be, until the user chooses another; nil for none
	Devices  func(context.Context, build.Build) ([]build.Device, error)
	Measure  func(context.Context, build.Build, budget.Request) (budget.Memory, error)
	Hardware func() hardware.Snapshot
	Load     func(plan.Plan, gguf.Facts, build.Build)
	Learned  func(gguf.Facts, build.Build) budget.Overheads // from loads before; nil for none
	Running  func() Running                                 // nil when nothing ever runs
}

func (s Seams) running() Running {
	if s.Running == nil {
		return Running{}
	}
	return s.Running()
}

func (s Seams) learned(f gguf.Facts, b build.Build) budget.Overheads {
	if s.Learned == nil {
		return nil
	}
	return s.Learned(f, b)
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

	state     State
	asked     plan.Plan // every setting as it was last chosen, GPU layers perhaps "auto"
	builds    []build.Build
	devices   []build.Device
	deviceErr error
	machine   hardware.Snapshot
	refused   refusedChange
	learned   budget.Overheads // from loads of this model before
	running   Running
	memory    budget.Memory // what the plan that is shown needs, estimated or measured
	verdict   budget.Verdict
	failure   error     // of the last measurement
	known     bool      // memory is measured
	before    plan.Plan // asked for before a remedy was applied

	kept   map[string]choices // by path of the model they were made for
	chosen string             // id of the build the user chose for this one
	cancel context.CancelFunc // of whatever runs for the plan that is shown
	opened int                // number of the model that is open
}

// choices are what the user chose for a model.
type choices struct {
	asked plan.Plan
	build string // id, empty for the preferred one
}

// A refusedChange is what the last change of a setting came to when it was not
// made as it was asked for.
type refusedChange struct {
	setting setting
	note    Note
}

// A setting is a row of controls, under which its notes stand. The names are
// those the rules have for them.
type setting string

const (
	devicesSetting setting = "devices"
	layersSetting  setting = "gpuLayers"
	contextSetting setting = "contextTokens"
	cacheSetting   setting = "cache"
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

// Open begins with a model, with the choices made for it before in this session.
// The engine is asked for its devices first.
func (p *Presenter) Open(m library.Model) {
	p.cancel()
	p.opened++
	p.state = State{
		Model:     m,
		Title:     gguf.Printable(m.Facts.Name),
		About:     about(m),
		Preparing: true,
	}
	p.devices, p.deviceErr = nil, nil
	p.memory = budget.Memory{}
	before := p.kept[m.Facts.Path]
	p.asked, p.refused, p.known, p.failure = before.asked, refusedChange{}, false, nil
	p.chosen = before.build
	p.show(p.state)
	p.prepare(before.build)
}

// keep remembers the choices made for the model that is open.
func (p *Presenter) keep() {
	p.kept[p.state.Model.Facts.Path] = choices{p.asked, p.chosen}
}

func about(m library.Model) string {
	size := words.T("load.gib", map[string]any{"GiB": words.GiB(m.SizeBytes)})
	if m.Facts.Quantisation == "" {
		return size
	}
	return gguf.Printable(m.Facts.Quantisation) + " · " + size
}

// prepare asks which builds there are, and the wanted one, or the first that
// works, for its devices.
func (p *Presenter) prepare(wanted string) {
	opened, facts := p.opened, p.state.Model.Facts
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	go func() {
		builds := p.seams.Builds()
		b := choose(builds, wanted, p.seams.Demands)
		var devices []build.Device
		var err error
		if b.Problem == "" && b.ID != "" {
			devices, err = p.seams.Devices(ctx, b)
		}
		machine, running := p.seams.Hardware(), p.seams.running()
		learned := p.seams.learned(facts, b)
		p.do(func() {
			if opened == p.opened && ctx.Err() == nil {
				p.machine, p.running, p.learned = machine, running, learned
				p.prepared(builds, b, devices, err)
			}
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
	p.state.Build = b
	p.state.Preparing = false
	if p.asked.ModelPath == "" {
		p.reset()
		return
	}
	p.changed()
}

// Reset puts every setting back to what Paddock chooses by itself.
func (p *Presenter) Reset() {
	if !p.state.Preparing {
		p.reset()
		p.kept[p.state.Model.Facts.Path] = choices{build: p.chosen}
	}
}

func (p *Presenter) reset() {
	p.state.Context.Fits, p.state.Applied = 0, ""
	p.asked, _ = plan.Complete(plan.Plan{}, p.state.Model.Facts, p.devices)
	p.asked.GPULayers = LayersAuto
	p.refused = refusedChange{}
	p.changed()
}

// change makes a change to the plan, unless a rule refuses the plan it would
// make: then nothing changes and the reason is said.
func (p *Presenter) change(of setting, edit func(*plan.Plan)) {
	if p.state.Preparing {
		return
	}
	tried := p.asked
	edit(&tried)
	p.refused, p.state.Applied = refusedChange{}, ""
	if refusal := p.newRefusal(tried); refusal != nil {
		p.refused = refusedChange{of, Note{Off, words.Finding(*refusal).Message}}
		p.publish()
		return
	}
	if tried == p.asked {
		p.publish()
		return
	}
	onlyContext := p.asked
	onlyContext.ContextTokens = tried.ContextTokens
	if tried != onlyContext {
		p.state.Context.Fits = 0 // what fits depends on everything but the context
	}
	p.asked = tried
	p.keep()
	p.changed()
}

// newRefusal is a rule that refuses a changed plan and does not refuse the
// present one already.
func (p *Presenter) newRefusal(tried plan.Plan) *plan.Finding {
	before := p.check(p.asked).Refusals
	for _, refusal := range p.check(tried).Refusals {
		if !slices.ContainsFunc(before, func(b plan.Finding) bool { return b.Rule == refusal.Rule }) {
			return &refusal
		}
	}
	return nil
}

func (p *Presenter) check(asked plan.Plan) plan.Verdict {
	return plan.Check(p.complete(asked), p.state.Model.Facts, p.state.Build.Number)
}

func (p *Presenter) complete(asked plan.Plan) plan.Plan {
	complete, _ := plan.Complete(asked, p.state.Model.Facts, p.devices)
	return complete
}

// SetDevice uses a device or leaves it out. Without any, the processor does all.
func (p *Presenter) SetDevice(id string, on bool) {
	if len(p.devices) == 0 {
		p.publish() // the processor alone can't be left out
		return
	}
	p.change(devicesSetting, func(q *plan.Plan) {
		var ids []string
		for _, d := range p.devices { // keeps the engine's order
			if d.ID == id && on || d.ID != id && slices.Contains(q.DeviceIDs(), d.ID) {
				ids = append(ids, d.ID)
			}
		}
		q.Devices = plan.CPU
		if len(ids) > 0 {
			q.Devices = strings.Join(ids, ",")
		}
	})
}

// SetLayers chooses how many layers go to the devices; number counts in
// LayersNumber only.
func (p *Presenter) SetLayers(mode string, number int) {
	p.change(layersSetting, func(q *plan.Plan) {
		q.GPULayers = mode
		if mode == LayersNumber {
			q.GPULayers = strconv.Itoa(min(max(number, 0), p.mostLayers()))
		}
	})
}

// mostLayers counts the output layer as one, as the engine does.
func (p *Presenter) mostLayers() int { return p.state.Model.Facts.Layers + 1 }

// leastContextTokens is the shortest context worth loading a model with.
const leastContextTokens = 256

// SetContext chooses the length of the context. One out of range is refused.
func (p *Presenter) SetContext(tokens int) {
	least, most := p.contextRange()
	if tokens < least || most > 0 && tokens > most {
		p.RefuseContext()
		return
	}
	p.change(contextSetting, func(q *plan.Plan) { q.ContextTokens = tokens })
}

// RefuseContext says which lengths of the context there are. The one before stays.
func (p *Presenter) RefuseContext() {
	if p.state.Preparing {
		return
	}
	least, most := p.contextRange()
	key := "load.context.range"
	if most == 0 {
		key = "load.context.rangeUp"
	}
	p.refused = refusedChange{contextSetting, Note{Off, words.T(key, map[string]any{
		"Least": words.Count(least), "Most": words.Count(most), "Tokens": words.Count(p.state.Plan.ContextTokens),
	})}}
	p.publish()
}

// contextRange is the shortest and the longest context to be had; most is 0 when
// the file does not say what the model was trained for.
func (p *Presenter) contextRange() (least, most int) {
	most = p.state.Model.Facts.ContextTokens
	if most > 0 {
		return min(leastContextTokens, most), most
	}
	return leastContextTokens, 0
}

// SetCache chooses the type of the KV cache, for keys and values alike.
func (p *Presenter) SetCache(cacheType string) {
	p.change(cacheSetting, func(q *plan.Plan) { q.CacheK, q.CacheV = cacheType, cacheType })
}

// SetFlash chooses flash attention.
func (p *Presenter) SetFlash(mode string) {
	p.change(cacheSetting, func(q *plan.Plan) { q.FlashAttn = mode })
}

// SetBuild chooses another engine build, and asks it for its devices. The other
// settings stay as they are.
func (p *Presenter) SetBuild(id string) {
	if p.state.Preparing || id == p.state.Build.ID {
		return
	}
	p.cancel()
	p.chosen = id
	p.keep()
	p.known = false
	p.state.Preparing = true
	p.state.Context.Fits = 0
	p.publish()
	p.prepare(id)
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
		p.seams.Load(p.state.Plan, p.state.Model.Facts, p.state.Build)
	}
}

// Command is the command line the plan stands for, empty when there is no engine
// to run it.
func (p *Presenter) Command() string {
	if p.state.Preparing || p.state.Build.Path == "" {
		return ""
	}
	cmd := p.state.Build.Command(context.Background(), "llama-server", plan.Arguments(p.state.Plan)...)
	quoted := make([]string, len(cmd.Args))
	for i, arg := range cmd.Args {
		quoted[i] = quote(arg)
	}
	return strings.Join(quoted, " ")
}

// quote writes an argument so that a shell reads it back as it is.
func quote(arg string) string {
	const plain = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_./,:=+@%"
	if arg != "" && strings.Trim(arg, plain) == "" {
		return arg
	}
	return "'" + strings.ReplaceAll(arg, "'", `'\''`) + "'"
}

// Close stops what runs for the model that is open.
func (p *Presenter) Close() {
	p.cancel()
	p.opened++
	p.state.Waiting = false
}

// changed shows the plan as it is now and measures it once it rests.
func (p *Presenter) changed() {
	p.known, p.failure = false, nil
	p.state.Waiting = false
	p.state.Remedies, p.state.Searched = nil, false
	p.estimate()
	p.startMeasuring()
	p.publish()
}
