package hardware

import (
	"io/fs"
	"path"
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// A card is one sys/class/drm/cardN with a device on the bus behind it.
type card struct {
	folder   string // of the device
	pci      string
	driver   string
	vendor   string // PCI id, four hex digits in lower case
	device   string // PCI id
	revision string // two hex digits
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

// readCard is false for what names neither a maker nor a driver.
func readCard(root fs.FS, folder string) (card, bool) {
	c := card{
		folder:   folder,
		vendor:   hexID(text(root, path.Join(folder, "vendor"))),
		device:   hexID(text(root, path.Join(folder, "device"))),
		revision: hexID(text(root, path.Join(folder, "revision"))),
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
	return c, c.vendor != "" || c.driver != ""
}

func hexID(text string) string {
	return strings.TrimPrefix(strings.ToLower(text), "0x")
}

// displayOnly says whether a card shows pictures and computes nothing: a virtual
// machine's display, a server's console, the firmware's frame buffer.
func (c card) displayOnly() bool {
	switch c.driver {
	case "virtio-pci", "virtio_gpu", "qxl", "bochs-drm", "vmwgfx", "vboxvideo", "cirrus", "hyperv_drm",
		"simple-framebuffer", "simpledrm", "vkms", "evdi", "udl", "ast", "mgag200":
		return true
	}
	// A machine on a chip lists its display next to its GPU, without a PCI id.
	return c.vendor == ""
}

// describe says what the card is, and the pool of memory it has. A pool of no
// bytes means that the driver does not tell.
func (c card) describe(root fs.FS, names *namer, m Memory) (GPU, Pool) {
	gpu := GPU{
		Vendor: vendorName(c.vendor), PCI: c.pci, Driver: c.driver,
		Sources: map[string]string{}, EngineDevices: []string{},
	}
	gpu.Name, gpu.nameless = names.name(c)
	switch {
	case c.driver == "amdgpu":
		return c.amd(root, m, gpu)
	case c.vendor == intel:
		// Neither i915 nor xe tells an unprivileged program how much memory there
		// is. The engine's list does; the integrated one is always at this place.
		gpu.Integrated = strings.HasSuffix(c.pci, ":00:02.0")
	}
	return gpu, Pool{}
}

// Makers, as PCI ids.
const (
	amd    = "1002"
	nvidia = "10de"
	intel  = "8086"
)

func vendorName(id string) string {
	switch id {
	case amd:
		return "AMD"
	case nvidia:
		return "NVIDIA"
	case intel:
		return "Intel"
	}
	return id
}
