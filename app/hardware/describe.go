package hardware

import (
	"slices"
	"strings"

	"paddock/app/theme"
	"paddock/engine/gguf"
	machine "paddock/hardware"
	"paddock/words"
)

// knowledge is what is known beside the machine itself.
type knowledge struct {
	seen   []Seen
	asking bool // a build has not answered yet
	looked bool // somebody looked who uses the cards' memory
}

// cards describes the machine: graphics cards first, RAM last. Where there is no
// graphics card, RAM's says so.
func cards(s machine.Snapshot, k knowledge) []Card {
	raises := map[string]Raise{}
	for _, a := range s.Advice() {
		raises[a.PCI] = raise(a)
	}
	var list []Card
	for _, gpu := range s.GPUs {
		c := gpuCard(gpu, s, k)
		c.Raise = raises[gpu.PCI]
		list = append(list, c)
	}
	if s.RAM.TotalBytes > 0 {
		list = append(list, ramCard(s))
	}
	return list
}

func gpuCard(gpu machine.GPU, s machine.Snapshot, k knowledge) Card {
	c := Card{
		Icon:   theme.IconChip,
		Title:  gpuName(gpu),
		About:  join(gguf.Printable(gpu.Driver), gpu.PCI),
		Source: numberSources(gpu, s),
	}
	if gpu.Integrated {
		c.Badge = words.T("hardware.sharesRAM")
	}
	pool, known := s.PoolOf(gpu)
	if !known {
		c.Note = words.T("hardware.gpu.unknown")
		if unseen(gpu, k) {
			c.Note = words.T("hardware.gpu.unseen") + " " + words.CardNeeds()
		}
		c.Facts = deviceFacts(gpu, k)
		return c
	}
	c.Number = words.GiB(pool.UsableBytes)
	c.Usable = words.T("hardware.usable")
	c.Total = pool.TotalBytes
	c.Bar, c.Free = usage(gpu, pool), words.T("hardware.slice.free", gib(pool.UsableBytes))
	c.Users = users(gpu, pool, k.looked)
	c.Facts = deviceFacts(gpu, k)
	if gpu.Integrated {
		c.Big = true
		c.Usable = words.T("hardware.usable.models")
		c.Of = words.T("hardware.of", gib(pool.TotalBytes))
		c.Sum = sum(gpu, pool, s.RAM)
		c.Note = apuNote(gpu, pool, k.seen)
	} else {
		c.Of = words.T("hardware.ofVRAM", gib(pool.TotalBytes))
		c.Facts = append(c.Facts, Fact{words.T("hardware.used"), usedFact(pool)})
		if gpu.Knows(machine.GTTTotal) && gpu.Knows(machine.GTTUsed) && gpu.GTTTotalBytes > 0 {
			c.Facts = append(c.Facts, Fact{words.T("hardware.gtt"), words.T("hardware.gtt.lent", usedOf(gpu.GTTUsedBytes, gpu.GTTTotalBytes))})
		}
	}
	if unseen(gpu, k) {
		c.Note = words.T("hardware.gpu.unseen") + " " + words.CardNeeds()
	}
	c.Facts = append(c.Facts, Fact{words.T("hardware.source"), pool.Source})
	return c
}

// unseen says that engines have answered, and none can use the card.
func unseen(gpu machine.GPU, k knowledge) bool {
	return len(gpu.EngineDevices) == 0 && len(gpu.MaybeDevices) == 0 && !k.asking && len(k.seen) > 0
}

// deviceFacts says which engine devices a card is.
func deviceFacts(gpu machine.GPU, k knowledge) []Fact {
	name := words.T("hardware.devices")
	switch {
	case len(gpu.EngineDevices) > 0:
		return []Fact{{name, strings.Join(gpu.EngineDevices, " = ")}}
	case len(gpu.MaybeDevices) > 0:
		return []Fact{{name, words.T("hardware.devices.maybe", map[string]any{"Devices": strings.Join(gpu.MaybeDevices, ", ")})}}
	}
	if k.asking {
		return []Fact{{name, words.T("hardware.asking")}}
	}
	if !unseen(gpu, k) {
		return []Fact{{name, words.T("hardware.notKnown")}}
	}
	return []Fact{{name, words.T("hardware.devices.none")}}
}

func usedFact(pool machine.Pool) string {
	if pool.UsedUnknown {
		return words.T("hardware.used.unknown")
	}
	return words.T("hardware.usedOf", usedOf(pool.UsedBytes, pool.TotalBytes))
}

