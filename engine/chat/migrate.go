package chat

import (
	"context"
	"fmt"
)

// migrations make a database of one version one of the next. They are never
// changed once a version of Paddock has them.
var migrations = []func(context.Context, conn) error{
	func(ctx context.Context, c conn) error {
		_, err := c.ExecContext(ctx, fmt.Sprintf("PRAGMA application_id = %d;%s", applicationID, schemaV1))
		return err
	},
	func(ctx context.Context, c conn) error {
		if _, err := c.ExecContext(ctx, schemaV2); err != nil {
			return err
		}
		return indexAll(ctx, c)
	},
}

// migrate brings a database to this version, in one transaction.
func (s *Store) migrate(ctx context.Context) error {
	return s.write(ctx, func(c conn) error {
		var version int
		if err := c.QueryRowContext(ctx, "PRAGMA user_version").Scan(&version); err != nil {
			return err
		}
		if version > len(migrations) { // another process has just made it one
			return &Error{Problem: Newer, Path: s.path}
		}
		for _, step := range migrations[version:] {
			if err := step(ctx, c); err != nil {
				return err
			}
		}
		_, err := c.ExecContext(ctx, fmt.Sprintf("PRAGMA user_version = %d", len(migrations)))
		return err
	})
}
