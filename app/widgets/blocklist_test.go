package widgets

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"paddock/app/theme"
)

func TestHeightsFindTheRowAtAPlace(t *testing.T) {
	var h heights
	h.replace(0, 0, []float32{10, 20, 0, 30})
	for _, c := range []struct {
		y   float64
		row int
	}{{-5, 0}, {0, 0}, {9.9, 0}, {10, 1}, {29, 1}, {30, 3}, {59, 3}, {60, 3}, {1000, 3}} {
		if got := h.at(c.y); got != c.row {
			t.Errorf("at %g is row %d, want %d", c.y, got, c.row)
		}
	}
	var none heights
	if none.at(3) != 0 || none.total() != 0 {
		t.Error("no rows have a height")
	}
}

func TestHeightsStaySumsWhateverChanges(t *testing.T) {
	var h heights
	h.replace(0, 0, []float32{1, 2, 3, 4, 5})
	for _, change := range []func(){
		func() { h.set(2, 30) },
		func() { h.set(0, 10) },
		func() { h.replace(1, 2, []float32{7}) },
		func() { h.replace(4, 0, []float32{8, 9}) },
		func() { h.replace(0, 1, nil) },
		func() { h.set(h.len()-1, 100) },
		func() { h.replace(0, h.len(), nil) },
		func() { h.replace(0, 0, []float32{6}) },
	} {
		h.at(11) // as if drawn in between
		change()
		sum := 0.0
		for i, height := range h.each {
			if h.top(i) != sum {
				t.Fatalf("row %d of %v starts at %g, want %g", i, h.each, h.top(i), sum)
			}
			sum += float64(height)
		}
		if h.total() != sum {
			t.Fatalf("%v are %g high, want %g", h.each, h.total(), sum)
		}
	}
}

const sample = "You need **59 posts**, as [this](https://example.org/posts) says.\n\n" +
	"| Side | Posts |\n|---|--:|\n| North | 17 |\n\n```go\nfunc posts() int {\n\treturn 59\n}\n```\n\n1. one\n2. two\n   - three\n\n> quote\n\nThe end of it all."

// A shownList is a list in a window, with what it asked for.
type shownList struct {
	*BlockList
	window fyne.Window
	asked  []string
	work   []func() // slow work that waits
}

// settle does the work that waits.
func (s *shownList) settle() {
	for len(s.work) > 0 {
		work := s.work[0]
		s.work = s.work[1:]
		work()
	}
}

func showList(t *testing.T, width, height float32, messages ...Message) *shownList {
	t.Helper()
	app := test.NewTempApp(t)
	app.Settings().SetTheme(theme.New(theme.Dark))
	s := &shownList{}
	s.BlockList = NewBlockList(BlockListHooks{
		Copy: func(text string) { s.asked = append(s.asked, "copy "+text) },
		Link: func(address string) { s.asked = append(s.asked, "open "+address) },
		Act:  func(id int, action string) { s.asked = append(s.asked, fmt.Sprint(action, " ", id)) },
		Do:   func(f func()) { f() },
		Busy: func(work func()) { s.work = append(s.work, work) },
	})
	s.SetMessages(messages)
	s.window = test.NewTempWindow(t, s.BlockList)
	s.window.SetPadded(false)
	s.window.Resize(fyne.NewSize(width, height))
	return s
}

func conversation(count int) []Message {
	var messages []Message
	for i := range count {
		m := Message{ID: i, User: i%2 == 0, Text: fmt.Sprintf("Question %d?", i)}
		if !m.User {
			m.Text, m.Facts = sample, []string{"60 tok/s", "out 30"}
		}
		messages = append(messages, m)
	}
	return messages
}

// texts are the texts in sight, top to bottom, with where they are.
func (s *shownList) texts() []*canvas.Text {
	var texts []*canvas.Text
	for _, o := range s.content.Objects {
		for _, inner := range o.(*fyne.Container).Objects {
			if text, ok := inner.(*canvas.Text); ok {
				texts = append(texts, text)
			}
		}
	}
	return texts
}

func (s *shownList) said() string {
	var all []string
	for _, t := range s.texts() {
		all = append(all, t.Text)
	}
	return strings.Join(all, "|")
}

// rowsInView are the rows the reader sees, with the place of each.
func (s *shownList) rowsInView() map[*row]float32 {
	places := map[*row]float32{}
	for _, r := range s.live {
		if y := r.sheet.box.Position().Y; y >= 0 && y < s.Size().Height {
			places[r] = y
		}
	}
	return places
}

func countObjects(o fyne.CanvasObject) int {
	n := 1
	if c, ok := o.(*fyne.Container); ok {
		for _, inner := range c.Objects {
			n += countObjects(inner)
		}
	}
	return n
}

