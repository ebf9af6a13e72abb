package load

import (
	"slices"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/hardware"
	"paddock/words"
)

// Running is the engine a load would replace.
type Running struct {
	Plan   plan.Plan     // complete
	Memory budget.Memory // what it holds; no pools when nothing runs
	// Others are what engines for other purposes take, which stay, and the machine's
	// numbers do not show yet.
	Others []budget.Memory
}

// same says whether a load meets the same engines with as much in use.
func (r Running) same(other Running) bool {
	return r.Plan == other.Plan && slices.EqualFunc(r.Others, other.Others, func(a, b budget.Memory) bool {
		return slices.EqualFunc(a.Pools, b.Pools, func(a, b budget.PoolNeed) bool { return a.ID == b.ID && a.NeededBytes == b.NeededBytes })
	})
}

// Freed is what becomes free when the engine ends. Weights in RAM are pages of
// the file: the system counts them as free already.
func (r Running) Freed() []budget.Memory {
	var m budget.Memory
	for _, pool := range r.Memory.Pools {
		if pool.ID == budget.RAM {
			pool.NeededBytes -= min(pool.NeededBytes, pool.Slices[budget.Weights])
		}
		pool.NeededBytes -= min(pool.NeededBytes, pool.Slices[budget.Host])
		m.Pools = append(m.Pools, pool)
	}
	if len(m.Pools) == 0 {
		return nil
	}
	return []budget.Memory{m}
}

// pools are the memories of this machine with what a plan needs in each, as the
// budget judges them: in the engine's order of devices, RAM last.
func pools(m budget.Memory, s budget.Situation) ([]Pool, budget.Verdict) {
	order := budget.Memory{Source: m.Source}
	for _, d := range s.Devices {
		used := slices.ContainsFunc(m.Pools, func(p budget.PoolNeed) bool { return p.ID == d.ID })
		if !d.Software || used {
			order.Pools = append(order.Pools, budget.PoolNeed{ID: d.ID})
		}
	}
	order.Pools = append(order.Pools, budget.PoolNeed{ID: budget.RAM})
	verdict := budget.Judge(budget.Memory{Source: m.Source, Pools: slices.Concat(order.Pools, m.Pools)}, s)
	judged := slices.Concat(verdict.Pools, verdict.Unused)
	var list []Pool
	take := func(is func(budget.PoolVerdict) bool) {
		if i := slices.IndexFunc(judged, is); i >= 0 {
			list = append(list, newPool(judged[i]))
			judged = slices.Delete(judged, i, i+1)
		}
	}
	for _, need := range order.Pools[:len(order.Pools)-1] {
		take(func(v budget.PoolVerdict) bool { return v.ID == need.ID || slices.Contains(v.Devices, need.ID) })
	}
	for range judged { // devices the build no longer has
		take(func(v budget.PoolVerdict) bool { return v.ID != budget.RAM })
	}
	take(func(budget.PoolVerdict) bool { return true })
	share(list, s.Machine)
	return list, verdict
}

// share names what of RAM an integrated GPU holds: RAM has to have as much.
func share(list []Pool, machine hardware.Snapshot) {
	for i, p := range list {
		for _, q := range machine.Pools {
			if p.ID == budget.RAM && p.SharedBytes > 0 && q.Kind == hardware.APU {
				list[i].Shared = gguf.Printable(q.Name)
			}
		}
	}
}

