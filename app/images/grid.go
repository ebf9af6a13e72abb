package images

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"paddock/app/widgets"
	job "paddock/engine/images"
)

const (
	cardHeight   = 120
	cardMinWidth = 260
	gridGap      = 12
	gridMargin   = 16
)

// A grid is the pictures as cards. However many there are, it only has cards for
// those on the screen.
type grid struct {
	widget.BaseWidget
	thumbs *widgets.Thumbnails
	act    gridActions

	items    []*job.Item
	names    map[job.ID]string // of those whose file has the name of another's
	at       int               // the chosen picture, -1 for none
	focused  bool
	keyboard bool // the last choice was made with it: the focus ring shows

	scroll  *container.Scroll
	body    *fyne.Container
	cards   []*card
	columns int
	width   float32 // of a card

	measure *widgets.ParagraphText // tells how high a card's text is, without being shown
}

// gridActions are what the user can do in the grid.
type gridActions struct {
	choose func(at int)
	move   func(by int)
	key    func(*fyne.KeyEvent) bool // sees other keys first
}

func newGrid(thumbs *widgets.Thumbnails, act gridActions) *grid {
	g := &grid{thumbs: thumbs, act: act, at: -1, columns: 1, width: cardMinWidth, measure: widgets.Paragraph(widgets.Quiet, "")}
	g.body = container.New(gridBody{g})
	g.scroll = container.NewVScroll(g.body)
	g.scroll.OnScrolled = func(fyne.Position) { g.fill() }
	g.ExtendBaseWidget(g)
	return g
}

// set shows pictures, and which of them is chosen.
func (g *grid) set(items []*job.Item, at int) {
	count, before := len(g.items), g.at
	g.items, g.at = items, at
	if len(items) != count {
		g.scroll.Refresh()
	}
	if at != before && at >= 0 {
		g.reveal(at)
	}
	g.fill()
}

// top is where a card begins.
func (g *grid) top(at int) float32 {
	return gridMargin + float32(at/g.columns)*(cardHeight+gridGap)
}

// reveal scrolls until a card is on the screen.
func (g *grid) reveal(at int) {
	top, height := g.top(at), g.scroll.Size().Height
	switch {
	case top-gridMargin < g.scroll.Offset.Y:
		g.scroll.ScrollToOffset(fyne.NewPos(0, top-gridMargin))
	case top+cardHeight+gridMargin > g.scroll.Offset.Y+height:
		g.scroll.ScrollToOffset(fyne.NewPos(0, top+cardHeight+gridMargin-height))
	}
}

// rowsOnView is how many rows of cards a page shows at most.
func (g *grid) rowsOnView() int { return int(g.scroll.Size().Height/(cardHeight+gridGap)) + 2 }

// fill gives the cards the pictures that are on the screen. A picture always goes
// to the same card, so that scrolling by a row changes one row of cards only.
func (g *grid) fill() {
	size := g.scroll.Size()
	if size.Height <= 0 {
		return
	}
	for need := g.rowsOnView() * g.columns; len(g.cards) < need; {
		c := newCard(g)
		g.cards = append(g.cards, c)
		g.body.Objects = append(g.body.Objects, c)
	}
	first := max(0, int((g.scroll.Offset.Y-gridMargin)/(cardHeight+gridGap))) * g.columns
	for i := first; i < first+len(g.cards); i++ {
		c := g.cards[i%len(g.cards)]
		if i >= len(g.items) {
			c.at = -1
			c.Hide()
			continue
		}
		c.Resize(fyne.NewSize(g.width, cardHeight))
		c.Move(fyne.NewPos(gridMargin+float32(i%g.columns)*(g.width+gridGap), g.top(i)))
		c.set(i, g.items[i], i == g.at, i == g.at && g.focused && g.keyboard)
		c.Show()
	}
}

// TypedKey moves the choice.
func (g *grid) TypedKey(ev *fyne.KeyEvent) {
	by, moves := 0, true
	switch page := max(1, g.rowsOnView()-2) * g.columns; ev.Name {
	case fyne.KeyLeft:
		by = -1
	case fyne.KeyRight:
		by = 1
	case fyne.KeyUp:
		by = -g.columns
	case fyne.KeyDown:
		by = g.columns
	default:
		by, moves = widgets.RowStep(ev.Name, page, len(g.items))
	}
	switch {
	case moves:
		g.keyboard = true
		g.act.move(by)
		g.fill()
	case !g.act.key(ev):
		widgets.PassKey(g, ev)
	}
}

// TypedRune does nothing.
func (g *grid) TypedRune(rune) {}

// TypedShortcut goes to the window.
func (g *grid) TypedShortcut(s fyne.Shortcut) { widgets.PassShortcut(g, s) }

// FocusGained shows where the keyboard is. A click says so at once after.
func (g *grid) FocusGained() { g.focused, g.keyboard = true, true; g.fill() }

// FocusLost takes the ring away.
func (g *grid) FocusLost() { g.focused = false; g.fill() }

// CreateRenderer draws the grid.
func (g *grid) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(g.scroll) }

// onView is whether something of a card is on the screen.
func (g *grid) onView(at int) bool {
	top := g.top(at) - g.scroll.Offset.Y
	return top+cardHeight > 0 && top < g.scroll.Size().Height
}

// Resize fills the room there is now. The chosen card stays on the screen; one that the
// user scrolled away from stays away.
func (g *grid) Resize(size fyne.Size) {
	stays := g.at >= 0 && g.onView(g.at)
	room := size.Width - 2*gridMargin
	g.columns = max(1, int((room+gridGap)/(cardMinWidth+gridGap)))
	g.width = (room+gridGap)/float32(g.columns) - gridGap
	g.BaseWidget.Resize(size)
	if stays {
		g.reveal(g.at)
	}
	g.fill()
}

// clicked chooses a card with the mouse.
func (g *grid) clicked(at int) {
	widgets.Focus(g)
	g.keyboard = false
	g.act.choose(at)
	g.fill()
}

type gridBody struct{ g *grid }

func (b gridBody) MinSize([]fyne.CanvasObject) fyne.Size {
	rows := (len(b.g.items) + b.g.columns - 1) / b.g.columns
	return fyne.NewSize(0, 2*gridMargin+float32(rows)*(cardHeight+gridGap)-gridGap)
}

// Layout is left to fill.
func (b gridBody) Layout([]fyne.CanvasObject, fyne.Size) { b.g.fill() }