func TestOnlyWhatIsInSightExists(t *testing.T) {
	short, long := showList(t, 948, 600, conversation(10)...), showList(t, 948, 600, conversation(2000)...)
	if len(long.rows) < 10_000 {
		t.Fatalf("only %d rows", len(long.rows))
	}
	few, many := countObjects(short.content), countObjects(long.content)
	if many > 400 || many > few+few/4 {
		t.Errorf("%d objects for 2,000 messages, %d for 10", many, few)
	}
	if !strings.Contains(long.said(), "The end of it all.") {
		t.Error("the end is not in sight")
	}
}

func TestItFollowsTheEndOnlyFromTheEnd(t *testing.T) {
	l := showList(t, 948, 400, conversation(20)...)
	grow := func(words int) {
		l.SetMessage(Message{ID: 100, Text: strings.Repeat("More and more. ", words) + "LAST", Growing: true})
	}
	grow(200)
	if !l.AtEnd() || !strings.Contains(l.said(), "LAST") || l.toEnd.Visible() {
		t.Fatal("it did not follow the end")
	}
	l.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, 150)})
	if l.AtEnd() || !l.toEnd.Visible() {
		t.Fatal("it is still at the end")
	}
	before, offset := l.rowsInView(), l.offset
	grow(800)
	for r, y := range l.rowsInView() {
		if was, ok := before[r]; ok && was != y {
			t.Errorf("a row moved from %g to %g", was, y)
		}
	}
	if l.offset != offset {
		t.Errorf("the offset went from %g to %g", offset, l.offset)
	}
	test.Tap(l.toEnd)
	if !l.AtEnd() || !strings.Contains(l.said(), "LAST") || l.toEnd.Visible() {
		t.Error("the button did not go to the end")
	}
	l.Page(-1)
	if l.AtEnd() {
		t.Error("a page up is still the end")
	}
	l.Page(1)
	if !l.AtEnd() {
		t.Error("a page down again is not the end")
	}
}

func TestScrollingNeverJumps(t *testing.T) {
	l := showList(t, 948, 500, conversation(300)...)
	const step = 60
	for range 200 { // up, through rows whose heights were guesses
		before := l.rowsInView()
		l.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, step)})
		for r, y := range l.rowsInView() {
			if was, ok := before[r]; ok && math.Abs(float64(y-was-step)) > 1.01 {
				t.Fatalf("a row went from %g to %g, want %d lower", was, y, step)
			}
		}
	}
	l.scrollTo(0)
	if l.offset != 0 || !strings.Contains(l.said(), "Question 0?") {
		t.Error("the start is not in sight")
	}
}

func TestTheBarScrollsToBothEnds(t *testing.T) {
	l := showList(t, 948, 500, conversation(300)...)
	drag := func(by float32) { l.bar.Dragged(&fyne.DragEvent{Dragged: fyne.NewDelta(0, by)}) }
	drag(-1000)
	if l.offset != 0 {
		t.Errorf("dragged up the offset is %g", l.offset)
	}
	drag(250)
	if l.AtEnd() || l.offset == 0 {
		t.Errorf("in the middle the offset is %g of %g", l.offset, l.heights.total())
	}
	drag(1000)
	if !l.AtEnd() {
		t.Error("dragged down it is not at the end")
	}
	if short := showList(t, 948, 500, Message{ID: 1, Text: "short"}); short.bar.Visible() {
		t.Error("a short text has a bar")
	}
}

func TestANewWidthReflowsAndKeepsThePlace(t *testing.T) {
	l := showList(t, 948, 500, conversation(100)...)
	l.Page(-20)
	top := l.rows[l.heights.at(l.offset)]
	l.window.Resize(fyne.NewSize(500, 500))
	if got := l.rows[l.heights.at(l.offset)]; got != top {
		t.Error("another row is at the top")
	}
	for _, text := range l.texts() {
		if right := text.Position().X + text.MinSize().Width; right > 500-columnMargin+1 {
			t.Errorf("%q ends at %g", text.Text, right)
		}
	}
	l.ScrollToEnd()
	l.window.Resize(fyne.NewSize(700, 300))
	if !l.AtEnd() || !strings.Contains(l.said(), "The end of it all.") {
		t.Error("the end is not in sight after a resize at the end")
	}
}

