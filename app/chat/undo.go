package chat

import (
	"context"
	"errors"
	"slices"

	store "paddock/engine/chat"
	"paddock/words"
)

// An undoable is something deleted that can be brought back.
type undoable struct {
	text         string // says what
	conversation store.ID
	turn         store.ID // 0 when it is the whole conversation
}

// maxUndo is how much can be brought back, one after the other.
const maxUndo = 20

func (p *Presenter) remember(u undoable) {
	p.undo = append(p.undo, u)
	p.undo = p.undo[max(0, len(p.undo)-maxUndo):]
}

func (p *Presenter) undoText() string {
	if n := len(p.undo); n > 0 {
		return p.undo[n-1].text
	}
	return ""
}

// DismissUndo takes the offer of State.Undo away.
func (p *Presenter) DismissUndo() {
	p.undo = nil
	p.publish()
}

// Delete takes a conversation away. Undo brings it back.
func (p *Presenter) Delete(id int) {
	i := slices.IndexFunc(p.list.all, func(c store.Conversation) bool { return int(c.ID) == id })
	if i < 0 {
		return
	}
	gone := p.list.all[i]
	for _, c := range p.inMemory() {
		if c.id == gone.ID && p.answers(c) {
			p.Stop()
		}
	}
	if p.current.id == gone.ID {
		p.writeDraft(p.current)
		p.CloseAdding()
		p.question = nil
	}
	p.bury(gone.ID)
	title := gone.Title
	if title == "" {
		title = words.T("chat.new")
	}
	p.remember(undoable{text: words.T("chat.deleted", map[string]any{"Title": title}), conversation: gone.ID})
	if p.overflow != nil && p.overflow.conversation.id == gone.ID {
		p.overflow = nil
	}
	if p.current.id == gone.ID {
		p.current = p.fresh()
		if len(p.list.all) > 0 {
			p.current = p.of(p.list.all[min(i, len(p.list.all)-1)].ID)
		}
	}
	p.publish()
}

// bury deletes a conversation. What is still under way for it says nothing any more.
func (p *Presenter) bury(id store.ID) {
	p.deleted[id] = true
	p.drop(id)
	p.keep(func(ctx context.Context, s *store.Store) (func(), error) {
		if err := s.Delete(ctx, id); ifThere(err) != nil {
			return func() {
				delete(p.deleted, id)
				p.reload()
			}, err
		}
		return nil, nil
	})
}

// ifThere is an error of a conversation or turn, nil when it says that it was deleted
// meanwhile.
func ifThere(err error) error {
	var e *store.Error
	if errors.As(err, &e) && e.Problem == store.Missing {
		return nil
	}
	return err
}

// Undo brings back what was deleted last, then what was deleted before.
func (p *Presenter) Undo() {
	n := len(p.undo)
	if n == 0 {
		return
	}
	u := p.undo[n-1]
	p.undo = p.undo[:n-1]
	p.keep(func(ctx context.Context, s *store.Store) (func(), error) {
		var err error
		if u.turn != 0 {
			err = s.UndeleteTurn(ctx, u.turn)
		} else {
			err = s.Undelete(ctx, u.conversation)
		}
		var head store.Conversation
		if err == nil {
			head, err = s.Conversation(ctx, u.conversation)
		}
		if err != nil {
			return func() { p.notBroughtBack(u, err) }, err
		}
		return func() { p.broughtBack(u, head) }, nil
	})
	p.publish()
}

// notBroughtBack offers it again, unless it is gone for good.
func (p *Presenter) notBroughtBack(u undoable, err error) {
	if ifThere(err) != nil {
		p.remember(u)
		p.publish()
	}
}

func (p *Presenter) broughtBack(u undoable, head store.Conversation) {
	delete(p.deleted, head.ID)
	p.entry(head)
	switch {
	case p.current.id != head.ID:
		p.goTo(p.of(head.ID))
	case u.turn != 0:
		p.reread(p.current)
	}
	p.publish()
}

// DeleteTurn takes a turn away with all that follows it. Undo brings it back.
func (p *Presenter) DeleteTurn(turn int) {
	c := p.current
	i := c.at(store.ID(turn))
	if i < 0 || p.answers(c) || p.overflow.isAbout(c) {
		return
	}
	gone := c.kept[i]
	if c.editing == gone.ID {
		p.CancelEdit()
	}
	p.keep(func(ctx context.Context, s *store.Store) (func(), error) {
		if err := s.DeleteTurn(ctx, gone.ID); err != nil {
			return nil, err
		}
		return func() {
			p.remember(undoable{text: words.T("chat.deleted.turn"), conversation: c.id, turn: gone.ID})
			p.publish()
		}, nil
	})
	p.reread(c)
}
