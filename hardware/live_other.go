//go:build !linux

package hardware

import (
	"runtime"

	"github.com/jaypipes/ghw"
	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/mem"
)

// Live describes this machine: processor, RAM, and the names of its graphics
// cards. Their memory is known through the engine's device list only.
func Live() Snapshot {
	s := Snapshot{CPU: CPU{Cores: runtime.NumCPU(), Threads: runtime.NumCPU()}, Pools: []Pool{}, GPUs: []GPU{}}
	if cpus, err := cpu.Info(); err == nil && len(cpus) > 0 {
		s.CPU.Name = cpus[0].ModelName
	}
	if cores, err := cpu.Counts(false); err == nil && cores > 0 {
		s.CPU.Cores = cores
	}
	if vm, err := mem.VirtualMemory(); err == nil {
		m := memory{totalBytes: vm.Total, availableBytes: min(vm.Available, vm.Total), source: runtime.GOOS}
		s.Pools = append(s.Pools, m.pool())
	}
	if info, err := ghw.GPU(ghw.WithDisableWarnings()); err == nil {
		for _, c := range info.GraphicsCards {
			if d := c.DeviceInfo; d != nil && d.Vendor != nil && d.Product != nil {
				s.GPUs = append(s.GPUs, GPU{
					Name: d.Product.Name, Vendor: d.Vendor.Name, PCI: c.Address, Driver: d.Driver,
					EngineDevices: []string{},
				})
			}
		}
	}
	return s
}
