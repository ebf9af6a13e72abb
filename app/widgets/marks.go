package widgets

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A Badge is a small box that names a property, with a square in its colour.
type Badge struct {
	widget.BaseWidget
	text   string
	square fyne.ThemeColorName
}

// NewBadge makes a badge; no square when its colour is empty.
func NewBadge(text string, square fyne.ThemeColorName) *Badge {
	b := &Badge{text: text, square: square}
	b.ExtendBaseWidget(b)
	return b
}

// Set changes text and square.
func (b *Badge) Set(text string, square fyne.ThemeColorName) {
	if b.text != text || b.square != square {
		b.text, b.square = text, square
		b.Refresh()
	}
}

// CreateRenderer draws the badge.
func (b *Badge) CreateRenderer() fyne.WidgetRenderer {
	const pad, side, gap = 6, 6, 5
	bg := box(theme.RadiusBadge)
	square := &canvas.Rectangle{CornerRadius: 1}
	label := roleStyles[Hint].text("", theme.TextQuiet)
	layout := func(size fyne.Size) {
		bg.Resize(size)
		x := float32(pad)
		if b.square != "" {
			putAt(square, x, (size.Height-side)/2, side, side)
			x += side + gap
		}
		putText(label, x, 0, size.Width-x, size.Height)
	}
	refresh := func() {
		paint(bg, theme.Raised, theme.Separator)
		label.Text, label.Color = b.text, theme.Color(theme.TextQuiet)
		square.Hidden = b.square == ""
		if b.square != "" {
			square.FillColor = theme.Color(b.square)
		}
		layout(b.Size())
		canvas.Refresh(b)
	}
	refresh()
	return &renderer{
		objects: []fyne.CanvasObject{bg, square, label},
		layout:  layout,
		min: func() fyne.Size {
			w := ceil(roleStyles[Hint].measure(b.text).Width) + 2*pad
			if b.square != "" {
				w += side + gap
			}
			return fyne.NewSize(w, theme.BadgeHeight)
		},
		refresh: refresh,
	}
}

// NewKeyCap makes the picture of a key, as in the status line.
func NewKeyCap(text string) fyne.CanvasObject {
	k := &keyCap{text: text, style: roleStyles[Hint]}
	if strings.ContainsAny(text, "↑↓") { // the font Fyne takes for arrows has them far too large
		k.style.style.Monospace = true
		k.text = strings.ReplaceAll(text, " ", "")
	}
	k.ExtendBaseWidget(k)
	return k
}

type keyCap struct {
	widget.BaseWidget
	text  string
	style roleStyle
}

func (k *keyCap) CreateRenderer() fyne.WidgetRenderer {
	const pad, height = 5, 17
	bg := box(3)
	label := k.style.text(k.text, theme.Text)
	layout := func(size fyne.Size) {
		bg.Resize(size)
		putText(label, pad, 0, size.Width-pad, size.Height)
	}
	refresh := func() {
		paint(bg, theme.Raised, theme.Separator)
		label.Color = theme.Color(theme.TextQuiet)
		canvas.Refresh(k)
	}
	refresh()
	return &renderer{
		objects: []fyne.CanvasObject{bg, label},
		layout:  layout,
		min: func() fyne.Size {
			return fyne.NewSize(ceil(k.style.measure(k.text).Width)+2*pad, height)
		},
		refresh: refresh,
	}
}

// A Pill says a state: a dot or an icon, and a few words, on a fill.
type Pill struct {
	widget.BaseWidget
	icon     theme.IconName
	text     string
	fill, fg fyne.ThemeColorName
	dot      fyne.ThemeColorName
}

// NewPill makes a pill; with no icon it has a dot. fill and fg are its colours.
func NewPill(icon theme.IconName, text string, fill, fg fyne.ThemeColorName) *Pill {
	p := &Pill{}
	p.ExtendBaseWidget(p)
	p.Set(icon, text, fill, fg)
	return p
}

// Set changes what the pill shows. Its dot is of the text's colour.
func (p *Pill) Set(icon theme.IconName, text string, fill, fg fyne.ThemeColorName) {
	p.SetDot(icon, text, fill, fg, fg)
}

