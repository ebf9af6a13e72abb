package load

import (
	"context"
	"slices"
	"strconv"
	"time"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/hardware"
	"paddock/words"
)

// A measurement is one measuring of a plan: the plan itself, then the remedies.
// It works on copies, beside the presenter's goroutine.
type measurement struct {
	ctx     context.Context
	seams   Seams
	build   build.Build
	facts   gguf.Facts
	devices []build.Device
	machine hardware.Snapshot
	asked   plan.Plan
	done    map[plan.Plan]budget.Memory // by complete plan
	err     error                       // of the last plan that could not be measured
}

// startMeasuring gives up the measuring of the plan before and starts that of
// the present one, when the engine can do it at all.
func (p *Presenter) startMeasuring() {
	p.cancel()
	ctx, cancel := context.WithCancel(context.Background())
	p.cancel = cancel
	p.state.Memory.Measuring = false
	if p.state.Build.ID == "" || p.state.Build.Problem != "" || !p.check(p.asked).Valid() {
		return
	}
	p.state.Memory.Measuring = true
	m := measurement{
		ctx: ctx, seams: p.seams, build: p.state.Build, facts: p.state.Model.Facts,
		devices: p.devices, asked: p.asked, done: map[plan.Plan]budget.Memory{},
	}
	go func() {
		select {
		case <-time.After(p.settle):
		case <-ctx.Done():
			return
		}
		m.machine = p.seams.Hardware()
		memory, err := m.measure(m.asked)
		p.post(ctx, func() { p.takeMeasurement(memory, m.machine, err) })
		if err != nil {
			return
		}
		fits := m.longestFit(m.asked)
		remedies := m.remedies(memory, fits)
		p.post(ctx, func() {
			if m.err != nil { // nothing is known of what fits
				fits, remedies = 0, nil
			}
			p.state.Context.Fits = fits
			p.state.Remedies, p.state.Searched = remedies, m.err == nil
			p.publish()
		})
	}()
}

// post runs f on the presenter's goroutine, unless the plan has changed by then.
func (p *Presenter) post(ctx context.Context, f func()) {
	p.do(func() {
		if ctx.Err() == nil {
			f()
		}
	})
}

func (p *Presenter) takeMeasurement(memory budget.Memory, machine hardware.Snapshot, err error) {
	p.measured, p.failure, p.machine, p.known = memory, err, machine, err == nil
	p.state.Memory.Measuring = false
	p.state.Memory.At = p.now()
	waiting := p.state.Waiting
	p.state.Waiting = false
	p.publish()
	if waiting {
		p.Load()
	}
}

// Tick brings the age of the measurement up to date. It says in how long that is
// worth doing again.
func (p *Presenter) Tick() time.Duration {
	age := p.now().Sub(p.state.Memory.At)
	if p.known {
		p.state.Memory.Age = measuredAgo(age)
		p.show(p.state)
	}
	switch {
	case age < 10*time.Second:
		return time.Second
	case age < time.Minute:
		return 10 * time.Second
	default:
		return time.Minute
	}
}

func measuredAgo(age time.Duration) string {
	switch {
	case age < time.Second:
		return words.T("load.measured.seconds", map[string]any{"Seconds": strconv.FormatFloat(max(age.Seconds(), 0.1), 'f', 1, 64)})
	case age < time.Minute:
		return words.T("load.measured.seconds", map[string]any{"Seconds": int(age.Seconds())})
	default:
		return words.T("load.measured.minutes", map[string]any{"Minutes": int(age.Minutes())})
	}
}

func (m *measurement) measure(asked plan.Plan) (budget.Memory, error) {
	p, _ := plan.Complete(asked, m.facts, m.devices)
	if memory, done := m.done[p]; done {
		return memory, nil
	}
	memory, err := m.seams.Measure(m.ctx, m.build, p, m.facts)
	if err != nil {
		m.err = err
		return memory, err
	}
	m.done[p] = memory
	return memory, nil
}

