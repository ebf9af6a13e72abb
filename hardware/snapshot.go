// Package hardware says what this machine is made of: processor, memory,
// graphics cards, and the pools of memory that can run out.
//
// Readers take the root of a file tree, so that a recorded machine reads like
// the live one.
package hardware

// A PoolKind says what physical memory a pool is.
type PoolKind string

// The kinds of pool.
const (
	VRAM PoolKind = "vram" // one discrete card's own memory
	APU  PoolKind = "apu"  // carve-out and GTT of an integrated GPU together
	RAM  PoolKind = "ram"
)

// A Pool is memory that can run out as one.
type Pool struct {
	ID          string   `json:"id"`
	Name        string   `json:"name"`
	Kind        PoolKind `json:"kind"`
	TotalBytes  uint64   `json:"totalBytes"`
	UsedBytes   uint64   `json:"usedBytes"`
	UsableBytes uint64   `json:"usableBytes"`
	Source      string   `json:"source"` // where the numbers come from, for the user to read
}

// A CPU is the machine's processor.
type CPU struct {
	Name    string `json:"name"`
	Cores   int    `json:"cores"`
	Threads int    `json:"threads"`
}

// A GPU is one graphics card, however many engine backends see it.
type GPU struct {
	Name           string   `json:"name"`
	Vendor         string   `json:"vendor"`
	PCI            string   `json:"pci"` // bus address, 0000:c5:00.0
	Driver         string   `json:"driver"`
	Integrated     bool     `json:"integrated"`
	VRAMTotalBytes uint64   `json:"vramTotalBytes"`
	VRAMUsedBytes  uint64   `json:"vramUsedBytes"`
	GTTTotalBytes  uint64   `json:"gttTotalBytes"`
	GTTUsedBytes   uint64   `json:"gttUsedBytes"`
	Pool           string   `json:"pool"` // id of the pool its memory is in, empty when unknown
	EngineDevices  []string `json:"engineDevices"`
}

// A Snapshot is the machine at one moment.
type Snapshot struct {
	CPU   CPU    `json:"cpu"`
	Pools []Pool `json:"pools"`
	GPUs  []GPU  `json:"gpus"`
}
