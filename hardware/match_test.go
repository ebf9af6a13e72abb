package hardware

import (
	"strings"
	"testing"
)

// twins are two cards just alike.
func twins() Snapshot {
	s := Snapshot{Pools: []Pool{{ID: "ram", Kind: RAM, TotalBytes: 64 * gib}}, GPUs: []GPU{}}
	s.addNVIDIA([]nvidiaCard{
		{name: "NVIDIA GeForce RTX 3090", pci: "0000:05:00.0", uuid: "GPU-a", totalBytes: 24 * gib, knowsTotal: true, knowsUsed: true, source: "NVML"},
		{name: "NVIDIA GeForce RTX 3090", pci: "0000:0a:00.0", uuid: "GPU-b", totalBytes: 24 * gib, knowsTotal: true, knowsUsed: true, source: "NVML"},
	})
	return s
}

func named(id, name string, totalGiB uint64) Device {
	return Device{ID: id, Name: name, TotalBytes: totalGiB * gib, FreeBytes: totalGiB * gib}
}

func TestWhichCardADeviceIs(t *testing.T) {
	const rtx = "NVIDIA GeForce RTX 3090"
	radeon := Snapshot{GPUs: []GPU{
		{Name: "AMD GPU 744c", Vendor: "AMD", nameless: true, VRAMTotalBytes: 24 * gib, PCI: "0000:03:00.0"},
		{Name: "AMD GPU ffff", Vendor: "AMD", nameless: true, Integrated: true, PCI: "0000:6c:00.0"},
	}}
	table := Snapshot{GPUs: []GPU{
		{Name: "Radeon RX 7900 XT/7900 XTX/7900 GRE/7900M", Vendor: "AMD", PCI: "0000:03:00.0"},
		{Name: "Radeon RX 6600/6600 XT/6600M", Vendor: "AMD", PCI: "0000:07:00.0"},
	}}
	sizes := Snapshot{GPUs: []GPU{
		{Name: "NVIDIA GeForce RTX 3060", Vendor: "NVIDIA", VRAMTotalBytes: 12 * gib, PCI: "0000:01:00.0"},
		{Name: "NVIDIA GeForce RTX 3060", Vendor: "NVIDIA", VRAMTotalBytes: 8 * gib, PCI: "0000:02:00.0"},
	}}
	family := Snapshot{GPUs: []GPU{
		{Name: "NVIDIA GeForce RTX 4060 Ti", Vendor: "NVIDIA", PCI: "0000:01:00.0"},
		{Name: "NVIDIA GeForce RTX 4060", Vendor: "NVIDIA", PCI: "0000:02:00.0"},
	}}
	tests := []struct {
		name    string
		machine Snapshot
		list    []Device
		want    string // devices of each card, "?" before those that may be another's
	}{
		{"the address in the list decides between twins", twins(), []Device{{ID: "CUDA0", Name: rtx, PCI: "00000000:0A:00.0"}, {ID: "CUDA1", Name: rtx, PCI: "0000:05:00.0"}}, "CUDA1 | CUDA0"},
		{"the address in a name decides too", twins(), []Device{named("CUDA0", rtx+" (0000:0a:00.0)", 24), named("CUDA1", rtx+" (0000:05:00.0)", 24)}, "CUDA1 | CUDA0"},
		{"one twin by its UUID leaves the other", twins(), []Device{{ID: "CUDA0", Name: rtx, UUID: "GPU-b"}, named("CUDA1", rtx, 24)}, "CUDA1 | CUDA0"},
		{"twins without an address are not joined by order", twins(), []Device{named("CUDA0", rtx, 24), named("CUDA1", rtx, 24)}, "?CUDA0 ?CUDA1 | ?CUDA0 ?CUDA1"},
		{"one device of twins may be either", twins(), []Device{named("Vulkan0", rtx, 24)}, "?Vulkan0 | ?Vulkan0"},
		{"memory tells cards of one name apart", sizes, []Device{named("CUDA0", "NVIDIA GeForce RTX 3060", 8), named("CUDA1", "NVIDIA GeForce RTX 3060", 12)}, "CUDA1 | CUDA0"},
		{"a longer name is not the shorter one's card", family, []Device{named("CUDA0", "NVIDIA GeForce RTX 4060", 8), named("CUDA1", "NVIDIA GeForce RTX 4060 Ti", 16)}, "CUDA1 | CUDA0"},
		{"a table's line names several cards", table, []Device{named("Vulkan0", "AMD Radeon RX 6600 XT (RADV NAVI23)", 8), named("Vulkan1", "AMD Radeon RX 7900 XTX (RADV NAVI31)", 24)}, "Vulkan1 | Vulkan0"},
		{"cards nobody names are told by memory, then by what is left", radeon, []Device{named("Vulkan0", "AMD Radeon Graphics (RADV GFX1036)", 30), named("Vulkan1", "AMD Radeon RX 7900 XTX (RADV NAVI31)", 24)}, "Vulkan1 | Vulkan0"},
		{"software is no card", sizes, []Device{{ID: "Vulkan0", Name: "llvmpipe", Software: true}}, " | "},
		{"another computer's card is not here", sizes, []Device{named("RPC0", "NVIDIA GeForce RTX 3060", 12)}, " | "},
		{"another maker's device is a card of its own", sizes, []Device{named("Vulkan0", "AMD Radeon RX 6600", 8)}, " |  | Vulkan0"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var got []string
			for _, gpu := range Match(test.machine, test.list).GPUs {
				devices := gpu.EngineDevices
				for _, id := range gpu.MaybeDevices {
					devices = append(devices, "?"+id)
				}
				got = append(got, strings.Join(devices, " "))
			}
			if strings.Join(got, " | ") != test.want {
				t.Errorf("got %q, want %q", strings.Join(got, " | "), test.want)
			}
		})
	}
}

