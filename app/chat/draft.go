package chat

import (
	"context"
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"slices"
	"strings"
	"time"
	"unicode/utf8"

	store "paddock/engine/chat"
	"paddock/words"
)

// draftDelay is how long what is typed waits to be saved.
const draftDelay = 500 * time.Millisecond

// draftRetry is how long what could not be saved waits to be tried again.
const draftRetry = 2 * time.Second

// A draft is a message that has not been sent.
type draft struct {
	text     string
	attached []attached // never changed in place
}

func (d draft) empty() bool { return d.text == "" && len(d.attached) == 0 }

// blank tells whether there is nothing to send.
func (d draft) blank() bool {
	return strings.TrimSpace(d.text) == "" &&
		!slices.ContainsFunc(d.attached, func(a attached) bool { return a.Kind == AttachedPicture || strings.TrimSpace(a.text) != "" })
}

// message is the text as the model is told it, pictures apart.
func (d draft) message() string {
	parts := []string{strings.TrimSpace(d.text)}
	for _, a := range d.attached {
		if a.Kind != AttachedPicture && strings.TrimSpace(a.text) != "" {
			parts = append(parts, inlined(a.Name, a.text))
		}
	}
	return strings.TrimSpace(strings.Join(parts, "\n\n"))
}

func (d draft) pictures() ([]store.Hash, map[store.Hash]sizeOf) {
	var hashes []store.Hash
	sizes := map[store.Hash]sizeOf{}
	for _, a := range d.attached {
		if a.Kind == AttachedPicture {
			hashes = append(hashes, a.hash)
			sizes[a.hash] = sizeOf{a.Name, a.width, a.height}
		}
	}
	return hashes, sizes
}

// and is two drafts, one after the other.
func (d draft) and(other draft) draft {
	return draft{
		text:     strings.TrimSpace(d.text + "\n\n" + other.text),
		attached: slices.Concat(d.attached, other.attached),
	}
}

// A keptDraft is a draft in the store, as JSON.
type keptDraft struct {
	Text    string     `json:"text"`
	Files   []keptFile `json:"files,omitempty"`
	Editing store.ID   `json:"editing,omitempty"`
	Aside   *keptDraft `json:"aside,omitempty"`
}

type keptFile struct {
	Kind   AttachmentKind `json:"kind"`
	Name   string         `json:"name,omitempty"`
	Text   string         `json:"text,omitempty"`
	Hash   store.Hash     `json:"hash,omitempty"`
	Width  int            `json:"width,omitempty"`
	Height int            `json:"height,omitempty"`
	Bytes  uint64         `json:"bytes,omitempty"`

	gone bool // the picture's file
}

func keepDraft(d draft) keptDraft {
	k := keptDraft{Text: d.text}
	for _, a := range d.attached {
		if !a.Reading {
			k.Files = append(k.Files, keptFile{Kind: a.Kind, Name: a.Name, Text: a.text, Hash: a.hash, Width: a.width, Height: a.height, Bytes: a.Bytes})
		}
	}
	return k
}

// encode is the JSON, and nothing for an empty one.
func (k keptDraft) encode() string {
	if k.Text == "" && len(k.Files) == 0 && k.Editing == 0 {
		return ""
	}
	data, err := json.Marshal(k)
	if err != nil { // there is nothing in it that JSON doesn't have
		return ""
	}
	return string(data)
}

// readDraft reads a draft of the store. One that isn't ours is a text.
func readDraft(text string) keptDraft {
	var k keptDraft
	if text == "" || json.Unmarshal([]byte(text), &k) == nil {
		return k
	}
	return keptDraft{Text: text}
}

// look finds out which pictures are gone: the store keeps those of a draft for a day.
func (k *keptDraft) look(s *store.Store) {
	for i, f := range k.Files {
		if f.Kind == AttachedPicture {
			_, err := os.Stat(s.PicturePath(f.Hash))
			k.Files[i].gone = errors.Is(err, fs.ErrNotExist)
		}
	}
	if k.Aside != nil {
		k.Aside.look(s)
	}
}

// takeDraft puts a draft of the store into the composer. A long text is beside it:
// the entry would take seconds.
func (p *Presenter) takeDraft(c *conversation, k keptDraft) {
	d := p.draftOf(k)
	if !c.draft.empty() { // written while it was read
		d = d.and(c.draft)
	}
	c.draft, c.editing, c.aside = d, k.Editing, nil
	if k.Aside != nil {
		aside := p.draftOf(*k.Aside)
		c.aside = &aside
	}
	if c.editing != 0 && c.at(c.editing) < 0 {
		c.editing = 0
	}
}

