package widgets

import (
	"errors"
	"image"
	"runtime"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"paddock/app/theme"
)

// readIn gives pictures when it is told to.
type readIn struct {
	posted chan func()
	asked  chan string
}

func (r *readIn) thumbnails() *Thumbnails {
	return NewThumbnails(func(path string, side int) (image.Image, error) {
		r.asked <- path
		if strings.Contains(path, "bad") {
			return nil, errors.New("not a picture")
		}
		return image.NewRGBA(image.Rect(0, 0, side, side/2)), nil
	}, func(f func()) { r.posted <- f })
}

func newReadIn() *readIn { return &readIn{make(chan func(), 100), make(chan string, 100)} }

func always() bool { return true }

func TestThumbnailsAreReadOnceAndRemembered(t *testing.T) {
	r := newReadIn()
	from := r.thumbnails()
	told := 0
	for range 3 {
		if img, ready := from.Get("a.png", 100, always, func() { told++ }); img != nil || ready {
			t.Fatal("it is there before it was read")
		}
	}
	(<-r.posted)()
	if told != 3 || len(r.asked) != 1 {
		t.Errorf("told %d times, read %d times", told, len(r.asked))
	}
	if img, ready := from.Get("a.png", 100, always, nil); img == nil || !ready {
		t.Error("it is forgotten")
	}
	from.Get("bad.png", 100, always, func() {})
	(<-r.posted)()
	if img, ready := from.Get("bad.png", 100, always, nil); img != nil || !ready {
		t.Error("what can't be read is read for ever")
	}
}

func TestHoweverManyPicturesAreInSightAllAreShown(t *testing.T) {
	test.NewTempApp(t)
	const many = 4 * maxWaiting
	r := &readIn{make(chan func(), many), make(chan string, many)}
	from := r.thumbnails()
	thumbs := make([]*Thumb, many)
	for i := range thumbs {
		thumbs[i] = NewThumb(from, 10, 10, theme.IconFile)
		thumbs[i].SetPath(strings.Repeat("x", i+1))
	}
	for range many {
		select {
		case f := <-r.posted:
			f()
		case <-time.After(time.Minute):
			t.Fatal("some are never read")
		}
	}
	for i, thumb := range thumbs {
		if thumb.img == nil {
			t.Errorf("picture %d is not shown", i)
		}
	}
}

func TestPicturesThatHaveLeftTheScreenAreNotAllRead(t *testing.T) {
	test.NewTempApp(t)
	const many = 20 * maxWaiting
	held := make(chan struct{}) // until then the first one is being read
	posted := make(chan func(), many)
	read := 0
	from := NewThumbnails(func(string, int) (image.Image, error) {
		<-held
		read++
		return image.NewRGBA(image.Rect(0, 0, 1, 1)), nil
	}, func(f func()) { posted <- f })
	thumbs := []*Thumb{NewThumb(from, 10, 10, theme.IconFile), NewThumb(from, 10, 10, theme.IconFile)}
	for i := range many {
		thumbs[i%2].SetPath(strings.Repeat("x", i+1))
	}
	close(held)
	for thumbs[0].img == nil || thumbs[1].img == nil {
		select {
		case f := <-posted:
			f()
		case <-time.After(time.Minute):
			t.Fatal("what is in sight is never read")
		}
	}
	for idle := false; !idle; {
		from.mu.Lock()
		idle = !from.reading
		from.mu.Unlock()
		runtime.Gosched()
	}
	if read > maxWaiting+2 {
		t.Errorf("%d pictures were read for two", read)
	}
}

func TestOnlySoManyThumbnailsAreKept(t *testing.T) {
	r := newReadIn()
	from := r.thumbnails()
	for i := range maxThumbnails + 10 {
		from.Get(strings.Repeat("x", i+1), 10, always, func() {})
		<-r.asked
		(<-r.posted)()
	}
	if len(from.known) != maxThumbnails || len(from.order) != maxThumbnails {
		t.Errorf("%d are kept", len(from.known))
	}
	for i := range 30 {
		from.Get(strings.Repeat("y", i+1), 1024, always, func() {})
		<-r.asked
		(<-r.posted)()
	}
	if from.bytes > maxThumbBytes || len(from.known) < 20 {
		t.Errorf("%d are kept, with %d bytes", len(from.known), from.bytes)
	}
}

