package images

import (
	"fmt"

	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/engine/gguf"
	job "paddock/engine/images"
	"paddock/words"
)

// A look is how a picture's state is told: never by colour alone.
type look struct {
	icon   theme.IconName
	colour fyne.ThemeColorName
	text   string
}

func lookOf(i *job.Item) look {
	switch {
	case i.Phase == job.Running && i.Pieces == 0:
		return look{theme.IconPlay, theme.Accent, words.T("pictures.state.reading")}
	case i.Phase == job.Running:
		return look{theme.IconPlay, theme.Accent, words.T("pictures.state.writing", map[string]any{"Count": i.Pieces})}
	case i.Phase == job.Failed:
		return look{theme.IconRefuseRing, theme.Refuse, words.T("pictures.state.failed")}
	case i.Changed:
		return look{theme.IconTriangle, theme.Caution, words.T("pictures.state.changed")}
	case i.Phase == job.Edited:
		return look{theme.IconPencil, theme.TextQuiet, words.T("pictures.state.edited")}
	case i.Phase == job.Done && i.Cut:
		return look{theme.IconTriangle, theme.Caution, words.T("pictures.state.cut")}
	case i.Phase == job.Done:
		return look{theme.IconCheckRing, theme.OK, words.T("pictures.state.done", map[string]any{"Seconds": fmt.Sprintf("%.1f", i.Took.Seconds())})}
	}
	return look{theme.IconDots, theme.TextQuiet, words.T("pictures.state.waiting")}
}

// shownText is what was said so far.
func shownText(i *job.Item) string {
	if i.Phase == job.Running {
		return i.Partial
	}
	return i.Text
}

// cardText is what a card says of a picture.
func cardText(i *job.Item) string {
	if i.Phase == job.Failed {
		return words.Error(i.Err).Message
	}
	if text := shownText(i); text != "" {
		return text
	}
	return words.T("pictures.noText")
}

// nameOf is a picture's name, safe to show.
func nameOf(i *job.Item) string { return gguf.Printable(i.Name) }
