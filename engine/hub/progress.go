package hub

import "time"

// A Phase is what a download is doing.
type Phase string

// The phases.
const (
	Checking    Phase = "checking" // reading what is there already
	Downloading Phase = "downloading"
	Waiting     Phase = "waiting"   // for Until, after Cause
	Finishing   Phase = "finishing" // writing to the disk what is still in memory
)

// A Progress is how far a download is.
type Progress struct {
	Phase          Phase
	DoneBytes      uint64 // of all files, those that were there included
	TotalBytes     uint64
	BytesPerSecond uint64 // of the last seconds, 0 when nothing comes
	Until          time.Time
	Cause          error
	StartedOver    bool // the server can't send the rest of a file only, so its beginning came again
}

const (
	tellEvery   = 200 * time.Millisecond
	speedWindow = 5 * time.Second
)

// A meter measures a download and tells about it, at most every tellEvery.
type meter struct {
	tell func(Progress)
	last time.Time // told
	now  Progress

	samples []sample
}

// A sample is how many bytes had come through the network at a moment.
type sample struct {
	at    time.Time
	bytes uint64
}

// enter begins a phase, which is told at once.
func (m *meter) enter(p Phase) { m.begin(p, time.Time{}, nil) }

// wait tells that nothing happens until a moment, and why.
func (m *meter) wait(until time.Time, cause error) { m.begin(Waiting, until, cause) }

func (m *meter) begin(p Phase, until time.Time, cause error) {
	m.now.Phase, m.now.Until, m.now.Cause = p, until, cause
	m.now.BytesPerSecond, m.samples = 0, nil
	m.say(time.Now())
}

// add counts bytes, which can be fewer than none when a file starts over.
func (m *meter) add(bytes int64) {
	m.now.DoneBytes = uint64(max(0, int64(m.now.DoneBytes)+bytes))
	now := time.Now()
	if now.Sub(m.last) < tellEvery {
		return
	}
	if m.now.Phase == Downloading {
		m.measure(now)
	}
	m.say(now)
}

// measure takes the speed over the last seconds.
func (m *meter) measure(now time.Time) {
	m.samples = append(m.samples, sample{now, m.now.DoneBytes})
	for len(m.samples) > 2 && now.Sub(m.samples[0].at) > speedWindow {
		m.samples = m.samples[1:]
	}
	first := m.samples[0]
	if passed := now.Sub(first.at).Seconds(); passed > 0 && m.now.DoneBytes >= first.bytes {
		m.now.BytesPerSecond = uint64(float64(m.now.DoneBytes-first.bytes) / passed)
	}
}

func (m *meter) say(now time.Time) {
	m.last = now
	m.tell(m.now)
}