// pictured shows messages with pictures.
func pictured(t *testing.T, width float32, messages ...Message) (*shownList, *readIn) {
	t.Helper()
	r := newReadIn()
	l := showList(t, width, 900)
	l.hooks.Thumbnails = r.thumbnails()
	l.hooks.Picture = func(path string) { l.asked = append(l.asked, "picture "+path) }
	l.hooks.Menu = func(id int, action string, _ fyne.CanvasObject) { l.asked = append(l.asked, "menu "+action) }
	l.SetMessages(messages)
	return l, r
}

func photosOf(l *shownList) int {
	n := 0
	for _, r := range l.live {
		n += len(r.sheet.photos)
	}
	return n
}

func TestPicturesStandInTheBubble(t *testing.T) {
	pictures := []MessagePicture{{Path: "a.png", Name: "a.png", Text: "1,148 tokens"}, {Path: "b.png"}, {Path: "bad.png"}, {Name: "gone.png"}}
	for _, c := range []struct {
		name     string
		pictures []MessagePicture
		read     int
		want     int
	}{
		{"one", pictures[:1], 1, 1},
		{"several, of which two can't be shown", pictures, 3, 2},
	} {
		t.Run(c.name, func(t *testing.T) {
			for _, width := range []float32{948, 676, 320} {
				l, r := pictured(t, width, Message{ID: 1, User: true, Text: "How many posts do I need?", Pictures: c.pictures, Files: []string{"notes.txt · 4 KiB"}})
				for range c.read {
					(<-r.posted)()
				}
				if got := photosOf(l); got != c.want {
					t.Errorf("at %g there are %d pictures, want %d", width, got, c.want)
				}
				said := l.said()
				for _, want := range []string{"How many", "notes.txt"} {
					if !strings.Contains(said, want) {
						t.Errorf("at %g %q is not in\n%s", width, want, said)
					}
				}
				for _, text := range l.texts() {
					if right := text.Position().X + text.MinSize().Width; right > width-columnMargin+1 {
						t.Errorf("at %g %q ends at %g", width, text.Text, right)
					}
				}
				test.Tap(l.live[0].sheet.links[0])
				if !slices.Contains(l.asked, "picture a.png") {
					t.Errorf("asked for %v", l.asked)
				}
			}
		})
	}
}

func TestToolsAreSeenWhenPointedAtAndReachedByKeys(t *testing.T) {
	tools := []Action{{ID: "edit", Label: "Edit", Icon: "pencil"}, {ID: "more", Label: "More", Icon: "dots", Menu: true}, {ID: "off", Label: "Never", Off: "because"}}
	l, _ := pictured(t, 948,
		Message{ID: 1, User: true, Text: "first", Tools: tools, Branch: Branch{At: 2, Of: 3}},
		Message{ID: 2, Text: "An answer.", Tools: tools, Branch: Branch{At: 1, Of: 2}})
	row := l.live[0]
	edit := row.sheet.buttons["tool edit"]
	if edit == nil || !edit.Veiled() || row.sheet.buttons[ActEarlier].Veiled() {
		t.Fatal("the pencil is seen, or the versions are not")
	}
	l.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(100, 20)}})
	if edit.Veiled() {
		t.Error("pointed at it is not seen")
	}
	l.MouseMoved(&desktop.MouseEvent{PointEvent: fyne.PointEvent{Position: fyne.NewPos(100, 500)}})
	if !edit.Veiled() {
		t.Error("it is seen for ever")
	}
	var reached []string
	for range 20 {
		l.window.Canvas().FocusNext()
		b, ok := l.window.Canvas().Focused().(*Button)
		if !ok {
			continue
		}
		if b.Veiled() {
			t.Errorf("%s has the focus and isn't seen", b.AccessibilityLabel())
		}
		if slices.Contains(reached, b.AccessibilityLabel()) && b == edit {
			break
		}
		reached = append(reached, b.AccessibilityLabel())
	}
	for _, want := range []string{"Edit", "More", "Earlier version", "Later version", "Copy message", "Copy answer"} {
		if !slices.Contains(reached, want) {
			t.Errorf("%q is not reached, only %q", want, reached)
		}
	}
	l.tapButton(t, "Edit")
	l.tapButton(t, "More")
	l.tapButton(t, "Never: because")
	l.tapButton(t, "Earlier version")
	if want := []string{"edit 1", "menu more", "earlier 1"}; !slices.Equal(l.asked, want) {
		t.Errorf("asked for %q, want %q", l.asked, want)
	}
}