func (p *Presenter) draftOf(k keptDraft) draft {
	d := draft{text: k.Text}
	if len(d.text) > maxDraftBytes {
		k.Files = append([]keptFile{{Kind: AttachedPaste, Name: words.T("chat.pasted.name"), Text: d.text}}, k.Files...)
		d.text = ""
	}
	for _, f := range k.Files {
		a := attached{text: f.Text, hash: f.Hash, width: f.Width, height: f.Height, gone: f.gone}
		a.ID, a.Kind, a.Name, a.Bytes = p.nextID(), f.Kind, f.Name, f.Bytes
		if a.Kind == AttachedPicture {
			a.Path = p.keeper.open().PicturePath(f.Hash)
		} else {
			a = a.measured()
		}
		d.attached = append(d.attached, a)
	}
	return d
}

// SetDraft keeps what is being typed.
func (p *Presenter) SetDraft(text string) {
	before := p.canSend()
	p.current.draft.text = text
	p.current.recalled = 0
	p.touch(p.current)
	if p.canSend() != before {
		p.publish()
	}
}

// touch saves a draft after a while.
func (p *Presenter) touch(c *conversation) {
	c.unsaved = true
	p.writeLater(c, draftDelay)
}

func (p *Presenter) writeLater(c *conversation, after time.Duration) {
	if c.waiting {
		return
	}
	c.waiting = true
	time.AfterFunc(after, func() {
		p.do(func() {
			c.waiting = false
			p.writeDraft(c)
		})
	})
}

// writeDraft saves what is in the composer of a conversation.
func (p *Presenter) writeDraft(c *conversation) {
	if !c.unsaved || p.closing || c.id == 0 && c.draft.empty() {
		return
	}
	set := c.unset
	c.unsaved, c.unset = false, false
	k, settings := keepDraft(c.draft), c.settings.encode()
	k.Editing = c.editing
	if c.aside != nil {
		aside := keepDraft(*c.aside)
		k.Aside = &aside
	}
	p.keep(func(ctx context.Context, s *store.Store) (func(), error) {
		made := c.ref == 0
		head, err := keepWritten(ctx, s, c, settings, set, k.encode())
		if err = ifThere(err); err != nil {
			return func() {
				c.unsaved, c.unset = true, c.unset || set
				p.pending[c] = true
				p.writeLater(c, draftRetry)
			}, err
		}
		return func() {
			delete(p.pending, c)
			if made && head.ID != 0 {
				p.begin(c, head)
			}
		}, nil
	})
}

// keepWritten keeps what is written and set in a conversation, and says what that is
// then.
func keepWritten(ctx context.Context, s *store.Store, c *conversation, settings string, set bool, draft string) (store.Conversation, error) {
	id, err := c.begun(ctx, s, settings)
	if err == nil && set {
		err = s.SetSettings(ctx, id, settings)
	}
	if err == nil {
		err = s.SetDraft(ctx, id, draft)
	}
	if err != nil {
		return store.Conversation{}, err
	}
	return s.Conversation(ctx, id)
}

// begin shows a conversation that is kept now.
func (p *Presenter) begin(c *conversation, head store.Conversation) {
	c.id, c.head = c.ref, head
	p.entry(head)
	p.publish()
}

// Paste takes a text too long for the composer's entry, and says whether it did.
func (p *Presenter) Paste(text string) bool {
	if len(text) <= maxDraftBytes {
		return false
	}
	a := attached{text: strings.ToValidUTF8(text, "\ufffd")}
	a.ID, a.Kind, a.Name = p.nextID(), AttachedPaste, words.T("chat.pasted.name")
	p.attach(p.current, a.measured())
	p.publish()
	return true
}

func (p *Presenter) attach(c *conversation, a attached) {
	n := len(c.draft.attached)
	c.draft.attached = append(c.draft.attached[:n:n], a)
	p.touch(c)
}

// RemoveAttachment takes an attachment away.
func (p *Presenter) RemoveAttachment(id int) {
	p.detach(p.current, id)
	p.publish()
}

