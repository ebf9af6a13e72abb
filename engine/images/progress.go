package images

import (
	"time"
)

// A Progress is how far a job is.
type Progress struct {
	Total    int    // pictures the job is for
	Finished Counts // of those, what became of the ones it is through with: done, failed, edited meanwhile
	Asking   int    // pictures the engine is asked about right now
	Paused   bool   // no picture is begun; those that were come to their end
	Reason   error  // of a pause nobody asked for: what became of the engine
	Ended    bool   // nothing is left, or it was cancelled
	// Cancelled is that it was, before it was through with all.
	Cancelled bool
	Running   time.Duration // without pauses
	// PerMinute is how many pictures a minute it did of late, and Left how long it
	// takes for the others. Both are 0 as long as nobody can know.
	PerMinute float64
	Left      time.Duration
}

// Through is how many pictures a job is through with.
func (p Progress) Through() int { return p.Finished.Done + p.Finished.Failed + p.Finished.Edited }

func (j *Job) progress() *Progress {
	p := &Progress{
		Total: j.total, Finished: j.finished, Asking: j.asking, Paused: j.paused, Reason: j.reason,
		Ended: j.ended, Cancelled: j.cancelled, Running: j.clock.now(), PerMinute: j.clock.perMinute(),
	}
	if left := p.Total - p.Through(); p.PerMinute > 0 && !p.Ended {
		p.Left = time.Duration(float64(left) / p.PerMinute * float64(time.Minute))
	}
	return p
}

// window is how many pictures a job's speed is worked out from.
const window = 30

// A clock stands still while a job is paused.
type clock struct {
	before time.Duration
	since  time.Time       // zero when it stands
	ticks  []time.Duration // when the latest pictures were through
}

func (c *clock) start() { c.set(true) }

func (c *clock) set(run bool) {
	switch {
	case run && c.since.IsZero():
		c.since = time.Now()
	case !run && !c.since.IsZero():
		c.before += time.Since(c.since)
		c.since = time.Time{}
	}
}

func (c *clock) now() time.Duration {
	if c.since.IsZero() {
		return c.before
	}
	return c.before + time.Since(c.since)
}

func (c *clock) tick() {
	if len(c.ticks) == 0 {
		c.ticks = append(c.ticks, 0) // the start
	}
	if c.ticks = append(c.ticks, c.now()); len(c.ticks) > window+1 {
		c.ticks = c.ticks[1:]
	}
}

func (c *clock) perMinute() float64 {
	n := len(c.ticks) - 1
	if n < 1 || c.now() <= c.ticks[0] {
		return 0
	}
	return float64(n) / (c.now() - c.ticks[0]).Minutes()
}
