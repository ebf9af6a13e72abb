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
	show func(State)
	do   func(func()) // runs a function on the UI goroutine, later
	ask  func(context.Context, build.Build) ([]build.Device, error)

	snapshot machine.Snapshot
	known    bool
	builds   []build.Build
	seen     []Seen
	asking   bool
	cancel   context.CancelFunc
	asked    int // times the builds have been asked
	visible  bool
	stale    bool
}

// askTime is how long a build may take to list its devices.
const askTime = 30 * time.Second

// NewPresenter makes a presenter. ask lists a build's devices.
func NewPresenter(ask func(context.Context, build.Build) ([]build.Device, error), do func(func()), show func(State)) *Presenter {
	return &Presenter{ask: ask, do: do, show: show, cancel: func() {}, asking: true}
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

// SetVisible says whether the tab is on view; nothing is drawn while it isn't.
func (p *Presenter) SetVisible(on bool) {
	p.visible = on
	if on && p.stale {
		p.changed()
	}
}

// Close gives up what is being asked.
func (p *Presenter) Close() { p.cancel() }

// State is what the tab shows now.
func (p *Presenter) State() State {
	s := State{Reading: !p.known, Devices: devices(p.seen, p.asking)}
	if p.known {
		s.Cards = cards(p.snapshot)
	}
	return s
}

func (p *Presenter) changed() {
	p.stale = !p.visible
	if p.visible {
		p.show(p.State())
	}
}
