package hardware

import (
	"io/fs"
	"slices"
	"strings"
)

// engineFlags are the instructions llama.cpp has faster code for, as
// /proc/cpuinfo names them: x86's, then ARM's.
var engineFlags = []string{
	"sse4_2", "avx", "f16c", "fma", "bmi2", "avx2", "avx_vnni",
	"avx512f", "avx512bw", "avx512vbmi", "avx512_vnni", "avx512_bf16", "amx_tile", "amx_int8", "amx_bf16",
	"asimd", "asimdhp", "asimddp", "i8mm", "bf16", "sve", "sve2", "sme",
}

// readCPU reads /proc/cpuinfo: a block a thread. Virtual machines and ARM may
// name neither cores nor the model.
func readCPU(root fs.FS) CPU {
	cpu := CPU{Flags: []string{}}
	cores := map[string]bool{}
	socket := ""
	flagged := false
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
		case "flags", "Features":
			if !flagged { // every thread has the same
				cpu.Flags, flagged = keep(engineFlags, strings.Fields(value)), true
			}
		}
	}
	cpu.Cores = len(cores)
	if cpu.Cores == 0 {
		cpu.Cores = cpu.Threads
	}
	return cpu
}

// keep is what of wanted is there, in wanted's order.
func keep(wanted, there []string) []string {
	kept := []string{}
	for _, w := range wanted {
		if slices.Contains(there, w) {
			kept = append(kept, w)
		}
	}
	return kept
}
