package images

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"image"
	"image/jpeg"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"time"

	"paddock/diskfile"
	"paddock/engine/picture"
)

// thumbnailQuality is that of JPEG: about 15 kB for a side of 256.
const thumbnailQuality = 85

// DefaultThumbnailBytes is how much of the disk thumbnails take: some ten thousand.
const DefaultThumbnailBytes = 256 << 20

// Thumbnails makes small pictures, and keeps them on the disk under the file's
// path, size and time. Its methods are safe from any goroutine, and slow.
type Thumbnails struct {
	folder     string
	limitBytes uint64
	turn       chan struct{} // one is made at a time: the engine needs the processors

	// Of whose turn it is.
	heldBytes uint64
	counted   bool // the folder was looked through for them
}

// NewThumbnails keeps thumbnails in a folder, of up to limitBytes together.
func NewThumbnails(folder string, limitBytes uint64) *Thumbnails {
	return &Thumbnails{folder: folder, limitBytes: limitBytes, turn: make(chan struct{}, 1)}
}

// Get is a picture's thumbnail, at most side pixels wide and high. It ends with ctx. The
// error is a *picture.Error, or ctx's; that a thumbnail can't be kept is none.
func (t *Thumbnails) Get(ctx context.Context, path string, side int) (image.Image, error) {
	made, err := t.get(ctx, path, side)
	return made.img, err
}

// A thumbnail is a small picture, and the JPEG it is kept as.
type thumbnail struct {
	img  image.Image
	jpeg []byte
}

func (t *Thumbnails) get(ctx context.Context, path string, side int) (thumbnail, error) {
	state := statFile(path)
	key := sha256.Sum256(fmt.Appendf(nil, "1 %d %d %d %s", side, state.Bytes, state.Modified.UnixNano(), path))
	name := hex.EncodeToString(key[:16])
	file := filepath.Join(t.folder, name[:2], name[2:]+".jpg")
	if kept, ok := readThumbnail(file); ok {
		return kept, nil
	}
	select {
	case t.turn <- struct{}{}:
		defer func() { <-t.turn }()
	case <-ctx.Done():
		return thumbnail{}, ctx.Err()
	}
	if kept, ok := readThumbnail(file); ok { // made for somebody else meanwhile
		return kept, nil
	}
	img, err := picture.Thumbnail(ctx, picture.Source{Path: path}, side)
	if err != nil {
		return thumbnail{}, err
	}
	var b bytes.Buffer
	if err := jpeg.Encode(&b, img, &jpeg.Options{Quality: thumbnailQuality}); err != nil {
		return thumbnail{}, &picture.Error{Problem: picture.Broken, Path: path, Err: err}
	}
	if os.MkdirAll(filepath.Dir(file), 0o700) == nil && diskfile.CacheBytes(file, b.Bytes()) == nil {
		t.count(uint64(b.Len()))
	}
	return thumbnail{img, b.Bytes()}, nil
}

// readThumbnail is a kept thumbnail, if there is one that can be read.
func readThumbnail(file string) (thumbnail, bool) {
	data, err := os.ReadFile(file)
	if err != nil {
		return thumbnail{}, false
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return thumbnail{}, false // it is made anew
	}
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > time.Hour {
		_ = os.Chtimes(file, time.Time{}, time.Now()) // the longest unused go first
	}
	return thumbnail{img, data}, true
}

// count takes note of a new file, and makes room when there are too many.
func (t *Thumbnails) count(bytes uint64) {
	if t.counted {
		if t.heldBytes += bytes; t.heldBytes <= t.limitBytes {
			return
		}
	}
	type kept struct {
		path  string
		bytes uint64
		used  time.Time
	}
	var all []kept
	t.heldBytes, t.counted = 0, true
	// What can't be listed takes no room that could be freed.
	_ = filepath.WalkDir(t.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			file := kept{path, uint64(info.Size()), info.ModTime()}
			all = append(all, file)
			t.heldBytes += file.bytes
		}
		return nil
	})
	if t.heldBytes <= t.limitBytes {
		return
	}
	slices.SortFunc(all, func(a, b kept) int { return a.used.Compare(b.used) })
	for _, k := range all {
		if t.heldBytes <= t.limitBytes/4*3 {
			return
		}
		if os.Remove(k.path) == nil {
			t.heldBytes -= k.bytes
		}
	}
}
