package hardware

import (
	"context"
	"sync"
	"time"

	"paddock/engine/build"
	machine "paddock/hardware"
)

// A Presenter keeps what the tab shows. Its methods belong to the UI goroutine.
type Presenter struct {
	show  func(State)
	do    func(func()) // runs a function on the UI goroutine, later
	ask   func(context.Context, build.Build) ([]build.Device, error)
	users func() map[string][]machine.Process // who uses the cards' memory; nil where nothing tells

	snapshot machine.Snapshot
	known    bool
	holders  map[string][]machine.Process // as users found them
	builds   []build.Build
	seen     []Seen
	asking   bool
	cancel   context.CancelFunc
	asked    int // times the builds have been asked
	visible  bool
	stale    bool
	sources  bool
	watching context.CancelFunc // ends the looking for who uses the memory
}

// askTime is how long a build may take to list its devices.
const askTime = 30 * time.Second

// watchEvery is how often it is looked who uses the cards' memory, while the tab
// is on view.
const watchEvery = 2 * time.Second

// NewPresenter makes a presenter. ask lists a build's devices, users tells who
// uses the cards' memory.
func NewPresenter(ask func(context.Context, build.Build) ([]build.Device, error), users func() map[string][]machine.Process, do func(func()), show func(State)) *Presenter {
	return &Presenter{ask: ask, users: users, do: do, show: show, cancel: func() {}, watching: func() {}, asking: true}
}

// SetSnapshot takes a new reading of the machine.
func (p *Presenter) SetSnapshot(s machine.Snapshot) {
	p.snapshot, p.known = s, true
	p.changed()
}

// SetBuilds takes the engine builds there are and asks those that work for their
// devices.
func (p *Presenter) SetBuilds(builds []build.Build) {
	p.builds = builds
	p.Ask()
}

// Ask lists the devices of every working build again.
func (p *Presenter) Ask() {
	p.cancel()
	ctx, cancel := context.WithTimeout(context.Background(), askTime)
	p.cancel = cancel
	p.asking = true
	p.asked++
	asked := p.asked
	p.changed()
	var working []build.Build
	for _, b := range p.builds {
		if b.Problem == "" {
			working = append(working, b)
		}
	}
	go func() {
		defer cancel()
		seen := make([]Seen, len(working))
		var wait sync.WaitGroup
		for i, b := range working {
			wait.Go(func() {
				devices, err := p.ask(ctx, b)
				seen[i] = Seen{b, devices, err}
			})
		}
		wait.Wait()
		p.do(func() {
			if asked == p.asked {
				p.seen, p.asking = seen, false
				p.changed()
			}
		})
	}()
}

// SetVisible says whether the tab is on view. While it isn't, nothing is drawn and
// nobody looks who uses the memory.
func (p *Presenter) SetVisible(on bool) {
	if on == p.visible {
		return
	}
	p.visible = on
	p.watching()
	p.watching = func() {}
	if !on {
		return
	}
	if p.stale {
		p.changed()
	}
	ctx, cancel := context.WithCancel(context.Background())
	p.watching = cancel
	go p.watch(ctx)
}

// watch looks again and again, beside the UI goroutine, and never posts a second
// result before the first was taken.
func (p *Presenter) watch(ctx context.Context) {
	tick := time.NewTicker(watchEvery)
	defer tick.Stop()
	for {
		found := p.users()
		if found == nil {
			return // this system doesn't tell
		}
		taken := make(chan struct{})
		p.do(func() {
			defer close(taken)
			if ctx.Err() == nil {
				p.holders = found
				p.changed()
			}
		})
		select {
		case <-taken:
		case <-ctx.Done():
			return
		}
		select {
		case <-tick.C:
		case <-ctx.Done():
			return
		}
	}
}

// ToggleSources shows where every number is from, or no longer.
func (p *Presenter) ToggleSources() {
	p.sources = !p.sources
	p.changed()
}

// Close gives up what is being asked and looked for.
func (p *Presenter) Close() {
	p.cancel()
	p.watching()
}

// State is what the tab shows now.
func (p *Presenter) State() State {
	whole := p.machine()
	s := State{Reading: !p.known, Devices: devices(whole, p.seen, p.asking), Sources: p.sources}
	if !p.known {
		return s
	}
	s.Cards = cards(whole, knowledge{seen: p.seen, asking: p.asking, looked: p.holders != nil})
	if !p.sources {
		for i := range s.Cards {
			s.Cards[i].Source = nil
		}
	}
	return s
}

// machine is all that is known of the machine.
func (p *Presenter) machine() machine.Snapshot {
	return matched(p.snapshot.WithUsers(p.holders), p.seen)
}

func (p *Presenter) changed() {
	p.stale = !p.visible
	if p.visible {
		p.show(p.State())
	}
}
