package widgets

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// An Option is one choice of a select.
type Option struct {
	ID, Label string
	Disabled  bool
}

// A SelectBox shows the chosen option and opens a menu of all of them.
type SelectBox struct {
	widget.DisableableWidget
	options  []Option
	selected string
	changed  func(id string)
	hovered  bool
	focused  bool
}

// NewSelect makes a select. changed is called with the id the user chose, not
// for SetSelected.
func NewSelect(options []Option, changed func(id string)) *SelectBox {
	s := &SelectBox{options: slices.Clone(options), changed: changed}
	s.ExtendBaseWidget(s)
	return s
}

// SetSelected shows which option is chosen.
func (s *SelectBox) SetSelected(id string) {
	if s.selected != id {
		s.selected = id
		s.Refresh()
	}
}

// Selected is the chosen option's id.
func (s *SelectBox) Selected() string { return s.selected }

// SetOptions changes the options.
func (s *SelectBox) SetOptions(options []Option) {
	if !slices.Equal(s.options, options) {
		s.options = slices.Clone(options)
		s.Refresh()
	}
}

func (s *SelectBox) label() string {
	for _, o := range s.options {
		if o.ID == s.selected {
			return o.Label
		}
	}
	return ""
}

func (s *SelectBox) choose(id string) {
	if id == s.selected {
		return
	}
	s.selected = id
	s.Refresh()
	if s.changed != nil {
		s.changed(id)
	}
}

// step chooses the next option in a direction that isn't disabled.
func (s *SelectBox) step(by int) {
	i := slices.IndexFunc(s.options, func(o Option) bool { return o.ID == s.selected })
	for i += by; i >= 0 && i < len(s.options); i += by {
		if !s.options[i].Disabled {
			s.choose(s.options[i].ID)
			return
		}
	}
}

// Tapped opens the menu.
func (s *SelectBox) Tapped(*fyne.PointEvent) {
	c := fyne.CurrentApp().Driver().CanvasForObject(s)
	if s.Disabled() || c == nil || len(s.options) == 0 {
		return
	}
	var items []*fyne.MenuItem
	for _, o := range s.options {
		item := fyne.NewMenuItem(o.Label, func() { s.choose(o.ID) })
		item.Checked = o.ID == s.selected
		item.Disabled = o.Disabled
		items = append(items, item)
	}
	menu := widget.NewPopUpMenu(fyne.NewMenu("", items...), c)
	menu.ShowAtRelativePosition(fyne.NewPos(0, s.Size().Height+theme.Gap), s)
	menu.Resize(fyne.NewSize(max(s.Size().Width, menu.MinSize().Width), menu.MinSize().Height))
}

// TypedKey opens the menu with Space or Enter and steps with the arrows.
func (s *SelectBox) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeySpace, fyne.KeyReturn, fyne.KeyEnter:
		s.Tapped(nil)
	case fyne.KeyUp, fyne.KeyLeft:
		s.step(-1)
	case fyne.KeyDown, fyne.KeyRight:
		s.step(1)
	default:
		PassKey(s, ev)
	}
}

// TypedRune does nothing.
func (s *SelectBox) TypedRune(rune) {}

// FocusGained draws the focus ring and brings the control into view.
func (s *SelectBox) FocusGained() {
	s.focused = true
	s.Refresh()
	if !s.hovered { // else it is where the pointer is
		reveal(s)
	}
}

// FocusLost takes it away.
func (s *SelectBox) FocusLost() { s.focused = false; s.Refresh() }

// MouseIn marks the select under the pointer.
func (s *SelectBox) MouseIn(*desktop.MouseEvent) { s.hovered = true; s.Refresh() }

// MouseMoved does nothing.
func (s *SelectBox) MouseMoved(*desktop.MouseEvent) {}

// MouseOut takes the mark away.
func (s *SelectBox) MouseOut() { s.hovered = false; s.Refresh() }

// NaturalWidth is the width of the widest option.
func (s *SelectBox) NaturalWidth() float32 {
	w := float32(0)
	for _, o := range s.options {
		w = max(w, ceil(roleStyles[Body].measure(o.Label).Width))
	}
	return w + selectPad + selectIcon + 2*selectPad
}

const selectPad, selectIcon = 10, 14

// CreateRenderer draws the select.
func (s *SelectBox) CreateRenderer() fyne.WidgetRenderer {
	bg := box(theme.RadiusControl)
	focus := newRing(theme.RadiusControl)
	img := iconImage(theme.IconChevronDown, theme.Text)
	label := roleStyles[Body].text("", theme.Text)
	layout := func(size fyne.Size) {
		bg.Resize(size)
		focus.around(size)
		label.Text = shorten(s.label(), size.Width-selectIcon-3*selectPad, roleStyles[Body])
		putText(label, selectPad, 0, max(0, size.Width-selectIcon-3*selectPad), size.Height)
		putAt(img, size.Width-selectPad-selectIcon, (size.Height-selectIcon)/2, selectIcon, selectIcon)
	}
	refresh := func() {
		fill, edge, text := theme.Raised, theme.InputEdge, theme.Text
		switch {
		case s.Disabled():
			fill, edge, text = theme.Surface, theme.Separator, theme.Disabled
		case s.hovered:
			fill = theme.Hover
		}
		paint(bg, fill, edge)
		focus.show(s.focused)
		label.Color = theme.Color(text)
		img.Resource = theme.Icon(theme.IconChevronDown, text)
		img.Refresh()
		layout(s.Size())
		label.Refresh()
	}
	refresh()
	return &renderer{
		objects: []fyne.CanvasObject{bg, focus.Rectangle, label, img},
		layout:  layout,
		min: func() fyne.Size {
			return fyne.NewSize(min(s.NaturalWidth(), 160), theme.ControlHeight)
		},
		refresh: refresh,
	}
}

var (
	_ fyne.Focusable    = (*SelectBox)(nil)
	_ fyne.Tappable     = (*SelectBox)(nil)
	_ desktop.Hoverable = (*SelectBox)(nil)
)
