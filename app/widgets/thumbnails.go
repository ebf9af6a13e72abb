package widgets

import (
	"image"
	"slices"
	"sync"
)

const (
	maxThumbnails = 256      // remembered
	maxThumbBytes = 48 << 20 // of all of them
	maxWaiting    = 64       // pictures waiting to be read; of more, those nobody wants any more are dropped
)

// Thumbnails are small pictures of files, read beside the UI goroutine, one after
// the other, and remembered.
type Thumbnails struct {
	read func(path string, side int) (image.Image, error)
	do   func(func())

	// Of the UI goroutine.
	known map[thumbKey]image.Image // nil for a file that can't be read
	order []thumbKey               // of known, the one used last at the end
	bytes int                      // of known

	mu      sync.Mutex
	waiting []thumbWish // the last is read first: it is the one in sight
	reading bool
}

type thumbKey struct {
	path string
	side int
}

type thumbWish struct {
	thumbKey
	by []thumbAsker
}

type thumbAsker struct {
	wants func() bool // of the UI goroutine
	done  func()
}

// wanted says whether anybody wants it still.
func (w thumbWish) wanted() bool {
	return slices.ContainsFunc(w.by, func(a thumbAsker) bool { return a.wants() })
}

// NewThumbnails reads pictures with a function that scales them to side pixels at
// most, and posts what came of it to the UI goroutine with do.
func NewThumbnails(read func(path string, side int) (image.Image, error), do func(func())) *Thumbnails {
	return &Thumbnails{read: read, do: do, known: map[thumbKey]image.Image{}}
}

// Get is the picture of a file, at most side pixels wide and high. While it is
// not known it is nil and ready false, and done is called when it is. Where many
// wait, those are dropped whose wants says no by then. Of a file that can't be read it
// is nil and ready true. It is to be called from the UI goroutine, and calls wants there.
func (t *Thumbnails) Get(path string, side int, wants func() bool, done func()) (img image.Image, ready bool) {
	key := thumbKey{path, side}
	if img, ok := t.known[key]; ok {
		t.use(key)
		return img, true
	}
	t.mu.Lock()
	defer t.mu.Unlock()
	if i := slices.IndexFunc(t.waiting, func(w thumbWish) bool { return w.thumbKey == key }); i >= 0 {
		wish := t.waiting[i]
		wish.by = append(wish.by, thumbAsker{wants, done})
		t.waiting = append(slices.Delete(t.waiting, i, i+1), wish)
		return nil, false
	}
	if len(t.waiting) >= maxWaiting {
		t.waiting = slices.DeleteFunc(t.waiting, func(w thumbWish) bool { return !w.wanted() })
	}
	t.waiting = append(t.waiting, thumbWish{key, []thumbAsker{{wants, done}}})
	if !t.reading {
		t.reading = true
		go t.work()
	}
	return nil, false
}

// work reads until nothing waits.
func (t *Thumbnails) work() {
	for {
		t.mu.Lock()
		n := len(t.waiting)
		if n == 0 {
			t.reading = false
			t.mu.Unlock()
			return
		}
		wish := t.waiting[n-1]
		t.mu.Unlock()
		img, err := t.read(wish.path, wish.side)
		if err != nil {
			img = nil
		}
		t.mu.Lock()
		if i := slices.IndexFunc(t.waiting, func(w thumbWish) bool { return w.thumbKey == wish.thumbKey }); i >= 0 {
			wish.by = t.waiting[i].by // others may have asked meanwhile
			t.waiting = slices.Delete(t.waiting, i, i+1)
		}
		t.mu.Unlock()
		t.do(func() {
			t.keep(wish.thumbKey, img)
			for _, by := range wish.by {
				by.done()
			}
		})
	}
}

func (t *Thumbnails) keep(key thumbKey, img image.Image) {
	t.bytes += bytesOf(img) - bytesOf(t.known[key])
	t.known[key] = img
	t.use(key)
	for len(t.order) > maxThumbnails || t.bytes > maxThumbBytes && len(t.order) > 1 {
		t.bytes -= bytesOf(t.known[t.order[0]])
		delete(t.known, t.order[0])
		t.order = slices.Delete(t.order, 0, 1)
	}
}

func bytesOf(img image.Image) int {
	if img == nil {
		return 0
	}
	return 4 * img.Bounds().Dx() * img.Bounds().Dy()
}

func (t *Thumbnails) use(key thumbKey) {
	if i := slices.Index(t.order, key); i >= 0 {
		t.order = slices.Delete(t.order, i, i+1)
	}
	t.order = append(t.order, key)
}
