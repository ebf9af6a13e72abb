package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A Style is how a button looks.
type Style int

// The styles. A region has one filled button: the thing most people want next.
const (
	Edged Style = iota
	Filled
	Plain // no edge, for what is rarely used
	Danger
)

// A Button does something when tapped, or when Space or Enter is pressed on it.
type Button struct {
	widget.DisableableWidget
	text    string
	label   string // said for an icon without text
	icon    theme.IconName
	style   Style
	height  float32
	tapped  func()
	hovered bool
	focused bool
	veiled  bool
	onFocus func()
}

// NewButton makes a button of 30 px; icon may be empty. A button with an icon
// only should be given a Label.
func NewButton(text string, icon theme.IconName, style Style, tapped func()) *Button {
	b := &Button{text: text, icon: icon, style: style, height: theme.ControlHeight, tapped: tapped}
	b.ExtendBaseWidget(b)
	return b
}

// NewSmallButton makes a button of 26 px, as in the engine bar.
func NewSmallButton(text string, icon theme.IconName, style Style, tapped func()) *Button {
	b := NewButton(text, icon, style, tapped)
	b.height = theme.ControlHeightSmall
	return b
}

// NewRowButton makes a button of 22 px, for table rows.
func NewRowButton(text string, icon theme.IconName, style Style, tapped func()) *Button {
	b := NewButton(text, icon, style, tapped)
	b.height = theme.ControlHeightRow
	return b
}

// Label names a button that shows an icon only, and returns the button.
func (b *Button) Label(s string) *Button {
	b.label = s
	return b
}

// SetText changes the text.
func (b *Button) SetText(s string) {
	if b.text != s {
		b.text = s
		b.Refresh()
	}
}

// SetIcon changes the icon.
func (b *Button) SetIcon(name theme.IconName) {
	if b.icon != name {
		b.icon = name
		b.Refresh()
	}
}

// SetTapped changes what the button does.
func (b *Button) SetTapped(f func()) { b.tapped = f }

// SetVeiled hides what the button draws until it is pointed at or has the focus.
// It can be reached and tapped all the while.
func (b *Button) SetVeiled(on bool) {
	if b.veiled != on {
		b.veiled = on
		b.Refresh()
	}
}

// Veiled says whether nothing of the button is drawn.
func (b *Button) Veiled() bool { return b.veiled && !b.hovered && !b.focused }

// OnFocus has something done whenever the button gets the focus.
func (b *Button) OnFocus(f func()) { b.onFocus = f }

// SetEnabled enables or disables the button.
func (b *Button) SetEnabled(on bool) {
	if on {
		b.Enable()
	} else {
		b.Disable()
	}
}

// Text is what the button says.
func (b *Button) Text() string { return b.text }

// AccessibilityLabel is the button's text, or its label when it has none.
func (b *Button) AccessibilityLabel() string {
	if b.text != "" {
		return b.text
	}
	return b.label
}

// AccessibilityRole is that of a button.
func (b *Button) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

// Tapped does what the button does.
func (b *Button) Tapped(*fyne.PointEvent) {
	dropTip(b)
	if !b.Disabled() && b.tapped != nil {
		b.tapped()
	}
}

// TypedKey taps on Space and Enter; the window gets every other key.
func (b *Button) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		b.Tapped(nil)
	default:
		PassKey(b, ev)
	}
}

// TypedRune does nothing.
func (b *Button) TypedRune(rune) {}

// FocusGained draws the focus ring. Fyne gives buttons the focus by keyboard only.
func (b *Button) FocusGained() {
	b.focused = true
	b.Refresh()
	reveal(b)
	if b.onFocus != nil {
		b.onFocus()
	}
}

// FocusLost takes the focus ring away.
func (b *Button) FocusLost() { b.focused = false; b.Refresh() }

// MouseIn marks the button under the pointer, and names it when it shows an icon
// only.
func (b *Button) MouseIn(*desktop.MouseEvent) {
	b.hovered = true
	b.Refresh()
	if b.text == "" {
		offerTip(b, b.label)
	}
}

