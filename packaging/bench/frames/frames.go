// Package frames measures what is drawn in a real window: how many frames a second its
// loop comes to, and what that takes of the processor.
package frames

import (
	"encoding/json"
	"fmt"
	"log"
	"os"
	"sync/atomic"
	"syscall"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"

	"paddock/app/theme"
)

// A Result is what a time of watching came to.
type Result struct {
	FPS         float64 `json:"fps"`            // ticks of the window's own loop
	CPUPercent  float64 `json:"cpuPercent"`     // of one core
	IdlePercent float64 `json:"idleCpuPercent"` // of one core, before
	RSSMiB      float64 `json:"rssMiB"`         // at the end
}

// settling is how long a window is left alone after its start, and watched idle.
const settling = 2 * time.Second

// Show opens a window of the usual size with what build makes, prints what measure
// returns as JSON, and ends. measure runs beside the UI goroutine, once the window is
// drawn.
func Show(name string, build func() (content fyne.CanvasObject, measure func() any)) {
	a := app.NewWithID("paddock.bench." + name)
	a.Settings().SetTheme(theme.New(theme.Dark))
	w := a.NewWindow(name)
	content, measure := build()
	w.SetContent(content)
	w.SetPadded(false)
	w.Resize(fyne.NewSize(theme.StartWidth, theme.StartHeight))
	go func() {
		time.Sleep(settling)
		if err := json.NewEncoder(os.Stdout).Encode(measure()); err != nil {
			log.Fatal(err)
		}
		fyne.Do(a.Quit)
	}()
	w.ShowAndRun()
}

// Watch counts frames while something is done. each is called on the UI goroutine
// before every frame is drawn; nil for nothing.
func Watch(during func(), each func()) Result {
	idle := cpuTime()
	time.Sleep(settling)
	r := Result{IdlePercent: percent(cpuTime()-idle, settling)}
	var frames atomic.Int64
	tick := fyne.NewAnimation(time.Hour, func(float32) {
		frames.Add(1)
		if each != nil {
			each()
		}
	})
	before, start := cpuTime(), time.Now()
	fyne.Do(tick.Start)
	during()
	took, count := time.Since(start), frames.Load()
	r.FPS = float64(count) / took.Seconds()
	r.CPUPercent = percent(cpuTime()-before, took)
	r.RSSMiB = rssMiB()
	fyne.DoAndWait(tick.Stop)
	return r
}

// cpuTime is what this process has used on all cores.
func cpuTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		log.Fatal(err)
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

func percent(used, took time.Duration) float64 { return 100 * used.Seconds() / took.Seconds() }

// rssMiB is the memory this process has in RAM.
func rssMiB() float64 {
	statm, err := os.ReadFile("/proc/self/statm")
	if err != nil {
		log.Fatal(err)
	}
	var size, resident float64
	if _, err := fmt.Sscan(string(statm), &size, &resident); err != nil {
		log.Fatal(err)
	}
	return resident * float64(os.Getpagesize()) / (1 << 20)
}
