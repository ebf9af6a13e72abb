package embed

import (
	"context"
	"database/sql"
	"os"
)

// StateOf is how far the run came whose state is in a file, while none has that: its
// files in their order, with the chunks of those that are cut. A file that is not may
// have been met and found unreadable, which the state does not tell. The error is a
// *FileError, with NotThere where there is no state, or ctx's.
func StateOf(ctx context.Context, statePath string) (s State, err error) {
	if _, err := os.Stat(statePath); err != nil {
		return s, readError(statePath, err)
	}
	// Opened as a run does: a reader would leave files beside one that was killed.
	db, err := openDatabase(statePath, "mode=rw&_pragma=locking_mode(exclusive)")
	if err != nil {
		return s, writeError(statePath, err)
	}
	s.Phase = Cancelled
	err = s.read(ctx, db)
	if err = firstOf(err, db.Close()); ctx.Err() != nil {
		return State{}, ctx.Err()
	}
	return s, writeError(statePath, err)
}

func (s *State) read(ctx context.Context, db *sql.DB) error {
	rows, err := db.QueryContext(ctx, `SELECT path, cut, count(seq), coalesce(sum(standing = 1), 0), coalesce(sum(standing = 2), 0), coalesce(sum(tokens), 0), coalesce(sum(tokens * (standing = 1)), 0)
		FROM files LEFT JOIN chunks ON cut AND seq BETWEEN files.id << 32 AND files.id << 32 | 2147483647 GROUP BY files.id ORDER BY place`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		f := FileState{Phase: FileWaiting}
		cut, doneTokens := false, 0
		if err := rows.Scan(&f.Path, &cut, &f.Chunks, &f.ChunksDone, &f.ChunksFailed, &f.Tokens, &doneTokens); err != nil {
			return err
		}
		if cut {
			f.settle(s, FileDone)
		}
		s.Chunks += f.Chunks
		s.ChunksDone += f.ChunksDone
		s.ChunksFailed += f.ChunksFailed
		s.Tokens += f.Tokens
		s.TokensDone += doneTokens
		s.Files = append(s.Files, f)
	}
	return rows.Err()
}
