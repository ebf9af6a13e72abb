package main

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"github.com/jezek/xgb"
	"github.com/jezek/xgb/xproto"
	"github.com/shirou/gopsutil/v4/process"

	"paddock/packaging/bench/frames"
)

// window starts the program and looks at the screen until its first pixel is
// there, then at the memory it takes.
func window(ctx context.Context, program string) ([]row, error) {
	const starts = 5
	var firsts []time.Duration
	var resident float64
	for range starts {
		o, err := openOnce(ctx, program, 0)
		if err != nil {
			return nil, err
		}
		firsts = append(firsts, o.first)
		resident = max(resident, o.residentMiB)
	}
	middle := median(firsts, time.Duration.Seconds)
	return []row{
		{"first pixel of the window", fmt.Sprintf("%.2f s (median of %d)", middle, starts), "<= 0.5 s", middle <= 0.5},
		{"memory of the window, after 5 s", fmt.Sprintf("%.0f MiB", resident), "<= 250 MiB", resident <= 250},
	}, nil
}

// opened is what one start of the program came to.
type opened struct {
	first       time.Duration // until the first pixel of its window
	residentMiB float64       // after 5 s
	idlePercent float64       // of a core, after that
}

// openOnce starts the program, and leaves it alone for so long once it is quiet.
func openOnce(ctx context.Context, program string, alone time.Duration) (o opened, err error) {
	folder, err := os.MkdirTemp("", "pb")
	if err != nil {
		return o, err
	}
	defer os.RemoveAll(folder)
	screen, err := newScreen()
	if err != nil {
		return o, err
	}
	defer screen.connection.Close()
	before, err := screen.centre()
	if err != nil {
		return o, err
	}

	command := exec.CommandContext(ctx, program, "--config", folder)
	start := time.Now()
	if err := command.Start(); err != nil {
		return o, err
	}
	defer func() { command.Process.Kill(); command.Wait() }()
	for {
		now, err := screen.centre()
		if err != nil {
			return o, err
		}
		if !bytes.Equal(now, before) {
			o.first = time.Since(start)
			break
		}
		if time.Since(start) > 20*time.Second {
			return o, fmt.Errorf("no window after 20 s")
		}
		time.Sleep(2 * time.Millisecond)
	}
	time.Sleep(5 * time.Second)
	if o.residentMiB, err = resident(command.Process.Pid); err != nil {
		return o, err
	}
	if alone > 0 {
		if o.idlePercent, err = busy(ctx, command.Process.Pid, alone); err != nil {
			return o, err
		}
	}
	command.Process.Signal(os.Interrupt)
	command.Wait()
	return o, nil
}

// busy is how much of a core a process takes, in percent.
func busy(ctx context.Context, pid int, during time.Duration) (float64, error) {
	p, err := process.NewProcessWithContext(ctx, int32(pid))
	if err != nil {
		return 0, err
	}
	return p.PercentWithContext(ctx, during)
}

// A screen is the X display, to be looked at.
type screen struct {
	connection *xgb.Conn
	info       *xproto.ScreenInfo
}

func newScreen() (*screen, error) {
	xgb.Logger.SetOutput(io.Discard) // it tells of a missing authority file
	c, err := xgb.NewConn()
	if err != nil {
		return nil, err
	}
	return &screen{c, xproto.Setup(c).DefaultScreen(c)}, nil
}

// centre is a strip of pixels in the middle of the screen.
func (s *screen) centre() ([]byte, error) {
	image, err := xproto.GetImage(s.connection, xproto.ImageFormatZPixmap, xproto.Drawable(s.info.Root),
		int16(s.info.WidthInPixels)/2, int16(s.info.HeightInPixels)/2, 8, 1, ^uint32(0)).Reply()
	if err != nil {
		return nil, err
	}
	return image.Data, nil
}

// resident is the memory a process has in RAM, in MiB.
func resident(pid int) (float64, error) {
	status, err := os.ReadFile(filepath.Join("/proc", strconv.Itoa(pid), "status"))
	if err != nil {
		return 0, err
	}
	for line := range strings.Lines(string(status)) {
		if fields := strings.Fields(line); len(fields) > 1 && fields[0] == "VmRSS:" {
			kib, err := strconv.ParseFloat(fields[1], 64)
			return kib / 1024, err
		}
	}
	return 0, fmt.Errorf("no VmRSS of process %d", pid)
}

// framesWanted is how many frames a second of a window that moves are smooth.
const framesWanted = 58

// chat streams into a long conversation, in a program of its own.
func chat(ctx context.Context) ([]row, error) {
	var r struct {
		frames.Result
		UpdateMS float64 `json:"updateP50Ms"`
	}
	if err := shown(ctx, "chatstream", &r); err != nil {
		return nil, err
	}
	return []row{
		{"100 tokens/s into 2,000 messages: processor", fmt.Sprintf("%.0f %% of a core", r.CPUPercent), "<= 40 %", r.CPUPercent <= 40},
		{"the same: frames", fmt.Sprintf("%.0f a second (an update takes %.1f ms, %.0f MiB)", r.FPS, r.UpdateMS, r.RSSMiB), ">= 58", r.FPS >= framesWanted},
	}, nil
}

// grid scrolls through the pictures of the Images tab, in a program of its own.
func grid(ctx context.Context) ([]row, error) {
	var r struct {
		frames.Result
		Drawn float64
	}
	if err := shown(ctx, "gridscroll", &r); err != nil {
		return nil, err
	}
	return []row{
		{"2,000 thumbnails scrolled: frames", fmt.Sprintf("%.0f a second (%.0f %% of a core, %.0f MiB)", r.FPS, r.CPUPercent, r.RSSMiB), ">= 58", r.FPS >= framesWanted},
		{"the same: cards on the screen that have their picture", fmt.Sprintf("%.0f %%", 100*r.Drawn), ">= 95 %", r.Drawn >= 0.95},
	}, nil
}

// shown runs one of the programs beside this that open a window, and reads its result.
func shown(ctx context.Context, name string, result any) error {
	out, err := exec.CommandContext(ctx, "go", "run", "./packaging/bench/"+name).Output()
	if err != nil {
		return err
	}
	return json.Unmarshal(out, result)
}
