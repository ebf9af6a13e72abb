package app

import (
	"context"
	"reflect"
	"slices"

	"fyne.io/fyne/v2"

	"paddock/app/load"
	"paddock/app/models"
	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/hardware"
	"paddock/words"
)

// A holding is what the loaded model holds of one pool, by the engine's log, and
// what was estimated for it in bytes. The estimate is of the same buffers: without
// what drivers take and what may be kept of prompts later.
type holding struct {
	Slices         budget.Slices
	Bytes          uint64
	EstimatedBytes uint64
}

// runningFor is the engine a load for a purpose would replace, with what it holds.
// It is safe from any goroutine.
func (w *Window) runningFor(purpose string) load.Running {
	s := w.engineFor(purpose).State()
	if s.Phase != engine.Ready {
		return load.Running{}
	}
	if len(s.Actual.Pools) == 0 { // its log does not tell
		return load.Running{Plan: s.Plan, Memory: budget.Estimate(budget.Request{Plan: s.Plan, Given: s.Given})}
	}
	return load.Running{Plan: s.Plan, Memory: s.Actual}
}

// meets is what a load for a purpose meets.
func (w *Window) meets(purpose string) load.Running {
	running := w.runningFor(purpose)
	running.Others = w.others(purpose)
	return running
}

// others are what the engine that a load for a purpose would not replace takes, and
// the machine's numbers do not show. It is safe from any goroutine.
func (w *Window) others(purpose string) []budget.Memory {
	if e := w.other(w.engineFor(purpose)); e != nil {
		return e.State().Unseen()
	}
	return nil
}

// learned is what earlier loads of a model with a build taught.
func (w *Window) learned(f gguf.Facts, b build.Build) budget.Overheads {
	return w.lessons.Get(f.Path, f.SizeBytes, b.ID)
}

// learn compares what a model holds, now that it is loaded, with its estimate,
// remembers the difference for the next one, and shows both of the chat's.
func (w *Window) learn(e *seen) {
	s := e.state
	if len(s.Actual.Pools) == 0 {
		return
	}
	w.writes.Add("", func() {
		devices, err := s.Build.Devices(w.ctx)
		if err != nil {
			w.log.WithError(err).Warn("devices of the loaded model")
			devices = nil
		}
		request := budget.Request{Plan: s.Plan, Given: s.Given}
		request.Devices = devices
		estimate := budget.Estimate(request)
		lesson := budget.Learn(estimate, s.Actual, nil)
		if err := w.lessons.Put(s.Model.Path, s.Model.SizeBytes, s.Build.ID, lesson); err != nil {
			w.log.WithError(err).Warn("learned memory is not kept")
		}
		held := holdings(s.Actual, estimate, w.machine.snapshot(), devices)
		w.do(func() {
			if !w.closing && !e.vectors && e.state.Phase == engine.Ready && e.state.LogPath == s.LogPath {
				w.bar.showHoldings(held)
			}
		})
	})
}

// holdings are what a model holds and was estimated to, by pool of the machine.
func holdings(actual, estimate budget.Memory, machine hardware.Snapshot, devices []build.Device) map[string]holding {
	situation := budget.Situation{Machine: machine, Devices: devices}
	held := map[string]holding{}
	for _, pool := range budget.Judge(actual, situation).Pools {
		held[pool.ID] = holding{Slices: pool.Slices, Bytes: pool.NeededBytes}
	}
	for _, pool := range budget.Judge(estimate, situation).Pools {
		h, known := held[pool.ID]
		if !known {
			continue
		}
		h.EstimatedBytes = pool.NeededBytes - min(pool.NeededBytes, pool.Slices[budget.Overhead]+pool.Slices[budget.Host])
		held[pool.ID] = h
	}
	return held
}

// sliceColours are the slices of a model in the order in which they are drawn.
var sliceColours = []struct {
	name   string
	colour fyne.ThemeColorName
}{
	{budget.Weights, theme.SliceWeights}, {budget.KV, theme.SliceKV}, {budget.Recurrent, theme.SliceKV},
	{budget.Compute, theme.SliceCompute}, {budget.Projector, theme.SliceProjector}, {budget.Draft, theme.SliceDraft},
	{budget.Host, theme.SliceHost}, {budget.Overhead, theme.SliceOverhead},
}

// poolSlices are what is used of a pool: by other programs, then by the model.
// Weights in RAM are pages of the file, which the system does not count as used.
func poolSlices(pool hardware.Pool, h holding) []widgets.Slice {
	counted := h.Bytes
	if pool.Kind == hardware.RAM {
		counted -= min(counted, h.Slices[budget.Weights])
	}
	other := pool.UsedBytes - min(pool.UsedBytes, counted)
	list := []widgets.Slice{{Color: theme.SliceOther, Bytes: other}}
	for _, s := range sliceColours {
		if bytes := h.Slices[s.name]; bytes > 0 {
			list = append(list, widgets.Slice{Color: s.colour, Bytes: bytes})
		}
	}
	return list
}

