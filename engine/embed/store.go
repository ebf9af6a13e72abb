package embed

import (
	"cmp"
	"context"
	"database/sql"
	"errors"
	"io/fs"
	"math"
	"net/url"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"sync"

	_ "modernc.org/sqlite" // the driver
)

// A store is the state of a run in a file: what was read, and the vectors so far.
// It is an SQLite database, so that what was kept survives a crash, and nothing of
// it has to be in memory.
type store struct {
	path string
	db   *sql.DB
	mu   sync.Mutex // SQLite writes one at a time: waiting here costs less
}

// A chunk's standing is 0 while it waits, 3 when this run has taken it, and one of
// these when it is through. One of an earlier run is at 4 until its file is seen to
// be unchanged.
const (
	done   = 1
	failed = 2
)

const storeSchema = `
CREATE TABLE IF NOT EXISTS run (key TEXT PRIMARY KEY, value TEXT);
CREATE TABLE IF NOT EXISTS files (
	id INTEGER PRIMARY KEY, place INTEGER, path TEXT UNIQUE, sha256 TEXT, cut INTEGER DEFAULT 0);
CREATE TABLE IF NOT EXISTS chunks (
	seq INTEGER PRIMARY KEY, chunk INTEGER, id TEXT, "start" INTEGER, "end" INTEGER, tokens INTEGER,
	page INTEGER, "row" INTEGER, line INTEGER, heading TEXT, text TEXT, standing INTEGER);
CREATE INDEX IF NOT EXISTS waiting ON chunks (seq) WHERE standing = 0;
CREATE TABLE IF NOT EXISTS vectors (seq INTEGER PRIMARY KEY, vector BLOB);
` + problemSchema + writtenSchema

const chunkColumns = `chunk, id, "start", "end", tokens, page, "row", line, heading, text`

// seqOf is the number of a chunk among all: its file's, then its own.
func seqOf(file int64, chunk int) int64 { return file<<32 | int64(chunk) }

func fileOf(seq int64) int64 { return seq >> 32 }

// openStore opens the state of a run, or begins one. An output that is somebody else's
// is Exists, unless it may be written over, and a state that another run has is InUse:
// both leave the state as it was. With Resume, a state of other settings is OtherRun;
// without, what is there is thrown away, but for which outputs were written. The errors
// are *FileErrors.
func openStore(o Options, meta Meta) (*store, error) {
	if err := os.MkdirAll(filepath.Dir(o.StatePath), 0o755); err != nil {
		return nil, writeError(o.StatePath, err)
	}
	s, err := tryStore(o, meta)
	var file *FileError
	if errors.As(err, &file) && file.Problem == Unreadable && !o.Resume {
		if err := discard(o.StatePath); err != nil {
			return nil, writeError(o.StatePath, err)
		}
		return tryStore(o, meta)
	}
	return s, err
}

func tryStore(o Options, meta Meta) (_ *store, err error) {
	path := o.StatePath
	// An exclusive lock is held as long as the database is open.
	db, err := openDatabase(path, "_pragma=locking_mode(exclusive)&_pragma=journal_mode(wal)&_pragma=synchronous(normal)")
	if err != nil {
		return nil, writeError(path, err)
	}
	s := &store{path: path, db: db}
	defer func() {
		if err != nil {
			db.Close()
			err = writeError(path, err)
		}
	}()
	if _, err := db.Exec(storeSchema); err != nil {
		return nil, err
	}
	if !o.Overwrite {
		if err := s.mayWrite(o.Outputs...); err != nil {
			return nil, err
		}
	}
	if !o.Resume {
		for _, table := range []string{"run", "files", "chunks", "vectors", "problems"} {
			if _, err := db.Exec(`DELETE FROM ` + table); err != nil {
				return nil, err
			}
		}
	}
	if err := s.agree(meta); err != nil {
		return nil, err
	}
	if _, err := db.Exec(`UPDATE chunks SET standing = 4 WHERE standing <> 1`); err != nil {
		return nil, err
	}
	_, err = db.Exec(`DELETE FROM problems WHERE chunk IS NOT NULL`) // those are tried again
	return s, err
}

// openDatabase opens an SQLite file with one connection.
func openDatabase(path, pragmas string) (*sql.DB, error) {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return nil, err
	}
	// As an address, or a name with a question mark or a percent sign in it would be
	// taken apart. Windows' drives stand behind a slash there.
	name := url.URL{Scheme: "file", Path: "/" + strings.TrimPrefix(filepath.ToSlash(absolute), "/"), RawQuery: pragmas}
	db, err := sql.Open("sqlite", name.String())
	if err != nil {
		return nil, err
	}
	db.SetMaxOpenConns(1)
	return db, nil
}

// discard removes a database and what SQLite keeps beside it.
func discard(path string) error {
	for _, suffix := range []string{"", "-wal", "-shm", "-journal"} {
		if err := os.Remove(path + suffix); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return err
		}
	}
	return nil
}

