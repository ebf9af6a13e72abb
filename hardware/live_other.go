//go:build !linux

package hardware

import (
	"runtime"

	"github.com/shirou/gopsutil/v4/cpu"
	"github.com/shirou/gopsutil/v4/mem"
	xcpu "golang.org/x/sys/cpu"
)

// Live describes this machine: processor, RAM and graphics cards, with what
// standard calls of the system tell. What they don't, the engine's list does:
// Match fills it in.
func Live() Snapshot {
	s := Snapshot{CPU: processor(), RAM: systemMemory(), Pools: []Pool{}, GPUs: []GPU{}}
	addGPUs(&s)
	if s.RAM.TotalBytes > 0 {
		s.addPool(s.RAM.pool())
	}
	return s
}

// Users is nil: who uses a card's memory is not known on this system.
func Users() map[string][]Process { return nil }

func processor() CPU {
	c := CPU{Cores: runtime.NumCPU(), Threads: runtime.NumCPU(), Flags: instructions()}
	if cpus, err := cpu.Info(); err == nil && len(cpus) > 0 {
		c.Name = cpus[0].ModelName
	}
	if cores, err := cpu.Counts(false); err == nil && cores > 0 {
		c.Cores = cores
	}
	return c
}

// instructions are those of engineFlags this processor has.
func instructions() []string {
	x86, arm := &xcpu.X86, &xcpu.ARM64
	has := map[string]bool{
		"sse4_2": x86.HasSSE42, "avx": x86.HasAVX, "fma": x86.HasFMA, "bmi2": x86.HasBMI2, "avx2": x86.HasAVX2,
		"avx512f": x86.HasAVX512F, "avx512bw": x86.HasAVX512BW, "avx512vbmi": x86.HasAVX512VBMI,
		"avx512_vnni": x86.HasAVX512VNNI, "avx512_bf16": x86.HasAVX512BF16,
		"amx_tile": x86.HasAMXTile, "amx_int8": x86.HasAMXInt8, "amx_bf16": x86.HasAMXBF16,
		"asimd": arm.HasASIMD, "asimdhp": arm.HasASIMDHP, "asimddp": arm.HasASIMDDP,
		"i8mm": arm.HasI8MM, "sve": arm.HasSVE, "sve2": arm.HasSVE2,
	}
	flags := []string{}
	for _, flag := range engineFlags {
		if has[flag] {
			flags = append(flags, flag)
		}
	}
	return flags
}

// systemMemory is GlobalMemoryStatusEx on Windows, sysctl and the page statistics
// on a Mac.
func systemMemory() Memory {
	vm, err := mem.VirtualMemory()
	if err != nil {
		return Memory{}
	}
	m := Memory{TotalBytes: vm.Total, AvailableBytes: vm.Available, Source: memorySource}
	if swap, err := mem.SwapMemory(); err == nil {
		m.SwapTotalBytes, m.SwapUsedBytes = swap.Total, min(swap.Used, swap.Total)
	}
	return m.complete()
}
