package chat

import (
	"context"

	store "paddock/engine/chat"
)

// SwitchBranch goes to another version of a turn, that many places on.
func (p *Presenter) SwitchBranch(turn, places int) {
	c := p.current
	i := c.at(store.ID(turn))
	if i < 0 || p.answers(c) || p.overflow.isAbout(c) {
		return
	}
	siblings := c.kept[i].Siblings
	at := branchOf(c.kept[i]).At - 1 + places
	if at < 0 || at >= len(siblings) || places == 0 {
		return
	}
	if c.editing != 0 {
		p.CancelEdit()
	}
	chosen := siblings[at]
	p.keep(func(ctx context.Context, s *store.Store) (func(), error) { return nil, s.Choose(ctx, chosen) })
	p.reread(c)
}
