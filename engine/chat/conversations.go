package chat

import (
	"context"
	"database/sql"
	"time"
)

const conversationColumns = `
	c.id, c.title, c.title_given, c.pinned, c.created, c.updated, c.settings, coalesce(c.current, 0),
	coalesce((SELECT substr(coalesce(nullif(t.text, ''), before.text), 1, 160)
		FROM turns t LEFT JOIN turns before ON before.id = t.parent WHERE t.id = c.current), '')`

func scanConversation(scan func(...any) error) (Conversation, error) {
	var c Conversation
	var created, updated int64
	var text string
	err := scan(&c.ID, &c.Title, &c.TitleGiven, &c.Pinned, &created, &updated, &c.Settings, &c.Current, &text)
	c.Created, c.Updated = time.UnixMilli(created), time.UnixMilli(updated)
	c.Preview = FirstWords(text, previewCells)
	return c, err
}

// Start makes a new conversation. The settings are kept as they are.
func (s *Store) Start(ctx context.Context, settings string) (Conversation, error) {
	started := Conversation{Created: s.time(), Settings: settings}
	started.Updated = started.Created
	err := s.write(ctx, func(c conn) (err error) {
		started.ID, err = insertConversation(ctx, c, started)
		return err
	})
	return started, err
}

func insertConversation(ctx context.Context, c conn, n Conversation) (ID, error) {
	result, err := c.ExecContext(ctx, `
		INSERT INTO conversations (title, title_given, pinned, created, updated, settings) VALUES (?, ?, ?, ?, ?, ?)`,
		n.Title, n.TitleGiven, n.Pinned, n.Created.UnixMilli(), n.Updated.UnixMilli(), n.Settings)
	if err != nil {
		return 0, err
	}
	id, err := result.LastInsertId()
	return ID(id), err
}

// Conversations are all of them: the pinned ones first, each part the latest first.
func (s *Store) Conversations(ctx context.Context) ([]Conversation, error) {
	var all []Conversation
	err := s.read(ctx, func(c conn) error {
		return rows(ctx, c, func(scan func(...any) error) error {
			one, err := scanConversation(scan)
			all = append(all, one)
			return err
		}, `SELECT `+conversationColumns+` FROM conversations c
			WHERE c.deleted IS NULL ORDER BY c.pinned DESC, c.updated DESC, c.id DESC`)
	})
	return all, err
}

// Conversation is one of them.
func (s *Store) Conversation(ctx context.Context, id ID) (Conversation, error) {
	var found Conversation
	err := s.read(ctx, func(c conn) (err error) {
		found, err = conversation(ctx, c, id)
		return err
	})
	return found, err
}

func conversation(ctx context.Context, c conn, id ID) (Conversation, error) {
	return scanConversation(c.QueryRowContext(ctx, `SELECT `+conversationColumns+` FROM conversations c
		WHERE c.id = ? AND c.deleted IS NULL`, id).Scan)
}

// Rename gives a conversation a title. With an empty one it is called by its first
// words again.
func (s *Store) Rename(ctx context.Context, id ID, title string) error {
	title = clean(title)
	return s.write(ctx, func(c conn) error {
		given := title != ""
		if !given {
			var err error
			if title, err = firstMessage(ctx, c, id); err != nil {
				return err
			}
		}
		return setTitle(ctx, c, id, title, given)
	})
}

func setTitle(ctx context.Context, c conn, id ID, title string, given bool) error {
	if err := one(c.ExecContext(ctx, `UPDATE conversations SET title = ?, title_given = ?
		WHERE id = ? AND deleted IS NULL`, title, given, id)); err != nil {
		return err
	}
	return index(ctx, c, -id, title)
}

// firstMessage makes a title of the user's first message, the oldest version.
func firstMessage(ctx context.Context, c conn, id ID) (string, error) {
	var text string
	err := c.QueryRowContext(ctx, `SELECT text FROM turns
		WHERE conversation = ? AND role = ? AND deleted IS NULL ORDER BY id LIMIT 1`, id, User).Scan(&text)
	if err == sql.ErrNoRows {
		err = nil
	}
	return titleOf(text), err
}

// Pin keeps a conversation at the top, or no longer.
func (s *Store) Pin(ctx context.Context, id ID, pinned bool) error {
	return s.change(ctx, id, `UPDATE conversations SET pinned = ? WHERE id = ? AND deleted IS NULL`, pinned)
}

// SetSettings keeps a conversation's settings.
func (s *Store) SetSettings(ctx context.Context, id ID, settings string) error {
	return s.change(ctx, id, `UPDATE conversations SET settings = ? WHERE id = ? AND deleted IS NULL`, settings)
}

// SetDraft keeps what is being typed in a conversation.
func (s *Store) SetDraft(ctx context.Context, id ID, text string) error {
	return s.change(ctx, id, `UPDATE conversations SET draft = ? WHERE id = ? AND deleted IS NULL`, text)
}

// Draft is what was being typed in a conversation. It can be long, so that it is
// no part of the Conversation.
func (s *Store) Draft(ctx context.Context, id ID) (string, error) {
	var text string
	err := s.read(ctx, func(c conn) error {
		return c.QueryRowContext(ctx, `SELECT draft FROM conversations WHERE id = ? AND deleted IS NULL`, id).Scan(&text)
	})
	return text, err
}

// Delete takes a conversation away. Undelete brings it back, for a day.
func (s *Store) Delete(ctx context.Context, id ID) error {
	return s.change(ctx, id, `UPDATE conversations SET deleted = ? WHERE id = ? AND deleted IS NULL`, s.time().UnixMilli())
}

// Undelete brings a deleted conversation back.
func (s *Store) Undelete(ctx context.Context, id ID) error {
	return s.change(ctx, id, `UPDATE conversations SET deleted = ? WHERE id = ? AND deleted IS NOT NULL`, nil)
}

// change sets one thing of one conversation.
func (s *Store) change(ctx context.Context, id ID, update string, value any) error {
	return s.write(ctx, func(c conn) error {
		return one(c.ExecContext(ctx, update, value, id))
	})
}

// one fails when a statement changed nothing.
func one(result sql.Result, err error) error {
	if err != nil {
		return err
	}
	if n, err := result.RowsAffected(); err != nil || n == 0 {
		if err == nil {
			err = sql.ErrNoRows
		}
		return err
	}
	return nil
}

// time is now, as exactly as the database keeps it.
func (s *Store) time() time.Time { return time.UnixMilli(s.now().UnixMilli()) }
