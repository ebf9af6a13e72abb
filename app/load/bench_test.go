package load

import (
	"testing"
	"time"

	"paddock/app/apptest"
)

// BenchmarkChange is what a change of a setting takes of the UI goroutine, with
// projectors, drafts and two devices.
func BenchmarkChange(b *testing.B) {
	m := newRichMachine()
	model := someModel()
	withMTP(&model)
	l := apptest.NewLoop()
	p := NewPresenter(m.seams(), l.Do, func(State) {})
	p.settle = time.Hour // what is measured does not count
	b.Cleanup(p.Close)
	p.Open(model, m.beside)
	for p.State().Preparing {
		(<-l)()
	}
	for tokens := 0; b.Loop(); tokens++ {
		p.SetContext(8192 + tokens%2*8192)
	}
}
