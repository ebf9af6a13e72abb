package chat

import (
	"fyne.io/fyne/v2"

	"paddock/app/widgets"
	"paddock/words"
)

func item(key string, on bool, do func()) *fyne.MenuItem {
	i := fyne.NewMenuItem(words.T(key), do)
	i.Disabled = !on
	return i
}

// summary is a conversation of the list, by its ID.
func (t *Tab) summary(id int) (Summary, bool) {
	for _, c := range t.shown.Conversations {
		if c.ID == id {
			return c, true
		}
	}
	return Summary{ID: id}, false
}

// conversationMenu is what can be done with a conversation of the list.
func (t *Tab) conversationMenu(id int, at fyne.Position) {
	c, _ := t.summary(id)
	pin := item("chat.pin", true, func() { t.Pin(id, true) })
	if c.Group == GroupPinned {
		pin = item("chat.unpin", true, func() { t.Pin(id, false) })
	}
	widgets.MenuAt(t.content, fyne.NewMenu("",
		item("chat.rename", true, func() { t.list.rename(id) }), pin,
		fyne.NewMenuItemSeparator(),
		item("chat.export.markdown", true, func() { t.exportMarkdown(id) }),
		item("chat.export.json", true, func() { t.exportJSON(id) }),
		fyne.NewMenuItemSeparator(),
		item("chat.delete", true, func() { t.Delete(id) }),
	), at)
}

// headerMenu is what can be done with the conversation on view.
func (t *Tab) headerMenu() *fyne.Menu {
	s := t.shown
	kept := s.Current != 0
	pin := item("chat.pin", kept, func() { t.Pin(s.Current, true) })
	if s.Pinned {
		pin = item("chat.unpin", kept, func() { t.Pin(s.Current, false) })
	}
	return fyne.NewMenu("",
		item("chat.rename", kept, func() { t.list.rename(s.Current) }), pin,
		item("chat.settings", true, t.openSettings),
		fyne.NewMenuItemSeparator(),
		item("chat.import", t.options.PickImport != nil, t.importFile),
		fyne.NewMenuItemSeparator(),
		item("chat.delete", kept, func() {
			t.Delete(s.Current)
			t.focus()
		}),
	)
}

func (t *Tab) exportMenu(id int) *fyne.Menu {
	return fyne.NewMenu("",
		item("chat.export.markdown", true, func() { t.exportMarkdown(id) }),
		item("chat.export.json", true, func() { t.exportJSON(id) }),
	)
}

func (t *Tab) exportMarkdown(id int) {
	t.save(id, ".md", func(path string) { t.ExportMarkdown(id, path) })
}

func (t *Tab) exportJSON(id int) {
	t.save(id, ".json", func(path string) { t.ExportJSON(id, path) })
}

func (t *Tab) save(id int, extension string, write func(path string)) {
	if t.options.PickSave != nil {
		t.options.PickSave(t.ExportName(id)+extension, write)
	}
}

func (t *Tab) importFile() {
	t.options.PickImport(func(path string) { t.Import(path) })
}

// What the buttons of a message do.
const (
	actContinue   = "continue"
	actNew        = "new"
	actEdit       = "edit"
	actRegenerate = "regenerate"
	actMore       = "more"
)

// act does what a button of a message asks for.
func (t *Tab) act(id int, action string) {
	switch action {
	case actContinue:
		t.messages.ScrollToEnd()
		t.Continue()
	case actNew:
		t.NewWithLast()
	case actEdit:
		t.Edit(id)
	case actRegenerate:
		t.Regenerate(id)
	case widgets.ActEarlier:
		t.switchBranch(id, -1, action)
		return
	case widgets.ActLater:
		t.switchBranch(id, 1, action)
		return
	}
	t.focus()
}

// switchBranch goes to another version of a message. The keyboard stays on its
// arrows.
func (t *Tab) switchBranch(id, places int, action string) {
	t.arrow = nil
	for i, turn := range t.shown.Turns {
		if turn.ID == id {
			t.arrow = &arrow{turn: i, action: action}
		}
	}
	t.SwitchBranch(id, places)
}

// messageMenu is what else can be done with a message.
func (t *Tab) messageMenu(id int, _ string, under fyne.CanvasObject) {
	turn, ok := t.turn(id)
	if !ok {
		return
	}
	on := t.shown.TurnsOff == ""
	items := []*fyne.MenuItem{
		item("chat.copy", true, func() { t.options.Copy(t.Message(id)) }),
		item("chat.select", true, func() { t.selectText(t.Message(id)) }),
		fyne.NewMenuItemSeparator(),
	}
	if turn.User {
		items = append(items, item("chat.edit", on, func() { t.act(id, actEdit) }))
	} else {
		items = append(items, item("chat.regenerate", t.shown.ContinueOff == "" && on, func() { t.act(id, actRegenerate) }))
	}
	items = append(items, item("chat.delete.turn", on, func() {
		t.DeleteTurn(id)
		t.focus()
	}))
	widgets.MenuUnder(under, fyne.NewMenu("", items...))
}

func (t *Tab) turn(id int) (Turn, bool) {
	for _, turn := range t.shown.Turns {
		if turn.ID == id {
			return turn, true
		}
	}
	return Turn{}, false
}