// list takes the files of the run in their order, and forgets others.
func (s *store) list(paths []string) ([]int64, error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	ids := make([]int64, len(paths))
	err := s.inOne(func(tx *sql.Tx) error {
		if _, err := tx.Exec(`UPDATE files SET place = -1`); err != nil {
			return err
		}
		for i, path := range paths {
			err := tx.QueryRow(`INSERT INTO files (place, path, sha256) VALUES (?, ?, '')
				ON CONFLICT (path) DO UPDATE SET place = excluded.place RETURNING id`, i, path).Scan(&ids[i])
			if err != nil {
				return err
			}
		}
		for _, clean := range []string{
			`DELETE FROM vectors WHERE (seq >> 32) IN (SELECT id FROM files WHERE place < 0)`,
			`DELETE FROM chunks WHERE (seq >> 32) IN (SELECT id FROM files WHERE place < 0)`,
			`DELETE FROM problems WHERE file IN (SELECT id FROM files WHERE place < 0)`,
			`DELETE FROM files WHERE place < 0`,
		} {
			if _, err := tx.Exec(clean); err != nil {
				return err
			}
		}
		return nil
	})
	return ids, err
}

func (s *store) inOne(do func(*sql.Tx) error) error {
	tx, err := s.db.Begin()
	if err == nil {
		if err = do(tx); err == nil {
			err = tx.Commit()
		} else {
			tx.Rollback() // the error is that of what failed
		}
	}
	return writeError(s.path, err)
}

// A tally is how many chunks and tokens of a file stand how, and what of it could not
// be read.
type tally struct {
	chunks, done       int
	tokens, doneTokens int
	partial            []error
}

// cutAlready says whether a file of that content is cut into chunks already, and
// how they stand. Those without a vector may be taken then.
func (s *store) cutAlready(file int64, sha256 string) (t tally, cut bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.db.QueryRow(`SELECT cut FROM files WHERE id = ? AND sha256 = ?`, file, sha256).Scan(&cut)
	if errors.Is(err, sql.ErrNoRows) || err == nil && !cut {
		return t, false, nil
	}
	if err == nil {
		err = s.db.QueryRow(`SELECT count(*), coalesce(sum(standing = 1), 0), coalesce(sum(tokens), 0), coalesce(sum(tokens * (standing = 1)), 0)
			FROM chunks WHERE seq BETWEEN ? AND ?`, seqOf(file, 0), seqOf(file, math.MaxInt32)).
			Scan(&t.chunks, &t.done, &t.tokens, &t.doneTokens)
	}
	if err == nil {
		err = problems(s.db.Query, file, func(_ int64, problem error) { t.partial = append(t.partial, problem) })
	}
	if err == nil {
		_, err = s.db.Exec(`UPDATE chunks SET standing = 0 WHERE standing = 4 AND seq BETWEEN ? AND ?`, seqOf(file, 0), seqOf(file, math.MaxInt32))
	}
	return t, cut, writeError(s.path, err)
}

// begin forgets what is known of a file: it is about to be cut.
func (s *store) begin(file int64, sha256 string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inOne(func(tx *sql.Tx) error { return forget(tx, file, sha256) })
}

func forget(tx *sql.Tx, file int64, sha256 string) error {
	for _, table := range []string{"vectors", "chunks"} {
		if _, err := tx.Exec(`DELETE FROM `+table+` WHERE seq BETWEEN ? AND ?`, seqOf(file, 0), seqOf(file, math.MaxInt32)); err != nil {
			return err
		}
	}
	if _, err := tx.Exec(`DELETE FROM problems WHERE file = ?`, file); err != nil {
		return err
	}
	_, err := tx.Exec(`UPDATE files SET sha256 = ?, cut = 0 WHERE id = ?`, sha256, file)
	return err
}

// add keeps chunks of a file. With last, the file is cut, and what of it could not be
// read is kept.
func (s *store) add(file int64, chunks []Chunk, partial []error, last bool) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inOne(func(tx *sql.Tx) error {
		insert, err := tx.Prepare(`INSERT INTO chunks (seq, ` + chunkColumns + `, standing) VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, 0)`)
		if err != nil {
			return err
		}
		defer insert.Close()
		for _, c := range chunks {
			if _, err := insert.Exec(seqOf(file, c.Index), c.Index, c.ID, c.Start, c.End, c.Tokens, c.Page, c.Row, c.Line, c.Heading, c.Text); err != nil {
				return err
			}
		}
		if !last {
			return nil
		}
		for _, problem := range partial {
			if err := note(tx, seqOf(file, 0), false, problem); err != nil {
				return err
			}
		}
		_, err = tx.Exec(`UPDATE files SET cut = 1 WHERE id = ?`, file)
		return err
	})
}

// A job's chunk waiting for its vector.
type waiting struct {
	seq int64
	Chunk
}

