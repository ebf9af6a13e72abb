package hardware

import (
	"path/filepath"
	"reflect"
	"regexp"
	"strconv"
	"strings"
	"testing"
)

const (
	kib = 1 << 10
	mib = 1 << 20
)

// listed reads what an engine printed, as engine/build does.
func listed(t *testing.T, text string) []Device {
	t.Helper()
	line := regexp.MustCompile(`(?m)^  (\S+): (.*) \((\d+) MiB, (\d+) MiB free\)$`)
	var devices []Device
	for _, found := range line.FindAllStringSubmatch(text, -1) {
		total, err := strconv.ParseUint(found[3], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		free, err := strconv.ParseUint(found[4], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		devices = append(devices, Device{
			ID: found[1], Name: found[2], TotalBytes: total * mib, FreeBytes: min(free, total) * mib,
			Software: strings.Contains(found[2], "llvmpipe"),
		})
	}
	return devices
}

// load is a recorded machine with its engine devices matched.
func load(t *testing.T, name string) Snapshot {
	t.Helper()
	recording, err := Recorded(filepath.Join("testdata", "machines", name))
	if err != nil {
		t.Fatal(err)
	}
	return Match(recording.Snapshot, listed(t, recording.DeviceList))
}

// A wantGPU is a card with every number by name: what a test leaves out has to be
// unknown.
type wantGPU struct {
	name, vendor, pci, driver string
	integrated                bool
	numbers                   map[string]uint64 // by name, of those known
	pool                      string
	devices, maybe            []string
}

// A wantPool is a pool; used is -1 when it has to be unknown.
type wantPool struct {
	id, name     string
	kind         PoolKind
	total        uint64
	used         int64
	usable       uint64
	sourceSaying string
}

type wantMachine struct {
	machine  string
	cpu      string
	cores    int
	threads  int
	flag     string // one the processor has
	ram      Memory
	gpus     []wantGPU
	pools    []wantPool
	displays []string
	advice   []string
}

func TestEveryRecordedMachineIsReadNumberByNumber(t *testing.T) {
	for _, want := range recordedMachines() {
		t.Run(want.machine, func(t *testing.T) {
			s := load(t, want.machine)
			if s.CPU.Name != want.cpu || s.CPU.Cores != want.cores || s.CPU.Threads != want.threads {
				t.Errorf("processor %+v", s.CPU)
			}
			if want.flag != "" && !reflect.DeepEqual(keep([]string{want.flag}, s.CPU.Flags), []string{want.flag}) {
				t.Errorf("flags %v lack %s", s.CPU.Flags, want.flag)
			}
			want.ram.Source = s.RAM.Source
			if s.RAM != want.ram {
				t.Errorf("RAM\n got %+v\nwant %+v", s.RAM, want.ram)
			}
			checkGPUs(t, s.GPUs, want.gpus)
			checkPools(t, s.Pools, want.pools)
			if !reflect.DeepEqual(s.Displays, want.displays) {
				t.Errorf("displays %v, want %v", s.Displays, want.displays)
			}
			var lines []string
			for _, a := range s.Advice() {
				lines = append(lines, a.Line)
			}
			if !reflect.DeepEqual(lines, want.advice) {
				t.Errorf("advice %v, want %v", lines, want.advice)
			}
		})
	}
}

func checkGPUs(t *testing.T, gpus []GPU, want []wantGPU) {
	t.Helper()
	if len(gpus) != len(want) {
		t.Fatalf("GPUs %+v, want %d", gpus, len(want))
	}
	for i, w := range want {
		g := gpus[i]
		if g.Name != w.name || g.Vendor != w.vendor || g.PCI != w.pci || g.Driver != w.driver || g.Integrated != w.integrated || g.Pool != w.pool {
			t.Errorf("GPU %d: %+v", i, g)
		}
		for name, value := range map[string]uint64{
			VRAMTotal: g.VRAMTotalBytes, VRAMUsed: g.VRAMUsedBytes, GTTTotal: g.GTTTotalBytes, GTTUsed: g.GTTUsedBytes,
		} {
			wanted, known := w.numbers[name]
			if g.Knows(name) != known || value != wanted {
				t.Errorf("%s: %s is %d (known: %t, from %q), want %d (%t)", w.name, name, value, g.Knows(name), g.Sources[name], wanted, known)
			}
		}
		if strings.Join(g.EngineDevices, " ") != strings.Join(w.devices, " ") {
			t.Errorf("%s at %s is %v, want %v", g.Name, g.PCI, g.EngineDevices, w.devices)
		}
		if strings.Join(g.MaybeDevices, " ") != strings.Join(w.maybe, " ") {
			t.Errorf("%s at %s is maybe %v, want %v", g.Name, g.PCI, g.MaybeDevices, w.maybe)
		}
	}
}

func checkPools(t *testing.T, pools []Pool, want []wantPool) {
	t.Helper()
	if len(pools) != len(want) {
		t.Fatalf("pools %+v, want %d", pools, len(want))
	}
	for i, w := range want {
		p := pools[i]
		used := int64(p.UsedBytes)
		if p.UsedUnknown {
			used = -1
		}
		if p.ID != w.id || p.Name != w.name || p.Kind != w.kind || p.TotalBytes != w.total || used != w.used || p.UsableBytes != w.usable {
			t.Errorf("pool %d\n got %+v\nwant %+v", i, p, w)
		}
		if !strings.Contains(p.Source, w.sourceSaying) || p.Source == "" {
			t.Errorf("pool %s is from %q, want it to say %q", p.ID, p.Source, w.sourceSaying)
		}
	}
}

// ramOf is RAM in the kernel's units, its reserve as the rule has it.
func ramOf(totalKiB, availableKiB, swapKiB, swapUsedKiB uint64) Memory {
	return Memory{
		TotalBytes: totalKiB * kib, AvailableBytes: availableKiB * kib, ReserveBytes: max(4*gib, totalKiB*kib/100*8),
		SwapTotalBytes: swapKiB * kib, SwapUsedBytes: swapUsedKiB * kib,
	}
}

func ramPool(m Memory) wantPool {
	return wantPool{
		id: "ram", name: "RAM", kind: RAM, total: m.TotalBytes, used: int64(m.TotalBytes - m.AvailableBytes),
		usable: m.AvailableBytes - min(m.AvailableBytes, m.ReserveBytes), sourceSaying: "/proc/meminfo",
	}
}

func recordedMachines() []wantMachine {
	halo512 := ramOf(130974720, 118069658, 8388604, 0)
	halo64 := ramOf(65431552, 58720256, 0, 0)
	halo96 := ramOf(32470752, 24117248, 0, 0)
	both := ramOf(65011712, 57671680, 16777212, 777212)
	twoRAM := ramOf(65725628, 43253760, 8388604, 0)
	threeRAM := ramOf(131843072, 120586240, 0, 0)
	arcRAM := ramOf(32650240, 25165824, 2097148, 0)
	serverRAM := ramOf(65793024, 61865984, 0, 0)
	oddRAM := ramOf(33554432, 16777216, 0, 0) // MemAvailable made no sense: free memory counts
	vmRAM := ramOf(8137216, 6291456, 2097148, 0)
	gb10RAM := ramOf(127600748, 118566368, 16777212, 0)
	phoenixRAM := ramOf(31457280, 20971520, 8388604, 388604)
	return []wantMachine{
		{
			machine: "strix-halo-512mb", cpu: "AMD RYZEN AI MAX+ 395 w/ Radeon 8060S", cores: 16, threads: 32, flag: "avx512_vnni", ram: halo512,
			gpus: []wantGPU{{
				name: "AMD Radeon 8060S Graphics", vendor: "AMD", pci: "0000:c5:00.0", driver: "amdgpu", integrated: true, pool: "apu-0000:c5:00.0",
				numbers: map[string]uint64{VRAMTotal: 512 * mib, VRAMUsed: 368111616, GTTTotal: 96 * gib, GTTUsed: 1503238144},
				devices: []string{"Vulkan0", "ROCm0"},
			}},
			pools: []wantPool{{
				id: "apu-0000:c5:00.0", name: "Radeon 8060S", kind: APU, total: 96*gib + 512*mib, used: 368111616 + 1503238144,
				// GTT has less left than RAM: 94.6 GiB of 102.6.
				usable: 512*mib - 368111616 + 96*gib - 1503238144, sourceSaying: "sysfs",
			}, ramPool(halo512)},
			advice: []string{"ttm.pages_limit=28311552"}, // 108 GiB
		},
		{
			machine: "strix-halo-64-64", cpu: "AMD RYZEN AI MAX+ 395 w/ Radeon 8060S", cores: 16, threads: 32, ram: halo64,
			gpus: []wantGPU{{
				name: "AMD Radeon 8060S Graphics", vendor: "AMD", pci: "0000:c6:00.0", driver: "amdgpu", integrated: true, pool: "apu-0000:c6:00.0",
				numbers: map[string]uint64{VRAMTotal: 64 * gib, VRAMUsed: 700 * mib, GTTTotal: 33500954624, GTTUsed: 200 * mib},
				devices: []string{"Vulkan0"},
			}},
			pools: []wantPool{{
				id: "apu-0000:c6:00.0", name: "Radeon 8060S", kind: APU, total: 64*gib + 33500954624, used: 900 * mib,
				usable: 64*gib - 700*mib + 33500954624 - 200*mib, sourceSaying: "sysfs",
			}, ramPool(halo64)},
			advice: []string{"ttm.pages_limit=13631488"}, // 52 GiB
		},
		{
			machine: "strix-halo-96-32", cpu: "AMD RYZEN AI MAX+ 395 w/ Radeon 8060S", cores: 16, threads: 32, ram: halo96,
			gpus: []wantGPU{{
				name: "AMD Radeon 8060S Graphics", vendor: "AMD", pci: "0000:c5:00.0", driver: "amdgpu", integrated: true, pool: "apu-0000:c5:00.0",
				numbers: map[string]uint64{VRAMTotal: 96 * gib, VRAMUsed: gib, GTTTotal: 16625025024, GTTUsed: 100 * mib},
			}},
			pools: []wantPool{{
				id: "apu-0000:c5:00.0", name: "Radeon 8060S", kind: APU, total: 96*gib + 16625025024, used: gib + 100*mib,
				usable: 95*gib + 16625025024 - 100*mib, sourceSaying: "sysfs", // 15.4 GiB of GTT, 19 of RAM
			}, ramPool(halo96)},
			advice: []string{"ttm.pages_limit=5242880"}, // 20 GiB
		},
		{
			machine: "amd-discrete-and-integrated", cpu: "AMD Ryzen 9 7950X 16-Core Processor", cores: 16, threads: 32, flag: "avx512_bf16", ram: both,
			gpus: []wantGPU{
				{
					name: "AMD Radeon RX 7900 XTX", vendor: "AMD", pci: "0000:03:00.0", driver: "amdgpu", pool: "vram-0000:03:00.0",
					numbers: map[string]uint64{VRAMTotal: 24560 * mib, VRAMUsed: 2 * gib, GTTTotal: 33285996544, GTTUsed: 64 * mib},
					devices: []string{"Vulkan0", "ROCm0"},
				},
				{
					name: "Radeon Graphics", vendor: "AMD", pci: "0000:6c:00.0", driver: "amdgpu", integrated: true, pool: "apu-0000:6c:00.0",
					numbers: map[string]uint64{VRAMTotal: 512 * mib, VRAMUsed: 533000000, GTTTotal: 33285996544, GTTUsed: 16 * mib},
					devices: []string{"Vulkan1"},
				},
			},
			pools: []wantPool{
				{id: "vram-0000:03:00.0", name: "Radeon RX 7900 XTX", kind: VRAM, total: 24560 * mib, used: 2 * gib, usable: 22512 * mib, sourceSaying: "sysfs"},
				{
					id: "apu-0000:6c:00.0", name: "Radeon Graphics", kind: APU, total: 512*mib + 33285996544, used: 533000000 + 16*mib,
					usable: 512*mib - 533000000 + 33285996544 - 16*mib, sourceSaying: "/proc/meminfo",
				},
				ramPool(both),
			},
			advice: []string{"ttm.pages_limit=13631488"},
		},
		{
			machine: "nvidia-two", cpu: "11th Gen Intel(R) Core(TM) i9-11900K @ 3.50GHz", cores: 8, threads: 16, ram: twoRAM,
			gpus: []wantGPU{
				{
					name: "NVIDIA GeForce RTX 3090", vendor: "NVIDIA", pci: "0000:05:00.0", driver: "nvidia 580.142", pool: "vram-0000:05:00.0",
					numbers: map[string]uint64{VRAMTotal: 24576 * mib, VRAMUsed: 15005 * mib}, maybe: []string{"CUDA0", "CUDA1"},
				},
				{
					name: "NVIDIA GeForce RTX 3090", vendor: "NVIDIA", pci: "0000:0a:00.0", driver: "nvidia 580.142", pool: "vram-0000:0a:00.0",
					numbers: map[string]uint64{VRAMTotal: 24576 * mib, VRAMUsed: 4 * mib}, maybe: []string{"CUDA0", "CUDA1"},
				},
			},
			pools: []wantPool{
				{id: "vram-0000:05:00.0", name: "GeForce RTX 3090", kind: VRAM, total: 24576 * mib, used: 15005 * mib, usable: 9571 * mib, sourceSaying: "nvidia-smi"},
				{id: "vram-0000:0a:00.0", name: "GeForce RTX 3090", kind: VRAM, total: 24576 * mib, used: 4 * mib, usable: 24572 * mib, sourceSaying: "nvidia-smi"},
				ramPool(twoRAM),
			},
		},
		{
			machine: "nvidia-three", cpu: "AMD Ryzen Threadripper 3960X 24-Core Processor", cores: 24, threads: 48, flag: "avx2", ram: threeRAM,
			gpus: []wantGPU{
				{
					name: "NVIDIA GeForce RTX 4090", vendor: "NVIDIA", pci: "0000:01:00.0", driver: "nvidia 580.95.05", pool: "vram-0000:01:00.0",
					numbers: map[string]uint64{VRAMTotal: 24564 * mib, VRAMUsed: gib}, devices: []string{"CUDA0", "Vulkan1"},
				},
				{
					name: "NVIDIA GeForce RTX 3060", vendor: "NVIDIA", pci: "0000:21:00.0", driver: "nvidia 580.95.05", pool: "vram-0000:21:00.0",
					numbers: map[string]uint64{VRAMTotal: 12288 * mib, VRAMUsed: mib}, devices: []string{"CUDA2", "Vulkan0"},
				},
				{
					name: "NVIDIA GeForce RTX 4060 Ti", vendor: "NVIDIA", pci: "0000:4a:00.0", driver: "nvidia 580.95.05", pool: "vram-0000:4a:00.0",
					numbers: map[string]uint64{VRAMTotal: 16380 * mib, VRAMUsed: 400 * mib}, devices: []string{"CUDA1", "Vulkan2"},
				},
			},
			pools: []wantPool{
				{id: "vram-0000:21:00.0", name: "GeForce RTX 3060", kind: VRAM, total: 12288 * mib, used: mib, usable: 12287 * mib, sourceSaying: "nvidia-smi"},
				{id: "vram-0000:01:00.0", name: "GeForce RTX 4090", kind: VRAM, total: 24564 * mib, used: gib, usable: 23540 * mib, sourceSaying: "nvidia-smi"},
				{id: "vram-0000:4a:00.0", name: "GeForce RTX 4060 Ti", kind: VRAM, total: 16380 * mib, used: 400 * mib, usable: 15980 * mib, sourceSaying: "nvidia-smi"},
				ramPool(threeRAM),
			},
		},
		{
			machine: "intel-arc", cpu: "13th Gen Intel(R) Core(TM) i5-13600K", cores: 14, threads: 20, flag: "avx_vnni", ram: arcRAM,
			gpus: []wantGPU{
				{
					name: "Intel(R) UHD Graphics 770", vendor: "Intel", pci: "0000:00:02.0", driver: "i915", integrated: true, pool: "apu-0000:00:02.0",
					devices: []string{"Vulkan1"},
				},
				{
					name: "Intel(R) Arc(tm) A770 Graphics", vendor: "Intel", pci: "0000:03:00.0", driver: "xe", pool: "vram-0000:03:00.0",
					numbers: map[string]uint64{VRAMTotal: 16288 * mib, VRAMUsed: 1288 * mib}, devices: []string{"Vulkan0", "SYCL0"},
				},
			},
			pools: []wantPool{
				{id: "vram-0000:03:00.0", name: "Arc A770", kind: VRAM, total: 16288 * mib, used: 1288 * mib, usable: 15000 * mib, sourceSaying: "engine"},
				{
					id: "apu-0000:00:02.0", name: "UHD Graphics 770", kind: APU, total: 23913 * mib, used: (23913 - 21521) * mib,
					usable: 20 * gib, sourceSaying: "engine", // what RAM can spare: 24 - 4 GiB
				},
				ramPool(arcRAM),
			},
		},
		{
			machine: "no-gpu", cpu: "Intel(R) Xeon(R) CPU E5-2680 v4 @ 2.40GHz", cores: 14, threads: 28, flag: "avx2", ram: serverRAM,
			pools: []wantPool{ramPool(serverRAM)}, displays: []string{"ast"},
		},
		{
			machine: "nonsense", cores: 0, threads: 0, ram: oddRAM,
			gpus: []wantGPU{
				{
					name: "Radeon 8060S or 8050S", vendor: "AMD", pci: "0000:c5:00.0", driver: "amdgpu", integrated: true, pool: "apu-0000:c5:00.0",
					numbers: map[string]uint64{VRAMTotal: 512 * mib, VRAMUsed: 535800000, GTTTotal: 16 * gib},
				},
				{
					name: "AMD GPU 73bf", vendor: "AMD", pci: "0000:03:00.0", driver: "amdgpu", pool: "vram-0000:03:00.0",
					numbers: map[string]uint64{VRAMTotal: 17163091968},
				},
				{
					name: "AMD GPU 744c", vendor: "AMD", pci: "0000:07:00.0", driver: "amdgpu",
					numbers: map[string]uint64{VRAMUsed: 0, GTTTotal: 0, GTTUsed: 0},
				},
				{
					name: "AMD GPU 7550", vendor: "AMD", pci: "0000:09:00.0", driver: "amdgpu", pool: "vram-0000:09:00.0",
					numbers: map[string]uint64{VRAMTotal: 17095983104},
				},
				{name: "NVIDIA GeForce RTX 3080", vendor: "NVIDIA", pci: "0000:0b:00.0", driver: "nvidia 580.95"},
				{name: "NVIDIA GeForce RTX 2060", vendor: "NVIDIA", pci: "0000:0c:00.0", driver: "nvidia"},
				{
					name: "NVIDIA A2", vendor: "NVIDIA", pci: "0000:0d:00.0", driver: "nvidia 580.95", pool: "vram-0000:0d:00.0",
					numbers: map[string]uint64{VRAMTotal: 15356 * mib},
				},
			},
			pools: []wantPool{
				{
					// The carve-out is full, GTT isn't told: the kernel's default of half of RAM,
					// of which RAM can spare 12 GiB.
					id: "apu-0000:c5:00.0", name: "Radeon 8060S or 8050S", kind: APU, total: 512*mib + 16*gib, used: 535800000,
					usable: 512*mib - 535800000 + 12*gib, sourceSaying: "sysfs",
				},
				{id: "vram-0000:03:00.0", name: "AMD GPU 73bf", kind: VRAM, total: 17163091968, used: -1, usable: 17163091968, sourceSaying: "sysfs"},
				{id: "vram-0000:09:00.0", name: "AMD GPU 7550", kind: VRAM, total: 17095983104, used: -1, usable: 17095983104, sourceSaying: "sysfs"},
				{id: "vram-0000:0d:00.0", name: "A2", kind: VRAM, total: 15356 * mib, used: -1, usable: 15356 * mib, sourceSaying: "nvidia-smi"},
				ramPool(oddRAM),
			},
			advice: []string{"ttm.pages_limit=6291456"}, // 24 GiB
		},
		{
			machine: "vm", cpu: "QEMU Virtual CPU version 2.5+", cores: 4, threads: 4, ram: vmRAM,
			pools: []wantPool{ramPool(vmRAM)}, displays: []string{"virtio-pci"},
		},
		{
			machine: "gb10", cpu: "", cores: 20, threads: 20, flag: "sve2", ram: gb10RAM,
			gpus: []wantGPU{{
				name: "NVIDIA GB10", vendor: "NVIDIA", pci: "000f:01:00.0", driver: "nvidia 580.173.02", integrated: true, pool: "apu-000f:01:00.0",
				devices: []string{"CUDA0"},
			}},
			pools: []wantPool{{
				id: "apu-000f:01:00.0", name: "GB10", kind: APU, total: 127600748 * kib, used: (127600748 - 118566368) * kib,
				usable: gb10RAM.AvailableBytes - gb10RAM.ReserveBytes, sourceSaying: "/proc/meminfo",
			}, ramPool(gb10RAM)},
		},
		{
			machine: "apu-unreadable-gtt", cpu: "AMD Ryzen 7 7840U w/ Radeon 780M Graphics", cores: 8, threads: 16, ram: phoenixRAM,
			gpus: []wantGPU{{
				name: "Radeon 780M", vendor: "AMD", pci: "0000:c1:00.0", driver: "amdgpu", integrated: true, pool: "apu-0000:c1:00.0",
				numbers: map[string]uint64{VRAMTotal: gib, VRAMUsed: 768 * mib, GTTTotal: 15 * gib},
			}},
			pools: []wantPool{{
				id: "apu-0000:c1:00.0", name: "Radeon 780M", kind: APU, total: 16 * gib, used: 768 * mib, usable: 256*mib + 15*gib, sourceSaying: "sysfs",
			}, ramPool(phoenixRAM)},
			advice: []string{"ttm.pages_limit=5242880"}, // 20 GiB
		},
		{
			machine: "engine-list-only", ram: Memory{},
			gpus: []wantGPU{{
				name: "NVIDIA GeForce RTX 4070", vendor: "NVIDIA", pool: "vram-cuda0", devices: []string{"CUDA0", "Vulkan0"},
				numbers: map[string]uint64{VRAMTotal: 11871 * mib, VRAMUsed: 971 * mib},
			}},
			pools: []wantPool{{id: "vram-cuda0", name: "GeForce RTX 4070", kind: VRAM, total: 11871 * mib, used: 971 * mib, usable: 10900 * mib, sourceSaying: "engine"}},
		},
	}
}
