package hardware

import (
	"encoding/csv"
	"errors"
	"io"
	"io/fs"
	"slices"
	"strconv"
	"strings"
)

// An nvidiaCard is what NVIDIA's driver says of a card.
type nvidiaCard struct {
	name, pci, driver, uuid string
	totalBytes, usedBytes   uint64
	knowsTotal, knowsUsed   bool
	unified                 bool   // there is no memory of its own to speak of: it shares RAM (GB10)
	source                  string // "NVML" or "nvidia-smi"
	users                   []Process
}

// recordedNVIDIA is what nvidia-smi said on a recorded machine.
func recordedNVIDIA(root fs.FS) []nvidiaCard {
	file, err := root.Open("nvidia-smi.csv")
	if err != nil {
		return nil
	}
	defer file.Close()
	return parseNVIDIA(file)
}

// nvidiaQuery is what nvidia-smi is asked for.
var nvidiaQuery = []string{
	"--query-gpu=index,name,pci.bus_id,driver_version,memory.total,memory.used", "--format=csv,noheader,nounits",
}

// parseNVIDIA reads nvidia-smi's answer, memory in MiB. Lines that are no answer
// (a failing driver prints sentences) are left out. A number the driver does not
// have is "[N/A]"; when it has no total, the card has no memory of its own.
func parseNVIDIA(r io.Reader) []nvidiaCard {
	reader := csv.NewReader(io.LimitReader(r, longestFile))
	reader.TrimLeadingSpace = true
	reader.FieldsPerRecord = -1
	reader.LazyQuotes = true
	var cards []nvidiaCard
	for {
		row, err := reader.Read()
		if err != nil && !errors.Is(err, csv.ErrFieldCount) {
			return cards
		}
		if len(row) != 6 || !strings.Contains(row[2], ":") {
			continue
		}
		c := nvidiaCard{name: strings.TrimSpace(row[1]), pci: shortPCI(row[2]), source: "nvidia-smi"}
		if !isNA(row[3]) {
			c.driver = strings.TrimSpace(row[3])
		}
		c.totalBytes, c.knowsTotal = mebibytes(row[4])
		c.usedBytes, c.knowsUsed = mebibytes(row[5])
		c.unified = isNA(row[4]) && !ownsMemory(c.name)
		cards = append(cards, c)
	}
}

func mebibytes(field string) (uint64, bool) {
	n, err := strconv.ParseUint(strings.TrimSpace(field), 10, 64)
	if err != nil || n > absurdBytes>>20 {
		return 0, false
	}
	return n << 20, true
}

func isNA(field string) bool {
	switch strings.Trim(strings.TrimSpace(field), "[]") {
	case "N/A", "Not Supported":
		return true
	}
	return false
}

// ownsMemory knows the names of cards on a board, which have memory even when the
// driver does not say how much.
func ownsMemory(name string) bool {
	for _, family := range []string{"GeForce", "Quadro", "Tesla", "TITAN"} {
		if strings.Contains(name, family) {
			return true
		}
	}
	return false
}

// addNVIDIA fills in what NVIDIA's driver says, matching cards by PCI address.
func (s *Snapshot) addNVIDIA(cards []nvidiaCard) {
	for _, c := range cards {
		gpu := s.gpuAt(c.pci)
		gpu.Name, gpu.Vendor, gpu.nameless, gpu.uuid = c.name, "NVIDIA", false, c.uuid
		gpu.Driver = strings.TrimSpace("nvidia " + c.driver)
		gpu.Users = c.users
		if c.unified {
			s.addUnified(gpu)
			continue
		}
		if !c.knowsTotal || c.totalBytes == 0 {
			continue
		}
		gpu.VRAMTotalBytes, gpu.Sources[VRAMTotal] = c.totalBytes, c.source
		used, ok := usedOf(c.usedBytes, c.totalBytes, c.knowsUsed)
		if ok {
			gpu.VRAMUsedBytes, gpu.Sources[VRAMUsed] = used, c.source
		}
		gpu.Pool = "vram-" + gpu.PCI
		s.addPool(Pool{
			ID: gpu.Pool, Name: ShortName(gpu.Name), Kind: VRAM, Source: c.source,
			TotalBytes: c.totalBytes, UsedBytes: used, UsableBytes: c.totalBytes - used, UsedUnknown: !ok,
		})
	}
}

// addUnified makes RAM the pool of a card that has none of its own.
func (s *Snapshot) addUnified(gpu *GPU) {
	gpu.Integrated = true
	if s.RAM.TotalBytes == 0 {
		return
	}
	pool := s.RAM.pool()
	pool.ID, pool.Name, pool.Kind = "apu-"+gpu.PCI, ShortName(gpu.Name), APU
	gpu.Pool = pool.ID
	s.addPool(pool)
}

// gpuAt is the GPU at a PCI address, added when it is not there yet.
func (s *Snapshot) gpuAt(pci string) *GPU {
	for i := range s.GPUs {
		if s.GPUs[i].PCI == pci {
			return &s.GPUs[i]
		}
	}
	s.GPUs = append(s.GPUs, GPU{PCI: pci, Sources: map[string]string{}, EngineDevices: []string{}})
	return &s.GPUs[len(s.GPUs)-1]
}

// mergeUsers takes a process once that is in both of the driver's lists, of those
// that compute and of those that draw, with the same memory.
func mergeUsers(list []Process) []Process {
	var merged []Process
	for _, p := range list {
		at := slices.IndexFunc(merged, func(m Process) bool { return m.PID == p.PID })
		if at < 0 {
			merged = append(merged, p)
		} else {
			merged[at].VRAMBytes = max(merged[at].VRAMBytes, p.VRAMBytes)
		}
	}
	return merged
}

// shortPCI turns nvidia-smi's 00000000:01:00.0 into the kernel's 0000:01:00.0.
func shortPCI(address string) string {
	domain, rest, _ := strings.Cut(strings.ToLower(strings.TrimSpace(address)), ":")
	if len(domain) == 8 {
		domain = strings.TrimPrefix(domain, "0000")
	}
	return domain + ":" + rest
}