// MouseMoved does nothing.
func (b *Button) MouseMoved(*desktop.MouseEvent) {}

// MouseOut takes the mark away.
func (b *Button) MouseOut() {
	b.hovered = false
	b.Refresh()
	dropTip(b)
}

// colours are the button's fill, edge and text in its present state.
func (b *Button) colours() (fill, edge, text fyne.ThemeColorName) {
	if b.Disabled() {
		if b.style == Plain {
			return "", "", theme.Disabled
		}
		return theme.Surface, theme.Separator, theme.Disabled
	}
	switch b.style {
	case Filled:
		return theme.Accent, "", theme.OnAccent
	case Plain:
		if b.hovered {
			return theme.Hover, "", theme.Text
		}
		return "", "", theme.TextQuiet
	case Danger:
		fill, edge, text = theme.Raised, theme.Refuse, theme.Refuse
	default:
		fill, edge, text = theme.Raised, theme.ButtonEdge, theme.Text
	}
	if b.hovered {
		fill = theme.Hover
	}
	return fill, edge, text
}

func (b *Button) role() Role {
	if b.style == Filled {
		return Bold
	}
	if b.height < theme.ControlHeight {
		return Quiet
	}
	return Body
}

// sizes are the room at the button's ends and the size of its icon.
func (b *Button) sizes() (pad, iconSize float32) {
	switch {
	case b.height <= theme.ControlHeightRow:
		return 8, theme.IconSizeText
	case b.height <= theme.ControlHeightSmall:
		return 10, theme.IconSizeText
	}
	return 12, theme.IconSizeButton
}

// CreateRenderer draws the button.
func (b *Button) CreateRenderer() fyne.WidgetRenderer {
	bg := box(theme.RadiusControl)
	focus := newRing(theme.RadiusControl)
	img := iconImage(theme.IconPlay, theme.Text)
	label := roleStyles[Body].text("", theme.Text)
	const gap = 8

	content := func() float32 {
		_, size := b.sizes()
		w := float32(0)
		if b.text != "" {
			w += ceil(roleStyles[b.role()].measure(b.text).Width)
		}
		if b.icon != "" {
			w += size
			if b.text != "" {
				w += gap
			}
		}
		return w
	}
	layout := func(size fyne.Size) {
		_, iconSize := b.sizes()
		bg.Resize(size)
		focus.around(size)
		x := round((size.Width - content()) / 2)
		if b.icon != "" {
			putAt(img, x, (size.Height-iconSize)/2, iconSize, iconSize)
			x += iconSize + gap
		}
		putText(label, x, 0, max(0, size.Width-x), size.Height)
	}
	refresh := func() {
		fill, edge, text := b.colours()
		paint(bg, fill, edge)
		if b.style == Filled && b.hovered && !b.Disabled() {
			bg.StrokeColor, bg.StrokeWidth = theme.Color(theme.Focus), 1
		}
		focus.show(b.focused)
		st := roleStyles[b.role()]
		label.Text, label.Color, label.TextSize, label.TextStyle = b.text, theme.Color(text), st.size, st.style
		label.Hidden = b.Veiled()
		if b.icon == "" || b.Veiled() {
			img.Hide()
		} else {
			img.Show()
			img.Resource = theme.Icon(b.icon, text)
			img.Refresh()
		}
		layout(b.Size())
		label.Refresh()
	}
	refresh()
	return &renderer{
		objects: []fyne.CanvasObject{bg, focus.Rectangle, img, label},
		layout:  layout,
		min: func() fyne.Size {
			pad, _ := b.sizes()
			if b.text == "" {
				return fyne.NewSize(b.height, b.height)
			}
			return fyne.NewSize(content()+2*pad, b.height)
		},
		refresh: refresh,
	}
}

var (
	_ fyne.Focusable    = (*Button)(nil)
	_ fyne.Tappable     = (*Button)(nil)
	_ desktop.Hoverable = (*Button)(nil)
	_ fyne.Accessible   = (*Button)(nil)
)
