package images

import (
	"path/filepath"

	"fyne.io/fyne/v2"

	"paddock/app/widgets"
	"paddock/engine/gguf"
	job "paddock/engine/images"
	"paddock/words"
)

const dialogWidth = 552

// showQuestion opens the question there is, and closes one that is over. While
// another tab is on view it waits.
func (t *Tab) showQuestion(q *Question) {
	if q == t.asked {
		return
	}
	if t.dialog != nil {
		t.dialog.Close()
		t.dialog = nil
		widgets.Focus(t.grid)
	}
	t.asked = nil
	c := fyne.CurrentApp().Driver().CanvasForObject(t.content)
	if q == nil || c == nil || !t.onView {
		return
	}
	t.asked = q
	cancel := widgets.NewButton(words.T("pictures.question.cancel"), "", widgets.Edged, func() { t.Answer(-1) })
	buttons := []fyne.CanvasObject{cancel}
	usual := cancel // where nothing is lost by it, the last choice
	for i, choice := range q.Choices {
		style := widgets.Filled
		if choice.Danger {
			style = widgets.Danger
		}
		b := widgets.NewButton(choice.Label, "", style, func() { t.Answer(i) })
		buttons = append(buttons, b)
		if i == len(q.Choices)-1 && !choice.Danger && !choice.Replaces {
			usual = b
		}
	}
	t.dialog = widgets.NewDialog(c, dialogWidth, q.Title, widgets.Paragraph(widgets.Body, q.Text), widgets.Buttons(buttons...))
	t.dialog.OnCancel = func() { t.Answer(-1) }
	t.dialog.Show(usual)
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
	s := t.State()
	again := item(words.T("pictures.menu.again"), t.AskAgain)
	again.Disabled = s.Run.Off != "" || s.Run.On
	giveUp := item(words.T("pictures.menu.giveUp"), t.GiveUp)
	giveUp.Disabled = s.Run.Interrupted+s.Run.Other == 0
	failed := item(words.T("pictures.menu.removeFailed"), t.RemoveFailed)
	failed.Disabled = s.Counts.Failed == 0
	named := map[string]any{}
	if s.Folder() != "" {
		named["Folder"] = short(gguf.Printable(filepath.Base(s.Folder())))
	}
	folder := item(words.T("pictures.menu.removeFolder", named), t.RemoveFolder)
	folder.Disabled = s.Folder() == ""
	return fyne.NewMenu("", again, giveUp, fyne.NewMenuItemSeparator(),
		failed, folder, item(words.T("pictures.menu.removeAll"), t.AskRemoveAll))
}
