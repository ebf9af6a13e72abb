package hardware

import (
	"strconv"
	"strings"

	"golang.org/x/sys/windows/registry"
)

const memorySource = "GlobalMemoryStatusEx"

// displayClass is where Windows keeps its display adapters, one in 0000, 0001 …
const displayClass = `SYSTEM\CurrentControlSet\Control\Class\{4d36e968-e325-11ce-bfc1-08002be10318}`

// addGPUs adds the adapters in the registry, with NVIDIA's memory as nvidia-smi
// tells it. The registry keeps adapters that were taken out: those without a
// driver's device are left out, and the others cost nothing but a line.
func addGPUs(s *Snapshot) {
	class, err := registry.OpenKey(registry.LOCAL_MACHINE, displayClass, registry.ENUMERATE_SUB_KEYS)
	if err != nil {
		return
	}
	defer class.Close()
	names, err := class.ReadSubKeyNames(-1)
	if err != nil {
		return
	}
	nvidiaThere := false
	for _, name := range names {
		if _, err := strconv.Atoi(name); err != nil {
			continue
		}
		if gpu, ok := adapter(displayClass + `\` + name); ok {
			nvidiaThere = nvidiaThere || gpu.Vendor == "NVIDIA"
			addAdapter(s, gpu)
		}
	}
	if nvidiaThere {
		mergeNVIDIA(s, nvidiaTool.cards())
	}
}

// adapter reads one adapter: HardwareInformation.qwMemorySize is the memory of its
// own in bytes. Nothing in the registry says how much is in use.
func adapter(path string) (GPU, bool) {
	key, err := registry.OpenKey(registry.LOCAL_MACHINE, path, registry.QUERY_VALUE)
	if err != nil {
		return GPU{}, false
	}
	defer key.Close()
	id, _, err := key.GetStringValue("MatchingDeviceId") // PCI\VEN_10DE&DEV_2684…
	if err != nil || !strings.HasPrefix(strings.ToLower(id), `pci\ven_`) {
		return GPU{}, false // a remote desktop, a virtual display
	}
	gpu := GPU{Sources: map[string]string{}, EngineDevices: []string{}, Vendor: vendorName(strings.ToLower(id[8:min(12, len(id))]))}
	if text, _, err := key.GetStringValue("DriverDesc"); err == nil {
		gpu.Name = text
	}
	if text, _, err := key.GetStringValue("DriverVersion"); err == nil {
		gpu.Driver = text
	}
	if _, dev, found := strings.Cut(strings.ToLower(id), "&dev_"); found && gpu.Vendor == "AMD" {
		_, gpu.Integrated = amdAPUs[dev[:min(4, len(dev))]]
	}
	if size, _, err := key.GetIntegerValue("HardwareInformation.qwMemorySize"); err == nil && size > 0 && size <= absurdBytes {
		gpu.VRAMTotalBytes, gpu.Sources[VRAMTotal] = size, "registry, qwMemorySize"
	}
	return gpu, true
}

// addAdapter adds a card and, where it has memory of its own, a pool. An
// integrated one's carve-out is not all it reaches: its pool is the engine's to
// tell.
func addAdapter(s *Snapshot, gpu GPU) {
	if gpu.Vendor == "Intel" && gpu.VRAMTotalBytes < gib {
		gpu.Integrated = true
	}
	if gpu.VRAMTotalBytes > 0 && !gpu.Integrated {
		gpu.Pool = "vram-" + strconv.Itoa(len(s.GPUs))
		s.addPool(Pool{
			ID: gpu.Pool, Name: ShortName(gpu.Name), Kind: VRAM, Source: "registry",
			TotalBytes: gpu.VRAMTotalBytes, UsableBytes: gpu.VRAMTotalBytes, UsedUnknown: true,
		})
	}
	s.GPUs = append(s.GPUs, gpu)
}

// mergeNVIDIA replaces the registry's NVIDIA cards by what nvidia-smi says, which
// knows which are there, where they are and what is in use.
func mergeNVIDIA(s *Snapshot, cards []nvidiaCard) {
	if len(cards) == 0 {
		return
	}
	var gpus []GPU
	for _, gpu := range s.GPUs {
		if gpu.Vendor != "NVIDIA" {
			gpus = append(gpus, gpu)
		}
	}
	var pools []Pool
	for _, p := range s.Pools {
		for _, gpu := range gpus {
			if gpu.Pool == p.ID {
				pools = append(pools, p)
			}
		}
	}
	s.GPUs, s.Pools = gpus, pools
	s.addNVIDIA(cards)
}
