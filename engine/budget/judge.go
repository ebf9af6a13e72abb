package budget

import (
	"slices"

	"paddock/engine/build"
	"paddock/hardware"
)

// A Fit says whether memory suffices.
type Fit string

// The fits, best first.
const (
	Fits       Fit = "fits"
	Tight      Fit = "tight" // it is there, but what should stay free is touched
	DoesNotFit Fit = "does-not-fit"
)

// DeviceMarginBytes should stay free on a graphics device: drivers and other programs
// take memory of their own that nothing announces.
const DeviceMarginBytes = 512 * mib

// A Situation is what a plan meets.
type Situation struct {
	Machine     hardware.Snapshot
	Devices     []build.Device
	MarginBytes uint64   // to stay free on each graphics device; 0 for DeviceMarginBytes
	Others      []Memory // of engines that are starting, or will, and do not show in the machine's numbers yet
	Freed       []Memory // of an engine that ends before the plan starts
}

// A PoolVerdict is a need beside what is there. Total is Other, Margin, what is
// needed and what is left, in that order; where it does not fit there is none
// left.
type PoolVerdict struct {
	PoolNeed
	Name        string   `json:"name"`
	Devices     []string `json:"devices,omitempty"` // the engine's ids of it
	TotalBytes  uint64   `json:"totalBytes"`
	OtherBytes  uint64   `json:"otherBytes"`  // held by other programs, or not to be had
	MarginBytes uint64   `json:"marginBytes"` // free, and better left so
	UsableBytes uint64   `json:"usableBytes"`
	SharedBytes uint64   `json:"sharedBytes,omitempty"` // of RAM: what the plan puts into an integrated GPU's pool, which is RAM too
	Known       bool     `json:"known"`                 // whether anything tells what is usable
	Fit         Fit      `json:"fit"`
	Source      string   `json:"source"` // where the pool's numbers come from
}

// Used says whether the plan needs anything of the pool.
func (v PoolVerdict) Used() bool { return v.NeededBytes > 0 }

// LeftBytes is what would be left above the margin, 0 when the margin is
// touched.
func (v PoolVerdict) LeftBytes() uint64 {
	return less(v.TotalBytes, v.OtherBytes, v.MarginBytes, v.NeededBytes, v.SharedBytes)
}

// MissingBytes is what would have to be freed for the plan to fit with the
// margin untouched.
func (v PoolVerdict) MissingBytes() uint64 {
	if !v.Known {
		return 0
	}
	return less(v.NeededBytes+v.SharedBytes+v.MarginBytes+v.OtherBytes, v.TotalBytes)
}

// less subtracts, down to 0.
func less(from uint64, parts ...uint64) uint64 {
	for _, part := range parts {
		from -= min(from, part)
	}
	return from
}

// A Verdict is the worst of its pools'.
type Verdict struct {
	Fit    Fit           `json:"fit"`
	Pools  []PoolVerdict `json:"pools"` // those the plan needs something of
	Unused []PoolVerdict `json:"-"`     // the devices' other pools, for comparison
	// TooLarge is a device that could not hold one of the plan's tensors, empty
	// when there is none. The engine would abort.
	TooLarge string `json:"tooLarge,omitempty"`
}

// Judge holds a need against a situation. Devices of one pool are added up. They
// are placed in the machine's pools where it is certain which one they are; else
// the engine's own list says how much of one is free.
func Judge(m Memory, s Situation) Verdict {
	s.Machine = MatchDevices(s.Machine, s.Devices)
	if s.MarginBytes == 0 {
		s.MarginBytes = DeviceMarginBytes
	}
	var pools []PoolVerdict
	at := func(id string) *PoolVerdict {
		pool := s.pool(id)
		i := slices.IndexFunc(pools, func(p PoolVerdict) bool { return p.ID == pool.ID })
		if i < 0 {
			i = len(pools)
			pools = append(pools, pool)
		}
		if id != RAM && !slices.Contains(pools[i].Devices, id) {
			pools[i].Devices = append(pools[i].Devices, id)
		}
		return &pools[i]
	}
	v := Verdict{Fit: Fits, Pools: []PoolVerdict{}}
	for _, need := range m.Pools {
		at(need.ID).need(need)
		if v.TooLarge == "" && s.tooLarge(need) {
			v.TooLarge = need.ID
		}
	}
	for _, other := range s.Others {
		for _, need := range other.Pools {
			at(need.ID).take(need.NeededBytes)
		}
	}
	for _, freed := range s.Freed {
		for _, need := range freed.Pools {
			at(need.ID).free(need.NeededBytes)
		}
	}
	for _, d := range s.Devices {
		if !d.Software {
			at(d.ID)
		}
	}
	s.share(pools)
	for _, pool := range pools {
		pool.judge()
		if !pool.Used() && pool.SharedBytes == 0 {
			v.Unused = append(v.Unused, pool)
			continue
		}
		if worse(pool.Fit, v.Fit) {
			v.Fit = pool.Fit
		}
		v.Pools = append(v.Pools, pool)
	}
	if v.TooLarge != "" {
		v.Fit = DoesNotFit
	}
	return v
}

