package images

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	job "paddock/engine/images"
	"paddock/words"
)

const dialogWidth = 520

// showQuestion opens the question there is, and closes one that is over.
func (t *Tab) showQuestion(q *Question) {
	if q == t.asked {
		return
	}
	t.asked = q
	if t.dialog != nil {
		t.dialog.Hide()
		t.dialog = nil
		widgets.Focus(t.grid)
	}
	c := fyne.CurrentApp().Driver().CanvasForObject(t.content)
	if q == nil || c == nil {
		return
	}
	cancel := widgets.NewButton(words.T("pictures.question.cancel"), "", widgets.Edged, func() { t.Answer(-1) })
	buttons := []fyne.CanvasObject{layout.NewSpacer(), cancel}
	for i, choice := range q.Choices {
		style := widgets.Filled
		if choice.Danger {
			style = widgets.Danger
		}
		buttons = append(buttons, widgets.NewButton(choice.Label, "", style, func() { t.Answer(i) }))
	}
	content := widgets.VGap(12,
		widgets.Text(widgets.Section, q.Title).Ellipsis(),
		widgets.Paragraph(widgets.Body, q.Text),
		widgets.HGap(8, buttons...),
	)
	card := widgets.Stack(widgets.NewFill(theme.Surface, theme.ButtonEdge, theme.RadiusCard),
		widgets.Fixed(dialogWidth, 0, widgets.Inset(16, 16, 16, 16, content)))
	popup := widget.NewModalPopUp(card, c)
	t.dialog = popup
	popup.Show()
	width := card.MinSize().Width
	popup.Resize(fyne.NewSize(width, widgets.HeightAt(card, width)))
	c.Focus(cancel)
}

// CloseDialog answers the open question with no, and says whether there was one.
func (t *Tab) CloseDialog() bool {
	if t.dialog == nil {
		return false
	}
	t.Answer(-1)
	return true
}

func item(text string, do func()) *fyne.MenuItem { return fyne.NewMenuItem(text, do) }

func (t *Tab) folderMenu() *fyne.Menu {
	return fyne.NewMenu("",
		item(words.T("pictures.folder.only"), func() { t.pickFolder(false) }),
		item(words.T("pictures.folder.all"), func() { t.pickFolder(true) }),
	)
}

func (t *Tab) exportMenu() *fyne.Menu {
	save := func(format job.Format) func() {
		return func() {
			t.options.PickSave(words.T("pictures.export.file")+"."+string(format), func(path string) { t.Export(format, path) })
		}
	}
	return fyne.NewMenu("",
		item(words.T("pictures.export.beside"), t.ExportBeside),
		item(words.T("pictures.export.csv"), save(job.CSV)),
		item(words.T("pictures.export.jsonl"), save(job.JSONLines)),
		item(words.T("pictures.export.markdown"), save(job.Markdown)),
		fyne.NewMenuItemSeparator(),
		item(words.T("pictures.copyAll"), t.CopyAll),
	)
}

func (t *Tab) moreMenu() *fyne.Menu {
	again := item(words.T("pictures.menu.again"), t.AskAgain)
	again.Disabled = t.State().Run.Off != "" || t.State().Run.On
	return fyne.NewMenu("", again, item(words.T("pictures.menu.removeAll"), t.AskRemoveAll))
}
