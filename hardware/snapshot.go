// Package hardware says what this machine is made of: processor, memory,
// graphics cards, and the pools of memory that can run out.
//
// Readers take the root of a file tree, so that a recorded machine reads like
// the live one. Nothing here fails: what can't be read, or makes no sense, is
// unknown, and every number that is known says where it is from.
package hardware

import "encoding/json"

// A PoolKind says what physical memory a pool is.
type PoolKind string

// The kinds of pool.
const (
	VRAM PoolKind = "vram" // one discrete card's own memory
	APU  PoolKind = "apu"  // all an integrated GPU reaches: on AMD's, carve-out and GTT together
	RAM  PoolKind = "ram"
)

// A Pool is memory that can run out as one. An APU's GTT pages are RAM: its pool
// and RAM's overlap, and are never to be added up.
type Pool struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Kind        PoolKind `json:"kind"`
	TotalBytes  uint64   `json:"totalBytes"`
	UsedBytes   uint64   `json:"usedBytes"` // 0 when UsedUnknown
	UsableBytes uint64   `json:"usableBytes"`
	UsedUnknown bool     `json:"-"`      // nothing tells how much is used; usable is then what could be
	Source      string   `json:"source"` // where the numbers come from, for the user to read
}

// MarshalJSON writes null for what is not known.
func (p Pool) MarshalJSON() ([]byte, error) {
	type plain Pool
	return json.Marshal(struct {
		plain
		UsedBytes *uint64 `json:"usedBytes"`
	}{plain(p), known(p.UsedBytes, !p.UsedUnknown)})
}

func known(n uint64, ok bool) *uint64 {
	if !ok {
		return nil
	}
	return &n
}

// A CPU is the machine's processor.
type CPU struct {
	Name    string   `json:"name"`
	Cores   int      `json:"cores"`
	Threads int      `json:"threads"`
	Flags   []string `json:"flags"` // of its instructions, those that make an engine faster
}

// MarshalJSON writes null for what is not known.
func (c CPU) MarshalJSON() ([]byte, error) {
	type plain CPU
	return json.Marshal(struct {
		plain
		Cores   *uint64 `json:"cores"`
		Threads *uint64 `json:"threads"`
	}{plain(c), known(uint64(c.Cores), c.Cores > 0), known(uint64(c.Threads), c.Threads > 0)})
}

// A Memory is the machine's RAM and swap. It is unknown when TotalBytes is 0.
type Memory struct {
	TotalBytes     uint64 `json:"totalBytes"`
	AvailableBytes uint64 `json:"availableBytes"` // what programs could still get without swapping
	ReserveBytes   uint64 `json:"reserveBytes"`   // what stays with the system
	SwapTotalBytes uint64 `json:"swapTotalBytes"`
	SwapUsedBytes  uint64 `json:"swapUsedBytes"`
	Source         string `json:"source"`
}

// MarshalJSON writes null for what is not known.
func (m Memory) MarshalJSON() ([]byte, error) {
	type plain Memory
	there := m.TotalBytes > 0
	return json.Marshal(struct {
		plain
		TotalBytes     *uint64 `json:"totalBytes"`
		AvailableBytes *uint64 `json:"availableBytes"`
		ReserveBytes   *uint64 `json:"reserveBytes"`
		SwapTotalBytes *uint64 `json:"swapTotalBytes"`
		SwapUsedBytes  *uint64 `json:"swapUsedBytes"`
	}{
		plain(m), known(m.TotalBytes, there), known(m.AvailableBytes, there), known(m.ReserveBytes, there),
		known(m.SwapTotalBytes, there), known(m.SwapUsedBytes, there),
	})
}

// The numbers of a GPU that have a source, named as in JSON.
const (
	VRAMTotal = "vramTotalBytes"
	VRAMUsed  = "vramUsedBytes"
	GTTTotal  = "gttTotalBytes"
	GTTUsed   = "gttUsedBytes"
)

