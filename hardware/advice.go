package hardware

import (
	"fmt"
	"strings"
)

// Advice is a kernel line that lets an integrated AMD GPU reach more of RAM. It is
// for a person to read and copy; nothing here applies it.
type Advice struct {
	GPU         string // its name
	PCI         string
	Line        string // "ttm.pages_limit=28311552"
	LimitBytes  uint64 // GTT with it
	TotalBytes  uint64 // of the pool with it
	UsableBytes uint64 // of the pool with it, as the machine is now
	Replaces    string // what the kernel was started with to the same end, if anything
}

const (
	pagesPerGiB = gib / 4096
	// adviceStep keeps the advised limits round.
	adviceStep = 4 * gib
	// worthwhile is how much more GTT has to be gained for advice to be given.
	worthwhile = 2 * gib
)

// Advice is given for every APU whose GTT could be larger: the reserve and 4 GiB
// for the programs one runs are left out of it.
func (s Snapshot) Advice() []Advice {
	var list []Advice
	for _, gpu := range s.GPUs {
		pool, ok := s.PoolOf(gpu)
		if !ok || !gpu.Integrated || gpu.Driver != "amdgpu" || !gpu.Knows(GTTTotal) {
			continue
		}
		limit := minus(s.RAM.TotalBytes, s.RAM.ReserveBytes+4*gib) / adviceStep * adviceStep
		if limit < gpu.GTTTotalBytes+worthwhile {
			continue
		}
		raised := gpu
		raised.GTTTotalBytes = limit
		raisedPool := apuPool(raised, s.RAM)
		list = append(list, Advice{
			GPU: gpu.Name, PCI: gpu.PCI,
			Line:        fmt.Sprintf("ttm.pages_limit=%d", limit/gib*pagesPerGiB),
			LimitBytes:  limit,
			TotalBytes:  raisedPool.TotalBytes,
			UsableBytes: max(raisedPool.UsableBytes, pool.UsableBytes),
			Replaces:    s.gttOptions(),
		})
	}
	return list
}

// gttOptions are the options of the running kernel that set GTT's limit.
// amdgpu.gttsize still works on older kernels and is deprecated.
func (s Snapshot) gttOptions() string {
	var options []string
	for _, option := range strings.Fields(s.kernelLine) {
		for _, name := range []string{"ttm.pages_limit=", "amdgpu.gttsize=", "amdttm.pages_limit="} {
			if strings.HasPrefix(option, name) {
				options = append(options, option)
			}
		}
	}
	return strings.Join(options, " ")
}
