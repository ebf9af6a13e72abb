package hardware

import (
	"regexp"
	"slices"
	"strings"
)

// A Device is something an engine computes on, as its list names it.
type Device struct {
	ID         string // "Vulkan0"
	Name       string
	PCI, UUID  string // where the list gives them
	TotalBytes uint64
	FreeBytes  uint64
	Software   bool // it is the processor (llvmpipe): no card
}

// Match says which engine devices each card is. A list is one engine build's. A
// device is a card when their PCI address or UUID says so, else when name and
// memory fit that card and no other; never by its place in the list. Where two
// cards are just alike, a device is only maybe one of them.
//
// What drivers don't tell is filled in from the list: names, memory, and cards
// that no other source knows.
func Match(s Snapshot, lists ...[]Device) Snapshot {
	s.GPUs, s.Pools = slices.Clone(s.GPUs), slices.Clone(s.Pools)
	for i, gpu := range s.GPUs {
		s.GPUs[i].EngineDevices = slices.Clone(gpu.EngineDevices)
		s.GPUs[i].MaybeDevices = slices.Clone(gpu.MaybeDevices)
	}
	for _, list := range lists {
		for _, devices := range byBackend(list) {
			m := matching{s: &s, devices: devices, card: map[int]int{}}
			m.run()
		}
	}
	return s
}

// byBackend splits a list, in its order: within a backend no card is there twice.
// Software is no card, and a device of another computer is not here.
func byBackend(list []Device) [][]Device {
	var order []string
	groups := map[string][]Device{}
	for _, d := range list {
		backend := backendOf(d.ID)
		if d.Software || backend == "RPC" {
			continue
		}
		if groups[backend] == nil {
			order = append(order, backend)
		}
		groups[backend] = append(groups[backend], d)
	}
	var split [][]Device
	for _, backend := range order {
		split = append(split, groups[backend])
	}
	return split
}

func backendOf(id string) string { return strings.TrimRight(id, "0123456789") }

// matching is the search for the cards of one backend's devices.
type matching struct {
	s       *Snapshot
	devices []Device
	card    map[int]int // by device
}

func (m *matching) run() {
	same := func(d Device, g GPU) bool { return sameVendor(d, g) && model(d.Name).equals(modelOf(g)) }
	part := func(d Device, g GPU) bool { return sameVendor(d, g) && model(d.Name).within(modelOf(g)) }
	open := func(d Device, g GPU) bool {
		return sameVendor(d, g) && sameKind(d, g) && (part(d, g) || !model(d.Name).specific() || !modelOf(g).specific())
	}
	sized := func(d Device, g GPU) bool { return closeTo(d.TotalBytes, m.totalOf(g)) }
	for _, fits := range []func(Device, GPU) bool{
		sameAddress,
		func(d Device, g GPU) bool { return same(d, g) && sized(d, g) }, same,
		func(d Device, g GPU) bool { return part(d, g) && sized(d, g) },
		func(d Device, g GPU) bool { return open(d, g) && sized(d, g) }, open,
	} {
		for m.pair(fits) {
		}
	}
	for i, d := range m.devices {
		if _, done := m.card[i]; done {
			continue
		}
		alike := m.free(d, open)
		for _, c := range alike {
			m.s.GPUs[c].MaybeDevices = appendNew(m.s.GPUs[c].MaybeDevices, d.ID)
		}
		if len(alike) == 0 && !m.taken(d, open) {
			m.s.addDevice(d)
		}
	}
}

// pair gives one device the only card that fits it, when it is the only device
// that fits the card.
func (m *matching) pair(fits func(Device, GPU) bool) bool {
	for i, d := range m.devices {
		if _, done := m.card[i]; done {
			continue
		}
		cards := m.free(d, fits)
		if len(cards) != 1 || m.wanted(cards[0], fits) != 1 {
			continue
		}
		m.card[i] = cards[0]
		m.s.give(cards[0], d)
		return true
	}
	return false
}

// free are the cards without a device of this backend that fit one.
func (m *matching) free(d Device, fits func(Device, GPU) bool) []int {
	var cards []int
	for c, gpu := range m.s.GPUs {
		if fits(d, gpu) && !m.has(c) {
			cards = append(cards, c)
		}
	}
	return cards
}

func (m *matching) has(c int) bool {
	for _, given := range m.card {
		if given == c {
			return true
		}
	}
	return false
}

// wanted is how many devices without a card a card fits.
func (m *matching) wanted(c int, fits func(Device, GPU) bool) int {
	n := 0
	for i, d := range m.devices {
		if _, done := m.card[i]; !done && fits(d, m.s.GPUs[c]) {
			n++
		}
	}
	return n
}