func TestMessagesStandInAColumn(t *testing.T) {
	for _, c := range []struct{ width, left, right float32 }{{948, 114, 834}, {676, 24, 652}} {
		l := showList(t, c.width, 800, Message{ID: 1, User: true, Text: "hi"}, Message{ID: 2, Text: sample})
		left, right := float32(math.Inf(1)), float32(0)
		for _, o := range l.content.Objects {
			for _, inner := range o.(*fyne.Container).Objects {
				if r, ok := inner.(*canvas.Rectangle); ok {
					left, right = min(left, r.Position().X), max(right, r.Position().X+r.Size().Width)
				}
			}
		}
		if left != c.left || right != c.right {
			t.Errorf("in %g the column goes from %g to %g, want %g to %g", c.width, left, right, c.left, c.right)
		}
	}
}

func TestAThemeSwitchRepaints(t *testing.T) {
	l := showList(t, 948, 600, conversation(4)...)
	dark := theme.Color(theme.Text)
	fyne.CurrentApp().Settings().SetTheme(theme.New(theme.Light))
	light := theme.Color(theme.Text)
	if dark == light {
		t.Fatal("the theme did not change")
	}
	l.Refresh()
	for _, text := range l.texts() {
		if text.Color == dark {
			t.Errorf("%q is still in the dark theme's colour", text.Text)
		}
	}
}

func TestFinalBlocksAreNotDrawnAgain(t *testing.T) {
	l := showList(t, 948, 600, Message{ID: 1, Text: "First.\n\nSecond.\n\nThi", Growing: true})
	first := l.rows[0].sheet
	drawn := first.texts[0]
	for i := range 20 {
		l.SetMessage(Message{ID: 1, Text: "First.\n\nSecond.\n\nThi" + strings.Repeat("rd ", i), Growing: true})
	}
	if l.rows[0].sheet != first || first.texts[0] != drawn || l.rows[0].stale {
		t.Error("the first block was drawn again")
	}
	last := l.rows[len(l.rows)-1]
	if n := len(last.sheet.texts); n < 19 {
		t.Errorf("a growing line is %d texts, want one a word", n)
	}
	l.SetMessage(Message{ID: 1, Text: "First.\n\nSecond.\n\nThird."})
	if n := len(l.rows[len(l.rows)-1].sheet.texts); n != 1 {
		t.Errorf("a finished line is %d texts, want 1", n)
	}
}

func TestStreamingShowsWhatTheWholeTextShows(t *testing.T) {
	l := showList(t, 948, 900, Message{ID: 0, User: true, Text: "go"})
	for i := range sample {
		l.SetMessage(Message{ID: 1, Text: sample[:i], Growing: true})
	}
	l.SetMessage(Message{ID: 1, Text: sample})
	whole := showList(t, 948, 900, Message{ID: 0, User: true, Text: "go"}, Message{ID: 1, Text: sample})
	if l.said() != whole.said() {
		t.Errorf("got\n%s\nwant\n%s", l.said(), whole.said())
	}
	if !slices.Equal(l.heights.each, whole.heights.each) {
		t.Errorf("heights are %v, want %v", l.heights.each, whole.heights.each)
	}
}

func TestCodeGetsItsColoursWhileItIsWritten(t *testing.T) {
	l := showList(t, 948, 600, Message{ID: 1, Text: "```go\nfunc posts() int {\n\tretu", Growing: true})
	keyword := theme.Color(theme.SliceCompute)
	coloured := func(word string) bool {
		for _, text := range l.texts() {
			if strings.TrimSpace(text.Text) == word && text.Color == keyword {
				return true
			}
		}
		return false
	}
	if coloured("func") {
		t.Error("drawing waited for colours")
	}
	l.settle()
	if !coloured("func") {
		t.Errorf("func has no colour in %s", l.said())
	}
	l.SetMessage(Message{ID: 1, Text: "```go\nfunc posts() int {\n\treturn 1\n}\n```\n\nDone"})
	l.settle()
	if !coloured("func") || !coloured("return") {
		t.Errorf("return has no colour in %s", l.said())
	}
}

// tapButton taps the first button in sight that says label.
func (s *shownList) tapButton(t *testing.T, label string) {
	t.Helper()
	for _, r := range s.live {
		for _, b := range r.sheet.buttons {
			if b.AccessibilityLabel() == label {
				test.Tap(b)
				return
			}
		}
	}
	t.Errorf("no button says %q", label)
}

