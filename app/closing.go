package app

import (
	"slices"

	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"paddock/app/chat"
	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// askClose closes the window, after a question while an answer is written. Asked
// for once more, it closes without an answer.
func (w *Window) askClose() {
	if !w.answers() || w.asks() || w.closing {
		w.Close()
		return
	}
	keep := widgets.NewButton(words.T("shell.close.keep"), "", widgets.Edged, func() { w.closeDialog() })
	leave := widgets.NewButton(words.T("shell.close.close"), "", widgets.Filled, w.Close)
	content := widgets.Fixed(400, 0, widgets.Inset(16, 16, 16, 16, widgets.VGap(12,
		widgets.Text(widgets.Section, words.T("shell.close.title")),
		widgets.Text(widgets.Body, words.T("shell.close.text")),
		widgets.HGap(8, layout.NewSpacer(), keep, leave),
	)))
	c := w.fyne.Canvas()
	if c.Overlays().Top() == nil {
		w.addVeil()
	}
	widget.NewModalPopUp(widgets.Stack(widgets.NewFill(theme.Surface, theme.ButtonEdge, theme.RadiusCard), content), c).Show()
	w.question = c.Overlays().Top()
	c.Focus(keep)
}

// asks tells whether the question is open.
func (w *Window) asks() bool {
	return w.question != nil && slices.Contains(w.fyne.Canvas().Overlays().List(), w.question)
}

// answers tells whether an answer is being written.
func (w *Window) answers() bool {
	tab, ok := w.page(pageChat).tab.(*chat.Tab)
	return ok && tab.Answers()
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
