package hardware

import (
	"io/fs"
	"path"
	"slices"
	"strconv"
	"strings"
)

// Processes by the PCI address of the card whose memory they hold.
type usersByPCI map[string][]Process

// WithUsers is the snapshot with who holds the cards' memory, as Users found it.
func (s Snapshot) WithUsers(users map[string][]Process) Snapshot {
	s.GPUs = slices.Clone(s.GPUs)
	for i, gpu := range s.GPUs {
		if list := users[gpu.PCI]; len(list) > 0 {
			s.GPUs[i].Users = list
		}
	}
	return s
}

// drmUsers reads what the kernel's graphics drivers say of every process this one
// may look into (/proc/PID/fdinfo); others are left out. Processes that are self
// or started by it are ours.
func drmUsers(root fs.FS, self int) usersByPCI {
	entries, err := fs.ReadDir(root, "proc")
	if err != nil {
		return nil
	}
	users := usersByPCI{}
	seen := map[string]bool{} // clients counted: one may be open many times, in several processes
	for _, entry := range entries {
		pid, err := strconv.Atoi(entry.Name())
		if err != nil {
			continue
		}
		held := map[string]*Process{}
		for _, file := range drmFiles(root, entry.Name()) {
			client, ok := parseFdinfo(text(root, file))
			if !ok || client.id != "" && seen[client.pci+" "+client.id] {
				continue
			}
			seen[client.pci+" "+client.id] = true
			if held[client.pci] == nil {
				held[client.pci] = &Process{PID: pid}
			}
			held[client.pci].VRAMBytes += client.vramBytes
			held[client.pci].SharedBytes += client.sharedBytes
		}
		for pci, p := range held {
			if p.Bytes() == 0 {
				continue
			}
			p.Name = text(root, path.Join("proc", entry.Name(), "comm"))
			p.Ours = self != 0 && descends(root, pid, self)
			users[pci] = append(users[pci], *p)
		}
	}
	for _, list := range users {
		sortUsers(list)
	}
	return users
}

func sortUsers(list []Process) {
	slices.SortFunc(list, func(a, b Process) int {
		switch {
		case a.Bytes() > b.Bytes():
			return -1
		case a.Bytes() < b.Bytes():
			return 1
		}
		return a.PID - b.PID
	})
}

// drmFiles are the fdinfo files of a process's open graphics devices. Where the
// links of its open files can be read, only those are looked at: that is ten times
// as fast. A recording has no links.
func drmFiles(root fs.FS, pid string) []string {
	fds := path.Join("proc", pid, "fd")
	infos := path.Join("proc", pid, "fdinfo")
	links, canLink := root.(fs.ReadLinkFS)
	var files []string
	if open, err := fs.ReadDir(root, fds); err == nil && canLink {
		for _, fd := range open {
			target, err := links.ReadLink(path.Join(fds, fd.Name()))
			if err == nil && strings.HasPrefix(target, "/dev/dri/") {
				files = append(files, path.Join(infos, fd.Name()))
			}
		}
		return files
	}
	open, err := fs.ReadDir(root, infos)
	if err != nil {
		return nil
	}
	for _, fd := range open {
		files = append(files, path.Join(infos, fd.Name()))
	}
	return files
}

// A drmClient is one opening of a card by a process.
type drmClient struct {
	pci, id                string
	vramBytes, sharedBytes uint64
}

// parseFdinfo reads an fdinfo file; not ok when it is no graphics device's. Of
// each region the resident size counts; amdgpu called it drm-memory-, and some
// drivers only tell the total.
func parseFdinfo(content string) (client drmClient, ok bool) {
	sizes := map[string]uint64{} // by region
	rank := map[string]int{}
	for line := range strings.Lines(content) {
		key, value, found := strings.Cut(line, ":")
		if !found || !strings.HasPrefix(key, "drm-") {
			continue
		}
		value = strings.TrimSpace(value)
		switch key {
		case "drm-pdev":
			client.pci = strings.ToLower(value)
			continue
		case "drm-client-id":
			client.id = value
			continue
		}
		for i, prefix := range []string{"drm-total-", "drm-memory-", "drm-resident-"} {
			region, is := strings.CutPrefix(key, prefix)
			if !is || i+1 < rank[region] {
				continue
			}
			if n, ok := fdinfoSize(value); ok {
				sizes[region], rank[region] = n, i+1
			}
		}
	}
	for region, n := range sizes {
		switch {
		case strings.HasPrefix(region, "vram"), strings.HasPrefix(region, "local"):
			client.vramBytes += n
		case strings.HasPrefix(region, "gtt"), strings.HasPrefix(region, "system"):
			client.sharedBytes += n
		}
	}
	return client, client.pci != ""
}

// fdinfoSize reads "1536 KiB". Cycle counters share the prefix drm-total- and
// have no region of memory in their name.
func fdinfoSize(value string) (uint64, bool) {
	number, unit, _ := strings.Cut(value, " ")
	n, err := strconv.ParseUint(number, 10, 64)
	shift := map[string]int{"": 0, "KiB": 10, "MiB": 20, "GiB": 30}
	by, known := shift[strings.TrimSpace(unit)]
	if err != nil || !known || n > absurdBytes>>by {
		return 0, false
	}
	return n << by, true
}

// descends says whether a process is another, or was started by it or by what it
// started.
func descends(root fs.FS, pid, from int) bool {
	for range 16 {
		if pid == from {
			return true
		}
		// "1234 (a name) S 1200 …": the name may hold anything.
		stat := text(root, path.Join("proc", strconv.Itoa(pid), "stat"))
		fields := strings.Fields(stat[strings.LastIndexByte(stat, ')')+1:])
		if len(fields) < 2 {
			return false
		}
		parent, err := strconv.Atoi(fields[1])
		if err != nil || parent <= 1 {
			return false
		}
		pid = parent
	}
	return false
}
