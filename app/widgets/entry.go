package widgets

import (
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/words"
)

// An Entry takes a line of text. Keys and shortcuts it has no use for go to the
// window, which otherwise wouldn't see them while the entry has the focus.
type Entry struct {
	widget.Entry

	// OnKey sees every key first and says whether it took it.
	OnKey func(*fyne.KeyEvent) bool

	// OnLeave is called when the focus goes elsewhere.
	OnLeave func()

	self     fyne.CanvasObject // what is in the window, nil where that is the entry itself
	focused  bool
	onFocus  func(bool)
	minWidth float32
	right    bool // the text stands at the right end
}

// NewEntry makes an entry of 30 px.
func NewEntry() *Entry {
	e := &Entry{minWidth: 120}
	e.Wrapping = fyne.TextWrap(fyne.TextTruncateClip)
	e.ExtendBaseWidget(e)
	return e
}

// NewSearch makes an entry with a magnifier in front.
func NewSearch(placeholder string) *Entry {
	e := NewEntry()
	e.PlaceHolder = placeholder
	e.Icon = theme.Icon(theme.IconSearch, theme.TextQuiet)
	return e
}

// MinSize is a control's height and the entry's least width.
func (e *Entry) MinSize() fyne.Size {
	e.ExtendBaseWidget(e)
	return fyne.NewSize(e.minWidth, max(theme.ControlHeight, e.Entry.MinSize().Height))
}

// FocusGained draws the focus ring.
func (e *Entry) FocusGained() {
	e.focused = true
	e.Entry.FocusGained()
	if e.onFocus != nil {
		e.onFocus(true)
	}
}

// FocusLost takes the focus ring away.
func (e *Entry) FocusLost() {
	e.focused = false
	e.Entry.FocusLost()
	if e.onFocus != nil {
		e.onFocus(false)
	}
	if e.OnLeave != nil {
		e.OnLeave()
	}
}

// TypedKey edits the text; Escape and the function keys go to the window.
func (e *Entry) TypedKey(ev *fyne.KeyEvent) {
	if e.OnKey != nil && e.OnKey(ev) {
		return
	}
	switch ev.Name {
	case fyne.KeyEscape, fyne.KeyF1, fyne.KeyF2, fyne.KeyF3, fyne.KeyF4, fyne.KeyF5:
		PassKey(e.shown(), ev)
		return
	}
	e.Entry.TypedKey(ev)
}

// TypedShortcut edits the text, or gives the shortcut to the window.
func (e *Entry) TypedShortcut(s fyne.Shortcut) {
	if EntryKeeps(s) {
		e.Entry.TypedShortcut(s)
		return
	}
	PassShortcut(e.shown(), s)
}

// shown is the object that the window knows.
func (e *Entry) shown() fyne.CanvasObject {
	if e.self != nil {
		return e.self
	}
	return e
}

// EntryKeeps says whether a shortcut edits text: undo, cut and paste, and moving
// or deleting by words.
func EntryKeeps(s fyne.Shortcut) bool {
	custom, ok := s.(*desktop.CustomShortcut)
	if !ok {
		return true
	}
	switch custom.KeyName {
	case fyne.KeyLeft, fyne.KeyRight, fyne.KeyBackspace, fyne.KeyDelete:
		return true
	}
	return false
}

// CreateRenderer is Fyne's entry with a focus ring around it.
func (e *Entry) CreateRenderer() fyne.WidgetRenderer {
	r := &entryRenderer{WidgetRenderer: e.Entry.CreateRenderer(), ring: newRing(theme.RadiusControl), entry: e}
	r.ring.show(e.focused)
	return r
}

type entryRenderer struct {
	fyne.WidgetRenderer
	ring  ring
	entry *Entry
}

func (r *entryRenderer) Layout(size fyne.Size) {
	r.WidgetRenderer.Layout(size)
	r.ring.around(size)
	r.pad(size)
}

// entryPad is what the design has in front of and behind the text beyond what
// Fyne leaves.
const entryPad = 5

// pad moves what Fyne laid out: the text, the third of its objects, and the icon,
// the last.
func (r *entryRenderer) pad(size fyne.Size) {
	objs := r.WidgetRenderer.Objects()
	text, icon := objs[2], objs[len(objs)-1]
	x, w := float32(entryPad), size.Width-2*entryPad
	if r.entry.Icon != nil {
		icon.Resize(fyne.NewSquareSize(theme.IconSizeButton))
		icon.Move(fyne.NewPos(entryPad+5, round((size.Height-theme.IconSizeButton)/2)))
		x += theme.IconSizeButton + 8
		w -= theme.IconSizeButton + 8
	}
	if r.entry.right {
		// Fyne's entry can't align its text, so the room before it is left out.
		need := ceil(roleStyles[Body].measure(r.entry.Text).Width) + 2*theme.GapInside + 1
		if need < w {
			x, w = x+w-need, need
		}
	}
	h := lineOfEntry()
	text.Move(fyne.NewPos(x, round((size.Height-h)/2)))
	text.Resize(fyne.NewSize(max(0, w), h))
}

// lineOfEntry is the height of one line in Fyne's entry, its inner padding
// included.
func lineOfEntry() float32 {
	return roleStyles[Body].measure("M").Height + 2*theme.GapInside
}

func (r *entryRenderer) Objects() []fyne.CanvasObject {
	inner := r.WidgetRenderer.Objects()
	return append(inner[:len(inner):len(inner)], r.ring.Rectangle)
}

func (r *entryRenderer) Refresh() {
	r.ring.show(r.entry.focused)
	r.WidgetRenderer.Refresh()
	r.pad(r.entry.Size())
}

// A NumberBox takes a whole number and shows it with thousands separators.
type NumberBox struct {
	Entry
	value    int
	low, top int
	changed  func(int)

	// OnRefused is called when what was typed is no number; the one before stays.
	OnRefused func()
}

// NewNumberBox makes a number box. changed is called when the user ends typing
// with Enter or by leaving, not for SetValue.
func NewNumberBox(changed func(int)) *NumberBox {
	n := &NumberBox{changed: changed}
	n.minWidth = 92
	n.right = true
	n.Wrapping = fyne.TextWrap(fyne.TextTruncateClip)
	n.ExtendBaseWidget(n)
	n.self = n
	n.OnSubmitted = func(string) { n.commit() }
	n.onFocus = func(gained bool) {
		if gained {
			reveal(n)
		} else {
			n.commit()
		}
	}
	return n
}

// SetRange says which numbers are taken; others become the nearest that is. A
// top of 0 is no limit.
func (n *NumberBox) SetRange(low, top int) { n.low, n.top = low, top }

// SetValue shows a number.
func (n *NumberBox) SetValue(v int) {
	n.value = v
	n.SetText(words.Count(v))
}

// Value is the number last shown or taken.
func (n *NumberBox) Value() int { return n.value }

func (n *NumberBox) commit() {
	v, err := strconv.Atoi(strings.Map(digits, n.Text))
	if err != nil {
		typed := n.Text
		n.SetValue(n.value)
		if typed != "" && n.OnRefused != nil {
			n.OnRefused()
		}
		return
	}
	v = max(v, n.low)
	if n.top > 0 {
		v = min(v, n.top)
	}
	changed := v != n.value
	n.SetValue(v)
	if changed && n.changed != nil {
		n.changed(v)
	}
}

// digits keeps a number's digits and drops what people type between them.
func digits(r rune) rune {
	switch r {
	case ',', '.', ' ', '\u00a0', '\'', '_':
		return -1
	}
	return r
}
