package images

import (
	"fmt"
	"image"
	"path/filepath"
	"testing"
	"time"

	"paddock/engine"
	"paddock/engine/picture/picturetest"
)

// mixed writes 200 files: 160 good ones of all kinds, 20 that are too small to show
// anything, and 20 that are broken.
func mixed(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	encoded := func(kind string, img image.Image) []byte { return picturetest.Encode(t, kind, img) }
	png, jpeg := encoded("png", picturetest.Quadrants(40, 30)), encoded("jpeg", picturetest.Photo(60, 40))
	kinds := []struct {
		name string
		data []byte
	}{
		{"good %d.png", png},
		{"good %d.jpg", jpeg},
		{"rotated %d.jpg", picturetest.WithEXIF(t, jpeg, picturetest.EXIF(6, ""))},
		{"huge %d.png", encoded("png", picturetest.Quadrants(1800, 1700))},
		{"tiny %d.png", encoded("png", picturetest.Quadrants(2, 2))},
		{"wrong suffix %d.jpg", png},
		{"no suffix %d", jpeg},
		{"тест 絵 %d.png", png},
		{"moving %d.gif", picturetest.Animation(t)},
		{"broken %d.png", png[:len(png)/2]},
	}
	for i := range 200 {
		kind := kinds[i%len(kinds)]
		put(t, filepath.Join(dir, fmt.Sprintf(kind.name, i)), kind.data)
	}
	return dir
}

func TestTwoHundredMixedPicturesAreDoneThroughALostEngineAndARestart(t *testing.T) {
	b := newBench(t)
	b.engine.gate = make(chan struct{})
	b.add(mixed(t), 200)
	b.Press()
	for range 50 {
		select {
		case b.engine.gate <- struct{}{}:
		case <-time.After(30 * time.Second):
			t.Fatal("no answer is wanted")
		}
	}
	b.engine.mu.Lock()
	b.engine.err = engine.ErrNotReady
	b.engine.mu.Unlock()
	close(b.engine.gate) // for the one that may be under way
	b.until("the engine is missed", func() bool { return b.State().Run.Paused && b.State().Run.Asking == 0 })
	before := b.State().Counts.Done
	if before < 50 {
		t.Fatalf("only %d are done", before)
	}
	shut(t, b.Presenter)
	b.engine.mu.Lock()
	b.engine.err, b.engine.gate = nil, nil
	b.engine.mu.Unlock()
	b.open()
	if c := b.State().Counts; c.Done != before || c.Waiting == 0 {
		t.Fatalf("after a restart there are %+v, not %d done", c, before)
	}
	asked := b.engine.requests()
	b.Press()
	left := func() int { c := b.State().Counts; return c.Waiting + c.Running }
	for n := left(); n > 0; n = left() { // each step in its own time, however busy the machine is
		b.until("it goes on", func() bool { return left() < n })
	}
	b.until("it ends", func() bool { return !b.State().Run.On })
	if c := b.State().Counts; c.Done != 160 || c.Failed != 40 {
		t.Errorf("in the end there are %+v", c)
	}
	if n := b.engine.requests() - asked; n > 160-before {
		t.Errorf("%d were asked again", n-(160-before))
	}
}
