// Command gridscroll measures what scrolling in the Images tab costs the window: it
// fills the tab with 2,000 pictures that differ, each with a text, scrolls from the
// first to the last and prints what that took, as JSON. It needs a display, and is meant
// for one that software draws.
package main

import (
	"flag"
	"log"
	"os"
	"runtime/pprof"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"

	"paddock/app/apptest"
	"paddock/app/images"
	"paddock/app/widgets"
	job "paddock/engine/images"
	"paddock/engine/library"
	"paddock/packaging/bench/frames"
)

// A result is what the run measured.
type result struct {
	frames.Result
	Drawn float64 `json:"drawn"` // share of the cards on the screen that had their picture
}

func main() {
	count := flag.Int("pictures", 2000, "pictures in the tab")
	length := flag.Duration("for", 20*time.Second, "how long to scroll from the first to the last")
	first := flag.Bool("first", false, "without thumbnails on the disk: they are made meanwhile")
	profile := flag.String("profile", "", "write a processor profile of the scrolling to this file")
	flag.Parse()

	folder, err := os.MkdirTemp("", "pb")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(folder)
	made, err := fill(folder, *count, !*first)
	if err != nil {
		log.Fatal(err)
	}
	frames.Show("gridscroll", func() (fyne.CanvasObject, func() any) {
		tab := images.New(images.Options{
			Seams: images.Seams{
				Engine: made.engine, Folder: made.set, Thumbs: made.thumbs, Copy: func(string) {},
				Seers: func() []library.Model { return nil }, SetUp: func(library.Model) {},
			},
			Do: fyne.Do, Models: func() {},
		})
		return tab.Content(), func() any {
			defer func() { fyne.DoAndWait(tab.Close) }()
			return measure(tab, *count, *length, *profile)
		}
	})
}

// measure scrolls a little before every frame.
func measure(tab *images.Tab, count int, length time.Duration, profile string) (r result) {
	fyne.DoAndWait(tab.Show)
	for opening := true; opening; time.Sleep(50 * time.Millisecond) {
		fyne.DoAndWait(func() { opening = len(tab.State().Items) < count })
	}
	var pictures *container.Scroll
	fyne.DoAndWait(func() { pictures = longest(tab.Content()) })
	far := pictures.Content.MinSize().Height - pictures.Size().Height
	var seen, drawn, at int
	var start time.Time
	r.Result = frames.Watch(func() {
		if profile != "" {
			file, err := os.Create(profile)
			if err != nil {
				log.Fatal(err)
			}
			defer file.Close()
			if err := pprof.StartCPUProfile(file); err != nil {
				log.Fatal(err)
			}
			defer pprof.StopCPUProfile()
		}
		time.Sleep(length)
	}, func() {
		if start.IsZero() {
			start = time.Now()
		}
		to := min(far, far*float32(time.Since(start).Seconds()/length.Seconds()))
		pictures.Scrolled(&fyne.ScrollEvent{Scrolled: fyne.NewDelta(0, pictures.Offset.Y-to)})
		if at++; at%lookEvery == 0 {
			s, d := look(pictures)
			seen, drawn = seen+s, drawn+d
		}
	})
	r.Drawn = float64(drawn) / float64(max(1, seen))
	return r
}

// lookEvery is how many frames pass until the cards are looked at.
const lookEvery = 30

// longest is what has most to scroll in.
func longest(o fyne.CanvasObject) (s *container.Scroll) {
	for _, scroll := range apptest.All[*container.Scroll](o) {
		if s == nil || scroll.Content.MinSize().Height > s.Content.MinSize().Height {
			s = scroll
		}
	}
	return s
}

// look counts the cards on the screen, and those of them with a picture.
func look(pictures *container.Scroll) (seen, drawn int) {
	for _, thumb := range apptest.All[*widgets.Thumb](pictures) {
		y := fyne.CurrentApp().Driver().AbsolutePositionForObject(thumb).Y - fyne.CurrentApp().Driver().AbsolutePositionForObject(pictures).Y
		if y+thumb.Size().Height < 0 || y > pictures.Size().Height {
			continue
		}
		seen++
		for _, img := range apptest.All[*canvas.Image](thumb) {
			if img.Image != nil {
				drawn++
			}
		}
	}
	return seen, drawn
}

// A filled folder is what the tab is opened with.
type filled struct {
	engine *teller
	set    string // folder of the set
	thumbs *job.Thumbnails
}
