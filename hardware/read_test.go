package hardware

import (
	"fmt"
	"io/fs"
	"maps"
	"reflect"
	"testing"
	"testing/fstest"
)

const meminfo64 = "MemTotal:       67108864 kB\nMemFree:         1000 kB\nMemAvailable:   50331648 kB\nBuffers:  10 kB\n"

// machine is a recorded machine: file name to content.
func machine(files ...map[string]string) fstest.MapFS {
	root := fstest.MapFS{}
	for _, set := range files {
		for name, content := range set {
			root[name] = &fstest.MapFile{Data: []byte(content), Mode: 0o444}
		}
	}
	return root
}

var procs = map[string]string{
	"proc/meminfo": meminfo64,
	"proc/cpuinfo": "processor\t: 0\nmodel name\t: Some CPU 9000\nphysical id\t: 0\ncore id\t: 0\n\n" +
		"processor\t: 1\nmodel name\t: Some CPU 9000\nphysical id\t: 0\ncore id\t: 0\n\n" +
		"processor\t: 2\nmodel name\t: Some CPU 9000\nphysical id\t: 0\ncore id\t: 1\n\n",
}

// amdCard is an amdgpu card in sysfs, its memory in bytes.
func amdCard(n int, pci, device string, vram, vramUsed, gtt, gttUsed uint64, more map[string]string) map[string]string {
	folder := fmt.Sprintf("sys/class/drm/card%d/device/", n)
	files := map[string]string{
		folder + "uevent":              "DRIVER=amdgpu\nPCI_CLASS=30000\nPCI_ID=1002:" + device + "\nPCI_SLOT_NAME=" + pci + "\n",
		folder + "vendor":              "0x1002\n",
		folder + "device":              "0x" + device + "\n",
		folder + "mem_info_vram_total": fmt.Sprintln(vram),
		folder + "mem_info_vram_used":  fmt.Sprintln(vramUsed),
		folder + "mem_info_gtt_total":  fmt.Sprintln(gtt),
		folder + "mem_info_gtt_used":   fmt.Sprintln(gttUsed),
		// A connector of the card, which must not count as one.
		fmt.Sprintf("sys/class/drm/card%d-HDMI-A-1/status", n): "connected\n",
		"sys/class/drm/renderD128/dev":                         "226:128\n",
	}
	for name, content := range more {
		files[folder+name] = content
	}
	return files
}

func pools(s Snapshot) map[string]Pool {
	byID := map[string]Pool{}
	for _, p := range s.Pools {
		p.Source = ""
		byID[p.ID] = p
	}
	return byID
}

func TestAMachineWithoutAGPUHasItsRAM(t *testing.T) {
	s := Read(machine(procs))
	if want := (CPU{Name: "Some CPU 9000", Cores: 2, Threads: 3, Flags: []string{}}); !reflect.DeepEqual(s.CPU, want) {
		t.Errorf("CPU %+v, want %+v", s.CPU, want)
	}
	if s.GPUs == nil || len(s.GPUs) != 0 {
		t.Errorf("GPUs %+v", s.GPUs)
	}
	// 64 GiB: the reserve is 8 %, more than 4 GiB.
	total := uint64(64 * gib)
	want := map[string]Pool{"ram": {
		ID: "ram", Name: "RAM", Kind: RAM,
		TotalBytes: total, UsedBytes: 16 * gib, UsableBytes: 48*gib - total/100*8,
	}}
	if got := pools(s); !maps.Equal(got, want) {
		t.Errorf("pools %+v, want %+v", got, want)
	}
}

func TestADiscreteCardIsAPoolOfItsOwn(t *testing.T) {
	s := Read(machine(procs, amdCard(1, "0000:03:00.0", "744c", 24*gib, 2*gib, 32*gib, gib, map[string]string{"mem_info_vram_vendor": "samsung\n"})))
	if len(s.GPUs) != 1 {
		t.Fatalf("GPUs %+v", s.GPUs)
	}
	gpu := s.GPUs[0]
	if gpu.Integrated || gpu.Vendor != "AMD" || gpu.Driver != "amdgpu" || gpu.PCI != "0000:03:00.0" || gpu.Name == "" {
		t.Errorf("GPU %+v", gpu)
	}
	pool := pools(s)[gpu.Pool]
	if pool.Kind != VRAM || pool.TotalBytes != 24*gib || pool.UsedBytes != 2*gib || pool.UsableBytes != 22*gib {
		t.Errorf("pool %+v", pool)
	}
}

func TestAnAPUIsOnePool(t *testing.T) {
	reserve := uint64(64*gib) / 100 * 8
	tests := []struct {
		name                            string
		device                          string
		vram, vramUsed, gtt, gttUsed    uint64
		wantTotal, wantUsed, wantUsable uint64
	}{
		{
			name: "small carve-out, GTT limited by free RAM", device: "1586",
			vram: gib / 2, vramUsed: gib / 4, gtt: 60 * gib, gttUsed: 2 * gib,
			wantTotal: 60*gib + gib/2, wantUsed: 2*gib + gib/4, wantUsable: gib/4 + 48*gib - reserve,
		},
		{
			name: "small carve-out, RAM limited by GTT", device: "1586",
			vram: gib / 2, gtt: 8 * gib, gttUsed: gib,
			wantTotal: 8*gib + gib/2, wantUsed: gib, wantUsable: gib/2 + 7*gib,
		},
		{
			name: "a carve-out larger than GTT, known by its id", device: "1586",
			vram: 96 * gib, vramUsed: gib, gtt: 16 * gib,
			wantTotal: 112 * gib, wantUsed: gib, wantUsable: 95*gib + 16*gib,
		},
		{
			name: "an id nobody knows yet, by its size", device: "ffff",
			vram: gib / 2, gtt: 30 * gib,
			wantTotal: 30*gib + gib/2, wantUsable: gib/2 + 30*gib,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := Read(machine(procs, amdCard(0, "0000:c5:00.0", test.device, test.vram, test.vramUsed, test.gtt, test.gttUsed, nil)))
			if len(s.GPUs) != 1 || !s.GPUs[0].Integrated {
				t.Fatalf("GPUs %+v", s.GPUs)
			}
			pool := pools(s)[s.GPUs[0].Pool]
			if pool.Kind != APU || pool.TotalBytes != test.wantTotal || pool.UsedBytes != test.wantUsed || pool.UsableBytes != test.wantUsable {
				t.Errorf("pool %+v", pool)
			}
		})
	}
}

