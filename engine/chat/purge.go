package chat

import "context"

// purge removes for good what was deleted more than a day ago.
func (s *Store) purge(ctx context.Context) error {
	before := s.now().Add(-undoable).UnixMilli()
	const gone = `(t.deleted < ?1 OR t.conversation IN (SELECT id FROM conversations WHERE deleted < ?1))`
	var anything bool
	if err := s.read(ctx, func(c conn) error {
		return c.QueryRowContext(ctx, `SELECT EXISTS (SELECT 1 FROM conversations WHERE deleted < ?1)
			OR EXISTS (SELECT 1 FROM turns WHERE deleted < ?1)`, before).Scan(&anything)
	}); err != nil || !anything {
		return err
	}
	return s.write(ctx, func(c conn) error {
		for _, remove := range []string{
			`DELETE FROM grams WHERE rowid IN (SELECT t.id FROM turns t WHERE ` + gone + `)`,
			`DELETE FROM grams WHERE rowid IN (SELECT -id FROM conversations WHERE deleted < ?1)`,
			`DELETE FROM turns AS t WHERE ` + gone,
			`DELETE FROM conversations WHERE deleted < ?1`,
		} {
			if _, err := c.ExecContext(ctx, remove, before); err != nil {
				return err
			}
		}
		return nil
	})
}
