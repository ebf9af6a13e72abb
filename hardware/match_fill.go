package hardware

import (
	"regexp"
	"strings"
)

// driverInName is what Mesa adds: " (RADV GFX1151)".
var driverInName = regexp.MustCompile(` \((RADV|DG|ADL|RPL|ARL|MTL|LNL|BMG|PTL|TGL|RKL|NVK)[^)]*\)$`)

// listSource is where numbers of the engine's list are from.
const listSource = "the engine's device list"

// give makes an engine device a card's, and takes from it what no driver told.
func (s *Snapshot) give(at int, d Device) {
	gpu := &s.GPUs[at]
	gpu.EngineDevices = appendNew(gpu.EngineDevices, d.ID)
	if name := cleanName(d.Name); gpu.nameless && name != "" {
		gpu.Name, gpu.nameless = name, false
		for i := range s.Pools {
			if s.Pools[i].ID == gpu.Pool {
				s.Pools[i].Name = ShortName(name)
			}
		}
	}
	pool, known := s.PoolOf(*gpu)
	switch {
	case !known:
		s.fillPool(gpu, d)
	case pool.UsedUnknown && pool.Kind == VRAM && d.TotalBytes > 0:
		pool.UsedBytes = min(minus(d.TotalBytes, d.FreeBytes), pool.TotalBytes)
		pool.UsableBytes = pool.TotalBytes - pool.UsedBytes
		pool.UsedUnknown = false
		pool.Source += ", " + listSource
		gpu.VRAMUsedBytes, gpu.Sources = pool.UsedBytes, withSource(gpu.Sources, VRAMUsed)
		for i := range s.Pools {
			if s.Pools[i].ID == pool.ID {
				s.Pools[i] = pool
			}
		}
	}
}

// fillPool makes a pool of the engine's numbers. What an integrated GPU is given
// is RAM, and no more than is spare there.
func (s *Snapshot) fillPool(gpu *GPU, d Device) {
	if d.TotalBytes == 0 || d.TotalBytes > absurdBytes {
		return
	}
	free := min(d.FreeBytes, d.TotalBytes)
	key := gpu.PCI
	if key == "" {
		key = strings.ToLower(d.ID)
	}
	pool := Pool{
		ID: "vram-" + key, Name: ShortName(gpu.Name), Kind: VRAM, Source: listSource,
		TotalBytes: d.TotalBytes, UsedBytes: d.TotalBytes - free, UsableBytes: free,
	}
	if gpu.Integrated {
		pool.ID, pool.Kind = "apu-"+key, APU
		if s.RAM.TotalBytes > 0 {
			pool.TotalBytes = min(pool.TotalBytes, s.RAM.TotalBytes)
			pool.UsedBytes = min(pool.UsedBytes, pool.TotalBytes)
			pool.UsableBytes = min(pool.UsableBytes, pool.TotalBytes, s.RAM.SpareBytes())
			pool.Source += ", " + s.RAM.Source
		}
	} else {
		gpu.VRAMTotalBytes, gpu.VRAMUsedBytes = pool.TotalBytes, pool.UsedBytes
		gpu.Sources = withSource(gpu.Sources, VRAMTotal, VRAMUsed)
	}
	gpu.Pool = pool.ID
	s.addPool(pool)
}

// addDevice adds a card only the engine knows.
func (s *Snapshot) addDevice(d Device) {
	gpu := GPU{Name: cleanName(d.Name), Vendor: deviceVendor(d), Sources: map[string]string{}, EngineDevices: []string{}}
	if gpu.Name == "" {
		gpu.Name = d.ID
	}
	if address := pciInName.FindString(d.Name + " " + d.PCI); address != "" {
		gpu.PCI = shortPCI(address)
	}
	s.GPUs = append(s.GPUs, gpu)
	s.give(len(s.GPUs)-1, d)
}

// withSource is a copy of sources with the engine's list for some numbers: the
// snapshot the map came with stays as it was.
func withSource(sources map[string]string, numbers ...string) map[string]string {
	with := map[string]string{}
	for number, source := range sources {
		with[number] = source
	}
	for _, number := range numbers {
		with[number] = listSource
	}
	return with
}

// cleanName is a device's name without the address and the driver that the list
// puts behind it.
func cleanName(name string) string {
	name = strings.TrimSpace(strings.ReplaceAll(pciInName.ReplaceAllString(name, ""), "()", ""))
	return strings.TrimSpace(driverInName.ReplaceAllString(name, ""))
}
