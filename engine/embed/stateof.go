package embed

import (
	"cmp"
	"context"
	"database/sql"
	"os"
)

// StateOf is how far the run came whose state is in a file, while none has that: what it
// was made with, and its files in their order, with the chunks of those that are cut and
// why others can't be read. The error is a *FileError, with NotThere where there is no
// state, or ctx's.
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
	if err = cmp.Or(err, db.Close()); ctx.Err() != nil {
		return State{}, ctx.Err()
	}
	return s, writeError(statePath, err)
}

func (s *State) read(ctx context.Context, db *sql.DB) (err error) {
	if _, err := db.ExecContext(ctx, problemSchema); err != nil { // an earlier Paddock had none
		return err
	}
	if s.Meta, err = metaIn(ctx, db, "run"); err != nil {
		return err
	}
	found := map[int64][]error{}
	query := func(text string, args ...any) (*sql.Rows, error) { return db.QueryContext(ctx, text, args...) }
	if err := problems(query, 0, func(file int64, problem error) { found[file] = append(found[file], problem) }); err != nil {
		return err
	}
	rows, err := db.QueryContext(ctx, `SELECT files.id, path, cut, count(seq), coalesce(sum(standing = 1), 0), coalesce(sum(standing = 2), 0), coalesce(sum(tokens), 0), coalesce(sum(tokens * (standing = 1)), 0)
		FROM files LEFT JOIN chunks ON cut AND seq BETWEEN files.id << 32 AND files.id << 32 | 2147483647 GROUP BY files.id ORDER BY place`)
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		f := FileState{Phase: FileWaiting}
		var id int64
		cut, doneTokens := false, 0
		if err := rows.Scan(&id, &f.Path, &cut, &f.Chunks, &f.ChunksDone, &f.ChunksFailed, &f.Tokens, &doneTokens); err != nil {
			return err
		}
		switch {
		case cut:
			for _, problem := range found[id] {
				f.problem(problem)
			}
			f.settle(s, FileDone)
		case len(found[id]) > 0:
			f.fail(s, found[id][0])
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
