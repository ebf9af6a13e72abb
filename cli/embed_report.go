package cli

import (
	"fmt"
	"io"
	"time"

	"paddock/engine/embed"
	"paddock/words"
)

// reportInterval is how often progress is said where it goes to no terminal.
const reportInterval = 10 * time.Second

// An embedReport says how far a run is: on a terminal in one line that changes,
// elsewhere in a line now and then.
type embedReport struct {
	out      io.Writer
	terminal bool
	shown    bool
	last     time.Time
}

func newEmbedReport(out io.Writer) *embedReport {
	return &embedReport{out: out, terminal: isTerminal(out), last: time.Now()}
}

// show is called on one goroutine.
func (r *embedReport) show(s embed.State) {
	if s.Phase != embed.Running && s.Phase != embed.Writing {
		return
	}
	if !r.terminal {
		if time.Since(r.last) < reportInterval {
			return
		}
		r.last = time.Now()
		fmt.Fprintln(r.out, reportLine(s))
		return
	}
	r.shown = true
	fmt.Fprint(r.out, clearLine+reportLine(s))
}

func reportLine(s embed.State) string {
	if s.Phase == embed.Writing {
		return words.T("cli.embed.writing")
	}
	data := map[string]any{
		"Done": words.Count(s.ChunksDone), "Chunks": words.Count(s.Chunks), "FilesDone": words.Count(s.FilesDone),
		"Files": words.Count(len(s.Files)), "Speed": "", "Left": "",
	}
	if s.TokensPerSecond > 0 {
		data["Speed"] = words.Speed(s.TokensPerSecond)
	}
	if s.Left >= 0 {
		data["Left"] = s.Left.Round(time.Second).String()
	}
	return words.T("cli.embed.progress", data)
}

// clear makes room for what is said next.
func (r *embedReport) clear() {
	if r.shown {
		fmt.Fprint(r.out, clearLine)
	}
}
