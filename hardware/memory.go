package hardware

import (
	"io/fs"
	"math"
	"strconv"
	"strings"
)

func readMemory(root fs.FS) Memory {
	m := Memory{Source: "/proc/meminfo"}
	var freeBytes, reclaimableBytes, swapFreeBytes uint64
	hasAvailable := false
	for line := range strings.Lines(text(root, "proc/meminfo")) {
		name, rest, _ := strings.Cut(line, ":")
		fields := strings.Fields(rest) // "65536000 kB"
		if len(fields) == 0 {
			continue
		}
		kib, err := strconv.ParseUint(fields[0], 10, 64)
		if err != nil || kib > math.MaxUint64/1024 || kib*1024 > absurdBytes {
			continue
		}
		switch name {
		case "MemTotal":
			m.TotalBytes = kib * 1024
		case "MemAvailable":
			m.AvailableBytes, hasAvailable = kib*1024, true
		case "MemFree":
			freeBytes = kib * 1024
		case "Buffers", "Cached", "SReclaimable":
			reclaimableBytes += kib * 1024
		case "SwapTotal":
			m.SwapTotalBytes = kib * 1024
		case "SwapFree":
			swapFreeBytes = kib * 1024
		}
	}
	if !hasAvailable {
		m.AvailableBytes = freeBytes + reclaimableBytes
	}
	m.SwapUsedBytes = minus(m.SwapTotalBytes, swapFreeBytes)
	return m.complete()
}

// complete makes the numbers fit each other.
func (m Memory) complete() Memory {
	if m.TotalBytes == 0 {
		return Memory{}
	}
	m.AvailableBytes = min(m.AvailableBytes, m.TotalBytes)
	m.ReserveBytes = max(4*gib, m.TotalBytes/100*8)
	return m
}

// SpareBytes is what models may take: the reserve stays with the system and other
// programs, so that a model can't freeze the machine.
func (m Memory) SpareBytes() uint64 {
	return minus(m.AvailableBytes, m.ReserveBytes)
}

func (m Memory) pool() Pool {
	return Pool{
		ID: "ram", Name: "RAM", Kind: RAM, Source: m.Source,
		TotalBytes:  m.TotalBytes,
		UsedBytes:   m.TotalBytes - m.AvailableBytes,
		UsableBytes: m.SpareBytes(),
	}
}
