package hardware

import (
	"io"
	"io/fs"
	"path"
	"strconv"
	"strings"
)

const gib = 1 << 30

// absurdBytes is more memory than any machine has: a number from there on is no
// number.
const absurdBytes = 1 << 48

// Read describes the Linux machine whose sys and proc trees are under root, a
// recording. What can't be read is unknown; no machine is an error.
func Read(root fs.FS) Snapshot {
	s := read(root, readCPU(root), newNamer(root), recordedNVIDIA(root))
	return s.WithUsers(drmUsers(root, 0))
}

// read puts a machine together: its cards from sysfs, NVIDIA's memory from what
// their driver said, RAM last.
func read(root fs.FS, cpu CPU, names *namer, nvidia []nvidiaCard) Snapshot {
	s := Snapshot{
		CPU: cpu, RAM: readMemory(root), Pools: []Pool{}, GPUs: []GPU{},
		kernelLine: text(root, "proc/cmdline"),
	}
	for _, card := range readCards(root) {
		if card.displayOnly() {
			s.Displays = append(s.Displays, card.driver)
			continue
		}
		gpu, pool := card.describe(root, names, s.RAM)
		if pool.TotalBytes > 0 {
			s.addPool(pool)
		}
		s.GPUs = append(s.GPUs, gpu)
	}
	s.addNVIDIA(nvidia)
	if s.RAM.TotalBytes > 0 {
		s.addPool(s.RAM.pool())
	}
	return s
}

// longestFile is how much of a file is read: /proc/cpuinfo of a large server has
// about a MiB.
const longestFile = 4 << 20

// text is a small file's content without the white space around it.
func text(root fs.FS, name string) string {
	file, err := root.Open(name)
	if err != nil {
		return ""
	}
	defer file.Close()
	data, err := io.ReadAll(io.LimitReader(file, longestFile))
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// number is the decimal number of bytes in a small file, and whether there is one
// that makes sense.
func number(root fs.FS, name ...string) (uint64, bool) {
	n, err := strconv.ParseUint(text(root, path.Join(name...)), 10, 64)
	if err != nil || n > absurdBytes {
		return 0, false
	}
	return n, true
}

// usedOf makes a used number fit its total: drivers count a little above it at
// times; far above it is nonsense, and unknown.
func usedOf(usedBytes, totalBytes uint64, ok bool) (uint64, bool) {
	if !ok || usedBytes > totalBytes+totalBytes/16 {
		return 0, false
	}
	return min(usedBytes, totalBytes), true
}

// minus is a - b, never below zero.
func minus(a, b uint64) uint64 {
	if b > a {
		return 0
	}
	return a - b
}
