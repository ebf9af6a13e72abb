package embed

import (
	"context"
	"database/sql"
	"os"
	"strings"
)

// An Index is an SQLite output that is searched. Its methods are safe from any
// goroutine.
type Index struct {
	Meta Meta
	Rows int

	path string
	db   *sql.DB
}

// A Hit is a row that was found.
type Hit struct {
	Number int64   // of the row in the index
	Score  float64 // the cosine, from -1 to 1
	Row            // without the vector
}

// A Query says what to find.
type Query struct {
	Vector []float32 // by QueryVector
	Top    int       // how many, 0 for 10 and at most MostHits
	Paths  []string  // only in these files; none for all
}

// readers is how many may read an index at a time: a search does not wait for the
// map to be made.
const readers = 4

// MostHits is how many rows a search finds at most.
const MostHits = 4096

// OpenIndex opens an output for searching. The error is a *FileError.
func OpenIndex(path string) (_ *Index, err error) {
	if _, err := os.Stat(path); err != nil { // SQLite would make a file
		return nil, readError(path, err)
	}
	db, err := openDatabase(path, "mode=ro&_pragma=query_only(true)")
	if err != nil {
		return nil, readError(path, err)
	}
	db.SetMaxOpenConns(readers)
	x := &Index{path: path, db: db}
	defer func() {
		if err != nil {
			db.Close()
			err = readError(path, err)
		}
	}()
	if x.Meta, err = readMeta(db); err != nil {
		return nil, err
	}
	if x.Meta.Dimensions <= 0 {
		return nil, &FileError{Problem: NoIndex, Path: path}
	}
	if err := db.QueryRow(`SELECT count(*) FROM chunks`).Scan(&x.Rows); err != nil {
		return nil, err
	}
	return x, nil
}

// readMeta reads the metadata table, which is empty for a database without one.
func readMeta(db *sql.DB) (Meta, error) {
	var tables int
	err := db.QueryRow(`SELECT count(*) FROM sqlite_schema WHERE name IN ('metadata', 'chunks', 'vec_chunks')`).Scan(&tables)
	if err != nil || tables < 3 {
		return Meta{}, err
	}
	return metaIn(context.Background(), db, "metadata")
}

// Close closes the file.
func (x *Index) Close() error { return x.db.Close() }

// Search finds the rows that are nearest, the best first.
func (x *Index) Search(ctx context.Context, q Query) ([]Hit, error) {
	if len(q.Vector) != x.Meta.Dimensions {
		return nil, &VectorError{Problem: Width, Size: len(q.Vector), Want: x.Meta.Dimensions}
	}
	if q.Top <= 0 {
		q.Top = 10
	}
	q.Top = min(q.Top, MostHits)
	of, paths := "", []any(nil)
	if len(q.Paths) > 0 {
		of = ` AND rowid IN (SELECT rowid FROM chunks WHERE path IN (?` + strings.Repeat(", ?", len(q.Paths)-1) + `))`
		for _, path := range q.Paths {
			paths = append(paths, path)
		}
	}
	// The neighbours first: joined, the rows would be read for all of them.
	text := `WITH near AS MATERIALIZED (SELECT rowid AS number, distance FROM vec_chunks WHERE vector MATCH ? AND k = ?` + of + `)
		SELECT number, 1 - distance, path, ` + chunkColumns + ` FROM near JOIN chunks ON chunks.rowid = number ORDER BY distance, number`
	return x.hits(ctx, text, append([]any{toBytes(q.Vector), q.Top}, paths...))
}

func (x *Index) hits(ctx context.Context, text string, values []any) ([]Hit, error) {
	rows, err := x.db.QueryContext(ctx, text, values...)
	if err != nil {
		return nil, readError(x.path, err)
	}
	defer rows.Close()
	hits := []Hit{}
	for rows.Next() {
		var h Hit
		if err := h.scan(rows, &h.Number, &h.Score, &h.Path); err != nil {
			return nil, readError(x.path, err)
		}
		hits = append(hits, h)
	}
	return hits, readError(x.path, rows.Err())
}

// An IndexFile is a file whose chunks are in an index.
type IndexFile struct {
	Path   string
	Chunks int
}

// Files are those of the index, in its order.
func (x *Index) Files(ctx context.Context) ([]IndexFile, error) {
	rows, err := x.db.QueryContext(ctx, `SELECT path, count(*) FROM chunks GROUP BY path ORDER BY min(rowid)`)
	if err != nil {
		return nil, readError(x.path, err)
	}
	defer rows.Close()
	var files []IndexFile
	for rows.Next() {
		var f IndexFile
		if err := rows.Scan(&f.Path, &f.Chunks); err != nil {
			return nil, readError(x.path, err)
		}
		files = append(files, f)
	}
	return files, readError(x.path, rows.Err())
}

// All are rows by their numbers, for points of the map, in the order of the index
// and without a score. It is for as many as a person looks at.
func (x *Index) All(ctx context.Context, numbers []int64) ([]Hit, error) {
	if len(numbers) == 0 {
		return []Hit{}, nil
	}
	values := make([]any, len(numbers))
	for i, number := range numbers {
		values[i] = number
	}
	return x.hits(ctx, `SELECT rowid, 0.0, path, `+chunkColumns+` FROM chunks WHERE rowid IN (?`+strings.Repeat(", ?", len(numbers)-1)+`) ORDER BY rowid`, values)
}
