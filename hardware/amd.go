package hardware

import (
	"io/fs"
	"path"
)

// amd reads amdgpu's counters. A discrete card's pool is its own memory. An APU's
// is all it can reach: the carve-out, and GTT, whose pages are RAM that other
// programs use too.
func (c card) amd(root fs.FS, m Memory, gpu GPU) (GPU, Pool) {
	count := func(field *uint64, what, file string) bool {
		n, ok := number(root, c.folder, file)
		if ok {
			*field, gpu.Sources[what] = n, "sysfs "+file
		}
		return ok
	}
	vramKnown := count(&gpu.VRAMTotalBytes, VRAMTotal, "mem_info_vram_total")
	gttKnown := count(&gpu.GTTTotalBytes, GTTTotal, "mem_info_gtt_total")
	count(&gpu.VRAMUsedBytes, VRAMUsed, "mem_info_vram_used")
	count(&gpu.GTTUsedBytes, GTTUsed, "mem_info_gtt_used")
	gpu.Integrated = c.isAPU(root, gpu)

	if vramKnown && gpu.VRAMTotalBytes == 0 && !gpu.Integrated {
		vramKnown = false // a card without memory is a driver that is not up
		delete(gpu.Sources, VRAMTotal)
	}
	if gpu.Integrated && (!gttKnown || gpu.GTTTotalBytes == 0) && m.TotalBytes > 0 {
		gpu.GTTTotalBytes, gttKnown = defaultGTT(m), true
		gpu.Sources[GTTTotal] = "not told; the kernel's default, half of RAM"
	}
	settle := func(field *uint64, total uint64, number string) {
		used, ok := usedOf(*field, total, gpu.Knows(number))
		*field = used
		if !ok {
			delete(gpu.Sources, number)
		}
	}
	settle(&gpu.VRAMUsedBytes, gpu.VRAMTotalBytes, VRAMUsed)
	settle(&gpu.GTTUsedBytes, gpu.GTTTotalBytes, GTTUsed)

	if gpu.Integrated && (vramKnown || gttKnown) {
		pool := apuPool(gpu, m)
		gpu.Pool = pool.ID
		return gpu, pool
	}
	if !vramKnown {
		return gpu, Pool{}
	}
	pool := Pool{
		ID: "vram-" + gpu.PCI, Name: ShortName(gpu.Name), Kind: VRAM, Source: "sysfs",
		TotalBytes: gpu.VRAMTotalBytes, UsedBytes: gpu.VRAMUsedBytes,
		UsableBytes: gpu.VRAMTotalBytes - gpu.VRAMUsedBytes,
		UsedUnknown: !gpu.Knows(VRAMUsed),
	}
	gpu.Pool = pool.ID
	return gpu, pool
}

// apuPool: usable = free carve-out + the smaller of free GTT and spare RAM.
func apuPool(gpu GPU, m Memory) Pool {
	pool := Pool{
		ID: "apu-" + gpu.PCI, Name: ShortName(gpu.Name), Kind: APU, Source: "sysfs, /proc/meminfo",
		TotalBytes:  gpu.VRAMTotalBytes + gpu.GTTTotalBytes,
		UsedBytes:   gpu.VRAMUsedBytes + gpu.GTTUsedBytes,
		UsedUnknown: !gpu.Knows(VRAMUsed) && !gpu.Knows(GTTUsed),
	}
	reach := gpu.GTTTotalBytes - gpu.GTTUsedBytes
	if m.TotalBytes > 0 {
		// A limit above the RAM there is promises nothing more.
		pool.TotalBytes = gpu.VRAMTotalBytes + min(gpu.GTTTotalBytes, m.TotalBytes)
		reach = min(reach, m.SpareBytes())
	} else {
		pool.Source = "sysfs"
	}
	pool.UsedBytes = min(pool.UsedBytes, pool.TotalBytes)
	pool.UsableBytes = min(gpu.VRAMTotalBytes-gpu.VRAMUsedBytes+reach, pool.TotalBytes)
	return pool
}

// defaultGTT is what amdgpu takes when it is told nothing.
func defaultGTT(m Memory) uint64 { return max(3*gib, m.TotalBytes/2) }

// amdAPUs are PCI device ids of AMD's integrated GPUs, and what they are sold as.
// A large carve-out makes one look like a card in every other way.
var amdAPUs = map[string]string{
	"1586": "Radeon 8060S or 8050S", // Strix Halo
	"150e": "Radeon 890M or 880M",   // Strix Point
	"1114": "Radeon 860M or 840M",   // Krackan Point
	"15bf": "Radeon 780M",           // Phoenix
	"15c8": "Radeon 740M",
	"1900": "Radeon 780M or 760M", // Hawk Point
	"1901": "Radeon 740M",
	"164e": "Radeon Graphics", // Raphael
	"13c0": "Radeon Graphics", // Granite Ridge
	"1681": "Radeon 680M",     // Rembrandt
	"1506": "Radeon 610M",     // Mendocino
	"1638": "Radeon Vega",     // Cezanne
	"15e7": "Radeon Vega",     // Barcelo
	"1636": "Radeon Vega",     // Renoir
	"164c": "Radeon Vega",     // Lucienne
	"163f": "Van Gogh", "1435": "Sephiroth",
	"15dd": "Radeon Vega", // Raven Ridge
	"15d8": "Radeon Vega", // Picasso
	"13fe": "Cyan Skillfish", "143f": "Cyan Skillfish",
	"98e4": "Radeon R5", "9874": "Radeon R7", // Stoney, Carrizo
}

// isAPU goes by the id, then by what no card has: no maker of its memory named,
// no kind of board, and a carve-out smaller than GTT.
func (c card) isAPU(root fs.FS, gpu GPU) bool {
	if _, known := amdAPUs[c.device]; known {
		return true
	}
	for _, file := range []string{"mem_info_vram_vendor", "board_info"} {
		if told := text(root, path.Join(c.folder, file)); told != "" && told != "unknown" && told != "type : unknown" {
			return false
		}
	}
	return gpu.Knows(VRAMTotal) && gpu.Knows(GTTTotal) &&
		gpu.VRAMTotalBytes <= 4*gib && gpu.VRAMTotalBytes < gpu.GTTTotalBytes
}
