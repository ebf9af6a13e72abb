package hardware

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"testing/fstest"
)

func TestNoMachineHasImpossibleNumbers(t *testing.T) {
	folders, err := os.ReadDir("testdata/machines")
	if err != nil {
		t.Fatal(err)
	}
	for _, folder := range folders {
		if !folder.IsDir() {
			continue
		}
		s := load(t, folder.Name())
		ids := map[string]bool{}
		for _, p := range s.Pools {
			if p.TotalBytes == 0 || p.UsedBytes > p.TotalBytes || p.UsableBytes > p.TotalBytes || p.Source == "" || p.Name == "" || ids[p.ID] {
				t.Errorf("%s: %+v", folder.Name(), p)
			}
			ids[p.ID] = true
		}
		for _, g := range s.GPUs {
			if g.Pool != "" && !ids[g.Pool] || g.EngineDevices == nil {
				t.Errorf("%s: %+v", folder.Name(), g)
			}
		}
		for _, a := range s.Advice() {
			if a.UsableBytes > a.TotalBytes || a.LimitBytes > s.RAM.TotalBytes {
				t.Errorf("%s: %+v", folder.Name(), a)
			}
		}
	}
}

func TestWhatIsNotKnownIsNullInJSON(t *testing.T) {
	data, err := json.Marshal(load(t, "nonsense"))
	if err != nil {
		t.Fatal(err)
	}
	var s struct {
		Pools []map[string]any
		GPUs  []map[string]any
		CPU   map[string]any
	}
	if err := json.Unmarshal(data, &s); err != nil {
		t.Fatal(err)
	}
	card := s.GPUs[1]
	if card["vramTotalBytes"] != float64(17163091968) || card["vramUsedBytes"] != nil || card["gttTotalBytes"] != nil {
		t.Errorf("a card whose driver lies: %v", card)
	}
	if pool := s.Pools[1]; pool["usedBytes"] != nil || pool["totalBytes"] != float64(17163091968) || pool["kind"] != "vram" {
		t.Errorf("its pool: %v", pool)
	}
	if rtx := s.GPUs[4]; rtx["vramTotalBytes"] != nil || rtx["gttTotalBytes"] != float64(0) || rtx["pool"] != "" {
		t.Errorf("a card that is lost: %v", rtx)
	}
	if cores, told := s.CPU["cores"]; !told || cores != nil {
		t.Errorf("the processor nothing is known of: %v", s.CPU)
	}
	unknown, err := json.Marshal(Memory{})
	if err != nil || strings.Contains(string(unknown), ":0") || strings.Count(string(unknown), "null") != 5 {
		t.Errorf("unknown RAM: %s, %v", unknown, err)
	}
}

func TestAdviceSaysWhatTheKernelLineWouldGive(t *testing.T) {
	s := load(t, "strix-halo-512mb")
	want := Advice{
		GPU: "AMD Radeon 8060S Graphics", PCI: "0000:c5:00.0", Line: "ttm.pages_limit=28311552", LimitBytes: 108 * gib,
		TotalBytes: 108*gib + 512*mib, Replaces: "ttm.pages_limit=25165824",
		// RAM is now what ends it: 102.6 GiB can be spared.
		UsableBytes: 512*mib - 368111616 + s.RAM.SpareBytes(),
	}
	if got := s.Advice(); len(got) != 1 || got[0] != want {
		t.Errorf("got %+v\nwant %+v", got, want)
	}
	if got := load(t, "strix-halo-96-32").Advice()[0].Replaces; got != "amdgpu.gttsize=15855" {
		t.Errorf("it replaces %q", got)
	}
}

func TestNoAdviceWhereItWouldGiveNothing(t *testing.T) {
	root := machine(procs, amdCard(0, "0000:c5:00.0", "1586", gib/2, 0, 52*gib, 0, nil)) // 64 GiB of RAM
	if got := Read(root).Advice(); got != nil {
		t.Errorf("got %+v", got)
	}
	if got := load(t, "gb10").Advice(); got != nil {
		t.Errorf("a GB10 has no GTT: %+v", got)
	}
}

func TestAFolderThatIsNoRecordingIsAnError(t *testing.T) {
	empty := t.TempDir()
	for dir, cause := range map[string]error{empty: nil, filepath.Join(empty, "missing"): os.ErrNotExist} {
		_, err := Recorded(dir)
		var none *NoRecording
		if !errors.As(err, &none) || none.Dir != dir || !strings.Contains(err.Error(), dir) {
			t.Errorf("%s: %v", dir, err)
		}
		if cause != nil && !errors.Is(err, cause) {
			t.Errorf("%s: %v, want %v", dir, err, cause)
		}
	}
}

func TestNamesComeFromTheTablesOfTheMachine(t *testing.T) {
	files := amdCard(0, "0000:03:00.0", "744c", 24*gib, 0, 0, 0, map[string]string{"mem_info_vram_vendor": "samsung", "revision": "0xc8\n"})
	pciIDs := "# table\n1001  Other\n\t744c  Wrong\n1002  Advanced Micro Devices, Inc. [AMD/ATI]\n\t744b  Before\n\t744c  Navi 31 [Radeon RX 7900 XT/7900 XTX]\n\t\t1002 0e3b  A board\n1003  Next\n\t744c  Wrong too\n"
	tables := map[string]fstest.MapFS{
		"AMD GPU 744c":               machine(files),
		"Radeon RX 7900 XT/7900 XTX": machine(files, map[string]string{"usr/share/misc/pci.ids": pciIDs}),
		"AMD Radeon RX 7900 XTX": machine(files, map[string]string{
			"usr/share/misc/pci.ids": pciIDs, "usr/share/libdrm/amdgpu.ids": "744C,\tCC,\tAMD Radeon RX 7900 GRE\n744C,\tC8,\tAMD Radeon RX 7900 XTX\n",
		}),
	}
	for want, root := range tables {
		if got := Read(root).GPUs[0].Name; got != want {
			t.Errorf("it is called %q, want %q", got, want)
		}
	}
}
