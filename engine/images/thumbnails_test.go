package images

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"sync"
	"testing"
	"time"

	"paddock/engine/picture"
	"paddock/engine/picture/picturetest"
)

// kept are how many thumbnails a folder has, and their bytes.
func keptThumbnails(t testing.TB, folder string) (n int, bytes int64) {
	t.Helper()
	err := filepath.WalkDir(folder, func(_ string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		info, err := entry.Info()
		n++
		bytes += info.Size()
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return n, bytes
}

func TestAThumbnailIsMadeOnceForAllWhoAsk(t *testing.T) {
	folder, dir := t.TempDir(), t.TempDir()
	path := filepath.Join(dir, "a.jpg")
	write(t, path, picturetest.WithEXIF(t, picturetest.Encode(t, "jpeg", picturetest.Photo(800, 400)), picturetest.EXIF(6, "here")))
	thumbnails := NewThumbnails(folder, DefaultThumbnailBytes)
	var wait sync.WaitGroup
	for range 20 {
		wait.Go(func() {
			img, err := thumbnails.Get(t.Context(), path, 128)
			if err != nil || img.Bounds().Dx() != 64 || img.Bounds().Dy() != 128 {
				t.Error(img, err)
			}
		})
	}
	wait.Wait()
	if n, _ := keptThumbnails(t, folder); n != 1 {
		t.Errorf("%d files", n)
	}
	if err := os.WriteFile(path, make([]byte, len(read(t, path))), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(path, time.Time{}, time.Now().Add(time.Hour)); err != nil {
		t.Fatal(err)
	}
	if img, err := thumbnails.Get(t.Context(), path, 128); err == nil {
		t.Error("the file is another, and the old thumbnail is shown", img.Bounds())
	}
}

func TestAKeptThumbnailIsReadAndABadOneMadeAnew(t *testing.T) {
	folder, dir := t.TempDir(), pictures(t, 1)
	path := filepath.Join(dir, "000.png")
	if _, err := NewThumbnails(folder, DefaultThumbnailBytes).Get(t.Context(), path, 32); err != nil {
		t.Fatal(err)
	}
	kept, err := filepath.Glob(filepath.Join(folder, "*", "*.jpg"))
	if err != nil || len(kept) != 1 {
		t.Fatal(kept, err)
	}
	other := picturetest.Encode(t, "jpeg", picturetest.Photo(7, 9))
	write(t, kept[0], other)
	again := NewThumbnails(folder, DefaultThumbnailBytes)
	if img, err := again.Get(t.Context(), path, 32); err != nil || img.Bounds().Dx() != 7 {
		t.Error("what is kept is not read", err)
	}
	write(t, kept[0], other[:20])
	if img, err := again.Get(t.Context(), path, 32); err != nil || img.Bounds().Dx() != 32 {
		t.Error("what is damaged is not made anew", err)
	}
}

func TestThumbnailsTakeBoundedRoom(t *testing.T) {
	folder, dir := t.TempDir(), t.TempDir()
	const limit = 40 << 10
	thumbnails := NewThumbnails(folder, limit)
	for i := range 40 {
		path := filepath.Join(dir, fmt.Sprint(i))
		write(t, path, picturetest.Encode(t, "jpeg", picturetest.Photo(100, 100)))
		if _, err := thumbnails.Get(t.Context(), path, 100); err != nil {
			t.Fatal(err)
		}
	}
	if n, bytes := keptThumbnails(t, folder); n == 0 || bytes > limit {
		t.Errorf("%d files of %d bytes", n, bytes)
	}
}

func TestAThumbnailSomebodyGaveUpIsStillMadeForOthers(t *testing.T) {
	path := filepath.Join(pictures(t, 1), "000.png")
	thumbnails := NewThumbnails(t.TempDir(), DefaultThumbnailBytes)
	thumbnails.turn <- struct{}{} // another one is being made
	ctx, cancel := context.WithCancel(t.Context())
	gaveUp, got := make(chan error, 1), make(chan error, 1)
	go func() { _, err := thumbnails.Get(ctx, path, 32); gaveUp <- err }()
	go func() { _, err := thumbnails.Get(t.Context(), path, 32); got <- err }()
	cancel()
	if err := <-gaveUp; !errors.Is(err, context.Canceled) {
		t.Error(err)
	}
	<-thumbnails.turn
	if err := <-got; err != nil {
		t.Error(err)
	}
}

func TestWhatIsNoPictureHasNoThumbnail(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.png")
	thumbnails := NewThumbnails(t.TempDir(), DefaultThumbnailBytes)
	for _, want := range []picture.Problem{picture.Missing, picture.NotAPicture} {
		_, err := thumbnails.Get(t.Context(), path, 32)
		var failed *picture.Error
		if !errors.As(err, &failed) || failed.Problem != want {
			t.Errorf("%v, want %s", err, want)
		}
		write(t, path, []byte("hello"))
	}
}

func TestAFolderThatCannotBeWrittenStillShowsThumbnails(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "cache")
	write(t, folder, nil)
	if _, err := NewThumbnails(folder, DefaultThumbnailBytes).Get(t.Context(), filepath.Join(pictures(t, 1), "000.png"), 32); err != nil {
		t.Error(err)
	}
}
