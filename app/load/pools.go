package load

import (
	"slices"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/hardware"
	"paddock/words"
)

// pools are the memories of this machine with what a plan needs in each, in the
// order devices, RAM. A device nothing is known of but what the engine says of
// it is a pool by itself.
func pools(machine hardware.Snapshot, devices []build.Device, p plan.Plan, memory budget.Memory) []Pool {
	machine = budget.MatchDevices(machine, devices)
	var list []Pool
	at := func(pool Pool) *Pool {
		i := slices.IndexFunc(list, func(q Pool) bool { return q.ID == pool.ID })
		if i < 0 {
			i = len(list)
			list = append(list, pool)
		}
		return &list[i]
	}
	for _, d := range devices {
		if !d.Software || slices.Contains(p.DeviceIDs(), d.ID) {
			at(poolOf(d.ID, machine, devices))
		}
	}
	at(poolOf(budget.RAM, machine, devices))
	for _, need := range memory.Pools {
		at(poolOf(need.ID, machine, devices)).add(need)
	}
	return list
}

// poolOf is the memory that a need or a device of this id means: the pool of the
// card it is, RAM, or else one by itself, as large as the engine says.
func poolOf(id string, machine hardware.Snapshot, devices []build.Device) Pool {
	pool := id
	for _, gpu := range machine.GPUs {
		if slices.Contains(gpu.EngineDevices, id) {
			pool = gpu.Pool
		}
	}
	for _, q := range machine.Pools {
		if q.ID != pool {
			continue
		}
		used, usable := min(q.UsedBytes, q.TotalBytes), min(q.UsableBytes, q.TotalBytes)
		if q.Kind == hardware.RAM {
			// The reserve is already taken off what is usable.
			return newPool(q.ID, q.Name, q.TotalBytes, used, q.TotalBytes-used-min(usable, q.TotalBytes-used))
		}
		return newPool(q.ID, q.Name, q.TotalBytes, q.TotalBytes-usable, min(budget.DeviceMarginBytes, usable))
	}
	for _, d := range devices {
		if d.ID == id {
			free := min(d.FreeBytes, d.TotalBytes)
			return newPool(d.ID, d.Name, d.TotalBytes, d.TotalBytes-free, min(budget.DeviceMarginBytes, free))
		}
	}
	return newPool(id, id, 0, 0, 0)
}

func newPool(id, name string, total, other, margin uint64) Pool {
	return Pool{
		ID: id, Name: gguf.Printable(name), About: gib(total),
		TotalBytes: total, OtherBytes: other, MarginBytes: margin,
	}
}

// freeBytes is what other programs leave of the pool.
func (p Pool) freeBytes() uint64 { return p.TotalBytes - min(p.TotalBytes, p.OtherBytes) }

// add puts what a plan needs into the pool.
func (p *Pool) add(need budget.PoolNeed) {
	p.Used = p.Used || need.NeededBytes > 0
	p.NeededBytes += need.NeededBytes
	if p.Slices == nil {
		p.Slices = make([]Slice, len(sliceKinds))
		for i, kind := range sliceKinds {
			p.Slices[i] = Slice{Label: words.T(kind.label), Colour: kind.colour}
		}
	}
	for i, kind := range sliceKinds {
		for _, name := range kind.names {
			p.Slices[i].Bytes += need.Slices[name]
		}
	}
}

func gib(bytes uint64) string {
	return words.T("load.gib", map[string]any{"GiB": words.GiB(bytes)})
}
