package chat

import (
	"reflect"

	"paddock/app/widgets"
	"paddock/words"
)

// show draws a state.
func (t *Tab) show(s State) {
	before := t.shown
	t.shown = s
	t.list.show(s)
	t.header.show(s)
	t.showMessages(before, s)
	empty := len(s.Turns) == 0 && s.Answer == nil
	t.empty.show(s, t.options.Guide)
	if t.empty.content.Visible() != empty {
		widgets.SetShown(t.empty.content, empty)
		widgets.SetShown(t.messages, !empty)
		t.chat.Refresh()
	}
	t.banner.show(s.Banner)
	t.undoBar.show(s.Undo)
	t.composer.show(s, empty)
	t.adding.show(s.Adding)
	t.drop.show(s.Drop, t.dragging)
	if before.Adding != nil && s.Adding == nil && t.onView {
		t.focus()
	}
	t.showDialogs(s)
	if before.Editing != s.Editing && t.onView {
		t.focus()
	}
}

// showMessages gives the list what is new.
func (t *Tab) showMessages(before, s State) {
	another := before.Key != s.Key
	stale := another || before.TurnsVersion != s.TurnsVersion || before.ContinueOff != s.ContinueOff ||
		before.TurnsOff != s.TurnsOff || answerID(before) != answerID(s) || before.Editing != s.Editing ||
		len(t.drawn) != len(s.Turns)
	if !stale {
		if s.Answer != nil {
			t.messages.SetMessage(growing(*s.Answer, s.Doing))
		}
		return
	}
	t.drawn = messagesOf(s, before, t.drawn, another)
	all := t.drawn[:len(t.drawn):len(t.drawn)]
	if s.Answer != nil {
		all = append(all, growing(*s.Answer, s.Doing))
	}
	switch {
	case another:
		t.messages.SetMessages(all)
	default:
		t.messages.Update(all)
	}
	if a := t.arrow; a != nil && !another && before.TurnsVersion != s.TurnsVersion {
		t.arrow = nil
		if a.turn < len(s.Turns) {
			t.messages.FocusArrow(s.Turns[a.turn].ID, a.action)
		}
	}
	if s.Found != 0 && (another || before.Found != s.Found || len(before.Turns) == 0) && len(s.Turns) > 0 {
		t.messages.ScrollToMessage(s.Found)
	}
}

// answerID is of the answer being written, or -1 without one. It is 0 until the
// answer is kept: what is shown then is another message to the list.
func answerID(s State) int {
	if s.Answer == nil {
		return -1
	}
	return s.Answer.ID
}

// messagesOf is how the turns of a state are shown. What stands for a turn that
// is still the same is taken from before.
func messagesOf(s, before State, drawn []widgets.Message, another bool) []widgets.Message {
	messages := make([]widgets.Message, 0, len(s.Turns)+1)
	last := len(s.Turns) - 1
	same := !another && before.ContinueOff == s.ContinueOff && before.TurnsOff == s.TurnsOff
	for i, turn := range s.Turns {
		look := turnLook{
			last: i == last && s.Answer == nil, continueOff: s.ContinueOff, turnsOff: s.TurnsOff,
			edited: s.Editing == turn.ID, outside: turn.Outside && (i == 0 || !s.Turns[i-1].Outside),
		}
		if same && i < len(drawn) && i < len(before.Turns) && i < last-1 && i < len(before.Turns)-2 &&
			drawn[i].Marked == look.edited && reflect.DeepEqual(before.Turns[i], turn) {
			messages = append(messages, drawn[i])
			continue
		}
		messages = append(messages, message(turn, look))
	}
	return messages
}

// showDialogs opens and closes the dialogs that the state asks for.
func (t *Tab) showDialogs(s State) {
	if !t.onView {
		return
	}
	switch {
	case s.Question != nil:
		t.openFor(s.Question, func() *dialogBox { return t.question(*s.Question) })
	case s.Overflow != nil:
		t.openFor(s.Overflow, func() *dialogBox { return t.overflowDialog(*s.Overflow) })
	case t.dialog != nil && t.dialog.about != nil:
		t.dialog.Close()
		t.focus()
	case t.dialog != nil && t.dialog.show != nil:
		t.dialog.show(s)
	}
}

// openFor opens the dialog about something, unless that is open already.
func (t *Tab) openFor(about any, open func() *dialogBox) {
	if t.dialog != nil && reflect.DeepEqual(t.dialog.about, about) {
		return
	}
	if d := open(); d != nil {
		d.about = about
	}
}

// titleOf is what a conversation is called.
func titleOf(title string) string {
	if title == "" {
		return words.T("chat.new")
	}
	return shownLine(title)
}
