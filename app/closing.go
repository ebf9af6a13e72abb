package app

import (
	"strings"

	"paddock/app/chat"
	"paddock/app/embeddings"
	"paddock/app/images"
	"paddock/app/widgets"
	"paddock/words"
)

// askClose closes the window, after a question while an answer is written, pictures
// are gone through or vectors are made. Asked for once more, it closes without an answer.
func (w *Window) askClose() {
	under := w.underWay()
	if under == "" || w.asks() || w.closing {
		w.Close()
		return
	}
	var d *widgets.Dialog
	keep := widgets.NewButton(words.T("shell.close.keep"), "", widgets.Edged, func() { d.Close() })
	leave := widgets.NewButton(words.T("shell.close.close"), "", widgets.Filled, w.Close)
	c := w.fyne.Canvas()
	d = widgets.NewDialog(c, 432, words.T("shell.close.title"),
		widgets.Paragraph(widgets.Body, under), widgets.Buttons(keep, leave))
	if c.Overlays().Top() == nil {
		veil := w.addVeil()
		d.OnClosed = func() { c.Overlays().Remove(veil) }
	}
	w.question = d
	d.Show(keep)
}

// asks tells whether the question is open.
func (w *Window) asks() bool { return w.question != nil && w.question.Open() }

// answers tells whether an answer is being written.
func (w *Window) answers() bool {
	tab, ok := w.page(pageChat).tab.(*chat.Tab)
	return ok && tab.Answers()
}

// underWay is what becomes of what is under way when the window closes, empty with
// nothing under way.
func (w *Window) underWay() string {
	var all []string
	if w.answers() {
		all = append(all, words.T("shell.close.text"))
	}
	if tab, ok := w.page(pageImages).tab.(*images.Tab); ok {
		if run := tab.State().Run; run.On && (!run.Paused || run.Asking > 0) {
			all = append(all, words.T("shell.close.pictures", map[string]any{"Count": run.Left}))
		}
	}
	if tab, ok := w.page(pageVectors).tab.(*embeddings.Tab); ok && tab.UnderWay() {
		all = append(all, words.T("shell.close.vectors"))
	}
	return strings.Join(all, " ")
}

// closeChat saves the chats. The channel is closed when that is done.
func (w *Window) closeChat() <-chan struct{} {
	if tab, ok := w.page(pageChat).tab.(*chat.Tab); ok {
		return tab.Presenter.Close()
	}
	done := make(chan struct{})
	close(done)
	return done
}
