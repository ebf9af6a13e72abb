// Package hardware is the tab that shows the machine as Paddock sees it: its
// memory and who holds it, its processor and graphics cards, and what the engine
// builds make of them.
package hardware

import (
	"strconv"

	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/engine/build"
	"paddock/engine/gguf"
	machine "paddock/hardware"
	"paddock/words"
)

// A State is everything the tab shows at one moment.
type State struct {
	Cards   []Card
	Devices Table
	Reading bool // nothing is known yet
}

// A Card is one graphics card, or RAM with the processor.
type Card struct {
	Icon   theme.IconName
	Title  string
	Badge  string // "Shares RAM"
	About  string
	Number string // usable GiB, empty when not known
	Usable string // what the number is
	Of     string
	Bar    []Slice
	Total  uint64
	Margin uint64 // bytes kept free for the system
	Facts  []Fact
	Note   string
}

// A Slice is a part of a card's bar, with its line in the legend.
type Slice struct {
	Colour fyne.ThemeColorName
	Bytes  uint64
	Text   string
}

// Kept is the legend of what is kept free, empty when nothing is.
func (c Card) Kept() string {
	if c.Margin == 0 {
		return ""
	}
	return words.T("hardware.slice.kept", gib(c.Margin))
}

// A Fact is a line of a card.
type Fact struct{ Name, Value string }

// A Table says what each engine build calls the machine's devices.
type Table struct {
	Heads   []string
	Rows    [][]string // as many cells as heads
	Asking  bool       // a build has not answered yet
	Problem string     // why there is no table
}

// Seen is what an engine build says the machine has.
type Seen struct {
	Build   build.Build
	Devices []build.Device
	Err     error // why it could not be asked
}

// cards describes the machine: graphics cards first, RAM last. Where there is no
// graphics card, RAM's says so.
func cards(s machine.Snapshot) []Card {
	var list []Card
	for _, gpu := range s.GPUs {
		list = append(list, gpuCard(gpu, s))
	}
	for _, pool := range s.Pools {
		if pool.Kind != machine.RAM {
			continue
		}
		card := ramCard(pool, s)
		if len(s.GPUs) == 0 {
			card.Note = words.T("hardware.gpu.none")
		}
		list = append(list, card)
	}
	return list
}

func gpuCard(gpu machine.GPU, s machine.Snapshot) Card {
	c := Card{
		Icon:  theme.IconChip,
		Title: gpuName(gpu),
		About: join(gpu.Driver, gpu.PCI),
	}
	pool, known := poolOf(gpu, s)
	if !known {
		c.Note = words.T("hardware.gpu.unknown")
		return c
	}
	c.Number = words.GiB(pool.UsableBytes)
	c.Usable = words.T("hardware.usable")
	c.Total = pool.TotalBytes
	c.Bar = usage(pool)
	if gpu.Integrated {
		c.Badge = words.T("hardware.sharesRAM")
		c.Of = words.T("hardware.of", gib(pool.TotalBytes))
		c.Facts = []Fact{
			{words.T("hardware.carveOut"), ofTotal(gpu.VRAMUsedBytes, gpu.VRAMTotalBytes)},
			{words.T("hardware.gtt"), ofTotal(gpu.GTTUsedBytes, gpu.GTTTotalBytes)},
		}
		c.Note = words.T("hardware.apu.note")
	} else {
		c.Of = words.T("hardware.ofVRAM", gib(pool.TotalBytes))
	}
	c.Facts = append(c.Facts, Fact{words.T("hardware.source"), pool.Source})
	return c
}

func ramCard(pool machine.Pool, s machine.Snapshot) Card {
	free := pool.TotalBytes - min(pool.TotalBytes, pool.UsedBytes)
	kept := free - min(free, pool.UsableBytes)
	c := Card{
		Icon:   theme.IconDisk,
		Title:  words.T("hardware.ram"),
		About:  cpuName(s.CPU),
		Number: words.GiB(pool.UsableBytes),
		Usable: words.T("hardware.usable"),
		Of:     words.T("hardware.of", gib(pool.TotalBytes)),
		Total:  pool.TotalBytes,
		Margin: kept,
		Bar:    usage(pool),
		Facts: []Fact{
			{words.T("hardware.available"), words.T("hardware.available.value", gib(free))},
			{words.T("hardware.kept"), words.T("hardware.kept.value", gib(kept))},
			{words.T("hardware.processor"), processor(s.CPU)},
			{words.T("hardware.source"), pool.Source},
		},
	}
	return c
}

