// Command chatstream measures what a streaming answer costs the window: it fills
// a conversation with 2,000 messages, streams an answer at 100 tokens a second
// into it and prints what that took, as JSON. It needs a display, and is meant
// for one that software draws.
package main

import (
	"flag"
	"slices"
	"strings"
	"time"

	"fyne.io/fyne/v2"

	"paddock/app/chat"
	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/packaging/bench/frames"
)

// A result is what the run measured.
type result struct {
	frames.Result
	UpdateMS    float64 `json:"updateP50Ms"` // on the UI goroutine, for one update
	UpdateP99MS float64 `json:"updateP99Ms"`
	Updates     int     `json:"updates"`
}

func main() {
	messages := flag.Int("messages", 2000, "messages in the conversation")
	rate := flag.Int("rate", 100, "tokens a second")
	length := flag.Duration("for", 10*time.Second, "how long to stream")
	fast := flag.Bool("fast", false, "update as often as with a GPU")
	flag.Parse()

	frames.Show("chatstream", func() (fyne.CanvasObject, func() any) {
		list := widgets.NewBlockList(widgets.BlockListHooks{
			Copy: func(string) {}, Link: func(string) {}, Act: func(int, string) {}, Do: fyne.Do,
		})
		list.SetMessages(conversation(*messages))
		every := chat.SlowUpdateInterval // as the app does when software draws the window
		if *fast {
			every = chat.UpdateInterval
		}
		return widgets.Background(theme.Surface, list), func() any {
			return measure(list, every, *messages, *rate, *length)
		}
	})
}

// measure streams an answer and watches.
func measure(list *widgets.BlockList, interval time.Duration, id, rate int, length time.Duration) (r result) {
	var updates []time.Duration
	box := widgets.NewMailbox(fyne.Do, interval, func(text string) {
		start := time.Now()
		list.SetMessage(widgets.Message{ID: id, Text: text, Growing: true})
		updates = append(updates, time.Since(start))
	})
	r.Result = frames.Watch(func() {
		tokens := strings.SplitAfter(answer, " ")
		var text strings.Builder
		every := time.NewTicker(time.Second / time.Duration(rate))
		defer every.Stop()
		start := time.Now()
		for i := 0; time.Since(start) < length; i++ {
			text.WriteString(tokens[i%len(tokens)])
			box.Put(text.String())
			<-every.C
		}
	}, nil)
	fyne.DoAndWait(func() {
		r.Updates = len(updates)
		r.UpdateMS, r.UpdateP99MS = quantile(updates, 0.5), quantile(updates, 0.99)
	})
	return r
}

func quantile(d []time.Duration, q float64) float64 {
	if len(d) == 0 {
		return 0
	}
	slices.Sort(d)
	return float64(d[int(q*float64(len(d)-1))].Microseconds()) / 1000
}