func (p *Presenter) detach(c *conversation, id int) {
	left := slices.DeleteFunc(slices.Clone(c.draft.attached), func(a attached) bool { return a.ID == id })
	if len(left) < len(c.draft.attached) {
		c.draft.attached = left
		p.touch(c)
	}
}

func (p *Presenter) nextID() int {
	p.ids++
	return p.ids
}

// Edit puts a user's turn into the composer; Send makes a new version of it. The
// draft comes back with CancelEdit, or after sending.
func (p *Presenter) Edit(turn int) {
	c := p.current
	i := c.at(store.ID(turn))
	if i < 0 || c.kept[i].Role != store.User || p.answers(c) || p.overflow.isAbout(c) {
		return
	}
	if c.aside == nil {
		aside := c.draft
		c.aside = &aside
	}
	c.editing, c.draft = c.kept[i].ID, p.draftFrom(c, c.kept[i])
	p.touch(c)
	p.publish()
}

// draftFrom is a turn as it stood in the composer.
func (p *Presenter) draftFrom(c *conversation, t store.Turn) draft {
	text, files := cutFiles(t.Text)
	k := keptDraft{Text: text}
	for _, hash := range t.Pictures {
		size := c.settings.Pictures[hash]
		k.Files = append(k.Files, keptFile{Kind: AttachedPicture, Name: size.Name, Hash: hash, Width: size.Width, Height: size.Height})
	}
	for _, f := range files {
		kind := AttachedText
		if f.name == words.T("chat.pasted.name") { // it has no other name to be told by
			kind = AttachedPaste
		}
		k.Files = append(k.Files, keptFile{Kind: kind, Name: f.name, Text: f.text, Bytes: uint64(len(f.text))})
	}
	return p.draftOf(k)
}

// CancelEdit gives the draft back.
func (p *Presenter) CancelEdit() {
	c := p.current
	if c.editing == 0 {
		return
	}
	c.endEdit()
	p.touch(c)
	p.publish()
}

// endEdit puts what was in the composer before editing there again.
func (c *conversation) endEdit() {
	c.draft, c.editing = draft{}, 0
	if c.aside != nil {
		c.draft, c.aside = *c.aside, nil
	}
}

// Recall puts an earlier message of the user into an empty composer, or the next
// one: back with -1, forward with 1. It says whether it did.
func (p *Presenter) Recall(places int) bool {
	c := p.current
	if c.recalled == 0 && !c.draft.empty() || c.editing != 0 {
		return false
	}
	want := c.recalled - places
	if want < 0 {
		return false
	}
	text, seen := "", 0
	for i := len(c.turns) - 1; i >= 0 && seen < want; i-- {
		if c.turns[i].User && c.turns[i].Text != "" && len(c.turns[i].Text) <= maxDraftBytes {
			text = c.turns[i].Text
			seen++
		}
	}
	if seen < want {
		return false
	}
	c.recalled, c.draft.text = want, text
	p.touch(c)
	p.publish()
	return true
}

// Message is the whole text of a turn on view, with the files in it, for the
// clipboard.
func (p *Presenter) Message(turn int) string {
	if i := p.current.at(store.ID(turn)); i >= 0 {
		return p.current.kept[i].Text
	}
	if p.running != nil && p.running.turn.ID == turn {
		return p.running.turn.Text
	}
	return ""
}

// stateOfDraft adds what is in the composer beside the text.
func (p *Presenter) stateOfDraft(s *State) {
	for _, a := range p.current.draft.attached {
		shown := a.Attachment
		shown.Off = p.attachmentOff(a)
		if a.Kind == AttachedPicture {
			shown.Tokens, shown.TokensAbout = p.pictureTokens(sizeOf{Width: a.width, Height: a.height}), true
		}
		s.Attachments = append(s.Attachments, shown)
		s.ContextAttached += shown.Tokens
	}
	s.ContextAttached += estimate(p.current.draft.text)
	s.Adding = p.adding.shown(p)
	s.Question = p.question.shown(s.contextLeft())
	s.Drop = p.dropped(s)
}

// measured is a text with what is shown of it.
func (a attached) measured() attached {
	a.First, a.Runes = store.FirstWords(a.text, previewCells), utf8.RuneCountInString(a.text)
	a.Bytes = uint64(len(a.text))
	a.Tokens, a.TokensAbout = estimate(a.text), true
	return a
}
