package hardware

import (
	"io/fs"
	"strings"
)

// readCPU reads /proc/cpuinfo: a block a thread. Virtual machines and ARM may
// name neither cores nor the model.
func readCPU(root fs.FS) CPU {
	var cpu CPU
	cores := map[string]bool{}
	socket := ""
	for line := range strings.Lines(text(root, "proc/cpuinfo")) {
		name, value, _ := strings.Cut(line, ":")
		value = strings.TrimSpace(value)
		switch strings.TrimSpace(name) {
		case "processor":
			cpu.Threads++
			socket = ""
		case "model name":
			cpu.Name = value
		case "physical id":
			socket = value
		case "core id":
			cores[socket+"/"+value] = true
		}
	}
	cpu.Cores = len(cores)
	if cpu.Cores == 0 {
		cpu.Cores = cpu.Threads
	}
	return cpu
}
