package hardware

import (
	"encoding/csv"
	"io/fs"
	"strconv"
	"strings"
)

// addNVIDIA fills in what a recorded nvidia-smi.csv says (index, name, PCI id,
// driver, memory total and used in MiB), matching cards by PCI id. "[N/A]" is a
// number nobody knows.
func addNVIDIA(root fs.FS, s *Snapshot) {
	file, err := root.Open("nvidia-smi.csv")
	if err != nil {
		return
	}
	defer file.Close()
	reader := csv.NewReader(file)
	reader.TrimLeadingSpace = true
	rows, err := reader.ReadAll()
	if err != nil {
		return
	}
	for _, row := range rows {
		if len(row) != 6 {
			continue
		}
		gpu := s.gpuAt(shortPCI(row[2]))
		gpu.Name, gpu.Vendor, gpu.Driver = row[1], "NVIDIA", "nvidia "+row[3]
		total, err := strconv.ParseUint(row[4], 10, 40)
		if err != nil {
			continue
		}
		used, _ := strconv.ParseUint(row[5], 10, 40)
		gpu.VRAMTotalBytes, gpu.VRAMUsedBytes = total<<20, min(used, total)<<20
		gpu.Pool = "vram-" + gpu.PCI
		s.Pools = append(s.Pools, Pool{
			ID: gpu.Pool, Name: gpu.Name, Kind: VRAM, Source: "nvidia-smi",
			TotalBytes: gpu.VRAMTotalBytes, UsedBytes: gpu.VRAMUsedBytes,
			UsableBytes: gpu.VRAMTotalBytes - gpu.VRAMUsedBytes,
		})
	}
}

// gpuAt is the GPU at a PCI address, added when it is not there yet.
func (s *Snapshot) gpuAt(pci string) *GPU {
	for i := range s.GPUs {
		if s.GPUs[i].PCI == pci {
			return &s.GPUs[i]
		}
	}
	s.GPUs = append(s.GPUs, GPU{PCI: pci, EngineDevices: []string{}})
	return &s.GPUs[len(s.GPUs)-1]
}

// shortPCI turns nvidia-smi's 00000000:01:00.0 into the kernel's 0000:01:00.0.
func shortPCI(address string) string {
	domain, rest, _ := strings.Cut(strings.ToLower(address), ":")
	if len(domain) == 8 {
		domain = strings.TrimPrefix(domain, "0000")
	}
	return domain + ":" + rest
}
