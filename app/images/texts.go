package images

import (
	"fmt"
	"slices"
	"strings"

	"fyne.io/fyne/v2"

	"paddock/app/theme"
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
	case i.Phase == job.Done && slices.Contains(i.Notes, job.Repeated):
		return look{theme.IconRefresh, theme.TextQuiet, words.T("pictures.state.repeated")}
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
		return words.Error(i.Err).Text()
	}
	if text := shownText(i); text != "" {
		return text
	}
	return words.T("pictures.noText")
}

// otherInstruction says what a text answers where that is not the instruction that is set,
// and is empty where it is.
func otherInstruction(i *job.Item, now Instruction) string {
	if i.Text == "" || i.Prompt == "" || i.Phase == job.Running || i.Prompt == strings.TrimSpace(now.Prompt) {
		return ""
	}
	const most = 160 // there is a picture and its text to be seen too
	data := map[string]any{"Prompt": cutShort(i.Prompt, most)}
	for _, preset := range job.Presets() {
		if preset.Prompt == i.Prompt {
			data["Preset"] = words.T("pictures.preset." + preset.ID)
		}
	}
	return words.T("pictures.answers", data)
}
