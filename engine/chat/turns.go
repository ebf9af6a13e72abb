package chat

import (
	"context"
	"database/sql"
	"slices"
	"strings"
	"time"
)

const turnColumns = `t.id, t.conversation, coalesce(t.parent, 0), t.role, t.ended, t.context_full, t.created,
	t.thinking, t.first_token, t.tokens_per_second, t.prompt_tokens, t.answer_tokens, t.drafted_tokens, t.accepted_tokens,
	t.model, t.problem, t.text, t.thought`

func scanTurn(scan func(...any) error) (Turn, error) {
	var t Turn
	var created int64
	n := &t.Numbers
	err := scan(&t.ID, &t.Conversation, &t.Parent, &t.Role, &t.End, &t.Full, &created,
		&t.Thinking, &n.FirstToken, &n.TokensPerSecond, &n.PromptTokens, &n.AnswerTokens, &n.DraftedTokens, &n.AcceptedTokens,
		&t.Model, &t.Problem, &t.Text, &t.Thought)
	t.Created = time.UnixMilli(created)
	return t, err
}

// Add adds a turn after its Parent, or as a first one without a parent, and puts
// it on view. When the parent has other children it becomes their sibling: so a
// message is edited. The turn comes back with ID, Created when it had none, and
// Siblings.
func (s *Store) Add(ctx context.Context, t Turn) (Turn, error) {
	err := s.write(ctx, func(c conn) (err error) {
		t, err = s.add(ctx, c, t)
		return err
	})
	return t, err
}

func (s *Store) add(ctx context.Context, c conn, t Turn) (Turn, error) {
	before, err := conversation(ctx, c, t.Conversation)
	if err != nil {
		return t, err
	}
	if t.Parent != 0 {
		if err := alive(ctx, c, t.Parent, t.Conversation); err != nil {
			return t, err
		}
	}
	if t.Created.IsZero() {
		t.Created = s.time()
	}
	if t.ID, err = insertTurn(ctx, c, t); err != nil {
		return t, err
	}
	if err := show(ctx, c, t.Conversation, t.Parent, t.ID, t.ID); err != nil {
		return t, err
	}
	if err := touch(ctx, c, t.Conversation, s.time()); err != nil {
		return t, err
	}
	if before.Title == "" && !before.TitleGiven && t.Role == User {
		if err := setTitle(ctx, c, t.Conversation, titleOf(t.Text), false); err != nil {
			return t, err
		}
	}
	t.Siblings, err = siblings(ctx, c, t)
	return t, err
}

// alive fails when a turn is not one of a conversation, or deleted.
func alive(ctx context.Context, c conn, id, of ID) error {
	var found ID
	return c.QueryRowContext(ctx, `SELECT id FROM turns
		WHERE id = ? AND conversation = ? AND deleted IS NULL`, id, of).Scan(&found)
}

func touch(ctx context.Context, c conn, id ID, now time.Time) error {
	_, err := c.ExecContext(ctx, `UPDATE conversations SET updated = ? WHERE id = ?`, now.UnixMilli(), id)
	return err
}

