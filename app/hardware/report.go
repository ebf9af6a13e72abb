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

// Report is the machine as text for a bug report. It names no user, no program of
// theirs, no path of theirs and no file. It is in English whatever the window's
// language, for whoever reads bug reports.
func (p *Presenter) Report(program Program) string {
	return report(program, p.machine(), p.builds, p.seen)
}

func report(program Program, s machine.Snapshot, builds []build.Build, seen []Seen) string {
	var b strings.Builder
	line := func(format string, args ...any) { fmt.Fprintf(&b, format+"\n", args...) }
	line("Paddock %s on %s/%s", program.Version, runtime.GOOS, runtime.GOARCH)
	if program.Renderer != "" {
		line("Window drawn by: %s", program.Renderer)
	}
	counts := orUnknown("")
	if s.CPU.Cores > 0 {
		counts = fmt.Sprintf("%d cores, %d threads", s.CPU.Cores, s.CPU.Threads)
	}
	line("Processor: %s, %s, %s", orUnknown(s.CPU.Name), counts, orUnknown(strings.Join(s.CPU.Flags, " ")))
	if s.RAM.TotalBytes > 0 {
		line("RAM: %s of %s GiB available, %s kept for the system, swap %s of %s GiB used, from %s",
			words.GiB(s.RAM.AvailableBytes), words.GiB(s.RAM.TotalBytes), words.GiB(s.RAM.ReserveBytes),
			words.GiB(s.RAM.SwapUsedBytes), words.GiB(s.RAM.SwapTotalBytes), orUnknown(s.RAM.Source))
	} else {
		line("RAM: %s", orUnknown(""))
	}
	for _, g := range s.GPUs {
		reportGPU(line, g)
	}
	for _, driver := range s.Displays {
		line("Display that can't compute: %s", driver)
	}
	for _, pool := range s.Pools {
		used := words.GiB(pool.UsedBytes)
		if pool.UsedUnknown {
			used = "unknown"
		}
		line("Memory pool %s (%s): %s GiB usable, %s of %s GiB used, from %s",
			pool.Name, pool.Kind, words.GiB(pool.UsableBytes), used, words.GiB(pool.TotalBytes), pool.Source)
	}
	for _, a := range s.Advice() {
		line("Could be raised: %s, to %s GiB of GTT", a.Line, words.GiB(a.LimitBytes))
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

func reportGPU(line func(string, ...any), g machine.GPU) {
	kind := "discrete"
	if g.Integrated {
		kind = "integrated"
	}
	number := func(name string, bytes uint64) string {
		if !g.Knows(name) {
			return "unknown"
		}
		return fmt.Sprintf("%s GiB (%s)", words.GiB(bytes), g.Sources[name])
	}
	line("Graphics: %s (%s, %s, driver %s), engine devices %s",
		orUnknown(g.Name), kind, orUnknown(g.PCI), orUnknown(g.Driver), orUnknown(strings.Join(g.EngineDevices, " = ")))
	line("  VRAM %s, used %s; GTT %s, used %s",
		number(machine.VRAMTotal, g.VRAMTotalBytes), number(machine.VRAMUsed, g.VRAMUsedBytes),
		number(machine.GTTTotal, g.GTTTotalBytes), number(machine.GTTUsed, g.GTTUsedBytes))
	if len(g.Users) == 0 {
		return
	}
	ours, others, programs := uint64(0), uint64(0), 0
	for _, p := range g.Users {
		if p.Ours {
			ours += p.Bytes()
		} else {
			others += p.Bytes()
			programs++
		}
	}
	line("  in use by Paddock: %s GiB, by %d programs that could be looked into: %s GiB", words.GiB(ours), programs, words.GiB(others))
}

func orUnknown(s string) string {
	if s == "" {
		return "unknown"
	}
	return s
}