func TestADeviceListedTwiceAddsNoCard(t *testing.T) {
	s := Snapshot{GPUs: []GPU{{Name: "AMD Radeon 8060S", Vendor: "AMD", PCI: "0000:c5:00.0", Integrated: true}}}
	list := []Device{named("Vulkan0", "AMD Radeon 8060S (0000:c5:00.0)", 96), named("Vulkan1", "AMD Radeon 8060S (0000:c5:00.0)", 96)}
	if got := Match(s, list).GPUs; len(got) != 1 {
		t.Errorf("got %+v", got)
	}
}

func TestTwoBuildsNameOneCard(t *testing.T) {
	s := Snapshot{GPUs: []GPU{{Name: "NVIDIA GeForce RTX 3060", Vendor: "NVIDIA"}}}
	s = Match(s, []Device{named("Vulkan0", "NVIDIA GeForce RTX 3060", 12)}, []Device{named("CUDA0", "NVIDIA GeForce RTX 3060", 12), named("Vulkan0", "NVIDIA GeForce RTX 3060", 12)})
	if got := strings.Join(s.GPUs[0].EngineDevices, " "); got != "Vulkan0 CUDA0" {
		t.Errorf("it is %s", got)
	}
	if len(s.Pools) != 1 {
		t.Errorf("one card has pools %+v", s.Pools)
	}
}

func TestWhatIsInUseComesFromTheEngineWhereTheDriverIsSilent(t *testing.T) {
	s := Snapshot{GPUs: []GPU{}}
	s.addNVIDIA([]nvidiaCard{{name: "NVIDIA A2", pci: "0000:01:00.0", totalBytes: 16 * gib, knowsTotal: true, source: "nvidia-smi"}})
	matched := Match(s, []Device{{ID: "CUDA0", Name: "NVIDIA A2", TotalBytes: 15 * gib, FreeBytes: 10 * gib}})
	want := Pool{ID: "vram-0000:01:00.0", Name: "A2", Kind: VRAM, TotalBytes: 16 * gib, UsedBytes: 5 * gib, UsableBytes: 11 * gib, Source: "nvidia-smi, the engine's device list"}
	if matched.Pools[0] != want {
		t.Errorf("got %+v", matched.Pools[0])
	}
	if !matched.GPUs[0].Knows(VRAMUsed) || s.GPUs[0].Knows(VRAMUsed) || !s.Pools[0].UsedUnknown {
		t.Error("the snapshot that was given changed, or the new one did not")
	}
}

func TestShortNames(t *testing.T) {
	for name, want := range map[string]string{
		"AMD Radeon 8060S Graphics (RADV GFX1151)": "Radeon 8060S",
		"AMD Radeon Graphics (RADV GFX1151)":       "Radeon Graphics",
		"NVIDIA GeForce RTX 4060 Ti":               "GeForce RTX 4060 Ti",
		"Intel(R) Arc(TM) A770 Graphics (DG2)":     "Arc A770",
		"Intel(R) UHD Graphics 770":                "UHD Graphics 770",
		"AMD GPU 744c":                             "AMD GPU 744c",
		"Tesla T4 (0000:00:04.0)":                  "Tesla T4",
		"(odd)":                                    "(odd)",
		"":                                         "",
	} {
		if got := ShortName(name); got != want {
			t.Errorf("%q is %q, want %q", name, got, want)
		}
	}
}
