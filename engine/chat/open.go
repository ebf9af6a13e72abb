package chat

import (
	"context"
	"database/sql"
	"errors"
	"fmt"
	"io/fs"
	"net/url"
	"os"
	"strings"

	"paddock/diskfile"
)

// prepare sees to it that the store's path is a sound database, or nothing.
func (s *Store) prepare(ctx context.Context) (Opened, error) {
	if err := os.MkdirAll(s.folder, 0o700); err != nil {
		return Opened{}, typed(err, s.folder, Unwritable)
	}
	info, err := os.Stat(s.path)
	if errors.Is(err, fs.ErrNotExist) {
		return Opened{}, s.removeLog() // one without its database would be taken for the new one's
	}
	if err != nil {
		return Opened{}, typed(err, s.path, Unreadable)
	}
	if !info.Mode().IsRegular() {
		return Opened{}, &Error{Problem: Unreadable, Path: s.path, Detail: "not a regular file"}
	}
	if info.Size() == 0 && len(s.backups()) == 0 { // no more than begun
		return Opened{}, nil
	}
	damage, err := check(ctx, s.path)
	if err != nil || damage == "" {
		return Opened{}, err
	}
	opened := Opened{Damage: damage}
	if opened.Aside, err = s.setAside(); err != nil {
		return opened, err
	}
	opened.Restored, opened.RestoredOf, err = s.restore(ctx)
	return opened, err
}

// check says what is damaged in a database, or nothing. It leaves the file as it
// is. The error is an *Error: for a database of a later version one with Newer.
func check(ctx context.Context, path string) (damage string, err error) {
	db, err := sql.Open("sqlite", dsn(path, url.Values{"mode": {"ro"}, "_busy_timeout": {fmt.Sprint(busyMilliseconds)}}))
	if err != nil {
		return "", typed(err, path, Unreadable)
	}
	defer db.Close()
	damage, err = inspect(ctx, db, path)
	if problemOf(err, Unreadable) == Damaged {
		return err.Error(), nil
	}
	return damage, typed(err, path, Unreadable)
}

func inspect(ctx context.Context, db *sql.DB, path string) (damage string, err error) {
	c, err := db.Conn(ctx)
	if err != nil {
		return "", err
	}
	defer c.Close()
	var version, id, tables int
	for query, to := range map[string]*int{
		"PRAGMA user_version":                &version,
		"PRAGMA application_id":              &id,
		"SELECT count(*) FROM sqlite_schema": &tables,
	} {
		if err := c.QueryRowContext(ctx, query).Scan(to); err != nil {
			return "", err
		}
	}
	switch {
	case tables > 0 && id != applicationID:
		return "the database of another program", nil
	case tables == 0:
		return emptiness(path)
	case version > len(migrations):
		return "", &Error{Problem: Newer, Path: path, Detail: fmt.Sprintf("version %d, ours is %d", version, len(migrations))}
	}
	return quickCheck(ctx, c, `SELECT name FROM sqlite_schema WHERE type = 'table' AND sql NOT LIKE 'CREATE VIRTUAL %'`)
}

// quickCheck says what is damaged in the tables that a query names. Checking the
// search index as a whole takes ten times as long as all else: its tables are
// checked here, and what is in them by mend.
func quickCheck(ctx context.Context, c conn, query string) (damage string, err error) {
	var names, found []string
	if err := rows(ctx, c, func(scan func(...any) error) error {
		var name string
		err := scan(&name)
		names = append(names, name)
		return err
	}, query); err != nil {
		return "", err
	}
	for _, name := range names {
		if err := rows(ctx, c, func(scan func(...any) error) error {
			var line string
			err := scan(&line)
			if line != "ok" && len(found) < 10 {
				found = append(found, name+": "+line)
			}
			return err
		}, `SELECT * FROM pragma_quick_check(?)`, name); err != nil {
			return "", err
		}
	}
	return strings.Join(found, "; "), nil
}

// emptiness says whether a database without tables is one that was cut to nothing.
func emptiness(path string) (damage string, err error) {
	info, err := os.Stat(path)
	if err == nil && info.Size() == 0 {
		damage = "the file is empty"
	}
	return damage, err
}

// setAside moves a damaged database out of the way with its log, which may have
// what the database lacks.
func (s *Store) setAside() (aside string, err error) {
	return s.setAsideAs(".damaged")
}

func (s *Store) setAsideAs(ending string) (aside string, err error) {
	aside = diskfile.FreeName(s.path + ending)
	if err := os.Rename(s.path, aside); err != nil {
		return "", typed(err, s.path, Unwritable)
	}
	if err := os.Rename(s.path+"-wal", aside+"-wal"); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return aside, typed(err, s.path, Unwritable)
	}
	return aside, s.removeLog()
}

// removeLog removes the files SQLite has beside a database.
func (s *Store) removeLog() error {
	for _, ending := range []string{"-wal", "-shm", "-journal"} {
		if err := os.Remove(s.path + ending); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return typed(err, s.path+ending, Unwritable)
		}
	}
	return nil
}
