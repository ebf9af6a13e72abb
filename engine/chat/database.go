package chat

import (
	"context"
	"database/sql"
	"fmt"
	"net/url"
	"path/filepath"
	"strconv"

	_ "modernc.org/sqlite" // the driver
)

const (
	busyMilliseconds = 10_000   // that another process may take to write
	readers          = 4        // connections that read at once
	logBytes         = 16 << 20 // that the log keeps when nothing is in it
)

// A conn is a connection in a transaction.
type conn interface {
	ExecContext(context.Context, string, ...any) (sql.Result, error)
	QueryContext(context.Context, string, ...any) (*sql.Rows, error)
	QueryRowContext(context.Context, string, ...any) *sql.Row
	PrepareContext(context.Context, string) (*sql.Stmt, error)
}

// A database is one connection that writes and some that read. With a write-ahead
// log they don't wait for each other.
type database struct {
	writer, reader *sql.DB
}

// openDatabase opens a database that was checked, or makes one. Every commit is
// synced: with less, a power cut takes more than the last half second.
func openDatabase(path string) (database, error) {
	settings := url.Values{"_busy_timeout": {strconv.Itoa(busyMilliseconds)}, "_foreign_keys": {"1"}, "_dqs": {"0"}, "_defensive": {"1"}}
	reader := dsn(path, settings, url.Values{"_query_only": {"1"}})
	writer := dsn(path, settings, url.Values{
		"_journal_mode": {"WAL"}, "_synchronous": {"FULL"}, "_pragma": {fmt.Sprintf("journal_size_limit(%d)", logBytes)},
	})
	var d database
	var err error
	if d.writer, err = sql.Open("sqlite", writer); err != nil {
		return d, err
	}
	if d.reader, err = sql.Open("sqlite", reader); err != nil {
		return d, err
	}
	d.writer.SetMaxOpenConns(1)
	d.reader.SetMaxOpenConns(readers)
	d.reader.SetMaxIdleConns(readers)
	return d, nil
}

// dsn names a database as SQLite's URIs do, so that no character of a path means
// something else.
func dsn(path string, settings ...url.Values) string {
	all := url.Values{}
	for _, values := range settings {
		for key, value := range values {
			all[key] = value
		}
	}
	slashed := filepath.ToSlash(path)
	if slashed[0] != '/' { // a drive's letter
		slashed = "/" + slashed
	}
	return (&url.URL{Scheme: "file", Path: slashed, RawQuery: all.Encode()}).String()
}

// close closes the readers first: the last connection tidies the log away.
func (d database) close() error {
	err := d.reader.Close()
	if e := d.writer.Close(); err == nil {
		err = e
	}
	return err
}

// transact runs f in a transaction of one connection and rolls back when it fails.
func transact(ctx context.Context, db *sql.DB, begin string, f func(conn) error) (err error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return err
	}
	defer c.Close()
	if _, err := c.ExecContext(ctx, begin); err != nil {
		return err
	}
	done := false
	defer func() {
		if !done { // also when f panics; an error means that SQLite has rolled back itself
			c.ExecContext(context.WithoutCancel(ctx), "ROLLBACK")
		}
	}()
	if err := f(c); err != nil {
		return err
	}
	if _, err := c.ExecContext(ctx, "COMMIT"); err != nil {
		return err
	}
	done = true
	return nil
}

// write runs f in a transaction that is on the disk when it returns without an
// error.
func (s *Store) write(ctx context.Context, f func(conn) error) error {
	s.moving.RLock()
	defer s.moving.RUnlock()
	err := s.there()
	if err == nil {
		err = transact(ctx, s.db.writer, "BEGIN IMMEDIATE", f)
	}
	if err != nil && s.closed.Load() {
		return &Error{Problem: Closed, Path: s.path}
	}
	err = typed(err, s.path, Unwritable)
	if gone := s.there(); err == nil && gone != nil {
		s.tell(gone) // what was written is in the open database, and SaveAgain saves it
	} else {
		s.tell(err)
	}
	return err
}

// read runs f on the database as it is at one moment.
func (s *Store) read(ctx context.Context, f func(conn) error) error {
	s.moving.RLock()
	defer s.moving.RUnlock()
	db := s.db.reader
	if s.there() != nil {
		db = s.db.writer // it has the database open; a reader more would open what is at the path now
	}
	err := transact(ctx, db, "BEGIN", f)
	if err != nil && s.closed.Load() {
		return &Error{Problem: Closed, Path: s.path}
	}
	return typed(err, s.path, Unreadable)
}

// rows calls each for every row.
func rows(ctx context.Context, c conn, each func(scan func(...any) error) error, query string, args ...any) error {
	found, err := c.QueryContext(ctx, query, args...)
	if err != nil {
		return err
	}
	defer found.Close()
	for found.Next() {
		if err := each(found.Scan); err != nil {
			return err
		}
	}
	return found.Err()
}
