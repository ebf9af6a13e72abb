package chat

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"time"
)

// What a file to import may have, unpacked.
const (
	MaxImportBytes = 256 << 20
	maxImportTurns = 200_000
)

// Imported is what an import brought.
type Imported struct {
	Conversations []ID
	LeftOut       int // attachments of kinds that we don't keep: sound, video
}

// A draft is a conversation that was read from a file. Its turns name each other
// as the file does.
type draft struct {
	Conversation
	current  string
	turns    []draftTurn
	pictures map[Hash][]byte
	leftOut  int
	root     string // the ID of a turn that is none: what comes after it comes first
	flat     bool   // turns come one after another
}

type draftTurn struct {
	Turn
	id, parent string
}

// Import reads conversations from a file: ours, or an export of llama.cpp's web
// UI, one or several, as JSON, JSON lines or a ZIP of those. They are added with
// all their branches, all or none. Every picture goes through picture first, which
// may make it another or refuse it; nil keeps them as they are. The error is an
// *Error with NoChat, BadChat or TooLarge for a file that can't be read, and says
// what is wrong with it.
func (s *Store) Import(ctx context.Context, r io.Reader, picture func([]byte) ([]byte, error)) (Imported, error) {
	data, err := io.ReadAll(io.LimitReader(r, MaxImportBytes+1))
	if err != nil {
		return Imported{}, &Error{Problem: Unreadable, Err: err}
	}
	if len(data) > MaxImportBytes {
		return Imported{}, &Error{Problem: TooLarge, Detail: fmt.Sprintf("more than %d bytes", MaxImportBytes)}
	}
	drafts, err := readChats(data)
	if err != nil {
		return Imported{}, err
	}
	for i := range drafts {
		if err := drafts[i].check(); err != nil {
			return Imported{}, err
		}
		if err := s.importPictures(ctx, &drafts[i], picture); err != nil {
			return Imported{}, err
		}
	}
	var done Imported
	err = s.write(ctx, func(c conn) error {
		for _, d := range drafts {
			id, err := s.insertDraft(ctx, c, d)
			if err != nil {
				return err
			}
			done.Conversations = append(done.Conversations, id)
			done.LeftOut += d.leftOut
		}
		return nil
	})
	if err != nil {
		return Imported{}, err
	}
	return done, nil
}

func bad(format string, args ...any) error {
	return &Error{Problem: BadChat, Detail: fmt.Sprintf(format, args...)}
}

// readChats reads whatever file it is.
func readChats(data []byte) ([]draft, error) {
	if bytes.HasPrefix(data, []byte("PK")) {
		return readZip(data)
	}
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	decoder := json.NewDecoder(bytes.NewReader(data))
	var drafts []draft
	for n := 1; ; n++ {
		var value json.RawMessage
		err := decoder.Decode(&value)
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			if n == 1 && !bytes.HasPrefix(bytes.TrimSpace(data), []byte("{")) && !bytes.HasPrefix(bytes.TrimSpace(data), []byte("[")) {
				return nil, &Error{Problem: NoChat, Detail: "not JSON", Err: err}
			}
			return nil, &Error{Problem: BadChat, Detail: fmt.Sprintf("JSON breaks off or is broken after byte %d", decoder.InputOffset()), Err: err}
		}
		if drafts, err = readValue(drafts, value); err != nil {
			return nil, err
		}
	}
	if len(drafts) == 0 {
		return nil, &Error{Problem: NoChat, Detail: "no conversation in it"}
	}
	turns := 0
	for _, d := range drafts {
		turns += len(d.turns)
	}
	if turns > maxImportTurns {
		return nil, &Error{Problem: TooLarge, Detail: fmt.Sprintf("%d messages, more than %d", turns, maxImportTurns)}
	}
	return drafts, nil
}

// readValue reads one value of a file, which says itself what it is.
func readValue(drafts []draft, value json.RawMessage) ([]draft, error) {
	if value[0] == '[' {
		var each []json.RawMessage
		if err := json.Unmarshal(value, &each); err != nil {
			return nil, bad("%v", err)
		}
		for _, one := range each {
			var err error
			if drafts, err = readValue(drafts, one); err != nil {
				return nil, err
			}
		}
		return drafts, nil
	}
	var kind struct {
		Format   string          `json:"format"`
		Type     string          `json:"type"`
		Conv     json.RawMessage `json:"conv"`
		Messages json.RawMessage `json:"messages"`
	}
	if value[0] != '{' || json.Unmarshal(value, &kind) != nil {
		return nil, &Error{Problem: NoChat, Detail: "not an export of a chat"}
	}
	switch {
	case kind.Format == formatName:
		return readOurs(drafts, value)
	case kind.Type == "session":
		return startSession(drafts, value)
	case kind.Type == "message":
		return addMessage(drafts, value)
	case kind.Messages != nil:
		return readWebUI(drafts, value)
	}
	return nil, &Error{Problem: NoChat, Detail: "neither Paddock's nor the llama.cpp web UI's"}
}

