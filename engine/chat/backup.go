package chat

import (
	"context"
	"crypto/rand"
	"database/sql"
	"errors"
	"io"
	"io/fs"
	"net/url"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"time"

	"paddock/diskfile"
)

// keptBackups is how many days' backups are kept. They are the last days Paddock
// was used on: after a month away there are still some.
const keptBackups = 7

const backupName = "chat-2006-01-02.db"

func (s *Store) backupFolder() string { return filepath.Join(s.folder, "backups") }

// backups are the paths of the backups, the latest first.
func (s *Store) backups() []string {
	entries, _ := os.ReadDir(s.backupFolder())
	var paths []string
	for _, entry := range entries {
		if _, err := time.Parse(backupName, entry.Name()); err == nil {
			paths = append(paths, filepath.Join(s.backupFolder(), entry.Name()))
		}
	}
	slices.Sort(paths)
	slices.Reverse(paths)
	return paths
}

// backUp makes today's backup when there is none, and removes the oldest.
func (s *Store) backUp(ctx context.Context) error {
	if err := s.There(); err != nil {
		return err
	}
	path := filepath.Join(s.backupFolder(), s.now().Format(backupName))
	if _, err := os.Stat(path); err == nil {
		return nil
	}
	var turns bool
	if err := s.read(ctx, func(c conn) error {
		return c.QueryRowContext(ctx, "SELECT EXISTS (SELECT 1 FROM turns)").Scan(&turns)
	}); err != nil || !turns { // an empty one must not drive out one that isn't
		return err
	}
	if err := os.MkdirAll(s.backupFolder(), 0o700); err != nil {
		return typed(err, s.backupFolder(), Unwritable)
	}
	s.removeHalfMade()
	half := filepath.Join(s.backupFolder(), diskfile.HalfMade+rand.Text())
	defer os.Remove(half)
	err := s.copyTo(ctx, half)
	if err == nil {
		err = syncFile(half)
	}
	if err == nil {
		err = os.Rename(half, path)
	}
	if err != nil {
		return typed(err, path, Unwritable)
	}
	kept := s.backups()
	for _, old := range kept[min(len(kept), keptBackups):] {
		if err := os.Remove(old); err != nil {
			return typed(err, old, Unwritable)
		}
	}
	return nil
}

// copyTo makes a copy of the database as it is at one moment, while others read and
// write, with a connection of its own: the readers' can't write anywhere.
func (s *Store) copyTo(ctx context.Context, path string) error {
	db, err := sql.Open("sqlite", dsn(s.path, url.Values{"_busy_timeout": {strconv.Itoa(busyMilliseconds)}}))
	if err != nil {
		return err
	}
	defer db.Close()
	_, err = db.ExecContext(ctx, "VACUUM INTO ?", path)
	return err
}

// removeHalfMade removes what a process that was killed has left. Another one may
// be making its backup right now.
func (s *Store) removeHalfMade() {
	entries, _ := os.ReadDir(s.backupFolder())
	for _, entry := range entries {
		info, err := entry.Info()
		if err == nil && strings.HasPrefix(entry.Name(), diskfile.HalfMade) && s.now().Sub(info.ModTime()) > time.Hour {
			os.Remove(filepath.Join(s.backupFolder(), entry.Name()))
		}
	}
}

// restore puts the latest sound backup in the database's place, and returns
// nothing when there is none.
func (s *Store) restore(ctx context.Context) (backup string, day time.Time, err error) {
	for _, path := range s.backups() {
		damage, err := check(ctx, path)
		if ctx.Err() != nil {
			return "", time.Time{}, ctx.Err()
		}
		if err != nil || damage != "" {
			continue // the one before it may be sound
		}
		day, err := time.ParseInLocation(backupName, filepath.Base(path), time.Local)
		if err != nil {
			return "", time.Time{}, typed(err, path, Unreadable)
		}
		return path, day, typed(copyFile(path, s.path), s.path, Unwritable)
	}
	return "", time.Time{}, nil
}

// copyFile copies a file whole or not at all.
func copyFile(from, to string) error {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer in.Close()
	return diskfile.Replace(to, 0o600, func(out io.Writer) error {
		_, err := io.Copy(out, in)
		return err
	})
}

func syncFile(path string) error {
	file, err := os.OpenFile(path, os.O_RDWR, fs.FileMode(0))
	if err != nil {
		return err
	}
	return errors.Join(file.Sync(), file.Close())
}
