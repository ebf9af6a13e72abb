package load

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	fynetheme "fyne.io/fyne/v2/theme"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// showCommand shows the command line the plan stands for, to be read, selected and
// copied.
func (t *Tab) showCommand() {
	c := fyne.CurrentApp().Driver().CanvasForObject(t.content)
	command := t.Command()
	if c == nil || command == "" {
		return
	}
	var popup *widget.PopUp
	text := widget.NewLabelWithStyle(command, fyne.TextAlignLeading, fyne.TextStyle{Monospace: true})
	text.Wrapping = fyne.TextWrapWord
	text.Selectable = true
	text.SizeName = fynetheme.SizeNameCaptionText
	closing := widgets.NewButton(words.T("load.command.close"), "", widgets.Plain, func() { popup.Hide() })
	copying := widgets.NewButton(words.T("load.copy"), theme.IconCopy, widgets.Filled, func() {
		popup.Hide()
		t.copyCommand()
	})
	const width, height = 640, 128
	content := widgets.Stack(widgets.NewFill(theme.Surface, theme.ButtonEdge, theme.RadiusCard), widgets.Fixed(width, 0, widgets.Inset(16, 16, 16, 16, widgets.VGap(12,
		widgets.Text(widgets.Section, words.T("load.command")),
		widgets.Paragraph(widgets.Quiet, words.T("load.command.about")),
		widgets.Fixed(0, height, widgets.Stack(
			widgets.NewFill(theme.Code, theme.Separator, theme.RadiusControl),
			widgets.Inset(4, 2, 4, 2, container.NewVScroll(text)),
		)),
		widgets.HGap(8, layout.NewSpacer(), closing, copying),
	))))
	popup = widget.NewModalPopUp(content, c)
	popup.Show()
	c.Focus(copying)
}