// SetDot is Set with another colour for the dot.
func (p *Pill) SetDot(icon theme.IconName, text string, fill, fg, dot fyne.ThemeColorName) {
	if p.icon != icon || p.text != text || p.fill != fill || p.fg != fg || p.dot != dot {
		p.icon, p.text, p.fill, p.fg, p.dot = icon, text, fill, fg, dot
		p.Refresh()
	}
}

const pillPad, pillDot, pillGap = 8, 8, 7

// NaturalWidth is the width in which the pill shows all its text.
func (p *Pill) NaturalWidth() float32 {
	return ceil(roleStyles[Quiet].measure(p.text).Width) + p.textAt() + pillPad + 2
}

func (p *Pill) textAt() float32 {
	if p.icon != "" {
		return pillPad + theme.IconSizeText + pillGap
	}
	return pillPad + pillDot + pillGap
}

// AccessibilityLabel is the pill's text.
func (p *Pill) AccessibilityLabel() string { return p.text }

// AccessibilityRole is that of text.
func (p *Pill) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleText }

// CreateRenderer draws the pill.
func (p *Pill) CreateRenderer() fyne.WidgetRenderer {
	bg := box(theme.RadiusPill)
	dot := canvas.NewCircle(nil)
	img := iconImage(theme.IconPlay, theme.Text)
	label := roleStyles[Quiet].text("", theme.Text)
	layout := func(size fyne.Size) {
		bg.Resize(size)
		putAt(dot, pillPad, (size.Height-pillDot)/2, pillDot, pillDot)
		putAt(img, pillPad, (size.Height-theme.IconSizeText)/2, theme.IconSizeText, theme.IconSizeText)
		room := size.Width - p.textAt() - pillPad
		label.Text = shorten(p.text, room, roleStyles[Quiet])
		putText(label, p.textAt(), 0, max(0, room), size.Height)
	}
	refresh := func() {
		paint(bg, p.fill, "")
		label.Color = theme.Color(p.fg)
		dot.Hidden, img.Hidden = p.icon != "", p.icon == ""
		dot.FillColor = theme.Color(p.dot)
		if p.icon != "" {
			img.Resource = theme.Icon(p.icon, p.fg)
			img.Refresh()
		}
		layout(p.Size())
		canvas.Refresh(p)
	}
	refresh()
	return &renderer{
		objects: []fyne.CanvasObject{bg, dot, img, label},
		layout:  layout,
		min: func() fyne.Size {
			return fyne.NewSize(min(p.NaturalWidth(), 96)+trace(p.NaturalWidth()), theme.PillHeight)
		},
		refresh: refresh,
	}
}

// NewIcon makes an icon of a size, in a colour of the design.
func NewIcon(name theme.IconName, colour fyne.ThemeColorName, size float32) *Icon {
	i := &Icon{name: name, colour: colour, side: size}
	i.ExtendBaseWidget(i)
	return i
}

// An Icon is one of the design's icons. It follows the theme.
type Icon struct {
	widget.BaseWidget
	name   theme.IconName
	colour fyne.ThemeColorName
	side   float32
}

// Set changes icon and colour.
func (i *Icon) Set(name theme.IconName, colour fyne.ThemeColorName) {
	if i.name != name || i.colour != colour {
		i.name, i.colour = name, colour
		i.Refresh()
	}
}

// CreateRenderer draws the icon.
func (i *Icon) CreateRenderer() fyne.WidgetRenderer {
	img := iconImage(i.name, i.colour)
	return &renderer{
		objects: []fyne.CanvasObject{img},
		layout: func(size fyne.Size) {
			putAt(img, (size.Width-i.side)/2, (size.Height-i.side)/2, i.side, i.side)
		},
		min: func() fyne.Size { return fyne.NewSize(i.side, i.side) },
		refresh: func() {
			img.Resource = theme.Icon(i.name, i.colour)
			img.Refresh()
		},
	}
}

// NewDot makes a round dot of a size.
func NewDot(colour fyne.ThemeColorName, side float32) fyne.CanvasObject {
	return Fixed(side, side, NewFill(colour, "", side/2))
}
