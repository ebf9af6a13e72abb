package chat

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"slices"
	"time"

	store "paddock/engine/chat"
)

// A list is the conversations there are.
type list struct {
	all     []store.Conversation // the pinned ones first, each part the latest first
	shown   []Summary
	version int
}

// reload reads the list.
func (p *Presenter) reload() {
	p.keeper.put(func(ctx context.Context, s *store.Store) (func(), error) {
		all, err := s.Conversations(ctx)
		if err != nil {
			return nil, err
		}
		shown := summaries(all, p.now())
		return func() {
			p.setList(all, shown)
			for id := range p.deleted {
				p.drop(id)
			}
			p.publish()
		}, nil
	})
}

func (p *Presenter) setList(all []store.Conversation, shown []Summary) {
	p.versions++
	p.list = list{all, shown, p.versions}
}

// entry puts a conversation where it belongs in the list, as it is now, unless it
// was deleted meanwhile.
func (p *Presenter) entry(c store.Conversation) {
	if p.deleted[c.ID] {
		return
	}
	all := make([]store.Conversation, 0, len(p.list.all)+1)
	shown := make([]Summary, 0, len(p.list.all)+1)
	today, placed := midnight(p.now()), false
	place := func() {
		s := summary(c)
		s.Group = group(c, today)
		all, shown, placed = append(all, c), append(shown, s), true
	}
	for i, other := range p.list.all {
		if other.ID == c.ID {
			continue
		}
		if !placed && before(c, other) {
			place()
		}
		s := p.list.shown[i]
		s.Group = group(other, today)
		all, shown = append(all, other), append(shown, s)
	}
	if !placed {
		place()
	}
	p.setList(all, shown)
	for _, open := range p.inMemory() {
		if open.id == c.ID {
			open.head = c
		}
	}
}

// drop takes a conversation out of the list.
func (p *Presenter) drop(id store.ID) {
	p.setList(
		slices.DeleteFunc(slices.Clone(p.list.all), func(c store.Conversation) bool { return c.ID == id }),
		slices.DeleteFunc(slices.Clone(p.list.shown), func(s Summary) bool { return s.ID == int(id) }),
	)
}

// inMemory are the conversations whose turns are read, the one on view first.
func (p *Presenter) inMemory() []*conversation {
	all := []*conversation{p.current}
	if p.running != nil && p.running.conversation != p.current {
		all = append(all, p.running.conversation)
	}
	for c := range p.pending {
		if !slices.Contains(all, c) {
			all = append(all, c)
		}
	}
	return all
}

// before tells whether a conversation is above another in the list.
func before(a, b store.Conversation) bool {
	if a.Pinned != b.Pinned {
		return a.Pinned
	}
	if !a.Updated.Equal(b.Updated) {
		return a.Updated.After(b.Updated)
	}
	return a.ID > b.ID
}

func summaries(all []store.Conversation, now time.Time) []Summary {
	today := midnight(now)
	list := make([]Summary, 0, len(all))
	for _, c := range all {
		s := summary(c)
		s.Group = group(c, today)
		list = append(list, s)
	}
	return list
}

// midnight is the beginning of a day.
func midnight(now time.Time) time.Time {
	year, month, day := now.Date()
	return time.Date(year, month, day, 0, 0, 0, 0, now.Location())
}

func group(c store.Conversation, today time.Time) Group {
	switch {
	case c.Pinned:
		return GroupPinned
	case !c.Updated.Before(today):
		return GroupToday
	case !c.Updated.Before(today.AddDate(0, 0, -1)):
		return GroupYesterday
	case !c.Updated.Before(today.AddDate(0, 0, -7)):
		return GroupLastWeek
	}
	return GroupOlder
}

func summary(c store.Conversation) Summary {
	preview, _ := split(c.Preview)
	return Summary{
		ID: int(c.ID), Title: c.Title, Preview: preview, Updated: c.Updated,
		HasPicture: c.Settings != "" && len(readKept(c.Settings).Pictures) > 0,
	}
}

// fresh is a conversation of which nothing is kept yet. It has the settings of
// nothing.
func (p *Presenter) fresh() *conversation {
	p.keys++
	return &conversation{key: p.keys}
}

// New goes to an empty conversation.
func (p *Presenter) New() {
	if !p.current.unused() || p.answers(p.current) {
		p.goTo(p.fresh())
	}
	p.publish()
}

// goTo puts a conversation on view. The one before is saved, and one that nobody
// would miss is gone.
func (p *Presenter) goTo(c *conversation) {
	left := p.current
	if p.overflow.isAbout(left) {
		p.CancelOverflow()
	}
	p.writeDraft(left)
	p.CloseAdding()
	p.question = nil // leaving is a no
	p.lookForSeers()
	if left.id != 0 && left.id != c.id && left.unused() && !p.answers(left) {
		p.bury(left.id)
	}
	p.current = c
}