func TestKeysScrollToWhatTheyReach(t *testing.T) {
	l := showList(t, 948, 400, conversation(30)...)
	l.scrollTo(0)
	seen := map[fyne.Focusable]bool{}
	for range 40 {
		l.window.Canvas().FocusNext()
		f := l.window.Canvas().Focused()
		o, ok := f.(fyne.CanvasObject)
		if !ok || o == fyne.CanvasObject(l.toEnd) {
			continue
		}
		seen[f] = true
		y := fyne.CurrentApp().Driver().AbsolutePositionForObject(o).Y
		if y < 0 || y+o.Size().Height > 400 {
			t.Fatalf("what has the focus is at %g to %g of 400", y, y+o.Size().Height)
		}
	}
	if l.offset == 0 || len(seen) < 10 {
		t.Errorf("after 40 steps the offset is %g, and %d objects were reached", l.offset, len(seen))
	}
}

func TestAFoldAndALinkAreOpenedByKeys(t *testing.T) {
	l := showList(t, 948, 600, Message{ID: 1, Thought: "Four sides.", ThoughtLabel: "Thought for 2 s", Text: "See [this](https://example.org)."})
	for _, want := range []string{"Thought for 2 s", "this"} {
		l.window.Canvas().FocusNext()
		a, ok := l.window.Canvas().Focused().(*linkArea)
		for ok && a.AccessibilityLabel() != want {
			l.window.Canvas().FocusNext()
			a, ok = l.window.Canvas().Focused().(*linkArea)
		}
		if !ok {
			t.Fatalf("%q is not reached", want)
		}
		a.TypedKey(&fyne.KeyEvent{Name: fyne.KeySpace})
	}
	if !strings.Contains(l.said(), "Four sides.") || !slices.Contains(l.asked, "open https://example.org") {
		t.Errorf("asked for %q, it says\n%s", l.asked, l.said())
	}
}

func TestUpdateKeepsWhatStaysAndDropsWhatGoes(t *testing.T) {
	all := conversation(20)
	l := showList(t, 948, 600, all...)
	l.scrollTo(0)
	first := l.rows[0].sheet
	changed := slices.Clone(all[:6])
	changed[5].Text = "Another answer."
	l.Update(changed)
	if l.rows[0].sheet != first || len(l.messages) != 6 {
		t.Errorf("%d messages are left, or the first was drawn again", len(l.messages))
	}
	l.ScrollToEnd()
	if !strings.Contains(l.said(), "Another answer.") {
		t.Errorf("it says\n%s", l.said())
	}
	l.Update(append(changed[:4:4], Message{ID: 999, Text: "A branch."}))
	if said := l.said(); !strings.Contains(said, "A branch.") || strings.Contains(said, "Another answer.") {
		t.Errorf("it says\n%s", said)
	}
	l.Update(nil)
	if len(l.content.Objects) != 0 {
		t.Error("an empty list shows something")
	}
}

func TestAMessageIsScrolledTo(t *testing.T) {
	l := showList(t, 948, 500, conversation(2000)...)
	id := l.messages[1001].ID
	l.ScrollToMessage(id)
	if got := l.rows[l.heights.at(l.offset+1)].message.ID; got != id {
		t.Errorf("at the top is message %d, want %d", got, id)
	}
}

func TestAMarkedTextIsCutWhereThereIsNoRoom(t *testing.T) {
	test.NewTempApp(t)
	m := NewMarkedText(Body)
	m.Resize(fyne.NewSize(120, 20))
	m.Set(Body, []TextPart{{Text: "a fence of "}, {Text: "posts", Marked: true}, {Text: " and a very long end of the line"}})
	if m.String() != "a fence of posts and a very long end of the line" {
		t.Errorf("it says %q", m.String())
	}
	for _, o := range test.WidgetRenderer(m).Objects() {
		if right := o.Position().X + o.Size().Width; right > 121 {
			t.Errorf("a part ends at %g", right)
		}
	}
}

func TestAFlowGoesOnToTheNextLine(t *testing.T) {
	test.NewTempApp(t)
	var objs []fyne.CanvasObject
	for range 5 {
		objs = append(objs, Fixed(100, 30, NewFill("", "", 0)))
	}
	f := Flow(10, objs...)
	if got := HeightAt(f, 220); got != 3*30+2*10 {
		t.Errorf("five in lines of two are %g high", got)
	}
	f.Resize(fyne.NewSize(220, 110))
	if p := objs[4].Position(); p != fyne.NewPos(0, 80) {
		t.Errorf("the last is at %v", p)
	}
}
