package app

import (
	"strings"
	"time"

	"paddock/app/chat"
	"paddock/app/embeddings"
	"paddock/app/images"
	"paddock/app/widgets"
	"paddock/words"
)

// saveTime is how long closing waits for what was just typed to be saved before it
// takes that for lost.
const saveTime = 3 * time.Second

// askClose closes the window, after a question while an answer is written, pictures
// are gone through or vectors are made, and when words could not be saved. Asked for once
// more, it closes without an answer, unless words would be lost.
func (w *Window) askClose() {
	tab, made := w.page(pageChat).tab.(*chat.Tab)
	switch {
	case w.closing, w.asks() && !w.losing:
		w.Close()
	case w.asks(), w.saving:
	case made: // the disk may be full, and nobody has met that yet
		w.saving = true
		tab.Save(saveTime, func() {
			w.saving = false
			if !w.closing {
				w.closeOrAsk(tab.Unsaved())
			}
		})
	default:
		w.closeOrAsk(chat.Unsaved{}, false)
	}
}

// closeOrAsk closes the window, or asks when something is under way or lost.
func (w *Window) closeOrAsk(lost chat.Unsaved, losing bool) {
	w.losing = losing
	under := w.underWay()
	if under == "" && !losing {
		w.Close()
		return
	}
	var d *widgets.Dialog
	said := widgets.VGap(8)
	keep := widgets.NewButton(words.T("shell.close.keep"), "", widgets.Edged, func() { d.Close() })
	leave := widgets.NewButton(words.T("shell.close.close"), "", widgets.Filled, w.Close)
	buttons := widgets.Buttons(keep, leave)
	if losing {
		said.Add(widgets.Paragraph(widgets.Body, lost.Why+" "+words.T("shell.close.unsaved")))
		leave = widgets.NewButton(words.T("shell.close.lose"), "", widgets.Edged, w.Close)
		keep = widgets.NewButton(words.T("shell.close.keep"), "", widgets.Filled, func() { d.Close() })
		buttons = widgets.Buttons(leave, keep)
		if lost.Text != "" {
			said.Add(widgets.Paragraph(widgets.Quiet, words.T("shell.close.copy.text")))
			copied := widgets.NewButton(words.T("shell.close.copy"), "", widgets.Edged, func() { w.copy(lost.Text) })
			buttons = widgets.Buttons(leave, copied, keep)
		}
	}
	if under != "" {
		said.Add(widgets.Paragraph(widgets.Body, under))
	}
	c := w.fyne.Canvas()
	d = widgets.NewDialog(c, 432, words.T("shell.close.title"), said, buttons)
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
