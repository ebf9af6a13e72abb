package hardware

import (
	"fmt"
	"runtime"
	"strings"

	"paddock/engine/build"
	machine "paddock/hardware"
	"paddock/words"
)

// Program is what a report says about Paddock itself.
type Program struct {
	Version  string
	Renderer string // what draws the window, as OpenGL names it
}

// Report is the machine as text for a bug report. It names no user, no path and
// no file. It is in English whatever the window's language, for whoever reads
// bug reports.
func (p *Presenter) Report(program Program) string {
	return report(program, p.snapshot, p.builds, p.seen)
}

func report(program Program, s machine.Snapshot, builds []build.Build, seen []Seen) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("Paddock %s on %s/%s", program.Version, runtime.GOOS, runtime.GOARCH)
	if program.Renderer != "" {
		line("Window drawn by: %s", program.Renderer)
	}
	line("Processor: %s, %d cores, %d threads", orUnknown(s.CPU.Name), s.CPU.Cores, s.CPU.Threads)
	for _, g := range s.GPUs {
		kind := "discrete"
		if g.Integrated {
			kind = "integrated"
		}
		line("Graphics: %s (%s, %s, driver %s), VRAM %s of %s GiB used, GTT %s of %s GiB used",
			orUnknown(g.Name), kind, g.PCI, orUnknown(g.Driver),
			words.GiB(g.VRAMUsedBytes), words.GiB(g.VRAMTotalBytes), words.GiB(g.GTTUsedBytes), words.GiB(g.GTTTotalBytes))
	}
	for _, pool := range s.Pools {
		line("Memory pool %s (%s): %s GiB usable, %s of %s GiB used, from %s",
			pool.Name, pool.Kind, words.GiB(pool.UsableBytes), words.GiB(pool.UsedBytes), words.GiB(pool.TotalBytes), pool.Source)
	}
	for _, engine := range builds {
		if engine.Problem != "" {
			line("Engine (%s): can't be used, %s", engine.Source, engine.Problem)
			continue
		}
		line("Engine (%s): llama.cpp b%d, version %s, backends %s, self-test passed: %t, reports progress: %t",
			engine.Source, engine.Number, engine.Version, strings.Join(engine.Backends, " "), engine.Proven, engine.ChildMode)
	}
	for _, one := range seen {
		for _, d := range one.Devices {
			line("Device of b%d: %s = %s, %s of %s GiB free", one.Build.Number, d.ID, d.Name, words.GiB(d.FreeBytes), words.GiB(d.TotalBytes))
		}
		if one.Err != nil {
			line("Device list of b%d: no answer", one.Build.Number)
		}
	}
	return b.String()
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