func TestWhatCanBeTapped(t *testing.T) {
	l := showList(t, 948, 900,
		Message{ID: 1, User: true, Text: "my\nquestion"},
		Message{ID: 2, Text: sample, Facts: []string{"60 tok/s"}, Note: &Note{Text: "Stopped.", Actions: []Action{
			{ID: "continue", Label: "Continue"}, {ID: "never", Label: "Never", Off: "because"},
		}}},
	)
	for _, label := range []string{"chat.copy_message", "chat.copy_answer", "chat.copy_code", "Continue", "Never"} {
		if en := map[string]string{"chat.copy_message": "Copy message", "chat.copy_answer": "Copy answer", "chat.copy_code": "Copy"}[label]; en != "" {
			label = en
		}
		l.tapButton(t, label)
	}
	for _, r := range l.live {
		for _, link := range r.sheet.links {
			test.Tap(link)
		}
	}
	want := []string{
		"copy my\nquestion", "copy " + sample, "copy func posts() int {\n\treturn 59\n}",
		"continue 2", "open https://example.org/posts",
	}
	if !slices.Equal(l.asked, want) {
		t.Errorf("asked for %q, want %q", l.asked, want)
	}
	if said := l.said(); !strings.Contains(said, "because") || !strings.Contains(said, "Stopped.") {
		t.Errorf("said %s", said)
	}
}

func TestReasoningIsFolded(t *testing.T) {
	m := Message{ID: 1, Thought: "Four sides.\n\n- a corner", ThoughtLabel: "Thought for 2 s", Text: "59."}
	l := showList(t, 948, 600, m)
	if said := l.said(); strings.Contains(said, "Four sides") || !strings.Contains(said, "Thought for 2 s") {
		t.Errorf("folded it says %s", said)
	}
	test.Tap(l.rows[0].sheet.links[0])
	if said := l.said(); !strings.Contains(said, "Four sides") {
		t.Errorf("unfolded it says %s", said)
	}
	m.Text = "59 it is."
	l.SetMessage(m)
	if said := l.said(); !strings.Contains(said, "Four sides") || !strings.Contains(said, "59 it is.") {
		t.Errorf("after a change it says %s", said)
	}
	test.Tap(l.rows[0].sheet.links[0])
	if said := l.said(); strings.Contains(said, "Four sides") {
		t.Errorf("folded again it says %s", said)
	}
}

func TestAnotherConversationTakesThePlaceOfTheFirst(t *testing.T) {
	l := showList(t, 948, 600, conversation(40)...)
	l.Page(-3)
	l.SetMessages([]Message{{ID: 7, Text: "Something else."}})
	if said := l.said(); said != "Something else." || !l.AtEnd() {
		t.Errorf("it says %s", said)
	}
	l.SetMessages(nil)
	if len(l.content.Objects) != 0 {
		t.Error("an empty list shows something")
	}
}

func TestHugeMessagesDoNotFreeze(t *testing.T) {
	long := strings.Repeat("0123456789abcdef", 1<<16)
	for _, c := range []struct {
		name string
		m    Message
	}{
		{"a user's line of a megabyte", Message{User: true, Text: long}},
		{"an answer's line of a megabyte", Message{Text: long}},
		{"a megabyte of words", Message{Text: strings.Repeat("word ", 1<<18)}},
		{"a line of code of a megabyte", Message{Text: "```go\n" + long + "\n```"}},
		{"a table of 300 columns", Message{Text: strings.Repeat("| a ", 300) + "|\n" + strings.Repeat("|---", 300) + "|\n" + strings.Repeat("| b ", 300) + "|"}},
	} {
		t.Run(c.name, func(t *testing.T) {
			start := time.Now()
			l := showList(t, 948, 600, c.m)
			l.scrollTo(0)
			l.Page(3)
			l.ScrollToEnd()
			if took := time.Since(start); took > 15*time.Second {
				t.Errorf("it took %v", took)
			}
			if n := countObjects(l.content); n > 2000 {
				t.Errorf("%d objects are in sight", n)
			}
			for _, text := range l.texts() {
				if right := text.Position().X + text.Size().Width; right > 948-columnMargin {
					t.Fatalf("a text ends at %g", right)
				}
			}
		})
	}
}

func BenchmarkOpenLongConversation(b *testing.B) {
	test.NewTempApp(b)
	messages := conversation(5000)
	l := NewBlockList(BlockListHooks{Do: func(func()) {}, Busy: func(func()) {}})
	l.Resize(fyne.NewSize(948, 600))
	for b.Loop() {
		l.SetMessages(messages)
	}
}

func BenchmarkOneMoreWord(b *testing.B) {
	test.NewTempApp(b)
	l := NewBlockList(BlockListHooks{Do: func(func()) {}, Busy: func(func()) {}})
	l.Resize(fyne.NewSize(948, 600))
	l.SetMessages(conversation(2000))
	text := strings.Repeat(sample+"\n\n", 50)
	i := 0
	for b.Loop() {
		l.SetMessage(Message{ID: 5000, Text: text[:len(text)-200+i%200], Growing: true})
		i++
	}
}
