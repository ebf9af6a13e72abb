package chat

import (
	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A bannerStrip stands above the messages while something is wrong with what is
// kept.
type bannerStrip struct {
	content *fyne.Container
	fill    *widgets.Fill
	icon    *widgets.Icon
	text    *widgets.ParagraphText
	remedy  *widgets.ParagraphText
	dismiss *widgets.Button
	again   *widgets.Button
	shown   *Banner
	resized func()
}

func newBannerStrip(dismiss, again func()) *bannerStrip {
	b := &bannerStrip{
		fill:    widgets.NewFill(theme.CautionFill, "", 0),
		icon:    widgets.NewIcon(theme.IconTriangle, theme.Caution, theme.IconSizeButton),
		text:    widgets.Paragraph(widgets.Body, ""),
		remedy:  widgets.Paragraph(widgets.Quiet, ""),
		dismiss: widgets.NewRowButton("", theme.IconClose, widgets.Plain, dismiss).Label(words.T("chat.dismiss")),
		again:   widgets.NewSmallButton(words.T("chat.saveAgain"), "", widgets.Edged, again),
		resized: func() {},
	}
	row := widgets.HGapTop(8, b.icon, widgets.Grow(widgets.VGap(2, b.text, b.remedy)), b.again, b.dismiss)
	b.content = widgets.Stack(b.fill, widgets.Inset(24, 8, 12, 8, row))
	b.content.Hide()
	return b
}

func (b *bannerStrip) show(banner *Banner) {
	if banner == b.shown || banner != nil && b.shown != nil && *banner == *b.shown {
		return
	}
	b.shown = banner
	widgets.SetShown(b.content, banner != nil)
	if banner != nil {
		if banner.Bad {
			b.fill.SetColours(theme.RefuseFill, "")
			b.icon.Set(theme.IconRefuseRing, theme.Refuse)
		} else {
			b.fill.SetColours(theme.CautionFill, "")
			b.icon.Set(theme.IconTriangle, theme.Caution)
		}
		b.text.SetText(banner.Text.Message)
		b.remedy.SetText(banner.Text.Remedy)
		widgets.SetShown(b.remedy, banner.Text.Remedy != "")
		widgets.SetShown(b.dismiss, banner.Dismiss)
		widgets.SetShown(b.again, banner.Again)
		b.content.Refresh()
	}
	b.resized()
}

// An undoBar offers to bring back what was deleted.
type undoBar struct {
	content *fyne.Container
	text    *widgets.TextLabel
	resized func()
}

func newUndoBar(undo, dismiss func()) *undoBar {
	u := &undoBar{text: widgets.Text(widgets.Body, "").Ellipsis(), resized: func() {}}
	row := widgets.HGap(8, widgets.NewIcon(theme.IconTrash, theme.TextQuiet, theme.IconSizeText), widgets.Grow(u.text),
		widgets.NewSmallButton(words.T("chat.undo"), "", widgets.Edged, undo),
		widgets.NewRowButton("", theme.IconClose, widgets.Plain, dismiss).Label(words.T("chat.dismiss")))
	u.content = widgets.Stack(widgets.NewFill(theme.Raised, theme.Separator, theme.RadiusCard), widgets.Inset(14, 5, 6, 5, row))
	u.content.Hide()
	return u
}

func (u *undoBar) show(text string) {
	if text != "" {
		u.text.SetText(text)
	}
	if u.content.Visible() != (text != "") {
		widgets.SetShown(u.content, text != "")
		u.resized()
	}
}
