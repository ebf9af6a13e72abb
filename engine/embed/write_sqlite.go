package embed

import (
	"cmp"
	"context"
	"database/sql"
	"maps"
	"slices"
	"strings"

	_ "modernc.org/sqlite/vec" // the table type vec0
)

// outputSchema is that of an SQLite output. Every program reads chunks; one with
// sqlite-vec finds neighbours in vec_chunks, whose rowids are those of chunks.
const outputSchema = `
CREATE TABLE metadata (key TEXT PRIMARY KEY, value TEXT NOT NULL);
CREATE TABLE chunks (
	rowid INTEGER PRIMARY KEY, id TEXT NOT NULL, path TEXT NOT NULL, chunk INTEGER NOT NULL,
	"start" INTEGER NOT NULL, "end" INTEGER NOT NULL, tokens INTEGER NOT NULL, text TEXT NOT NULL, vector BLOB NOT NULL,
	page INTEGER NOT NULL, "row" INTEGER NOT NULL, line INTEGER NOT NULL, heading TEXT NOT NULL);
CREATE VIRTUAL TABLE vec_chunks USING vec0 (vector float[DIMENSIONS] distance_metric=cosine);
`

// writeSQLite writes a database. It is new: nobody waits for it, and what is not
// whole is thrown away.
func writeSQLite(ctx context.Context, f *files, o Output, rows rowsOf) error {
	out, err := f.reserve(o.Path)
	if err != nil {
		return err
	}
	db, err := openDatabase(out.temp, "_pragma=journal_mode(off)&_pragma=synchronous(off)&_pragma=locking_mode(exclusive)")
	if err != nil {
		return err
	}
	err = fill(ctx, db, rows)
	return cmp.Or(err, db.Close())
}

func fill(ctx context.Context, db *sql.DB, rows rowsOf) error {
	if outputPages > 0 {
		if _, err := db.Exec("PRAGMA max_page_count = " + itoa(outputPages)); err != nil {
			return err
		}
	}
	if _, err := db.Exec(strings.Replace(outputSchema, "DIMENSIONS", itoa(rows.meta.Dimensions), 1)); err != nil {
		return err
	}
	tx, err := db.Begin()
	if err != nil {
		return err
	}
	defer tx.Rollback() // after Commit it does nothing
	keys := rows.meta.keys()
	for _, key := range slices.Sorted(maps.Keys(keys)) {
		if _, err := tx.Exec(`INSERT INTO metadata VALUES (?, ?)`, key, keys[key]); err != nil {
			return err
		}
	}
	chunk, err := tx.Prepare(`INSERT INTO chunks VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)`)
	if err != nil {
		return err
	}
	defer chunk.Close()
	vector, err := tx.Prepare(`INSERT INTO vec_chunks (rowid, vector) VALUES (?, ?)`)
	if err != nil {
		return err
	}
	defer vector.Close()
	at := 0
	err = rows.each(ctx, func(r Row) error {
		at++
		bytes := toBytes(r.Vector)
		_, err := chunk.Exec(at, r.RowID(), r.Path, r.Index, r.Start, r.End, r.Tokens, r.Text, bytes, r.Page, r.Chunk.Row, r.Line, r.Heading)
		if err != nil {
			return err
		}
		if _, err = vector.Exec(at, bytes); err != nil {
			// sqlite-vec does not say why, SQLite does.
			if _, why := tx.Exec(`INSERT INTO metadata VALUES ('', zeroblob(?))`, probeBytes); why != nil {
				return why
			}
		}
		return err
	})
	if err != nil {
		return err
	}
	if _, err := tx.Exec(`CREATE INDEX chunks_path ON chunks (path)`); err != nil {
		return err
	}
	return tx.Commit()
}

// outputPages limits a database in tests of a full disk.
var outputPages = 0

// probeBytes are more than SQLite keeps in memory, so that they go to the disk.
const probeBytes = 32 << 20