func readOurs(drafts []draft, value json.RawMessage) ([]draft, error) {
	var file exported
	if err := json.Unmarshal(value, &file); err != nil {
		return nil, bad("%v", err)
	}
	if file.Version != formatVersion {
		return nil, bad("version %d of the format, not %d", file.Version, formatVersion)
	}
	for hash, data := range file.Pictures {
		if hashOf(data) != hash {
			return nil, bad("picture %.80q has another content", string(hash))
		}
	}
	for _, c := range file.Conversations {
		d := draft{Conversation: Conversation{
			Title: clean(c.Title), TitleGiven: c.TitleGiven, Pinned: c.Pinned, Created: c.Created, Updated: c.Updated, Settings: c.Settings,
		}, current: fmt.Sprint(c.Current), pictures: file.Pictures}
		for _, t := range c.Turns {
			turn := draftTurn{Turn: t.turn(), id: fmt.Sprint(t.ID)}
			if t.Parent != 0 {
				turn.parent = fmt.Sprint(t.Parent)
			}
			d.turns = append(d.turns, turn)
		}
		drafts = append(drafts, d)
	}
	return drafts, nil
}

// check finds out what would make no conversation, and puts every turn after its
// parent.
func (d *draft) check() error {
	places := map[string]int{}
	for i, t := range d.turns {
		if _, twice := places[t.id]; twice {
			return bad("two messages have the ID %.80q", t.id)
		}
		if !slices.Contains([]Role{User, Assistant, System, Tool}, t.Role) {
			return bad("message %.80q has the role %.80q", t.id, string(t.Role))
		}
		if !slices.Contains([]End{Whole, Stopped, Unloaded, Cut, Broken, Interrupted}, t.End) {
			return bad("message %.80q ended %.80q", t.id, string(t.End))
		}
		places[t.id] = i
	}
	ordered := make([]draftTurn, 0, len(d.turns))
	const (
		onWay  = 1
		placed = 2
	)
	state := make([]int, len(d.turns))
	for i := range d.turns {
		var way []int // up to the first that is placed
		for at := i; state[at] != placed; {
			if state[at] == onWay {
				return bad("message %.80q comes after itself", d.turns[at].id)
			}
			state[at] = onWay
			way = append(way, at)
			parent := d.turns[at].parent
			if parent == "" || parent == d.root {
				break
			}
			above, ok := places[parent]
			if !ok {
				return bad("message %.80q comes after %.80q, which is missing", d.turns[at].id, parent)
			}
			at = above
		}
		for _, at := range slices.Backward(way) {
			state[at] = placed
			ordered = append(ordered, d.turns[at])
		}
	}
	d.turns = ordered
	return nil
}

// importPictures keeps a draft's pictures. Those of an import that fails are
// removed like all that no turn has.
func (s *Store) importPictures(ctx context.Context, d *draft, picture func([]byte) ([]byte, error)) error {
	put := map[Hash]Hash{}
	for i := range d.turns {
		var kept []Hash
		for _, old := range d.turns[i].Pictures {
			data, ok := d.pictures[old]
			if !ok { // it was missing when the file was written
				d.leftOut++
				continue
			}
			if put[old] == "" {
				if picture != nil {
					var err error
					if data, err = picture(data); err != nil {
						return &Error{Problem: BadChat, Detail: fmt.Sprintf("a picture of message %.80q", d.turns[i].id), Err: err}
					}
				}
				hash, err := s.PutPicture(ctx, data)
				if err != nil {
					return err
				}
				put[old] = hash
			}
			kept = append(kept, put[old])
		}
		d.turns[i].Pictures = kept
	}
	return nil
}

func (s *Store) insertDraft(ctx context.Context, c conn, d draft) (ID, error) {
	d.Created, d.Updated = s.sane(d.Created), s.sane(d.Updated)
	id, err := insertConversation(ctx, c, d.Conversation)
	if err != nil {
		return 0, err
	}
	ids := map[string]ID{}
	var last ID
	for _, t := range d.turns {
		t.Conversation, t.Parent, t.Created = id, ids[t.parent], s.sane(t.Created)
		if last, err = insertTurn(ctx, c, t.Turn); err != nil {
			return 0, err
		}
		ids[t.id] = last
		if d.Title == "" && t.Role == User {
			d.Title = titleOf(t.Text)
		}
	}
	if err := setTitle(ctx, c, id, d.Title, d.TitleGiven); err != nil {
		return 0, err
	}
	if current, ok := ids[d.current]; ok {
		last = current
	}
	if last == 0 {
		return id, nil
	}
	var parent ID
	if err := c.QueryRowContext(ctx, `SELECT coalesce(parent, 0) FROM turns WHERE id = ?`, last).Scan(&parent); err != nil {
		return 0, err
	}
	return id, show(ctx, c, id, parent, last, last)
}

// sane is a time that a file says, or now when it makes no sense.
func (s *Store) sane(t time.Time) time.Time {
	now := s.time()
	if t.Before(time.Unix(0, 0)) || t.After(now) {
		return now
	}
	return t
}