// taken says whether a device could be a card that already has one: the same one
// listed twice rather than one nobody knows.
func (m *matching) taken(d Device, fits func(Device, GPU) bool) bool {
	return slices.ContainsFunc(m.s.GPUs, func(g GPU) bool { return fits(d, g) })
}

// totalOf is the memory a backend may give a card: its own, or all it reaches.
func (m *matching) totalOf(g GPU) uint64 {
	if pool, ok := m.s.PoolOf(g); ok && g.Integrated {
		return pool.TotalBytes
	}
	return g.VRAMTotalBytes
}

// closeTo allows for what drivers keep for themselves.
func closeTo(a, b uint64) bool {
	return a > 0 && b > 0 && max(a, b)-min(a, b) <= max(a, b)/16
}

var pciInName = regexp.MustCompile(`\b[0-9a-fA-F]{4,8}:[0-9a-fA-F]{2}:[0-9a-fA-F]{2}\.[0-7]\b`)

func sameAddress(d Device, g GPU) bool {
	address := d.PCI
	if address == "" {
		address = pciInName.FindString(d.Name)
	}
	return address != "" && shortPCI(address) == g.PCI || d.UUID != "" && d.UUID == g.uuid
}

// sameVendor is true also when a device doesn't say who made it.
func sameVendor(d Device, g GPU) bool {
	vendor := deviceVendor(d)
	return vendor == "" || g.Vendor == "" || vendor == g.Vendor
}

func deviceVendor(d Device) string {
	switch backendOf(d.ID) {
	case "CUDA":
		return "NVIDIA"
	case "ROCm", "HIP":
		return "AMD"
	case "Metal", "MTL":
		return "Apple"
	}
	name := strings.ToLower(d.Name)
	for _, v := range []struct{ word, vendor string }{
		{"nvidia", "NVIDIA"}, {"geforce", "NVIDIA"}, {"quadro", "NVIDIA"}, {"tesla", "NVIDIA"},
		{"amd", "AMD"}, {"radeon", "AMD"}, {"intel", "Intel"}, {"apple", "Apple"},
	} {
		if strings.Contains(name, v.word) {
			return v.vendor
		}
	}
	return ""
}

var (
	integratedName = regexp.MustCompile(`(?i)\b(uhd|hd|iris|xe) graphics|\biris\b`)
	arcCard        = regexp.MustCompile(`(?i)\barc\b.*\b(a|b|pro)\s?\d`)
)

// sameKind tells Intel's cards from its integrated GPUs, which few tables name.
func sameKind(d Device, g GPU) bool {
	switch name := strings.NewReplacer("(R)", "", "(TM)", "", "(tm)", "").Replace(d.Name); {
	case g.Vendor != "Intel":
		return true
	case arcCard.MatchString(name):
		return !g.Integrated
	case integratedName.MatchString(name):
		return g.Integrated
	}
	return true
}

// A modelName is the words of a card's name that tell it from others.
type modelName map[string]bool

var (
	parentheses = regexp.MustCompile(`\([^)]*\)`)
	nameWord    = regexp.MustCompile(`[a-z0-9]+`)
	digit       = regexp.MustCompile(`[0-9]`)
)

// model takes a name's words, without makers, families, and drivers in brackets:
// "AMD Radeon RX 7900 XTX (RADV NAVI31)" is rx, 7900, xtx.
func model(name string) modelName {
	words := modelName{}
	name = parentheses.ReplaceAllString(pciInName.ReplaceAllString(name, ""), " ")
	for _, word := range nameWord.FindAllString(strings.ToLower(name), -1) {
		switch word {
		case "nvidia", "amd", "ati", "intel", "corporation", "inc", "graphics", "gpu", "series",
			"radeon", "geforce", "arc", "or", "r", "tm":
		default:
			words[word] = true
		}
	}
	return words
}

func modelOf(g GPU) modelName {
	if g.nameless {
		return nil
	}
	return model(g.Name)
}

// specific says whether a name tells a model: most integrated GPUs are just
// "Graphics".
func (m modelName) specific() bool {
	for word := range m {
		if digit.MatchString(word) {
			return true
		}
	}
	return false
}

func (m modelName) equals(other modelName) bool {
	return len(m) == len(other) && m.within(other)
}

// within says whether all of a model's words are the other's too: tables name
// several cards in one line.
func (m modelName) within(other modelName) bool {
	if !m.specific() {
		return false
	}
	for word := range m {
		if !other[word] {
			return false
		}
	}
	return true
}

func appendNew(list []string, s string) []string {
	if slices.Contains(list, s) {
		return list
	}
	return append(list, s)
}
