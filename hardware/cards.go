package hardware

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A card is one sys/class/drm/cardN with a PCI device behind it.
type card struct {
	folder string // of the device
	pci    string
	driver string
	vendor string // PCI id, four hex digits in lower case
	device string // PCI id
}

// cardName leaves out connectors (card0-HDMI-A-1) and render nodes.
var cardName = regexp.MustCompile(`^card(\d+)$`)

func readCards(root fs.FS) []card {
	entries, err := fs.ReadDir(root, "sys/class/drm")
	if err != nil {
		return nil
	}
	var numbers []int
	for _, entry := range entries {
		if found := cardName.FindStringSubmatch(entry.Name()); found != nil {
			if n, err := strconv.Atoi(found[1]); err == nil {
				numbers = append(numbers, n)
			}
		}
	}
	slices.Sort(numbers)
	var cards []card
	for _, n := range numbers {
		if c, ok := readCard(root, path.Join("sys/class/drm", "card"+strconv.Itoa(n), "device")); ok {
			cards = append(cards, c)
		}
	}
	return cards
}

// readCard is false for what has no PCI device: a virtual display, or the
// display part of a board.
func readCard(root fs.FS, folder string) (card, bool) {
	c := card{
		folder: folder,
		vendor: strings.TrimPrefix(text(root, path.Join(folder, "vendor")), "0x"),
		device: strings.TrimPrefix(text(root, path.Join(folder, "device")), "0x"),
	}
	for line := range strings.Lines(text(root, path.Join(folder, "uevent"))) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		switch name {
		case "DRIVER":
			c.driver = value
		case "PCI_SLOT_NAME":
			c.pci = strings.ToLower(value)
		case "PCI_ID":
			vendor, device, _ := strings.Cut(strings.ToLower(value), ":")
			c.vendor, c.device = vendor, device
		}
	}
	return c, c.vendor != ""
}

// describe says what the card is, and the pool of memory it has. A pool of no
// bytes means that the driver does not tell.
func (c card) describe(root fs.FS, m memory) (GPU, Pool) {
	gpu := GPU{
		Name: productName(c.vendor, c.device), Vendor: vendorName(c.vendor), PCI: c.pci, Driver: c.driver,
		EngineDevices: []string{},
	}
	if c.driver != "amdgpu" {
		return gpu, Pool{}
	}
	total, known := number(root, c.folder, "mem_info_vram_total")
	if !known {
		return gpu, Pool{}
	}
	used, _ := number(root, c.folder, "mem_info_vram_used")
	gtt, _ := number(root, c.folder, "mem_info_gtt_total")
	gttUsed, _ := number(root, c.folder, "mem_info_gtt_used")
	gpu.VRAMTotalBytes, gpu.VRAMUsedBytes = total, min(used, total)
	gpu.GTTTotalBytes, gpu.GTTUsedBytes = gtt, min(gttUsed, gtt)
	gpu.Integrated = c.isAPU(root, gpu)
	pool := amdPool(gpu, m)
	gpu.Pool = pool.ID
	return gpu, pool
}

// amdPool is a discrete card's own memory, or all an APU can reach: its
// carve-out and GTT, whose pages are RAM that other programs use too.
func amdPool(gpu GPU, m memory) Pool {
	pool := Pool{
		ID: "vram-" + gpu.PCI, Name: gpu.Name, Kind: VRAM, Source: "amdgpu",
		TotalBytes: gpu.VRAMTotalBytes, UsedBytes: gpu.VRAMUsedBytes,
		UsableBytes: gpu.VRAMTotalBytes - gpu.VRAMUsedBytes,
	}
	if gpu.Integrated {
		pool.ID, pool.Kind = "apu-"+gpu.PCI, APU
		pool.TotalBytes += gpu.GTTTotalBytes
		pool.UsedBytes += gpu.GTTUsedBytes
		pool.UsableBytes += min(gpu.GTTTotalBytes-gpu.GTTUsedBytes, m.spareBytes())
		pool.Source = "amdgpu, /proc/meminfo"
	}
	return pool
}

// amdAPUs are PCI device ids of AMD's integrated GPUs. A large carve-out makes
// one look like a card in every other way.
var amdAPUs = []string{
	"1586",         // Strix Halo
	"150e", "1114", // Strix Point, Krackan Point
	"15bf", "15c8", "1900", "1901", // Phoenix, Hawk Point
	"164e", "13c0", // Raphael, Granite Ridge
	"1681", "1506", // Rembrandt, Mendocino
	"1638", "15e7", "1636", "164c", // Cezanne, Barcelo, Renoir, Lucienne
	"163f", "1435", // Van Gogh
	"15dd", "15d8", // Raven Ridge, Picasso
}

// isAPU goes by the id, then by what no card has: no maker of its memory named,
// and a carve-out smaller than GTT.
func (c card) isAPU(root fs.FS, gpu GPU) bool {
	if slices.Contains(amdAPUs, c.device) {
		return true
	}
	maker := text(root, path.Join(c.folder, "mem_info_vram_vendor"))
	return (maker == "" || maker == "unknown") &&
		gpu.VRAMTotalBytes <= 4*gib && gpu.VRAMTotalBytes < gpu.GTTTotalBytes
}

func vendorName(id string) string {
	switch id {
	case "1002":
		return "AMD"
	case "10de":
		return "NVIDIA"
	case "8086":
		return "Intel"
	}
	return id
}
