package load

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
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
	text := widget.NewLabelWithStyle(command, fyne.TextAlignLeading, fyne.TextStyle{Monospace: true})
	text.Wrapping = fyne.TextWrapWord
	text.Selectable = true
	text.SizeName = fynetheme.SizeNameCaptionText
	var d *widgets.Dialog
	closing := widgets.NewButton(words.T("load.command.close"), "", widgets.Plain, func() { d.Cancel() })
	copying := widgets.NewButton(words.T("load.copy"), theme.IconCopy, widgets.Filled, func() {
		d.Close()
		t.copyCommand()
	})
	const width, height = 640 + 2*16, 128
	d = widgets.NewDialog(c, width, words.T("load.command"), widgets.VGap(12,
		widgets.Paragraph(widgets.Quiet, words.T("load.command.about")),
		widgets.Fixed(0, height, widgets.Stack(
			widgets.NewFill(theme.Code, theme.Separator, theme.RadiusControl),
			widgets.Inset(4, 2, 4, 2, container.NewVScroll(text)),
		)),
	), widgets.Buttons(closing, copying))
	d.Show(copying)
}