func insertTurn(ctx context.Context, c conn, t Turn) (ID, error) {
	n := t.Numbers.finite()
	result, err := c.ExecContext(ctx, `
		INSERT INTO turns (conversation, parent, role, ended, context_full, created,
			thinking, first_token, tokens_per_second, prompt_tokens, answer_tokens, drafted_tokens, accepted_tokens,
			model, problem, text, thought)
		VALUES (?, nullif(?, 0), ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		t.Conversation, t.Parent, t.Role, t.End, t.Full, t.Created.UnixMilli(),
		int64(t.Thinking), int64(n.FirstToken), n.TokensPerSecond, n.PromptTokens, n.AnswerTokens, n.DraftedTokens, n.AcceptedTokens,
		t.Model, t.Problem, valid(t.Text), valid(t.Thought))
	if err != nil {
		return 0, err
	}
	id, err := result.LastInsertId()
	if err != nil {
		return 0, err
	}
	for place, hash := range t.Pictures {
		if _, err := c.ExecContext(ctx, `INSERT INTO turn_pictures (turn, place, hash) VALUES (?, ?, ?)`, id, place, hash); err != nil {
			return 0, err
		}
	}
	return ID(id), index(ctx, c, ID(id), t.Text)
}

// valid is a text without broken characters, which an answer cut within one has.
func valid(text string) string { return strings.ToValidUTF8(text, "\ufffd") }

// siblings are the versions of a turn, nil when there is only one.
func siblings(ctx context.Context, c conn, t Turn) ([]ID, error) {
	var all []ID
	err := rows(ctx, c, func(scan func(...any) error) error {
		var id ID
		err := scan(&id)
		all = append(all, id)
		return err
	}, `SELECT id FROM turns WHERE conversation = ? AND parent IS nullif(?, 0) AND deleted IS NULL ORDER BY id`, t.Conversation, t.Parent)
	if len(all) < 2 {
		return nil, err
	}
	return all, err
}

// Path are the turns on view in a conversation, the first one first. An answer
// that is being written is there as far as it is saved.
func (s *Store) Path(ctx context.Context, id ID) ([]Turn, error) {
	var path []Turn
	err := s.read(ctx, func(c conn) (err error) {
		path, err = currentPath(ctx, c, id)
		return err
	})
	return path, err
}

func currentPath(ctx context.Context, c conn, id ID) ([]Turn, error) {
	shown, err := conversation(ctx, c, id)
	if err != nil {
		return nil, err
	}
	parents := map[ID]ID{}
	children := map[ID][]ID{}
	if err := rows(ctx, c, func(scan func(...any) error) error {
		var turn, parent ID
		err := scan(&turn, &parent)
		parents[turn] = parent
		children[parent] = append(children[parent], turn)
		return err
	}, `SELECT id, coalesce(parent, 0) FROM turns WHERE conversation = ? AND deleted IS NULL ORDER BY id`, id); err != nil {
		return nil, err
	}
	var path []Turn
	err = rows(ctx, c, func(scan func(...any) error) error {
		t, err := scanTurn(scan)
		if versions := children[parents[t.ID]]; len(versions) > 1 {
			t.Siblings = versions
		}
		path = append(path, t)
		return err
	}, `WITH RECURSIVE path (id) AS (
			VALUES (?) UNION ALL SELECT t.parent FROM path p JOIN turns t ON t.id = p.id WHERE t.parent IS NOT NULL)
		SELECT `+turnColumns+` FROM path CROSS JOIN turns t ON t.id = path.id`, shown.Current)
	if err != nil {
		return nil, err
	}
	slices.Reverse(path)
	return path, complete(ctx, c, id, path)
}

// complete adds the pictures, and what is saved of answers that are being written.
// The turns are of one conversation, by ID.
func complete(ctx context.Context, c conn, id ID, turns []Turn) error {
	find := func(turn ID) *Turn {
		at, found := slices.BinarySearchFunc(turns, turn, func(t Turn, id ID) int { return int(t.ID - id) })
		if !found {
			return &Turn{} // of another branch
		}
		return &turns[at]
	}
	if err := rows(ctx, c, func(scan func(...any) error) error {
		var turn ID
		var hash Hash
		err := scan(&turn, &hash)
		t := find(turn)
		t.Pictures = append(t.Pictures, hash)
		return err
	}, `SELECT p.turn, p.hash FROM turns t JOIN turn_pictures p ON p.turn = t.id
		WHERE t.conversation = ? ORDER BY p.turn, p.place`, id); err != nil {
		return err
	}
	texts, thoughts := map[*Turn]*strings.Builder{}, map[*Turn]*strings.Builder{}
	if err := rows(ctx, c, func(scan func(...any) error) error {
		var turn ID
		var thinking time.Duration
		var text, thought string
		err := scan(&turn, &thinking, &text, &thought)
		t := find(turn)
		if texts[t] == nil {
			texts[t], thoughts[t] = &strings.Builder{}, &strings.Builder{}
		}
		t.Thinking = thinking
		texts[t].WriteString(text)
		thoughts[t].WriteString(thought)
		return err
	}, `SELECT p.turn, p.thinking, p.text, p.thought FROM turns t JOIN pieces p ON p.turn = t.id
		WHERE t.conversation = ? ORDER BY p.turn, p.n`, id); err != nil {
		return err
	}
	for t := range texts {
		t.Text, t.Thought = valid(t.Text+texts[t].String()), valid(t.Thought+thoughts[t].String())
	}
	return nil
}

// turn is one that isn't deleted, with all that is saved of it.
func turn(ctx context.Context, c conn, id ID) (Turn, error) {
	t, err := scanTurn(c.QueryRowContext(ctx, `SELECT `+turnColumns+` FROM turns t JOIN conversations c ON c.id = t.conversation
		WHERE t.id = ? AND t.deleted IS NULL AND c.deleted IS NULL`, id).Scan)
	if err != nil {
		return t, err
	}
	turns := []Turn{t}
	if err := complete(ctx, c, t.Conversation, turns); err != nil {
		return t, err
	}
	t = turns[0]
	t.Siblings, err = siblings(ctx, c, t)
	return t, err
}

// noRow tells an empty result apart from a failure.
func noRow(err error) error {
	if err == sql.ErrNoRows {
		return nil
	}
	return err
}