// sum is how an integrated card's usable memory comes about. Its last line is the
// result.
func sum(gpu machine.GPU, pool machine.Pool, ram machine.Memory) []Term {
	var terms []Term
	term := func(key string, bytes uint64, note string) {
		terms = append(terms, Term{Name: words.T(key), GiB: words.GiB(bytes), Note: note})
	}
	used := func(number string, bytes uint64) string {
		if !gpu.Knows(number) {
			return words.T("hardware.used.unknown")
		}
		return words.T("hardware.usedGiB", gib(bytes))
	}
	ownCounters := gpu.Knows(machine.VRAMTotal) || gpu.Knows(machine.GTTTotal) // amdgpu's
	if ownCounters {
		if gpu.Knows(machine.VRAMTotal) {
			term("hardware.carveOut", gpu.VRAMTotalBytes, used(machine.VRAMUsed, gpu.VRAMUsedBytes))
		}
		if gpu.Knows(machine.GTTTotal) {
			note := used(machine.GTTUsed, gpu.GTTUsedBytes)
			if !strings.HasPrefix(gpu.Sources[machine.GTTTotal], "sysfs") {
				note = words.T("hardware.gtt.assumed")
			}
			term("hardware.gttLimit", gpu.GTTTotalBytes, note)
		}
	} else if pool.TotalBytes < ram.TotalBytes {
		term("hardware.engineLimit", pool.TotalBytes, "")
	}
	free, reach := gpu.VRAMTotalBytes-gpu.VRAMUsedBytes, gpu.GTTTotalBytes-gpu.GTTUsedBytes
	if !ownCounters {
		free, reach = 0, pool.TotalBytes-pool.UsedBytes
	}
	note := words.T("hardware.sum.two", map[string]any{"A": words.GiB(free), "B": words.GiB(reach)})
	if ram.TotalBytes > 0 {
		term("hardware.ramAvailable", ram.AvailableBytes, words.T("hardware.of.number", gib(ram.TotalBytes)))
		term("hardware.kept", ram.ReserveBytes, keptNote(ram))
		data := map[string]any{"A": words.GiB(free), "B": words.GiB(reach), "C": words.GiB(ram.SpareBytes())}
		switch {
		case ownCounters:
			note = words.T("hardware.sum.three", data)
		case pool.TotalBytes < ram.TotalBytes:
			note = words.T("hardware.sum.smaller", data)
		default:
			note = words.T("hardware.sum.ram", map[string]any{"A": words.GiB(ram.AvailableBytes), "B": words.GiB(ram.ReserveBytes)})
		}
	}
	return append(terms, Term{Name: words.T("hardware.sum.usable"), GiB: words.GiB(pool.UsableBytes), Note: note, Result: true})
}

func keptNote(ram machine.Memory) string {
	if ram.ReserveBytes > 4<<30 {
		return words.T("hardware.kept.share")
	}
	return words.T("hardware.kept.least")
}

// apuNote says what kind of memory it is, and what engines make of it: several
// show a part only.
func apuNote(gpu machine.GPU, pool machine.Pool, seen []Seen) string {
	if !gpu.Knows(machine.GTTTotal) {
		return words.T("hardware.unified.note")
	}
	var says []string
	for _, one := range seen {
		for _, d := range one.Devices {
			far := max(d.TotalBytes, pool.TotalBytes)-min(d.TotalBytes, pool.TotalBytes) > pool.TotalBytes/10
			if slices.Contains(gpu.EngineDevices, d.ID) && far {
				says = append(says, words.T("hardware.apu.says", map[string]any{"Device": d.ID, "GiB": words.GiB(d.TotalBytes)}))
			}
		}
	}
	if len(says) == 0 {
		return words.T("hardware.apu.note")
	}
	return words.T("hardware.apu.parts", map[string]any{"Says": strings.Join(says, ", ")})
}

func raise(a machine.Advice) Raise {
	data := map[string]any{
		"Limit": words.GiB(a.LimitBytes), "Total": words.GiB(a.TotalBytes), "Usable": words.GiB(a.UsableBytes),
		"Replaces": gguf.Printable(a.Replaces),
	}
	return Raise{Title: words.T("hardware.raise", data), Text: words.T("hardware.raise.text", data), Line: a.Line}
}

