package hardware

import (
	"runtime"

	"golang.org/x/sys/unix"
)

const memorySource = "sysctl hw.memsize, page statistics"

// addGPUs adds the GPU of a Mac with Apple's own processor, which is a part of it.
// How much of RAM it may have is Metal's to say: the engine's list has it. What
// other Macs have in them takes system_profiler seconds to tell; there the
// engine's list is all.
func addGPUs(s *Snapshot) {
	if runtime.GOARCH != "arm64" {
		return
	}
	name, err := unix.Sysctl("machdep.cpu.brand_string")
	if err != nil || name == "" {
		name = "Apple GPU"
	}
	s.GPUs = append(s.GPUs, GPU{
		Name: name, Vendor: "Apple", Driver: "Metal", Integrated: true,
		Sources: map[string]string{}, EngineDevices: []string{},
	})
}