// A GPU is one graphics card, however many engine backends see it.
type GPU struct {
	Name           string            `json:"name"`
	Vendor         string            `json:"vendor"`
	PCI            string            `json:"pci"` // bus address, 0000:c5:00.0
	Driver         string            `json:"driver"`
	Integrated     bool              `json:"integrated"` // its memory is RAM, or a part of it
	VRAMTotalBytes uint64            `json:"vramTotalBytes"`
	VRAMUsedBytes  uint64            `json:"vramUsedBytes"`
	GTTTotalBytes  uint64            `json:"gttTotalBytes"` // RAM the driver lends it, amdgpu's only
	GTTUsedBytes   uint64            `json:"gttUsedBytes"`
	Sources        map[string]string `json:"sources"` // of the four numbers above; one without a source is unknown
	Pool           string            `json:"pool"`    // id of the pool its memory is in, empty when unknown
	EngineDevices  []string          `json:"engineDevices"`
	MaybeDevices   []string          `json:"maybeEngineDevices,omitempty"` // this card or another just like it
	Users          []Process         `json:"users,omitempty"`              // who holds its memory, largest first; empty also when nobody looked

	uuid     string // as NVML gives it
	nameless bool   // Name is made up from ids
}

// Knows says whether one of the four numbers is known.
func (g GPU) Knows(number string) bool { return g.Sources[number] != "" }

// MarshalJSON writes null for what is not known. That a card has no GTT is known
// of every driver but amdgpu.
func (g GPU) MarshalJSON() ([]byte, error) {
	type plain GPU
	noGTT := g.Driver != "amdgpu"
	return json.Marshal(struct {
		plain
		VRAMTotalBytes *uint64 `json:"vramTotalBytes"`
		VRAMUsedBytes  *uint64 `json:"vramUsedBytes"`
		GTTTotalBytes  *uint64 `json:"gttTotalBytes"`
		GTTUsedBytes   *uint64 `json:"gttUsedBytes"`
	}{
		plain(g),
		known(g.VRAMTotalBytes, g.Knows(VRAMTotal)), known(g.VRAMUsedBytes, g.Knows(VRAMUsed)),
		known(g.GTTTotalBytes, noGTT || g.Knows(GTTTotal)), known(g.GTTUsedBytes, noGTT || g.Knows(GTTUsed)),
	})
}

// A Process holds memory of a card.
type Process struct {
	PID         int    `json:"pid"`
	Name        string `json:"name"`
	VRAMBytes   uint64 `json:"vramBytes"`
	SharedBytes uint64 `json:"sharedBytes"` // RAM: GTT, or what an integrated GPU calls system memory
	Ours        bool   `json:"ours"`        // it is this program or one it started
}

// Bytes is all a process holds of the card's memory.
func (p Process) Bytes() uint64 { return p.VRAMBytes + p.SharedBytes }

// A Snapshot is the machine at one moment.
type Snapshot struct {
	CPU      CPU      `json:"cpu"`
	RAM      Memory   `json:"ram"`
	Pools    []Pool   `json:"pools"`
	GPUs     []GPU    `json:"gpus"`
	Displays []string `json:"displays,omitempty"` // drivers of displays that can't compute: a virtual machine's, a server's console

	kernelLine string // what the kernel was started with
}

// PoolOf is the pool a card's memory is in, false when it is not known.
func (s Snapshot) PoolOf(g GPU) (Pool, bool) {
	if g.Pool == "" {
		return Pool{}, false
	}
	for _, p := range s.Pools {
		if p.ID == g.Pool {
			return p, true
		}
	}
	return Pool{}, false
}

// addPool puts a card's pool behind those there are, RAM's staying last.
func (s *Snapshot) addPool(p Pool) {
	at := len(s.Pools)
	if at > 0 && s.Pools[at-1].Kind == RAM {
		at--
	}
	s.Pools = append(s.Pools[:at:at], append([]Pool{p}, s.Pools[at:]...)...)
}
