package chat

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"time"

	"paddock/diskfile"
)

// MaxPictureBytes is how large a picture may be.
const MaxPictureBytes = 64 << 20

// A Hash is the SHA-256 of a picture, in hexadecimal.
type Hash string

// known tells whether a hash is one, and so no path to elsewhere.
func (h Hash) known() bool {
	sum, err := hex.DecodeString(string(h))
	return err == nil && len(sum) == sha256.Size && strings.ToLower(string(h)) == string(h)
}

func hashOf(data []byte) Hash {
	sum := sha256.Sum256(data)
	return Hash(hex.EncodeToString(sum[:]))
}

func (s *Store) pictureFolder() string { return filepath.Join(s.folder, "pictures") }

// PicturePath is the file of a picture, for reading only.
func (s *Store) PicturePath(h Hash) string {
	if !h.known() {
		h = hashOf(nil) // no picture, and no path to elsewhere
	}
	return filepath.Join(s.pictureFolder(), string(h))
}

// PutPicture keeps a picture, once, as it is given. It stays for a day, and then
// as long as a turn has it.
func (s *Store) PutPicture(ctx context.Context, data []byte) (Hash, error) {
	if len(data) > MaxPictureBytes {
		return "", &Error{Problem: TooLarge, Detail: fmt.Sprintf("a picture of %d bytes", len(data))}
	}
	if err := ctx.Err(); err != nil {
		return "", err
	}
	hash := hashOf(data)
	err := s.putPicture(hash, data)
	if err != nil {
		err = typed(err, s.PicturePath(hash), Unwritable)
		s.tell(err)
	}
	return hash, err
}

func (s *Store) putPicture(hash Hash, data []byte) error {
	path := s.PicturePath(hash)
	now := s.now()
	if info, err := os.Stat(path); err == nil && info.Size() == int64(len(data)) {
		return os.Chtimes(path, now, now) // it is new again: sweep leaves it
	}
	if err := os.MkdirAll(s.pictureFolder(), 0o700); err != nil {
		return err
	}
	if err := diskfile.ReplaceBytes(path, 0o600, data); err != nil {
		return err
	}
	return os.Chtimes(path, now, now)
}

// Picture reads a picture. One that is no longer what was put is Damaged.
func (s *Store) Picture(ctx context.Context, h Hash) ([]byte, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if !h.known() {
		return nil, &Error{Problem: Missing, Detail: fmt.Sprintf("%q is no picture", string(h))}
	}
	path := s.PicturePath(h)
	data, err := readLimited(path, MaxPictureBytes)
	if err != nil {
		return nil, typed(err, path, Unreadable)
	}
	if hashOf(data) != h {
		return nil, &Error{Problem: Damaged, Path: path}
	}
	return data, nil
}

// readLimited reads a file up to a size.
func readLimited(path string, limit int64) ([]byte, error) {
	file, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer file.Close()
	return io.ReadAll(io.LimitReader(file, limit))
}

// sweep removes the pictures that no turn has, but for those put within a day: a
// message with them may be on its way, here or in another process.
func (s *Store) sweep(ctx context.Context) error {
	entries, err := os.ReadDir(s.pictureFolder())
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return typed(err, s.pictureFolder(), Unreadable)
	}
	kept := map[Hash]bool{}
	if err := s.read(ctx, func(c conn) error {
		return rows(ctx, c, func(scan func(...any) error) error {
			var hash Hash
			err := scan(&hash)
			kept[hash] = true
			return err
		}, `SELECT DISTINCT hash FROM turn_pictures`)
	}); err != nil {
		return err
	}
	for _, entry := range entries {
		if err := ctx.Err(); err != nil {
			return err
		}
		hash := Hash(entry.Name())
		if kept[hash] || !hash.known() && !strings.HasPrefix(entry.Name(), diskfile.HalfMade) {
			continue
		}
		info, err := entry.Info()
		if err != nil || s.now().Sub(info.ModTime()) < undoable {
			continue
		}
		path := filepath.Join(s.pictureFolder(), entry.Name())
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			return typed(err, path, Unwritable)
		}
	}
	return nil
}

// undoable is how long what was deleted can be brought back, at least.
const undoable = 24 * time.Hour