func newPool(v budget.PoolVerdict) Pool {
	p := Pool{
		ID: v.ID, Name: gguf.Printable(v.Name), Source: gguf.Printable(v.Source),
		About:      words.T("load.gib", map[string]any{"GiB": words.GiB(v.TotalBytes)}),
		TotalBytes: v.TotalBytes, OtherBytes: v.OtherBytes, SharedBytes: v.SharedBytes,
		MarginBytes: v.MarginBytes, NeededBytes: v.NeededBytes, Used: v.Used(), devices: v.Devices,
	}
	p.BufferBytes = v.NeededBytes - min(v.NeededBytes, v.Slices[budget.Overhead]+v.Slices[budget.Host])
	for _, kind := range sliceKinds {
		slice := Slice{Label: words.T(kind.label), Colour: kind.colour}
		for _, name := range kind.names {
			slice.Bytes += v.Slices[name]
		}
		p.Slices = append(p.Slices, slice)
	}
	switch {
	case !v.Used() && v.SharedBytes == 0:
		p.verdict, p.bytes = Unused, p.freeBytes()
	case !v.Known:
		p.verdict, p.bytes = Unknown, v.NeededBytes
	case v.Fit == budget.DoesNotFit:
		p.verdict, p.bytes = TooMuch, v.MissingBytes()
	case v.Fit == budget.Tight:
		p.verdict, p.bytes = Tight, v.MissingBytes()
	default:
		p.verdict, p.bytes = Fits, v.LeftBytes()
	}
	return p
}

// freeBytes is what other programs leave of the pool.
func (p Pool) freeBytes() uint64 { return p.TotalBytes - min(p.TotalBytes, p.OtherBytes) }

// freeOf is what is free of a device's memory.
func freeOf(d build.Device, s budget.Situation) uint64 {
	s.Freed = nil // the device is as it is
	verdict := budget.Judge(budget.Memory{Pools: []budget.PoolNeed{{ID: d.ID}}}, s)
	for _, pool := range verdict.Unused {
		if slices.Contains(pool.Devices, d.ID) {
			return pool.TotalBytes - min(pool.TotalBytes, pool.OtherBytes)
		}
	}
	return 0
}

// request is what the budget has to know of a plan.
func (p *Presenter) request(asked plan.Plan) budget.Request {
	return budget.Request{Plan: p.complete(asked), Given: p.given(), Overhead: p.learned}
}

// situation is what the plan meets: the engine that runs now ends before.
func (p *Presenter) situation() budget.Situation {
	return budget.Situation{Machine: p.machine, Devices: p.devices, Freed: p.running.Freed(), Others: p.running.Others}
}

// estimate shows what follows from the file's header until the engine has been
// asked.
func (p *Presenter) estimate() {
	p.memory = budget.Memory{}
	if !p.state.Preparing && p.check(p.asked).Valid() {
		p.memory = budget.Estimate(p.request(p.asked))
	}
}

func (p *Presenter) publishMemory() {
	m := &p.state.Memory
	m.Known = len(p.memory.Pools) > 0
	m.Pools, p.verdict = pools(p.memory, p.situation())
	m.Problem, m.Age = "", ""
	switch {
	case p.known:
		m.Age = measuredAgo(p.now().Sub(m.At))
	case m.Known:
		m.Age = words.T("load.estimated")
	}
	switch {
	case p.fault() != nil: // the footer says it
	case p.failure != nil:
		m.Problem = words.T("load.measure.failed", map[string]any{"Reason": words.Error(p.failure).Text()})
	}
	m.Sources = p.sources()
	m.Actual = p.running.Plan == p.state.Plan && len(p.running.Memory.Pools) > 0 && p.running.Memory.Source == budget.Actual
	if m.Actual {
		held, _ := pools(p.running.Memory, p.situation())
		for i := range m.Pools {
			for _, h := range held {
				if h.ID == m.Pools[i].ID {
					m.Pools[i].ActualBytes = h.NeededBytes
				}
			}
		}
	}
	if p.verdict.Fit == budget.Fits {
		p.state.Remedies = nil
	}
}

// sources say where each number on the screen is from.
func (p *Presenter) sources() []string {
	m := p.state.Memory
	var list []string
	build := map[string]any{"Build": words.Build(p.state.Build)}
	switch {
	case !m.Known:
	case p.known:
		list = append(list, words.T("load.source.measured", build))
	default:
		list = append(list, words.T("load.source.estimate"))
	}
	if m.Known && len(p.learned) > 0 {
		list = append(list, words.T("load.source.learned", build))
	}
	for _, pool := range m.Pools {
		if pool.Source != "" {
			list = append(list, words.T("load.source.pool", map[string]any{"Pool": pool.Name, "Source": pool.Source}))
		}
	}
	return append(list, words.T("load.source.margin"))
}
