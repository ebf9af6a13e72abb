// Command chatstream measures what a streaming answer costs the window: it fills
// a conversation with 2,000 messages, streams an answer at 100 tokens a second
// into it and prints what that took, as JSON. It needs a display, and is meant
// for one that software draws.
package main

import (
	"encoding/json"
	"flag"
	"fmt"
	"log"
	"os"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/app"

	"paddock/app/chat"
	"paddock/app/theme"
	"paddock/app/widgets"
)

// A result is what the run measured.
type result struct {
	FPS         float64 `json:"fps"`         // ticks of the window's own loop
	UpdateMS    float64 `json:"updateP50Ms"` // on the UI goroutine, for one update
	UpdateP99MS float64 `json:"updateP99Ms"`
	Updates     int     `json:"updates"`
	CPUPercent  float64 `json:"cpuPercent"` // of one core
	IdlePercent float64 `json:"idleCpuPercent"`
	RSSMiB      float64 `json:"rssMiB"`
}

func main() {
	messages := flag.Int("messages", 2000, "messages in the conversation")
	rate := flag.Int("rate", 100, "tokens a second")
	length := flag.Duration("for", 10*time.Second, "how long to stream")
	fast := flag.Bool("fast", false, "update as often as with a GPU")
	flag.Parse()

	a := app.NewWithID("paddock.bench.chatstream")
	a.Settings().SetTheme(theme.New(theme.Dark))
	w := a.NewWindow("chatstream")
	list := widgets.NewBlockList(widgets.BlockListHooks{
		Copy: func(string) {}, Link: func(string) {}, Act: func(int, string) {}, Do: fyne.Do,
	})
	w.SetContent(widgets.Background(theme.Surface, list))
	w.SetPadded(false)
	w.Resize(fyne.NewSize(theme.StartWidth, theme.StartHeight))
	list.SetMessages(conversation(*messages))
	go func() {
		time.Sleep(2 * time.Second)      // the window is there and drawn
		every := chat.SlowUpdateInterval // as the app does when software draws the window
		if *fast {
			every = chat.UpdateInterval
		}
		r := measure(list, every, *messages, *rate, *length)
		if err := json.NewEncoder(os.Stdout).Encode(r); err != nil {
			log.Fatal(err)
		}
		fyne.Do(a.Quit)
	}()
	w.ShowAndRun()
}

// measure streams an answer and watches.
func measure(list *widgets.BlockList, interval time.Duration, id, rate int, length time.Duration) result {
	idle := cpuTime()
	time.Sleep(2 * time.Second)
	r := result{IdlePercent: percent(cpuTime()-idle, 2*time.Second)}

	var frames atomic.Int64
	tick := fyne.NewAnimation(length, func(float32) { frames.Add(1) })
	var updates []time.Duration
	box := widgets.NewMailbox(fyne.Do, interval, func(text string) {
		start := time.Now()
		list.SetMessage(widgets.Message{ID: id, Text: text, Growing: true})
		updates = append(updates, time.Since(start))
	})
	before, start := cpuTime(), time.Now()
	fyne.Do(tick.Start)
	tokens := strings.SplitAfter(answer, " ")
	var text strings.Builder
	every := time.NewTicker(time.Second / time.Duration(rate))
	defer every.Stop()
	for i := 0; time.Since(start) < length; i++ {
		text.WriteString(tokens[i%len(tokens)])
		box.Put(text.String())
		<-every.C
	}
	took := time.Since(start)
	used := cpuTime() - before
	fyne.DoAndWait(func() {
		r.Updates = len(updates)
		r.UpdateMS, r.UpdateP99MS = quantile(updates, 0.5), quantile(updates, 0.99)
	})
	r.FPS = float64(frames.Load()) / took.Seconds()
	r.CPUPercent = percent(used, took)
	r.RSSMiB = rssMiB()
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

func quantile(d []time.Duration, q float64) float64 {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return float64(d[int(q*float64(len(d)-1))].Microseconds()) / 1000
}

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
