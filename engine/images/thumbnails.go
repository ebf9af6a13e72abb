package images

import (
	"bytes"
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"image"
	"image/jpeg"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"time"

	"golang.org/x/sync/singleflight"

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
	limitBytes int64
	slots      chan struct{} // as many are made at a time as leave the engine a processor
	making     singleflight.Group

	mu        sync.Mutex
	heldBytes int64 // negative until the folder was looked through
}

// NewThumbnails keeps thumbnails in a folder, of up to limitBytes together.
func NewThumbnails(folder string, limitBytes int64) *Thumbnails {
	return &Thumbnails{
		folder: folder, limitBytes: limitBytes, heldBytes: -1,
		slots: make(chan struct{}, max(1, runtime.NumCPU()/2)),
	}
}

// Get is a picture's thumbnail, at most side pixels wide and high. It returns at
// once when ctx ends. The error is a *picture.Error, or ctx's; that a thumbnail
// can't be kept is none.
func (t *Thumbnails) Get(ctx context.Context, path string, side int) (image.Image, error) {
	state := statFile(path)
	if state == (fileState{}) {
		return picture.Thumbnail(ctx, picture.Source{Path: path}, side) // which says what is wrong
	}
	sum := sha256.Sum256(fmt.Appendf(nil, "1 %d %d %d %s", side, state.Bytes, state.Modified.UnixNano(), path))
	name := hex.EncodeToString(sum[:16])
	file := filepath.Join(t.folder, name[:2], name[2:]+".jpg")
	for {
		if img := t.read(file); img != nil {
			return img, nil
		}
		made := t.making.DoChan(file, func() (any, error) { return t.make(ctx, path, file, side) })
		select {
		case <-ctx.Done():
			return nil, ctx.Err()
		case result := <-made:
			if result.Err == nil {
				return result.Val.(image.Image), nil
			}
			// The one it was made for may have gone away, which is not our end.
			if ctx.Err() != nil || !errors.Is(result.Err, context.Canceled) && !errors.Is(result.Err, context.DeadlineExceeded) {
				return nil, result.Err
			}
		}
	}
}

// read is a kept thumbnail, nil when there is none that can be read.
func (t *Thumbnails) read(file string) image.Image {
	data, err := os.ReadFile(file)
	if err != nil {
		return nil
	}
	img, err := jpeg.Decode(bytes.NewReader(data))
	if err != nil {
		return nil // it is made anew
	}
	if info, err := os.Stat(file); err == nil && time.Since(info.ModTime()) > time.Hour {
		_ = os.Chtimes(file, time.Time{}, time.Now()) // the longest unused go first
	}
	return img
}

func (t *Thumbnails) make(ctx context.Context, path, file string, side int) (image.Image, error) {
	select {
	case t.slots <- struct{}{}:
		defer func() { <-t.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	}
	img, err := picture.Thumbnail(ctx, picture.Source{Path: path}, side)
	if err != nil {
		return nil, err
	}
	var b bytes.Buffer
	if jpeg.Encode(&b, img, &jpeg.Options{Quality: thumbnailQuality}) == nil &&
		os.MkdirAll(filepath.Dir(file), 0o700) == nil && replaceFile(file, b.Bytes(), 0o600) == nil {
		t.count(int64(b.Len()))
	}
	return img, nil
}

// count takes note of a new file, and makes room when there are too many.
func (t *Thumbnails) count(bytes int64) {
	t.mu.Lock()
	defer t.mu.Unlock()
	if t.heldBytes >= 0 {
		if t.heldBytes += bytes; t.heldBytes <= t.limitBytes {
			return
		}
	}
	type kept struct {
		path  string
		bytes int64
		used  time.Time
	}
	var all []kept
	t.heldBytes = 0
	// What can't be listed takes no room that could be freed.
	_ = filepath.WalkDir(t.folder, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || !entry.Type().IsRegular() {
			return nil
		}
		if info, err := entry.Info(); err == nil {
			all = append(all, kept{path, info.Size(), info.ModTime()})
			t.heldBytes += info.Size()
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