func ramCard(s machine.Snapshot) Card {
	ram := s.RAM
	c := Card{
		Icon:   theme.IconDisk,
		Title:  words.T("hardware.ram"),
		About:  cpuName(s.CPU),
		Number: words.GiB(ram.AvailableBytes),
		Usable: words.T("hardware.ram.available"),
		Of:     words.T("hardware.of", gib(ram.TotalBytes)),
		Total:  ram.TotalBytes,
		Margin: min(ram.ReserveBytes, ram.AvailableBytes),
		Facts:  []Fact{{words.T("hardware.left"), words.T("hardware.left.value", gib(ram.SpareBytes()))}},
		Source: []Fact{{words.T("hardware.ram"), ram.Source}},
	}
	programs := ram.TotalBytes - ram.AvailableBytes
	var lent []Slice
	for _, gpu := range s.GPUs {
		if !gpu.Integrated || gpu.Driver != "amdgpu" {
			continue
		}
		name := map[string]any{"GPU": gpuName(gpu)}
		if held := min(gpu.GTTUsedBytes, programs); held > 0 {
			programs -= held
			name["GiB"] = words.GiB(held)
			lent = append(lent, Slice{Colour: theme.SliceShared, Bytes: held, Text: words.T("hardware.slice.lent", name)})
		}
		more := min(gpu.GTTTotalBytes-gpu.GTTUsedBytes, ram.SpareBytes())
		name["GiB"] = words.GiB(ram.SpareBytes() - more)
		c.Facts = append(c.Facts, Fact{words.T("hardware.ifFull", name), words.T("hardware.ifFull.value", name)})
	}
	c.Bar = append([]Slice{{Colour: theme.SliceOther, Bytes: programs, Text: words.T("hardware.slice.programs", gib(programs))}}, lent...)
	swap := words.T("hardware.swap.none")
	if ram.SwapTotalBytes > 0 {
		swap = words.T("hardware.swap.value", usedOf(ram.SwapUsedBytes, ram.SwapTotalBytes))
	}
	c.Facts = append(c.Facts, Fact{words.T("hardware.swap"), swap})
	if s.CPU.Cores > 0 {
		c.Facts = append(c.Facts, Fact{words.T("hardware.processor"), words.T("hardware.cores", map[string]any{"Cores": s.CPU.Cores, "Threads": s.CPU.Threads})})
	}
	if len(s.CPU.Flags) > 0 {
		c.Facts = append(c.Facts, Fact{words.T("hardware.instructions"), strings.Join(s.CPU.Flags, " ")})
	}
	c.Facts = append(c.Facts, Fact{words.T("hardware.source"), ram.Source})
	if len(s.GPUs) == 0 {
		c.Note = words.T("hardware.gpu.none")
		if len(s.Displays) > 0 {
			c.Note = words.T("hardware.gpu.display", map[string]any{"Driver": gguf.Printable(strings.Join(s.Displays, ", "))})
		}
	}
	return c
}

// numberSources says of every number of a card where it is from, or that nothing
// tells it.
func numberSources(gpu machine.GPU, s machine.Snapshot) []Fact {
	var facts []Fact
	for _, n := range []struct{ number, key string }{
		{machine.VRAMTotal, "hardware.number.vramTotal"}, {machine.VRAMUsed, "hardware.number.vramUsed"},
		{machine.GTTTotal, "hardware.number.gttTotal"}, {machine.GTTUsed, "hardware.number.gttUsed"},
	} {
		gtt := n.number == machine.GTTTotal || n.number == machine.GTTUsed
		switch {
		case gpu.Knows(n.number):
			facts = append(facts, Fact{words.T(n.key), gpu.Sources[n.number]})
		case gtt && gpu.Driver != "amdgpu", gpu.Integrated && gpu.Driver != "amdgpu":
			// There is no such thing.
		default:
			facts = append(facts, Fact{words.T(n.key), words.T("hardware.number.unknown")})
		}
	}
	if pool, known := s.PoolOf(gpu); known {
		facts = append(facts, Fact{words.T("hardware.number.usable"), pool.Source})
	}
	if len(gpu.Users) > 0 {
		facts = append(facts, Fact{words.T("hardware.number.users"), "/proc/PID/fdinfo, NVML"})
	}
	return facts
}

func usedOf(used, total uint64) map[string]any {
	return map[string]any{"Used": words.GiB(used), "Total": words.GiB(total)}
}

func gpuName(gpu machine.GPU) string {
	switch {
	case gpu.Name != "":
		return gguf.Printable(machine.ShortName(gpu.Name))
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
