package models

import (
	"context"
	"reflect"

	"paddock/engine/library"
)

// watching is what is watched for changes.
type watching struct {
	stop    context.CancelFunc
	sources library.Sources
}

// watch has the sources watched from now on instead of those before. Where that
// can't be done, the button is left that looks again.
func (p *Presenter) watch(sources library.Sources) {
	if p.seams.Watch == nil || reflect.DeepEqual(sources, p.watching.sources) {
		return
	}
	p.watching.stop()
	ctx, stop := context.WithCancel(context.Background())
	p.watching = watching{stop, sources}
	go func() {
		defer stop()
		p.seams.Watch(ctx, sources, func() { p.do(p.changed) })
	}()
}

// changed looks at what changed in the folders, after the scan that runs now.
func (p *Presenter) changed() {
	if p.scanning.running {
		p.scanning.again = true
	} else {
		p.look(true)
	}
}
