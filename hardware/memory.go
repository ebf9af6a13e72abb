package hardware

import (
	"io/fs"
	"math"
	"strconv"
	"strings"
)

// memory is the machine's RAM.
type memory struct {
	totalBytes     uint64
	availableBytes uint64 // what programs could still get without swapping
	source         string
}

func readMemory(root fs.FS) memory {
	m := memory{source: "/proc/meminfo"}
	var freeBytes, reclaimableBytes uint64
	hasAvailable := false
	for line := range strings.Lines(text(root, "proc/meminfo")) {
		name, rest, _ := strings.Cut(line, ":")
		fields := strings.Fields(rest) // "65536000 kB"
		if len(fields) == 0 {
			continue
		}
		kib, err := strconv.ParseUint(fields[0], 10, 64)
		if err != nil || kib > math.MaxUint64/1024 {
			continue
		}
		switch name {
		case "MemTotal":
			m.totalBytes = kib * 1024
		case "MemAvailable":
			m.availableBytes, hasAvailable = kib*1024, true
		case "MemFree":
			freeBytes = kib * 1024
		case "Buffers", "Cached", "SReclaimable":
			reclaimableBytes += kib * 1024
		}
	}
	if !hasAvailable {
		m.availableBytes = freeBytes + reclaimableBytes
	}
	m.availableBytes = min(m.availableBytes, m.totalBytes)
	return m
}

// reserveBytes is what stays with the system and other programs, so that a model
// can't freeze the machine: 4 GiB, or 8 % where that is more.
func (m memory) reserveBytes() uint64 {
	return max(4*gib, m.totalBytes/100*8)
}

// spareBytes is what a model may take.
func (m memory) spareBytes() uint64 {
	return minus(m.availableBytes, m.reserveBytes())
}

func (m memory) pool() Pool {
	return Pool{
		ID: "ram", Name: "RAM", Kind: RAM, Source: m.source,
		TotalBytes:  m.totalBytes,
		UsedBytes:   m.totalBytes - m.availableBytes,
		UsableBytes: m.spareBytes(),
	}
}
