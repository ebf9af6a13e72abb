package widgets

import (
	"reflect"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/words"
)

// A Message is one turn of a conversation as a BlockList shows it.
type Message struct {
	ID           int
	User         bool   // drawn as it was typed, in a bubble; an answer is Markdown
	Text         string // while Growing it only gets longer
	Growing      bool
	Thought      string // reasoning, folded until tapped
	ThoughtLabel string
	Status       string   // a quiet line below while there is no answer to look at
	Facts        []string // below a finished answer, the first one stronger
	Note         *Note
	Label        string // a quiet line above
	Quiet        bool   // its text is drawn in quiet colours
	Marked       bool   // the bubble stands out: it is being edited
	Pictures     []MessagePicture
	Files        []string // of a bubble: what went with it, a line each
	Branch       Branch   // versions to go through with arrows
	Tools        []Action // icons beside the one that copies
}

// A MessagePicture is one in a bubble.
type MessagePicture struct {
	Path string // of the file; empty when it is gone
	Name string
	Text string // what is known of it
}

// A Branch is the place of a message among its versions, from 1 on. There are
// arrows when there is more than one.
type Branch struct {
	At, Of int
	Off    string // why another one can't be shown now
}

// What the arrows of a branch ask for.
const (
	ActEarlier = "earlier"
	ActLater   = "later"
)

// A Note is a marked row below a message that did not end as it should.
type Note struct {
	Text    string
	Remedy  string // a second, quiet line
	Calm    bool   // nothing is wrong
	Actions []Action
}

// An Action is a button of a note. It is off when Off says why.
type Action struct {
	ID    string
	Label string
	Icon  theme.IconName
	Off   string
	Menu  bool // opens a menu below the button
}

// BlockListHooks are what a BlockList asks of whoever shows it.
type BlockListHooks struct {
	Copy func(text string)
	Link func(address string)        // a link was tapped: nothing is opened before somebody said so
	Act  func(id int, action string) // a note's button was tapped
	Do   func(func())                // runs something on the UI goroutine
	Busy func(work func())           // runs slow work elsewhere; a goroutine when nil

	CopyMessage func(id int)                                         // instead of Copy for a whole message, when not nil
	Menu        func(id int, action string, under fyne.CanvasObject) // a tool that opens a menu was tapped
	Picture     func(path string)                                    // a picture was tapped
	Thumbnails  *Thumbnails
}

// A BlockList shows a conversation of any length. Its rows are Markdown blocks,
// of which only those in sight, and half a screen above and below, exist as
// canvas objects: every frame walks all objects there are. The heights of the
// others are estimated until they are shown. It follows the end of the text only
// while the reader is at the end.
type BlockList struct {
	widget.BaseWidget
	hooks    BlockListHooks
	messages []*shownMessage
	rows     []*row
	heights  heights
	live     []*row // rows that have a sheet
	offset   float64
	follow   bool
	width    float32 // heights are for this width
	ruler    ruler
	pointed  int // ID of the message the pointer was last on

	content *fyne.Container // the live rows' sheets
	bar     *scrollBar
	toEnd   *Button
}

// NewBlockList makes an empty list.
func NewBlockList(hooks BlockListHooks) *BlockList {
	if hooks.Busy == nil {
		hooks.Busy = func(work func()) { go work() }
	}
	l := &BlockList{hooks: hooks, follow: true, content: &fyne.Container{}}
	l.toEnd = NewSmallButton(words.T("chat.to_end"), theme.IconChevronDown, Edged, l.ScrollToEnd)
	l.toEnd.Hide()
	l.bar = newScrollBar(l)
	l.ExtendBaseWidget(l)
	return l
}

// SetMessages shows a conversation from its end.
func (l *BlockList) SetMessages(messages []Message) {
	l.messages, l.rows, l.heights = nil, nil, heights{}
	l.dropLive(func(*row) bool { return true })
	l.add(messages...)
	l.follow, l.offset = true, 0
	l.lay()
}

// SetMessage shows a message in the place of the one with its ID, or as the last
// one when there is none. What is new of a growing text costs no more the longer
// the text is.
func (l *BlockList) SetMessage(m Message) {
	for i := len(l.messages) - 1; i >= 0; i-- {
		if l.messages[i].ID == m.ID {
			l.messages[i].Message = m
			l.rebuild(i)
			l.lay()
			return
		}
	}
	l.add(m)
	l.lay()
}

// Update shows a conversation that is partly the one on view. What stays the same
// is not drawn again, and stays where it is.
func (l *BlockList) Update(messages []Message) {
	same := 0
	for same < len(messages) && same < len(l.messages) && l.messages[same].ID == messages[same].ID {
		same++
	}
	if same < len(l.messages) {
		l.cut(same)
	}
	for i := range same {
		if !reflect.DeepEqual(l.messages[i].Message, messages[i]) {
			l.messages[i].Message = messages[i]
			l.rebuild(i)
		}
	}
	l.add(messages[same:]...)
	l.lay()
}

// cut takes away all messages from one on.
func (l *BlockList) cut(from int) {
	row := l.messages[from].first
	l.replaceRows(row, len(l.rows)-row, nil)
	clear(l.messages[from:])
	l.messages = l.messages[:from]
}

// ScrollToMessage brings a message into sight, at the top where there is room.
func (l *BlockList) ScrollToMessage(id int) {
	for _, m := range l.messages {
		if m.ID != id {
			continue
		}
		for range maxRounds { // heights above may be guesses until they are drawn
			before := l.heights.top(m.first)
			l.scrollTo(before)
			if l.heights.top(m.first) == before {
				return
			}
		}
	}
}

// AtEnd tells whether the end of the text is in sight.
func (l *BlockList) AtEnd() bool { return l.follow }

// ScrollToEnd goes to the end and follows it.
func (l *BlockList) ScrollToEnd() {
	l.follow = true
	l.lay()
}

// Page goes that many screens down, up when negative.
func (l *BlockList) Page(screens float32) {
	l.scrollTo(l.offset + float64(screens*(l.Size().Height-bodyFace.line)))
}

// Scrolled follows the wheel.
func (l *BlockList) Scrolled(ev *fyne.ScrollEvent) {
	l.scrollTo(l.offset - float64(ev.Scrolled.DY))
}

// MinSize is small: the list takes what there is.
func (l *BlockList) MinSize() fyne.Size { return fyne.NewSize(200, 60) }

// CreateRenderer draws the list.
func (l *BlockList) CreateRenderer() fyne.WidgetRenderer {
	return &renderer{
		objects: []fyne.CanvasObject{l.content, l.bar, l.toEnd},
		layout:  func(fyne.Size) { l.lay() },
		min:     func() fyne.Size { return l.MinSize() },
		refresh: l.repaint,
	}
}

// repaint draws everything in sight again, in the theme's colours.
func (l *BlockList) repaint() {
	for _, r := range l.live {
		r.stale = true
	}
	l.bar.Refresh()
	l.toEnd.Refresh()
	l.lay()
}