func TestACardWhoseDriverTellsNoMemoryHasNoPool(t *testing.T) {
	s := Read(machine(procs, map[string]string{
		"sys/class/drm/card0/device/uevent": "DRIVER=xe\nPCI_ID=8086:56A0\nPCI_SLOT_NAME=0000:03:00.0\n",
	}))
	if len(s.GPUs) != 1 || s.GPUs[0].Vendor != "Intel" || s.GPUs[0].Pool != "" {
		t.Errorf("GPUs %+v", s.GPUs)
	}
	if len(s.Pools) != 1 {
		t.Errorf("pools %+v", s.Pools)
	}
}

func TestARecordedNVIDIAListIsMatchedByAddress(t *testing.T) {
	s := Read(machine(procs, map[string]string{
		"sys/class/drm/card0/device/uevent": "DRIVER=nvidia\nPCI_ID=10DE:2684\nPCI_SLOT_NAME=0000:01:00.0\n",
		"nvidia-smi.csv": "0, NVIDIA GeForce RTX 4090, 00000000:01:00.0, 570.00, 24564, 1024\n" +
			"1, NVIDIA A2, 0000000F:01:00.0, 570.00, [Unknown Error], [Unknown Error]\n",
	}))
	if len(s.GPUs) != 2 {
		t.Fatalf("GPUs %+v", s.GPUs)
	}
	if s.GPUs[0].Name != "NVIDIA GeForce RTX 4090" || s.GPUs[0].VRAMTotalBytes != 24564<<20 {
		t.Errorf("first %+v", s.GPUs[0])
	}
	if p := pools(s)[s.GPUs[0].Pool]; p.UsableBytes != (24564-1024)<<20 {
		t.Errorf("its pool %+v", p)
	}
	if s.GPUs[1].PCI != "000f:01:00.0" || s.GPUs[1].Pool != "" {
		t.Errorf("second %+v", s.GPUs[1])
	}
}

// forbidden answers every question with "permission denied".
type forbidden struct{}

func (forbidden) Open(name string) (fs.File, error) {
	return nil, &fs.PathError{Op: "open", Path: name, Err: fs.ErrPermission}
}

func TestWhatCannotBeReadIsLeftEmpty(t *testing.T) {
	empty := Snapshot{CPU: CPU{Flags: []string{}}, Pools: []Pool{}, GPUs: []GPU{}}
	garbage := machine(map[string]string{
		"proc/meminfo":                      "MemTotal: lots\nMemAvailable: 99999999999999999999999 kB\n:::\n",
		"proc/cpuinfo":                      "\x00\xff",
		"sys/class/drm/card0/device/vendor": "",
		"sys/class/drm/cardX/device/vendor": "0x1002",
		"nvidia-smi.csv":                    "a,b\n\"",
	})
	for name, root := range map[string]fs.FS{"nothing there": fstest.MapFS{}, "nothing allowed": forbidden{}, "garbage": garbage} {
		if got := Read(root); !reflect.DeepEqual(got, empty) {
			t.Errorf("%s: %+v", name, got)
		}
	}
}

func TestUsedAboveTotalLeavesNothing(t *testing.T) {
	s := Read(machine(map[string]string{"proc/meminfo": "MemTotal: 1048576 kB\nMemAvailable: 9999999 kB\n"},
		amdCard(0, "0000:03:00.0", "744c", 8*gib, 9*gib, gib, 2*gib, map[string]string{"mem_info_vram_vendor": "hynix"})))
	for id, p := range pools(s) {
		if p.UsedBytes > p.TotalBytes || p.UsableBytes > p.TotalBytes {
			t.Errorf("%s: %+v", id, p)
		}
	}
	if ram := pools(s)["ram"]; ram.UsableBytes != 0 {
		t.Errorf("1 GiB of RAM leaves %d bytes beside a reserve of 4 GiB", ram.UsableBytes)
	}
}

func TestAnOldKernelWithoutMemAvailable(t *testing.T) {
	s := Read(machine(map[string]string{"proc/meminfo": "MemTotal: 16777216 kB\nMemFree: 8388608 kB\nBuffers: 1048576 kB\nCached: 1048576 kB\n"}))
	if ram := pools(s)["ram"]; ram.UsedBytes != 6*gib || ram.UsableBytes != 6*gib {
		t.Errorf("%+v", ram)
	}
}

func TestLiveKnowsThisMachine(t *testing.T) {
	s := Live()
	if s.CPU.Threads == 0 || s.CPU.Cores == 0 {
		t.Errorf("CPU %+v", s.CPU)
	}
	if ram := pools(s)["ram"]; ram.TotalBytes == 0 {
		t.Errorf("pools %+v", s.Pools)
	}
}
