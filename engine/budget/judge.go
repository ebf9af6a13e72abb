package budget

import (
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

// A PoolVerdict is a need beside what is there.
type PoolVerdict struct {
	PoolNeed
	UsableBytes uint64 `json:"usableBytes"`
	Known       bool   `json:"known"` // whether anything tells what is usable
	Fit         Fit    `json:"fit"`
}

// A Verdict is the worst of its pools'.
type Verdict struct {
	Fit   Fit           `json:"fit"`
	Pools []PoolVerdict `json:"pools"`
}

// Judge holds a need against the machine. Engine devices are placed in the
// machine's pools where it is certain which one they are; else the engine's own
// list says how much of one is free.
func Judge(m Memory, machine hardware.Snapshot, devices []build.Device) Verdict {
	machine = MatchDevices(machine, devices)
	v := Verdict{Fit: Fits, Pools: []PoolVerdict{}}
	for _, need := range m.Pools {
		pool := judgePool(need, machine, devices)
		if worse(pool.Fit, v.Fit) {
			v.Fit = pool.Fit
		}
		v.Pools = append(v.Pools, pool)
	}
	return v
}

func judgePool(need PoolNeed, machine hardware.Snapshot, devices []build.Device) PoolVerdict {
	v := PoolVerdict{PoolNeed: need, Fit: Fits}
	var comfortable, limit uint64
	if pool, ok := poolOf(need.ID, machine); ok {
		v.ID, v.UsableBytes, v.Known = pool.ID, pool.UsableBytes, true
		comfortable, limit = withMargin(pool.UsableBytes)
		if pool.Kind == hardware.RAM {
			// The reserve is already taken off: into it is tight, beyond what
			// is free it swaps.
			comfortable, limit = pool.UsableBytes, pool.TotalBytes-pool.UsedBytes
		}
	} else if device, ok := deviceOf(need.ID, devices); ok {
		v.UsableBytes, v.Known = device.FreeBytes, true
		comfortable, limit = withMargin(device.FreeBytes)
	} else {
		return v
	}
	switch {
	case need.NeededBytes > limit:
		v.Fit = DoesNotFit
	case need.NeededBytes > comfortable:
		v.Fit = Tight
	}
	return v
}

func withMargin(usableBytes uint64) (comfortable, limit uint64) {
	if usableBytes < DeviceMarginBytes {
		return 0, usableBytes
	}
	return usableBytes - DeviceMarginBytes, usableBytes
}

func poolOf(id string, machine hardware.Snapshot) (hardware.Pool, bool) {
	if id != RAM {
		for _, gpu := range machine.GPUs {
			for _, device := range gpu.EngineDevices {
				if device == id {
					id = gpu.Pool
				}
			}
		}
	}
	for _, pool := range machine.Pools {
		if pool.ID == id {
			return pool, true
		}
	}
	return hardware.Pool{}, false
}

func deviceOf(id string, devices []build.Device) (build.Device, bool) {
	for _, d := range devices {
		if d.ID == id {
			return d, true
		}
	}
	return build.Device{}, false
}

func worse(a, b Fit) bool {
	rank := map[Fit]int{Fits: 0, Tight: 1, DoesNotFit: 2}
	return rank[a] > rank[b]
}

// MatchDevices says which engine devices a GPU is, where there is no doubt: one
// GPU, and one device that is no software. Lists from two sources are not joined
// by their order.
func MatchDevices(machine hardware.Snapshot, devices []build.Device) hardware.Snapshot {
	var real []string
	for _, d := range devices {
		if !d.Software {
			real = append(real, d.ID)
		}
	}
	if len(machine.GPUs) == 1 && len(real) == 1 {
		gpu := machine.GPUs[0]
		gpu.EngineDevices = real
		machine.GPUs = []hardware.GPU{gpu}
	}
	return machine
}