// pool is the memory that a device, or RAM, means: the pool of the card it is,
// or else one by itself, as large as the engine says.
func (s Situation) pool(id string) PoolVerdict {
	pool := id
	for _, gpu := range s.Machine.GPUs {
		if slices.Contains(gpu.EngineDevices, id) && gpu.Pool != "" {
			pool = gpu.Pool
		}
	}
	v := PoolVerdict{PoolNeed: PoolNeed{ID: id, Slices: noSlices()}, Name: id}
	for _, p := range s.Machine.Pools {
		if p.ID != pool {
			continue
		}
		v.ID, v.Name, v.Source, v.Known = p.ID, p.Name, p.Source, p.TotalBytes > 0 || p.UsableBytes > 0
		v.TotalBytes = max(p.TotalBytes, p.UsableBytes)
		v.UsableBytes = p.UsableBytes
		if p.Kind == hardware.RAM {
			// The reserve is already taken off what is usable: into it is tight,
			// beyond what is free it swaps.
			v.OtherBytes = min(p.UsedBytes, v.TotalBytes)
			v.MarginBytes = less(v.TotalBytes, v.OtherBytes, p.UsableBytes)
			return v
		}
		v.OtherBytes = v.TotalBytes - p.UsableBytes
		v.MarginBytes = s.MarginBytes
		return v
	}
	for _, d := range s.Devices {
		if d.ID == id {
			v.Name, v.Source, v.Known = d.Name, "--list-devices", true
			v.UsableBytes = d.FreeBytes
			v.TotalBytes = max(d.TotalBytes, d.FreeBytes)
			v.OtherBytes = v.TotalBytes - d.FreeBytes
			v.MarginBytes = s.MarginBytes
		}
	}
	return v
}

// share counts what a plan puts into an integrated GPU's pool against RAM too,
// beyond its carve-out: it is the same memory.
func (s Situation) share(pools []PoolVerdict) {
	ram := slices.IndexFunc(pools, func(p PoolVerdict) bool { return p.ID == RAM })
	if ram < 0 {
		return
	}
	for i := range pools {
		for _, p := range s.Machine.Pools {
			if p.ID == pools[i].ID && p.Kind == hardware.APU {
				pools[ram].SharedBytes += less(pools[i].NeededBytes, s.carveOutBytes(p.ID))
			}
		}
	}
}

// carveOutBytes is what is free of the memory an integrated GPU has to itself.
func (s Situation) carveOutBytes(pool string) uint64 {
	var free uint64
	for _, gpu := range s.Machine.GPUs {
		if gpu.Pool == pool {
			free += less(gpu.VRAMTotalBytes, gpu.VRAMUsedBytes)
		}
	}
	return free
}

func (v *PoolVerdict) need(n PoolNeed) {
	v.NeededBytes += n.NeededBytes
	v.LargestBytes = max(v.LargestBytes, n.LargestBytes)
	for name, bytes := range n.Slices {
		v.Slices[name] += bytes
	}
}

func (v *PoolVerdict) take(bytes uint64) {
	v.OtherBytes += bytes
	v.UsableBytes = less(v.UsableBytes, bytes)
}

func (v *PoolVerdict) free(bytes uint64) {
	bytes = min(bytes, v.OtherBytes)
	v.OtherBytes -= bytes
	v.UsableBytes += bytes
}

func (v *PoolVerdict) judge() {
	v.Fit = Fits
	v.MarginBytes = min(v.MarginBytes, less(v.TotalBytes, v.OtherBytes))
	held := v.OtherBytes + v.NeededBytes + v.SharedBytes
	switch {
	case !v.Known:
	case held > v.TotalBytes:
		v.Fit = DoesNotFit
	case held+v.MarginBytes > v.TotalBytes:
		v.Fit = Tight
	}
}

// vulkanLargestBytes is what a Vulkan device can take as one tensor: storage
// buffers are counted in 32 bits.
const vulkanLargestBytes = 1<<32 - 1

// tooLarge says whether a device can't hold the largest tensor that has to be in
// its memory.
func (s Situation) tooLarge(n PoolNeed) bool {
	if backend(n.ID) != "Vulkan" {
		return false
	}
	limit := uint64(vulkanLargestBytes)
	for _, d := range s.Devices {
		if d.ID == n.ID && d.Software {
			limit = softwareLargestBytes
		}
	}
	return n.LargestBytes > limit
}

func worse(a, b Fit) bool {
	rank := map[Fit]int{Fits: 0, Tight: 1, DoesNotFit: 2}
	return rank[a] > rank[b]
}

// MatchDevices says which of a build's devices each card is, and fills in what
// only the engine tells: see hardware.Match.
func MatchDevices(machine hardware.Snapshot, devices []build.Device) hardware.Snapshot {
	var list []hardware.Device
	for _, d := range devices {
		list = append(list, hardware.Device{
			ID: d.ID, Name: d.Name, TotalBytes: d.TotalBytes, FreeBytes: d.FreeBytes, Software: d.Software,
		})
	}
	return hardware.Match(machine, list)
}