// usage is who holds a pool's memory, as far as it is known.
func usage(pool machine.Pool) []Slice {
	return []Slice{{
		Colour: theme.SliceOther, Bytes: pool.UsedBytes,
		Text: words.T("hardware.slice.used", gib(pool.UsedBytes)),
	}}
}

func gib(bytes uint64) map[string]any { return map[string]any{"GiB": words.GiB(bytes)} }

func ofTotal(used, total uint64) string {
	return words.T("hardware.usedOf", map[string]any{"Used": words.GiB(used), "Total": words.GiB(total)})
}

func gpuName(gpu machine.GPU) string {
	switch {
	case gpu.Name != "":
		return gguf.Printable(gpu.Name)
	case gpu.Vendor != "":
		return words.T("hardware.gpu.vendor", map[string]any{"Vendor": gpu.Vendor})
	}
	return words.T("hardware.gpu.nameless")
}

func cpuName(c machine.CPU) string {
	if c.Name == "" {
		return words.T("hardware.cpu.nameless")
	}
	return gguf.Printable(c.Name)
}

func processor(c machine.CPU) string {
	if c.Cores == 0 {
		return words.T("hardware.notKnown")
	}
	return words.T("hardware.cores", map[string]any{"Cores": c.Cores, "Threads": c.Threads})
}

func poolOf(gpu machine.GPU, s machine.Snapshot) (machine.Pool, bool) {
	for _, p := range s.Pools {
		if gpu.Pool != "" && p.ID == gpu.Pool {
			return p, true
		}
	}
	return machine.Pool{}, false
}

// join puts a dot between the parts there are.
func join(parts ...string) string {
	text := ""
	for _, part := range parts {
		if part == "" {
			continue
		}
		if text != "" {
			text += " · "
		}
		text += part
	}
	return text
}

// devices is the table of what the builds call the devices. The processor is in
// every build, though none lists it.
func devices(seen []Seen, asking bool) Table {
	t := Table{Asking: asking, Heads: []string{words.T("hardware.device")}}
	if len(seen) == 0 {
		if !asking {
			t.Problem = words.T("hardware.noEngine")
		}
		return t
	}
	var names []string
	rows := map[string][]string{}
	for column, s := range seen {
		t.Heads = append(t.Heads, buildHead(s.Build))
		for _, d := range s.Devices {
			if rows[d.Name] == nil {
				names = append(names, d.Name)
				rows[d.Name] = make([]string, len(seen))
			}
			rows[d.Name][column] = joinComma(rows[d.Name][column], d.ID)
		}
	}
	t.Heads = append(t.Heads, words.T("hardware.memory"))
	for _, name := range names {
		row := []string{gguf.Printable(name)}
		for _, id := range rows[name] {
			row = append(row, orDash(id))
		}
		t.Rows = append(t.Rows, append(row, deviceMemory(name, seen)))
	}
	row := []string{words.T("hardware.processor")}
	for _, s := range seen {
		if s.Err != nil {
			row = append(row, words.T("hardware.noAnswer"))
		} else {
			row = append(row, "CPU")
		}
	}
	t.Rows = append(t.Rows, append(row, words.T("hardware.ram")))
	return t
}

func joinComma(list, next string) string {
	if list == "" {
		return next
	}
	return list + ", " + next
}

func orDash(s string) string {
	if s == "" {
		return "–"
	}
	return s
}

// deviceMemory is what the first build that sees a device says of its memory.
func deviceMemory(name string, seen []Seen) string {
	for _, s := range seen {
		for _, d := range s.Devices {
			if d.Name != name {
				continue
			}
			if d.Software {
				return words.T("hardware.software")
			}
			return words.T("hardware.freeOf", map[string]any{"Free": words.GiB(d.FreeBytes), "Total": words.GiB(d.TotalBytes)})
		}
	}
	return ""
}

// buildHead names a build in a few words: "b11669 Vulkan, bundled".
func buildHead(b build.Build) string {
	name := "b" + strconv.Itoa(b.Number)
	for _, backend := range b.Backends {
		if backend != "CPU" && backend != "RPC" { // every build has them
			name += " " + gguf.Printable(backend)
		}
	}
	return words.T("hardware.build", map[string]any{"Build": name, "Source": words.T("hardware.source." + string(b.Source))})
}
