package models

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
)

// A pressKind is the shape of a press.
type pressKind int

const (
	chip   pressKind = iota // a source above the table
	title                   // of a column
	tabTop                  // of the detail pane
)

// A press is a word that can be pressed and may be the chosen one of its kind.
type press struct {
	widget.BaseWidget
	kind   pressKind
	tapped func()

	chosen, hovered, focused bool

	fill, ring   *canvas.Rectangle
	label, count *widgets.TextLabel
	mark         *widgets.Icon  // which way a column is sorted
	way          theme.IconName // of mark
	line         *widgets.Fill  // under the chosen tab
	right        bool           // the label stands at the right
}

func newPress(kind pressKind, text string, tapped func()) *press {
	p := &press{
		kind: kind, tapped: tapped,
		fill:  &canvas.Rectangle{CornerRadius: theme.RadiusControl},
		ring:  &canvas.Rectangle{CornerRadius: theme.RadiusControl, StrokeWidth: theme.FocusRingWidth},
		label: widgets.Text(widgets.Quiet, text),
		count: widgets.Text(widgets.Quiet, ""),
		mark:  widgets.NewIcon(theme.IconChevronUp, theme.TextQuiet, 12),
		line:  widgets.NewFill(theme.Accent, "", 0),
	}
	p.mark.Hide()
	p.line.Hide()
	p.ExtendBaseWidget(p)
	return p
}

// choose shows whether it is the chosen one.
func (p *press) choose(on bool) {
	if p.chosen != on {
		p.chosen = on
		p.Refresh()
	}
}

func (p *press) Tapped(*fyne.PointEvent)        { p.tapped() }
func (p *press) TypedRune(rune)                 {}
func (p *press) FocusGained()                   { p.focused = true; p.Refresh() }
func (p *press) FocusLost()                     { p.focused = false; p.Refresh() }
func (p *press) MouseIn(*desktop.MouseEvent)    { p.hovered = true; p.Refresh() }
func (p *press) MouseMoved(*desktop.MouseEvent) {}
func (p *press) MouseOut()                      { p.hovered = false; p.Refresh() }

// TypedKey presses on Space and Enter; the window gets every other key.
func (p *press) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		p.tapped()
	default:
		widgets.PassKey(p, ev)
	}
}

// AccessibilityLabel is the word.
func (p *press) AccessibilityLabel() string { return p.label.String() }

// AccessibilityRole is that of a button.
func (p *press) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

func (p *press) CreateRenderer() fyne.WidgetRenderer {
	p.paint()
	return widget.NewSimpleRenderer(container.New(pressLayout{p}, p.fill, p.label, p.count, p.mark, p.line, p.ring))
}

// Refresh paints the press in its present state.
func (p *press) Refresh() {
	p.paint()
	p.BaseWidget.Refresh()
}

func (p *press) paint() {
	text, fill, edge := theme.TextQuiet, fyne.ThemeColorName(""), fyne.ThemeColorName("")
	switch {
	case p.chosen && p.kind == chip:
		text, fill, edge = theme.Accent, theme.Selected, theme.Accent
	case p.kind == chip:
		fill, edge = theme.Raised, theme.ButtonEdge
	case p.chosen && p.kind == tabTop:
		text = theme.Accent
	case p.chosen:
		text = theme.Text
	}
	if p.hovered && !p.chosen {
		text = theme.Text
		if p.kind == chip {
			fill = theme.Hover
		}
	}
	p.label.SetRole(p.role())
	p.label.Colour(text)
	p.count.Colour(text)
	p.fill.FillColor, p.fill.StrokeColor, p.fill.StrokeWidth = nil, nil, 0
	if fill != "" {
		p.fill.FillColor = theme.Color(fill)
	}
	if edge != "" {
		p.fill.StrokeColor, p.fill.StrokeWidth = theme.Color(edge), 1
	}
	p.ring.StrokeColor, p.ring.FillColor = theme.Color(theme.Focus), theme.Unfilled(theme.Focus)
	p.ring.Hidden = !p.focused
	p.line.Hidden = p.kind != tabTop || !p.chosen
}

func (p *press) role() widgets.Role {
	if p.chosen && p.kind != chip {
		return widgets.QuietBold
	}
	return widgets.Quiet
}

type pressLayout struct{ p *press }

const (
	chipPad   = 10
	chipGap   = 7
	sortMark  = 12
	tabHeight = 35 // 36 with the line below
	ringRoom  = 6  // between a word without a fill and its focus ring
)

func (l pressLayout) Layout(_ []fyne.CanvasObject, size fyne.Size) {
	p := l.p
	p.fill.Resize(size)
	if p.kind == chip {
		p.ring.Resize(size)
	} else {
		p.ring.Move(fyne.NewPos(-ringRoom, 2))
		p.ring.Resize(fyne.NewSize(size.Width+2*ringRoom, size.Height-4))
	}
	x, width := float32(0), p.label.NaturalWidth()
	if p.kind == chip {
		x = chipPad
	}
	if p.right {
		x = size.Width - width
	}
	place := func(o fyne.CanvasObject, x, w, h float32) {
		o.Resize(fyne.NewSize(w, h))
		o.Move(fyne.NewPos(x, float32(int((size.Height-h)/2))))
	}
	place(p.label, x, width, theme.LineLabel)
	place(p.count, x+width+chipGap, p.count.NaturalWidth(), theme.LineLabel)
	mark := x + width + 4
	if p.right {
		mark = x - sortMark - 2
	}
	place(p.mark, mark, sortMark, sortMark)
	p.line.Resize(fyne.NewSize(size.Width, 2))
	p.line.Move(fyne.NewPos(0, size.Height-2))
}

func (l pressLayout) MinSize([]fyne.CanvasObject) fyne.Size {
	p := l.p
	width := p.label.NaturalWidth()
	switch p.kind {
	case chip:
		return fyne.NewSize(2*chipPad+width+chipGap+p.count.NaturalWidth(), theme.ControlHeightSmall)
	case tabTop:
		return fyne.NewSize(width, tabHeight)
	default:
		return fyne.NewSize(0, theme.TableHeaderHeight)
	}
}

var (
	_ fyne.Focusable    = (*press)(nil)
	_ fyne.Tappable     = (*press)(nil)
	_ desktop.Hoverable = (*press)(nil)
	_ fyne.Accessible   = (*press)(nil)
)
