package load

import (
	"context"
	"errors"
	"slices"
	"strconv"
	"time"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/plan"
	"paddock/engine/server"
	"paddock/words"
)

// A measurement is one measuring of a plan, and the search for what makes it
// fit. It works on copies, beside the presenter's goroutine.
type measurement struct {
	ctx       context.Context
	seams     Seams
	build     build.Build
	asked     plan.Plan
	request   budget.Request
	situation budget.Situation
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
		ctx: ctx, seams: p.seams, build: p.state.Build, asked: p.asked,
		request: p.request(p.asked), situation: p.situation(),
	}
	go func() {
		select {
		case <-time.After(p.settle):
		case <-ctx.Done():
			return
		}
		fits, remedies := m.search(budget.Estimate(m.request))
		p.post(ctx, func() { p.found(fits, remedies) })
		m.situation.Machine = p.seams.Hardware()
		running := p.seams.running(m.request.Plan.Purpose)
		m.situation.Freed, m.situation.Others = running.Freed(), running.Others
		asked := m.request
		asked.Overhead = nil // what was learned corrects estimates
		memory, err := p.seams.Measure(ctx, m.build, asked)
		p.post(ctx, func() { p.takeMeasurement(memory, m.situation, running, err) })
		if ctx.Err() != nil {
			return
		}
		counted := memory
		if err != nil || memory.Source == budget.Estimated {
			counted = budget.Estimate(m.request) // with what was learned
		}
		fitsMeasured, remediesMeasured := m.search(counted)
		p.post(ctx, func() {
			p.state.Searched = true
			p.found(fitsMeasured, remediesMeasured)
		})
	}()
}

// Refresh brings up to date what is not chosen here: which engines run, what was
// learned from loads, and what failed here since the model was opened.
func (p *Presenter) Refresh() {
	if p.state.Model.Facts.Path == "" || p.state.Preparing {
		return
	}
	opened, facts, b, purpose := p.opened, p.state.Model.Facts, p.state.Build, p.purpose()
	go func() {
		running, learned, failed := p.seams.running(purpose), p.seams.learned(facts, b), p.seams.failed(facts, b)
		p.do(func() {
			if opened != p.opened || p.state.Preparing || b.ID != p.state.Build.ID {
				return
			}
			sameRules := slices.Equal(failed, p.failed)
			if sameRules && running.same(p.running) {
				return
			}
			p.learned, p.failed = learned, failed
			if !sameRules {
				p.offers = offers{}
			}
			p.changed()
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

// found shows what a search came to.
func (p *Presenter) found(fits int, remedies []Remedy) {
	p.state.Context.Fits, p.state.Remedies = fits, remedies
	p.publish()
}

func (p *Presenter) takeMeasurement(memory budget.Memory, s budget.Situation, running Running, err error) {
	p.failure, p.machine, p.running = err, s.Machine, running
	p.known = err == nil && memory.Source != budget.Estimated // the engine can't tell everything
	if p.known {
		p.memory = memory
	}
	p.state.Memory.Measuring = false
	p.state.Memory.At = p.now()
	waiting := p.state.Waiting
	p.state.Waiting = false
	p.publish()
	if waiting {
		p.Load()
	}
}

// fault is why the engine can't load the plan's files, as it said when it was to
// measure; nil where it did not say so.
func (p *Presenter) fault() error {
	var fault *server.Failure
	if errors.As(p.failure, &fault) {
		return fault
	}
	return nil
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

// search finds the longest context that fits with the rest of the plan, 0 when
// none does, and single changes after which it fits. Each is tried by estimate,
// raised by what the plan as it is needs beyond its estimate.
func (m *measurement) search(memory budget.Memory) (fits int, remedies []Remedy) {
	r := m.request
	r.Overhead = correction(r, memory)
	fits = budget.LongestContext(r, m.situation)
	if budget.Judge(memory, m.situation).Fit == budget.Fits {
		return max(fits, r.Plan.ContextTokens), nil
	}
	return fits, m.inWords(budget.Remedies(r, m.situation))
}

// correction is the overheads with which an estimate is no less than what is
// known.
func correction(r budget.Request, memory budget.Memory) budget.Overheads {
	var buffers budget.Memory
	for _, pool := range memory.Pools {
		pool.NeededBytes -= min(pool.NeededBytes, pool.Slices[budget.Overhead]+pool.Slices[budget.Host])
		buffers.Pools = append(buffers.Pools, pool)
	}
	return budget.Learn(budget.Estimate(r), buffers, nil)
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