// poolTip says where a pool's numbers are from, and what the model holds of it.
func poolTip(pool hardware.Pool, h holding) string {
	tip := words.T("shell.pool.tip", map[string]any{
		"Pool": gguf.Printable(pool.Name), "Used": words.GiB(pool.UsedBytes), "Total": words.GiB(pool.TotalBytes), "Source": gguf.Printable(pool.Source),
	})
	if h.Bytes > 0 {
		tip += " " + words.T("shell.pool.model", map[string]any{"Bytes": words.MiB(h.Bytes), "Estimated": words.MiB(h.EstimatedBytes)})
	}
	return tip
}

// same says whether a pool of the bar would look as it does.
func (h holding) same(other holding) bool { return reflect.DeepEqual(h, other) }

// firstBuild is the build that loads would use, false when none works.
func (w *Window) firstBuild() (build.Build, bool) {
	builds := w.builds.all()
	i := slices.IndexFunc(builds, func(b build.Build) bool { return b.Problem == "" })
	if i < 0 {
		return build.Build{}, false
	}
	return builds[i], true
}

// listedDevices are the devices of the build that was asked last.
type listedDevices struct {
	turn    chan struct{} // held by who reads or asks: two never ask at once
	known   bool
	build   string
	devices []build.Device
}

func newListedDevices() *listedDevices { return &listedDevices{turn: make(chan struct{}, 1)} }

// devicesOf are a build's devices, asked for once while they can't have changed
// much: what is free of them comes from the machine. The error is that of
// build.Devices, or ctx's.
func (w *Window) devicesOf(ctx context.Context, b build.Build) ([]build.Device, error) {
	select {
	case w.listed.turn <- struct{}{}:
		defer func() { <-w.listed.turn }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	if w.listed.known && w.listed.build == b.ID {
		return w.listed.devices, nil
	}
	devices, err := b.Devices(ctx)
	if err == nil {
		w.listed.known, w.listed.build, w.listed.devices = true, b.ID, devices
	}
	return devices, err
}

// judge says whether a model fits as it would be set up: by estimate, in place of
// what runs now.
func (w *Window) judge(ctx context.Context, m library.Model, beside []gguf.Facts) (models.Judgement, bool) {
	b, ok := w.firstBuild()
	if !ok {
		return models.Judgement{}, false
	}
	devices, err := w.devicesOf(ctx, b)
	if err != nil {
		return models.Judgement{}, false
	}
	r := budget.Request{Given: plan.Given{Model: m.Facts, Beside: beside, Devices: devices, Build: b.Number, Failed: w.failed(m.Facts, b)}, Overhead: w.learned(m.Facts, b)}
	r.Plan, _ = plan.Complete(plan.Plan{}, r.Given)
	if !plan.Check(r.Plan, r.Given).Valid() {
		return models.Judgement{}, false
	}
	s := budget.Situation{
		Machine: w.machine.snapshot(), Devices: devices,
		Freed: w.runningFor(r.Plan.Purpose).Freed(), Others: w.others(r.Plan.Purpose),
	}
	return judgement(ctx, r, s), ctx.Err() == nil
}

// judgement holds a plan against a situation, and the same with the context the
// model was trained for.
func judgement(ctx context.Context, r budget.Request, s budget.Situation) models.Judgement {
	j := models.Judgement{
		Verdict: budget.Judge(budget.Estimate(r), s), ContextTokens: r.Plan.ContextTokens, TrainedTokens: r.Model.ContextTokens,
		LongestTokens: budget.LongestContext(r, s),
	}
	if j.Verdict.Fit == budget.DoesNotFit && ctx.Err() == nil {
		j.Remedies = budget.Remedies(r, s)
		return j
	}
	if j.TrainedTokens > j.ContextTokens && ctx.Err() == nil {
		r.Plan.ContextTokens = j.TrainedTokens
		j.Full = budget.Judge(budget.Estimate(r), s)
		if j.Full.Fit != budget.Fits {
			j.FullRemedies = budget.Remedies(r, s)
		}
	}
	return j
}

// room is how much of a model this machine holds: in the memory of one graphics
// card, in that of several cards together, or in RAM, where there is most.
func (w *Window) room() models.Room {
	machine := w.machine.snapshot()
	if b, ok := w.firstBuild(); ok {
		if devices, err := w.devicesOf(w.ctx, b); err == nil {
			machine = budget.MatchDevices(machine, devices)
		}
	}
	return roomIn(machine)
}

func roomIn(machine hardware.Snapshot) models.Room {
	var best models.Room
	var cards []hardware.Pool
	for _, pool := range machine.Pools {
		if pool.UsableBytes > best.Bytes {
			best = models.Room{Bytes: pool.UsableBytes, Pool: pool.Name}
		}
		if pool.Kind == hardware.VRAM {
			cards = append(cards, pool)
		}
	}
	var sum uint64
	for _, pool := range cards {
		sum += pool.UsableBytes
	}
	if len(cards) > 1 && sum > best.Bytes {
		best = models.Room{Bytes: sum, Pool: words.T("shell.cards", map[string]any{"Count": len(cards)})}
	}
	return best
}