// Select goes to a conversation.
func (p *Presenter) Select(id int) {
	if int(p.current.id) != id && id != 0 {
		p.goTo(p.of(store.ID(id)))
	}
	p.publish()
}

// of is a conversation to be put on view: the one being answered as it is, another
// one to be read.
func (p *Presenter) of(id store.ID) *conversation {
	for _, c := range p.inMemory() {
		if c.id == id {
			return c
		}
	}
	if p.overflow != nil && p.overflow.conversation.id == id {
		return p.overflow.conversation
	}
	c := p.fresh()
	c.id, c.ref, c.reading = id, id, true
	for _, head := range p.list.all {
		if head.ID == id {
			c.head = head
		}
	}
	p.read(c)
	return c
}

// read reads all of a conversation.
func (p *Presenter) read(c *conversation) {
	p.keeper.put(func(ctx context.Context, s *store.Store) (func(), error) {
		head, err := s.Conversation(ctx, c.ref)
		if err != nil {
			return p.unread(c), err
		}
		turns, err := s.Path(ctx, c.ref)
		if err != nil {
			return p.unread(c), err
		}
		text, err := s.Draft(ctx, c.ref)
		if err != nil {
			return p.unread(c), err
		}
		d, missing := readDraft(text), missingPictures(s, turns)
		d.look(s)
		return func() {
			c.head, c.settings, c.reading, c.missing = head, readKept(head.Settings), false, missing
			p.setTurns(c, turns, 0)
			p.measure(c)
			p.takeDraft(c, d)
			if len(missing) > 0 {
				p.banner = picturesBanner(len(missing))
			}
			p.publish()
		}, nil
	})
}

// unread goes to an empty conversation in the place of one that can't be read.
func (p *Presenter) unread(c *conversation) func() {
	return func() {
		c.reading = false
		if p.current == c {
			p.current = p.fresh()
		}
		p.reload()
		p.publish()
	}
}

// reread shows the turns that the store has on view.
func (p *Presenter) reread(c *conversation) {
	p.keeper.put(func(ctx context.Context, s *store.Store) (func(), error) {
		turns, head, err := pathOf(ctx, s, c.ref)
		if err != nil {
			return nil, ifThere(err)
		}
		return func() {
			p.setTurns(c, turns, 0)
			p.measure(c)
			p.entry(head)
			p.publish()
		}, nil
	})
}

func pathOf(ctx context.Context, s *store.Store, id store.ID) ([]store.Turn, store.Conversation, error) {
	turns, err := s.Path(ctx, id)
	if err != nil {
		return nil, store.Conversation{}, err
	}
	head, err := s.Conversation(ctx, id)
	return turns, head, err
}

// missingPictures are those whose files are gone.
func missingPictures(s *store.Store, turns []store.Turn) map[store.Hash]bool {
	var missing map[store.Hash]bool
	for _, t := range turns {
		for _, hash := range t.Pictures {
			if _, err := os.Stat(s.PicturePath(hash)); errors.Is(err, fs.ErrNotExist) {
				if missing == nil {
					missing = map[store.Hash]bool{}
				}
				missing[hash] = true
			}
		}
	}
	return missing
}

// Step goes to the conversation that many places down the list, up when negative.
func (p *Presenter) Step(places int) {
	if len(p.list.shown) == 0 {
		return
	}
	i := slices.IndexFunc(p.list.shown, func(s Summary) bool { return s.ID == int(p.current.id) })
	if i < 0 && places > 0 {
		places-- // a new one is above all
		i = 0
	}
	p.Select(p.list.shown[min(max(i+places, 0), len(p.list.shown)-1)].ID)
}

// Rename gives a conversation a title; with an empty one it is called by its first
// words again.
func (p *Presenter) Rename(id int, title string) {
	p.edit(id, func(ctx context.Context, s *store.Store, id store.ID) error { return s.Rename(ctx, id, title) })
}

// Pin keeps a conversation at the top of the list, or no longer.
func (p *Presenter) Pin(id int, pinned bool) {
	p.edit(id, func(ctx context.Context, s *store.Store, id store.ID) error { return s.Pin(ctx, id, pinned) })
}

// edit changes a conversation and shows it as it is then.
func (p *Presenter) edit(id int, change func(context.Context, *store.Store, store.ID) error) {
	if id == 0 {
		return
	}
	p.keep(func(ctx context.Context, s *store.Store) (func(), error) {
		if err := change(ctx, s, store.ID(id)); err != nil {
			return nil, err
		}
		head, err := s.Conversation(ctx, store.ID(id))
		if err != nil {
			return nil, err
		}
		return func() {
			p.entry(head)
			p.publish()
		}, nil
	})
}