// take gives up to that many chunks that wait, and marks them as taken.
func (s *store) take(ctx context.Context, most int) (chunks []waiting, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.inOne(func(tx *sql.Tx) error {
		rows, err := tx.QueryContext(ctx, `SELECT seq, `+chunkColumns+` FROM chunks WHERE standing = 0 ORDER BY seq LIMIT ?`, most)
		if err != nil {
			return err
		}
		defer rows.Close()
		for rows.Next() {
			var w waiting
			if err := w.scan(rows, &w.seq); err != nil {
				return err
			}
			chunks = append(chunks, w)
		}
		if err := rows.Err(); err != nil || len(chunks) == 0 {
			return err
		}
		_, err = tx.Exec(`UPDATE chunks SET standing = 3 WHERE standing = 0 AND seq <= ?`, chunks[len(chunks)-1].seq)
		return err
	})
	return chunks, err
}

// scan reads the columns of a chunk behind those of before.
func (c *Chunk) scan(rows *sql.Rows, before ...any) error {
	return rows.Scan(append(before, &c.Index, &c.ID, &c.Start, &c.End, &c.Tokens, &c.Page, &c.Row, &c.Line, &c.Heading, &c.Text)...)
}

// keep keeps the vectors of chunks, or of one that has failed its problem.
func (s *store) keep(chunks []waiting, vectors [][]float32, problems []error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	return s.inOne(func(tx *sql.Tx) error {
		// Not of chunks that are gone because their file was given up meanwhile.
		insert, err := tx.Prepare(`INSERT OR REPLACE INTO vectors SELECT seq, ? FROM chunks WHERE seq = ? AND standing = 3`)
		if err != nil {
			return err
		}
		defer insert.Close()
		ended := map[int][]string{}
		for i, c := range chunks {
			seq := strconv.FormatInt(c.seq, 10)
			if problems[i] != nil {
				ended[failed] = append(ended[failed], seq)
				if err := note(tx, c.seq, true, problems[i]); err != nil {
					return err
				}
				continue
			}
			ended[done] = append(ended[done], seq)
			if _, err := insert.Exec(toBytes(vectors[i]), c.seq); err != nil {
				return err
			}
		}
		for standing, seqs := range ended {
			if _, err := tx.Exec(`UPDATE chunks SET standing = ? WHERE standing = 3 AND seq IN (`+strings.Join(seqs, ",")+`)`, standing); err != nil {
				return err
			}
		}
		return nil
	})
}

// count is how many rows each gives.
func (s *store) count() (n int, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.db.QueryRow(`SELECT count(*) FROM chunks JOIN files ON files.id = seq >> 32 WHERE cut AND standing = 1`).Scan(&n)
	return n, readError(s.path, err)
}

// isIdle says whether the state has nothing worth keeping: no vector, and no output that
// was written with it.
func (s *store) isIdle() (idle bool, err error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	err = s.db.QueryRow(`SELECT NOT EXISTS (SELECT 1 FROM vectors) AND NOT EXISTS (SELECT 1 FROM written)`).Scan(&idle)
	return idle, readError(s.path, err)
}

// each gives all chunks that have a vector, in the order of files and chunks.
func (s *store) each(ctx context.Context, row func(Row) error) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	type file struct {
		id   int64
		path string
	}
	var files []file
	list, err := s.db.QueryContext(ctx, `SELECT id, path FROM files WHERE cut ORDER BY place`)
	if err != nil {
		return readError(s.path, err)
	}
	for list.Next() {
		var f file
		if err = list.Scan(&f.id, &f.path); err != nil {
			break
		}
		files = append(files, f)
	}
	list.Close()
	if err == nil {
		err = list.Err()
	}
	var theirs error // of row: not the store's
	for _, f := range files {
		if err == nil && theirs == nil {
			err = s.ofFile(ctx, f.id, f.path, func(r Row) bool {
				theirs = row(r)
				return theirs == nil
			})
		}
	}
	return cmp.Or(theirs, readError(s.path, err))
}

func (s *store) ofFile(ctx context.Context, id int64, path string, row func(Row) bool) error {
	rows, err := s.db.QueryContext(ctx, `SELECT vector, `+chunkColumns+` FROM chunks JOIN vectors USING (seq)
		WHERE seq BETWEEN ? AND ? AND standing = 1 ORDER BY seq`, seqOf(id, 0), seqOf(id, math.MaxInt32))
	if err != nil {
		return err
	}
	defer rows.Close()
	for rows.Next() {
		r := Row{Path: path}
		var vector []byte
		if err := r.scan(rows, &vector); err != nil {
			return err
		}
		r.Vector = fromBytes(vector)
		if !row(r) {
			return nil
		}
	}
	return rows.Err()
}

func (s *store) close() error { return writeError(s.path, s.db.Close()) }

// limit makes the file as full as a disk of so many pages.
func (s *store) limit(pages int) error {
	_, err := s.db.Exec("PRAGMA max_page_count = " + itoa(pages))
	return writeError(s.path, err)
}
