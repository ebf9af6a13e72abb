package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A ReasonKind is what a reason line is about.
type ReasonKind int

// The kinds of reason line.
const (
	Off      ReasonKind = iota // why a choice is off
	Cautious                   // what is tried, and what happens if it fails
	Good                       // why something is all right
	Info
	Bad // what doesn't fit, failed or is missing
)

// A Reason is a small icon and a sentence under a control. It takes no room
// while it has nothing to say.
type Reason struct {
	widget.BaseWidget
	kind ReasonKind
	icon *Icon
	text *ParagraphText
}

// NewReason makes a reason line.
func NewReason(kind ReasonKind, text string) *Reason {
	r := &Reason{icon: NewIcon(theme.IconNoEntry, theme.TextQuiet, theme.IconSizeText), text: Paragraph(Quiet, "")}
	r.ExtendBaseWidget(r)
	r.Set(kind, text)
	return r
}

// Set changes kind and sentence. An empty sentence hides the line.
func (r *Reason) Set(kind ReasonKind, text string) {
	r.kind = kind
	r.text.SetText(text)
	icon, mark, words := kind.look()
	r.icon.Set(icon, mark)
	r.text.Colour(words)
	if text == "" {
		r.Hide()
	} else {
		r.Show()
	}
	r.Refresh()
}

// SetText changes the sentence.
func (r *Reason) SetText(text string) { r.Set(r.kind, text) }

// String is the sentence.
func (r *Reason) String() string { return r.text.String() }

func (k ReasonKind) look() (icon theme.IconName, mark, words fyne.ThemeColorName) {
	switch k {
	case Cautious:
		return theme.IconTriangle, theme.Caution, theme.Caution
	case Good:
		return theme.IconCheckRing, theme.OK, theme.TextQuiet
	case Info:
		return theme.IconInfoRing, theme.TextQuiet, theme.TextQuiet
	case Bad:
		return theme.IconRefuseRing, theme.Refuse, theme.Refuse
	}
	return theme.IconNoEntry, theme.TextQuiet, theme.TextQuiet
}

const reasonText = 20 // where the sentence begins

// HeightFor is the height the sentence needs at a width.
func (r *Reason) HeightFor(width float32) float32 { return r.text.HeightFor(width - reasonText) }

// NaturalWidth is the width in which the sentence needs no wrapping.
func (r *Reason) NaturalWidth() float32 { return r.text.NaturalWidth() + reasonText }

// CreateRenderer draws the line.
func (r *Reason) CreateRenderer() fyne.WidgetRenderer {
	layout := func(size fyne.Size) {
		r.icon.Resize(fyne.NewSize(theme.IconSizeText, theme.LineLabel))
		r.text.Move(fyne.NewPos(reasonText, 0))
		r.text.Resize(fyne.NewSize(max(0, size.Width-reasonText), size.Height))
	}
	return &renderer{
		objects: []fyne.CanvasObject{r.icon, r.text},
		layout:  layout,
		min: func() fyne.Size {
			m := r.text.MinSize()
			return fyne.NewSize(m.Width+reasonText, m.Height)
		},
		refresh: func() {
			layout(r.Size())
			r.icon.Refresh()
			r.text.Refresh()
		},
	}
}
