package app

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"paddock/app/chat"
	"paddock/app/images"
	"paddock/app/widgets"
)

// tabKeys are the keys of Ctrl 1 to 9.
var tabKeys = []fyne.KeyName{
	fyne.Key1, fyne.Key2, fyne.Key3, fyne.Key4, fyne.Key5, fyne.Key6, fyne.Key7, fyne.Key8, fyne.Key9,
}

// addShortcuts binds the window's keys. Those it has no use for go to the page
// on view.
func (w *Window) addShortcuts() {
	w.own = map[string]func(){
		ctrl(fyne.KeyL).ShortcutName(): w.toggleLog,
		ctrl(fyne.KeyO).ShortcutName(): w.pickModel,
		ctrl(fyne.KeyQ).ShortcutName(): w.askClose,
	}
	all := append([]fyne.Shortcut{ctrl(fyne.KeyL), ctrl(fyne.KeyO), ctrl(fyne.KeyQ)}, forTabs...)
	for i, p := range w.railPages() {
		w.own[ctrl(tabKeys[i]).ShortcutName()] = func() { w.goTo(p) }
		all = append(all, ctrl(tabKeys[i]))
	}
	c := w.fyne.Canvas()
	for _, s := range all {
		c.AddShortcut(s, w.shortcut)
	}
	c.SetOnTypedKey(w.typedKey)
	c.SetOnTypedRune(func(r rune) {
		if t, ok := w.current.tab.(runeTaker); ok && c.Overlays().Top() == nil {
			t.TypedRune(r)
		}
	})
}

// shortcut does what a shortcut means, unless a dialog is open. Closing is asked
// for twice by who doesn't want to answer.
func (w *Window) shortcut(s fyne.Shortcut) {
	if w.asks() && s.ShortcutName() == ctrl(fyne.KeyQ).ShortcutName() {
		w.Close()
		return
	}
	if w.fyne.Canvas().Overlays().Top() != nil {
		return
	}
	if run, ok := w.own[s.ShortcutName()]; ok {
		run()
		return
	}
	w.current.tab.Shortcut(s)
}

// typedKey takes keys that nothing with the focus has a use for.
func (w *Window) typedKey(ev *fyne.KeyEvent) {
	if overlays := w.fyne.Canvas().Overlays(); overlays.Top() != nil {
		if ev.Name == fyne.KeyEscape {
			w.closeDialog()
		}
		return
	}
	if t, ok := w.current.tab.(keyTaker); ok && t.TypedKey(ev) {
		return
	}
	if ev.Name == fyne.KeyEscape && w.logs.content.Visible() {
		w.toggleLog()
	}
}

// escapeDialog closes the dialog on top, whatever in it has the focus, and says
// whether there was one. Menus see to Escape themselves.
func (w *Window) escapeDialog() bool {
	open := w.fyne.Canvas().Overlays().List()
	return len(open) > 0 && isVeil(open[0]) && w.closeDialog()
}

// closeDialog closes the dialog on top and says whether there was one. A dialog
// of the window's own goes with the veil under it.
func (w *Window) closeDialog() bool {
	overlays := w.fyne.Canvas().Overlays()
	if widgets.CancelDialog(w.fyne.Canvas()) {
		return true
	}
	open := overlays.List()
	if t, ok := w.current.tab.(dialogTab); ok && t.CloseDialog() {
		return true
	}
	switch last := len(open) - 1; {
	case last < 0:
		return false
	case last > 0 && isVeil(open[last-1]):
		overlays.Remove(open[last-1]) // and what is on it
	default:
		overlays.Remove(open[last])
	}
	return true
}

// A dialogTab is a tab with dialogs of its own, of which more than their being
// open has to end. CloseDialog says whether one was open.
type dialogTab interface {
	CloseDialog() bool
}

// A keyTaker is a tab with a use for keys while nothing has the focus.
type keyTaker interface {
	TypedKey(*fyne.KeyEvent) bool
}

// A runeTaker is a tab with a use for typed characters while nothing has the
// focus.
type runeTaker interface {
	TypedRune(rune) bool
}

var (
	_ runeTaker = (*chat.Tab)(nil)
	_ dialogTab = (*chat.Tab)(nil)
	_ dialogTab = (*images.Tab)(nil)
)

func ctrl(key fyne.KeyName) fyne.Shortcut {
	return &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault}
}

func ctrlShift(key fyne.KeyName) fyne.Shortcut {
	return &desktop.CustomShortcut{KeyName: key, Modifier: fyne.KeyModifierShortcutDefault | fyne.KeyModifierShift}
}

// forTabs are the shortcuts that mean something in one tab or another.
var forTabs = []fyne.Shortcut{
	ctrl(fyne.KeyB), ctrl(fyne.KeyE), ctrl(fyne.KeyF), ctrl(fyne.KeyN), ctrl(fyne.KeyR),
	ctrl(fyne.KeyReturn), ctrl(fyne.KeyEnter), ctrl(fyne.KeyDelete),
	ctrl(fyne.KeyPageUp), ctrl(fyne.KeyPageDown),
	ctrlShift(fyne.KeyC), ctrlShift(fyne.KeyN),
	&fyne.ShortcutCopy{}, &fyne.ShortcutPaste{}, &fyne.ShortcutUndo{},
}
