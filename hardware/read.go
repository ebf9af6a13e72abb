package hardware

import (
	"io/fs"
	"path"
	"strconv"
	"strings"
)

const gib = 1 << 30

// Read describes the Linux machine whose sys and proc trees are under root:
// os.DirFS("/") for this one, or a recording. What can't be read is left empty;
// no machine is an error.
func Read(root fs.FS) Snapshot {
	memory := readMemory(root)
	s := Snapshot{CPU: readCPU(root), Pools: []Pool{}, GPUs: []GPU{}}
	for _, card := range readCards(root) {
		gpu, pool := card.describe(root, memory)
		if pool.TotalBytes > 0 {
			s.Pools = append(s.Pools, pool)
		}
		s.GPUs = append(s.GPUs, gpu)
	}
	addNVIDIA(root, &s)
	if memory.totalBytes > 0 {
		s.Pools = append(s.Pools, memory.pool())
	}
	return s
}

// text is a small file's content without the white space around it.
func text(root fs.FS, name string) string {
	data, err := fs.ReadFile(root, name)
	if err != nil {
		return ""
	}
	return strings.TrimSpace(string(data))
}

// number is the decimal number in a small file, and whether there is one.
func number(root fs.FS, name ...string) (uint64, bool) {
	n, err := strconv.ParseUint(text(root, path.Join(name...)), 10, 64)
	return n, err == nil
}

// minus is a - b, never below zero.
func minus(a, b uint64) uint64 {
	if b > a {
		return 0
	}
	return a - b
}