// spare is what every pool has left with a plan, ok when it fits them all with
// the safety margin untouched.
func (m *measurement) spare(asked plan.Plan) (bytes uint64, ok bool) {
	memory, err := m.measure(asked)
	if err != nil {
		return 0, false
	}
	return spare(pools(m.machine, m.devices, asked, memory))
}

func spare(pools []Pool) (bytes uint64, ok bool) {
	first := true
	for _, pool := range pools {
		v, left := pool.Verdict()
		switch {
		case v == Unused || v == Unknown:
		case v != Fits:
			return 0, false
		case first || left < bytes:
			bytes, first = left, false
		}
	}
	return bytes, true
}

// longestFit is the longest context that fits with the rest of a plan, among
// powers of two and the trained length; 0 when none does. Memory grows with the
// context, so halving the candidates finds it.
func (m *measurement) longestFit(asked plan.Plan) int {
	lengths := contextSteps(m.facts.ContextTokens)
	unfit, _ := slices.BinarySearchFunc(lengths, true, func(tokens int, _ bool) int {
		asked.ContextTokens = tokens
		if _, ok := m.spare(asked); ok {
			return -1
		}
		return 1
	})
	if unfit == 0 {
		return 0
	}
	return lengths[unfit-1]
}

// contextSteps are the contexts worth offering for a trained length: powers of
// two from 4,096, or from 512 for a short one, and the trained length itself.
func contextSteps(trained int) []int {
	if trained <= 0 {
		trained = unknownContextTokens
	}
	first := 4096
	if trained <= first {
		first = 512
	}
	var steps []int
	for tokens := first; tokens < trained; tokens *= 2 {
		steps = append(steps, tokens)
	}
	return append(steps, trained)
}

// unknownContextTokens is the longest context offered when the file does not say
// what the model was trained for.
const unknownContextTokens = 32768

// remedies are single changes after which the plan fits, or, when no single one
// is enough, both together. The first is the best. There are none when it fits
// as it is.
func (m *measurement) remedies(memory budget.Memory, longest int) []Remedy {
	if _, ok := spare(pools(m.machine, m.devices, m.asked, memory)); ok {
		return nil
	}
	var list []Remedy
	if longest > 0 && longest < m.asked.ContextTokens {
		shorter := m.asked
		shorter.ContextTokens = longest
		list = m.add(list, contextSetting, shorter, words.T("load.remedy.context", map[string]any{"Tokens": words.Count(longest)}), "")
	}
	smaller := m.asked
	smaller.CacheK, smaller.CacheV = "q8_0", "q8_0"
	if !m.offered(smaller) {
		return list
	}
	cost := words.T("load.remedy.keeps", map[string]any{"Tokens": words.Count(m.asked.ContextTokens)})
	list = m.add(list, cacheSetting, smaller, words.T("load.remedy.cache", map[string]any{"Type": "q8_0"}), cost)
	if len(list) > 0 {
		return list
	}
	if both := m.longestFit(smaller); both > 0 {
		smaller.ContextTokens = both
		list = m.add(list, cacheSetting, smaller, words.T("load.remedy.both", map[string]any{"Type": "q8_0", "Tokens": words.Count(both)}), "")
	}
	return list
}

// offered says whether a remedy with a smaller cache would be a change, and one
// that no rule refuses.
func (m *measurement) offered(smaller plan.Plan) bool {
	if m.asked.CacheK != "f16" && m.asked.CacheK != "f32" && m.asked.CacheK != "bf16" {
		return false
	}
	p, _ := plan.Complete(smaller, m.facts, m.devices)
	return plan.Check(p, m.facts, m.build.Number).Valid()
}

func (m *measurement) add(list []Remedy, of setting, asked plan.Plan, label, cost string) []Remedy {
	left, ok := m.spare(asked)
	if !ok {
		return list
	}
	return append(list, Remedy{
		Label: label, Cost: cost, Best: len(list) == 0, setting: of, plan: asked,
		Spare: words.T("load.remedy.spare", map[string]any{"GiB": words.GiB(left)}),
	})
}
