package chat

import (
	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

const (
	chipThumbWidth, chipThumbHeight = 36, 28
	maxChipName                     = 40 // bytes
)

// newChip is an attachment in the composer: what it is, what it takes, and a
// button that leaves it out.
func newChip(a Attachment, thumbs *widgets.Thumbnails, remove func()) fyne.CanvasObject {
	icon := theme.IconImage
	if a.Kind != AttachedPicture {
		icon = theme.IconFile
	}
	thumb := widgets.NewThumb(thumbs, chipThumbWidth, chipThumbHeight, icon)
	thumb.SetPath(a.Path)
	name := widgets.Text(widgets.Body, chipName(a))
	edge := theme.Separator
	if a.Off != "" {
		edge = theme.Refuse
		name.Colour(theme.Refuse)
	}
	parts := widgets.HGap(8, thumb, name)
	if text := chipText(a); text != "" {
		parts.Add(widgets.Text(widgets.Quiet, text))
	}
	label := words.T("chat.attached.remove", map[string]any{"Name": chipName(a)})
	parts.Add(widgets.NewRowButton("", theme.IconClose, widgets.Plain, remove).Label(label))
	return widgets.Stack(widgets.NewFill(theme.Surface, edge, theme.RadiusControl), widgets.Inset(4, 4, 4, 4, parts))
}

// chipName is what an attachment is called.
func chipName(a Attachment) string {
	if a.Kind == AttachedPaste {
		return words.T("chat.pasted", map[string]any{"Runes": words.Count(a.Runes), "First": widgets.Visible(a.First, maxChipName)})
	}
	return widgets.Visible(a.Name, maxChipName)
}

// chipText is what is known of an attachment.
func chipText(a Attachment) string {
	text := ""
	add := func(part string) {
		if text != "" {
			text += " · "
		}
		text += part
	}
	switch {
	case a.Reading:
		return words.T("chat.adding.reading")
	case a.Tokens > 0:
		add(tokensText("chat.tokens.short", a.TheTokens))
	case a.Kind == AttachedText:
		add(size(a.Bytes))
	}
	if a.Note != "" {
		add(a.Note)
	}
	return text
}

// tokensText is how many tokens something takes; about, when that is estimated.
func tokensText(key string, t TheTokens) string {
	text := words.T(key, map[string]any{"Tokens": words.Count(t.Tokens)})
	if t.TokensAbout {
		return "≈ " + text
	}
	return text
}

// maxShelf is how high the chips get before they scroll: three lines and a part of
// the next, which says that there are more.
const maxShelf = 3*(chipThumbHeight+8) + 2*8 + 12

// shelf is the layout of the chips' scroll: as high as they are, up to a limit.
type shelf struct {
	chips *fyne.Container
	width float32
}

func (l *shelf) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	for _, o := range objs {
		o.Move(fyne.Position{})
		o.Resize(size)
	}
}

func (l *shelf) MinSize([]fyne.CanvasObject) fyne.Size {
	width := l.width
	if width == 0 {
		width = theme.MessageColumnWidth
	}
	return fyne.NewSize(100, min(widgets.HeightAt(l.chips, width), maxShelf))
}
