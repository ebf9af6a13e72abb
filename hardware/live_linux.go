package hardware

import (
	"io/fs"
	"os"
	"path"
	"strconv"
	"sync"
)

// liveMachine reads this machine again and again, remembering what never changes.
type liveMachine struct {
	root   fs.FS
	nvidia func() []nvidiaCard

	mu    sync.Mutex // two readings at once would ask NVIDIA's driver twice
	cpu   CPU
	names *namer
}

var thisMachine = &liveMachine{root: os.DirFS("/"), nvidia: askNVIDIA}

// Live describes this machine, without who uses its memory: Users tells. It takes
// a few milliseconds, and not for ever when a driver hangs.
func Live() Snapshot { return thisMachine.snapshot() }

func (l *liveMachine) snapshot() Snapshot {
	l.mu.Lock()
	defer l.mu.Unlock()
	if l.names == nil {
		l.cpu, l.names = readCPU(l.root), newNamer(l.root)
	}
	var cards []nvidiaCard
	if hasNVIDIA(l.root) {
		cards = l.nvidia()
	}
	s := read(l.root, l.cpu, l.names, cards)
	for i := range s.GPUs {
		s.GPUs[i].Users = nil
	}
	return s
}

// Users says who holds the memory of which card, by PCI address, of the processes
// this one may look into.
func Users() map[string][]Process { return thisMachine.users(os.Getpid()) }

func (l *liveMachine) users(self int) map[string][]Process {
	users := usersByPCI{}
	if cards, err := fs.ReadDir(l.root, "dev/dri"); err == nil && len(cards) > 0 {
		users = drmUsers(l.root, self)
	}
	if !hasNVIDIA(l.root) {
		return users
	}
	l.mu.Lock()
	cards := l.nvidia()
	l.mu.Unlock()
	for _, c := range cards {
		for _, p := range c.users {
			p.Name = text(l.root, path.Join("proc", strconv.Itoa(p.PID), "comm"))
			p.Ours = descends(l.root, p.PID, self)
			users[c.pci] = append(users[c.pci], p)
		}
		sortUsers(users[c.pci])
	}
	return users
}

// hasNVIDIA says whether NVIDIA's driver is there to be asked: on Windows'
// subsystem it hides behind dxg.
func hasNVIDIA(root fs.FS) bool {
	for _, sign := range []string{"proc/driver/nvidia/version", "dev/nvidiactl", "dev/dxg"} {
		if _, err := fs.Stat(root, sign); err == nil {
			return true
		}
	}
	return false
}
