package chat

import (
	"context"
	"slices"
)

// Choose puts a turn on view, with what followed it when it was on view last.
func (s *Store) Choose(ctx context.Context, id ID) error {
	return s.write(ctx, func(c conn) error {
		chosen, err := turn(ctx, c, id)
		if err != nil {
			return err
		}
		leaf, err := follow(ctx, c, id)
		if err != nil {
			return err
		}
		return show(ctx, c, chosen.Conversation, chosen.Parent, id, leaf)
	})
}

// show puts the path to a leaf on view, and remembers at every turn above it which
// way it went.
func show(ctx context.Context, c conn, conversation, parent, child, leaf ID) error {
	if _, err := c.ExecContext(ctx, `
		WITH RECURSIVE up (id, child) AS (
			VALUES (?, ?) UNION ALL SELECT t.parent, up.id FROM up JOIN turns t ON t.id = up.id WHERE t.parent IS NOT NULL)
		UPDATE turns SET next = up.child FROM up WHERE turns.id = up.id AND turns.next IS NOT up.child`, parent, child); err != nil {
		return err
	}
	return setCurrent(ctx, c, conversation, leaf)
}

func setCurrent(ctx context.Context, c conn, conversation, leaf ID) error {
	return one(c.ExecContext(ctx, `UPDATE conversations SET current = nullif(?, 0) WHERE id = ?`, leaf, conversation))
}

// follow is the last turn of the path that goes on from a turn: over the children
// that were on view last, else the newest.
func follow(ctx context.Context, c conn, id ID) (ID, error) {
	var last ID
	err := c.QueryRowContext(ctx, `
		WITH RECURSIVE down (id) AS (
			VALUES (?) UNION ALL SELECT (
				SELECT t.id FROM turns t JOIN turns p ON p.id = t.parent WHERE t.parent = down.id AND t.deleted IS NULL
				ORDER BY t.id IS p.next DESC, t.id DESC LIMIT 1) FROM down WHERE down.id IS NOT NULL)
		SELECT max(id) FROM down`, id).Scan(&last)
	return last, err
}

// DeleteTurn takes a turn away with all that follows it, on every branch.
// UndeleteTurn brings them back, for a day. When they were on view, a sibling takes
// their place, the one before it if there is one; else the path ends at the parent.
func (s *Store) DeleteTurn(ctx context.Context, id ID) error {
	return s.write(ctx, func(c conn) error {
		gone, err := turn(ctx, c, id)
		if err != nil {
			return err
		}
		if _, err := c.ExecContext(ctx, `
			WITH RECURSIVE below (id) AS (
				VALUES (?) UNION ALL SELECT t.id FROM below b JOIN turns t ON t.parent = b.id WHERE t.deleted IS NULL)
			UPDATE turns SET deleted = ?, deleted_with = ? WHERE id IN below`, id, s.time().UnixMilli(), id); err != nil {
			return err
		}
		var hidden bool
		if err := c.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM conversations c JOIN turns t ON t.id = c.current
			WHERE c.id = ? AND t.deleted IS NOT NULL)`, gone.Conversation).Scan(&hidden); err != nil || !hidden {
			return err
		}
		return replace(ctx, c, gone)
	})
}

// replace puts on view what comes after a deleted turn.
func replace(ctx context.Context, c conn, gone Turn) error {
	at := slices.Index(gone.Siblings, gone.ID)
	if at < 0 {
		return setCurrent(ctx, c, gone.Conversation, gone.Parent)
	}
	left := slices.Delete(slices.Clone(gone.Siblings), at, at+1)
	other := left[max(0, at-1)]
	leaf, err := follow(ctx, c, other)
	if err != nil {
		return err
	}
	return show(ctx, c, gone.Conversation, gone.Parent, other, leaf)
}

// UndeleteTurn brings back what was deleted with a turn and puts it on view, and its
// conversation where that was deleted after it. It is Missing while a turn before it
// is deleted too.
func (s *Store) UndeleteTurn(ctx context.Context, id ID) error {
	return s.write(ctx, func(c conn) error {
		var back Turn
		if err := c.QueryRowContext(ctx, `SELECT t.conversation, coalesce(t.parent, 0) FROM turns t LEFT JOIN turns p ON p.id = t.parent
			WHERE t.id = ? AND t.deleted_with = t.id AND p.deleted IS NULL`, id).Scan(&back.Conversation, &back.Parent); err != nil {
			return err
		}
		if _, err := c.ExecContext(ctx, `UPDATE turns SET deleted = NULL, deleted_with = NULL
			WHERE conversation = ? AND deleted_with = ?`, back.Conversation, id); err != nil {
			return err
		}
		if _, err := c.ExecContext(ctx, `UPDATE conversations SET deleted = NULL WHERE id = ?`, back.Conversation); err != nil {
			return err
		}
		leaf, err := follow(ctx, c, id)
		if err != nil {
			return err
		}
		return show(ctx, c, back.Conversation, back.Parent, id, leaf)
	})
}
