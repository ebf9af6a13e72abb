package chat

import (
	"context"
	"math"
	"unicode/utf8"

	store "paddock/engine/chat"
)

const (
	previewCells  = 80
	runesPerToken = 3.5      // in most languages and models, about
	maxDraftBytes = 16 << 10 // of a text that can be edited without waiting
)

// A conversation is the one on view, or the one that is being answered. All but
// ref belongs to the UI goroutine.
type conversation struct {
	key  int
	id   store.ID // 0 while nothing of it is kept
	ref  store.ID // the same, for the keeper's tasks, which know it first
	head store.Conversation

	reading bool
	kept    []store.Turn // on view, the first one first; never changed in place
	turns   []Turn       // the same as they are shown; never changed in place
	version int          // of turns
	found   store.ID
	missing map[store.Hash]bool // pictures whose files are gone

	settings kept
	draft    draft
	aside    *draft   // what was in the composer before editing
	editing  store.ID // turn that Send makes a new version of
	recalled int      // how far back Recall has gone
	unsaved  bool     // the draft has changed
	unset    bool     // the settings have
	waiting  bool     // to save it

	used  int  // tokens in the context after the last turn
	about bool // used is partly estimated
}

// begun gives the conversation's ID, after making it when there is none yet. It is
// called by the keeper's tasks.
func (c *conversation) begun(ctx context.Context, s *store.Store, settings string) (store.ID, error) {
	if c.ref != 0 {
		return c.ref, nil
	}
	made, err := s.Start(ctx, settings)
	c.ref = made.ID
	return c.ref, err
}

// setTurns puts other turns on view. keep are as many at the beginning that are as
// they were.
func (p *Presenter) setTurns(c *conversation, kept []store.Turn, keep int) {
	turns := make([]Turn, 0, len(kept)+1)
	turns = append(turns, c.turns[:min(keep, len(c.turns))]...)
	outside := c.settings.outside(kept)
	for i := len(turns); i < len(kept); i++ {
		turns = append(turns, p.shown(c, kept[i], i < outside))
	}
	c.kept, c.turns = kept, turns
	p.changed(c)
}

func (p *Presenter) changed(c *conversation) {
	p.versions++
	c.version = p.versions
}

// add appends a turn.
func (p *Presenter) add(c *conversation, t store.Turn) {
	n := len(c.kept)
	c.kept = append(c.kept[:n:n], t)
	c.turns = append(c.turns[:n:n], p.shown(c, t, false))
	p.changed(c)
}

// cut takes away the turns from that one on.
func (p *Presenter) cut(c *conversation, from int) {
	c.kept, c.turns = c.kept[:from:from], c.turns[:from:from]
	p.changed(c)
}

// at is where a turn is on view, or -1.
func (c *conversation) at(id store.ID) int {
	for i := len(c.kept) - 1; i >= 0; i-- {
		if c.kept[i].ID == id {
			return i
		}
	}
	return -1
}

func (c *conversation) last() *store.Turn {
	if len(c.kept) == 0 {
		return nil
	}
	return &c.kept[len(c.kept)-1]
}

// lastID is the ID of the last turn, 0 without one.
func (c *conversation) lastID() store.ID {
	if last := c.last(); last != nil {
		return last.ID
	}
	return 0
}

// unused tells whether there is nothing in it that anybody would miss.
func (c *conversation) unused() bool {
	return len(c.kept) == 0 && c.draft.empty() && !c.reading
}

// measure says how many tokens the turns on view take: what the engine said of the
// last answer, and of what came since an estimate.
func (p *Presenter) measure(c *conversation) {
	c.used, c.about = 0, false
	from := c.settings.outside(c.kept)
	for i := len(c.kept) - 1; i >= from; i-- {
		t := c.kept[i]
		if n := t.Numbers; t.Role == store.Assistant && n.PromptTokens > 0 && i > from {
			c.used += n.PromptTokens + n.AnswerTokens
			return
		}
		c.used += estimate(t.Text) + p.pictureTokens(c.settings.sizes(t.Pictures)...)
		c.about = true
	}
}

// shown is a turn as it is shown.
func (p *Presenter) shown(c *conversation, t store.Turn, outside bool) Turn {
	text, files := split(t.Text)
	shown := Turn{
		ID: int(t.ID), User: t.Role == store.User, Role: string(t.Role), Text: text, Files: files,
		Thought: t.Thought, Thinking: t.Thinking, Branch: branchOf(t), Model: t.Model,
		Numbers: t.Numbers, End: End(t.End), Problem: readProblem(t.Problem), Full: t.Full, Outside: outside,
	}
	for _, hash := range t.Pictures {
		size := c.settings.Pictures[hash]
		picture := Picture{Hash: string(hash), Name: size.Name, Missing: c.missing[hash]}
		picture.Tokens, picture.TokensAbout = p.pictureTokens(size), true
		if s := p.keeper.open(); s != nil {
			picture.Path = s.PicturePath(hash)
		}
		shown.Pictures = append(shown.Pictures, picture)
	}
	return shown
}

func branchOf(t store.Turn) Branch {
	for i, id := range t.Siblings {
		if id == t.ID {
			return Branch{i + 1, len(t.Siblings)}
		}
	}
	return Branch{1, 1}
}

// estimate is about how many tokens a text is.
func estimate(text string) int {
	return int(math.Ceil(float64(utf8.RuneCountInString(text)) / runesPerToken))
}
