package main

import (
	"context"
	"errors"
	"fmt"
	"image"
	"image/color"
	"image/jpeg"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync/atomic"

	"golang.org/x/sync/errgroup"

	"paddock/app/apptest"
	"paddock/engine"
	"paddock/engine/client"
	job "paddock/engine/images"
)

// The pictures: their size in pixels, and that of a thumbnail on a card.
const (
	wide, high = 640, 480
	thumbSide  = 192
)

// fill makes a folder of pictures, a set of them in which each has a text, and the
// thumbnails when they are wanted.
func fill(folder string, count int, thumbnails bool) (filled, error) {
	f := filled{
		engine: &teller{Watched: apptest.NewWatched(engine.State{Phase: engine.NotLoaded})},
		set:    filepath.Join(folder, "set"),
		thumbs: job.NewThumbnails(filepath.Join(folder, "thumbnails"), job.DefaultThumbnailBytes),
	}
	pictures := filepath.Join(folder, "pictures")
	if err := os.Mkdir(pictures, 0o755); err != nil {
		return f, err
	}
	group, ctx := errgroup.WithContext(context.Background())
	group.SetLimit(runtime.NumCPU())
	for i := range count {
		group.Go(func() error {
			path := filepath.Join(pictures, fmt.Sprintf("IMG_%04d.jpg", i))
			err := writePicture(path, i)
			if err == nil && thumbnails {
				_, err = f.thumbs.Get(ctx, path, thumbSide)
			}
			return err
		})
	}
	if err := group.Wait(); err != nil {
		return f, err
	}
	set, err := job.Open(f.set)
	if err != nil {
		return f, err
	}
	set.Add(context.Background(), false, pictures)
	run, err := set.Start(f.engine, 1, job.Run{Prompt: "Say what is in this picture."})
	if err != nil {
		return f, errors.Join(err, set.Close())
	}
	<-run.Done()
	done := set.State().Counts.Done
	if err := set.Close(); err != nil {
		return f, err
	}
	if done != count {
		return f, fmt.Errorf("%d pictures of %d have a text", done, count)
	}
	return f, nil
}

// writePicture writes a picture that no other number has.
func writePicture(path string, number int) error {
	img := image.NewRGBA(image.Rect(0, 0, wide, high))
	back := color.RGBA{uint8(40 + number*37%180), uint8(40 + number*59%180), uint8(40 + number*83%180), 255}
	for y := range high {
		for x := range wide {
			c := back
			c.R += uint8(x * 30 / wide)
			c.G += uint8(y * 30 / high)
			if dx, dy := x-(number*71)%wide, y-(number*29)%high; dx*dx+dy*dy < 90*90 {
				c.R, c.B = 255-c.R, 255-c.B
			}
			img.SetRGBA(x, y, c)
		}
	}
	file, err := os.Create(path)
	if err != nil {
		return err
	}
	return errors.Join(jpeg.Encode(file, img, nil), file.Close())
}

// A teller is an engine that says something else of every picture, at once.
type teller struct {
	*apptest.Watched
	asked atomic.Int64
}

// Chat says a text of two to eight lines on a card.
func (t *teller) Chat(context.Context, client.Request, func(client.Delta)) (client.Answer, error) {
	n := int(t.asked.Add(1))
	words := strings.Fields("a green hill with two trees and an old fence under a pale evening sky where small birds fly home over the quiet water")
	var text []string
	for i := range 12 + n%40 {
		text = append(text, words[(n+i*7)%len(words)])
	}
	return client.Answer{Text: strings.Join(text, " ") + ".", Stop: client.StopEnd}, nil
}
