package budget

import (
	"testing"

	"paddock/engine/build"
	"paddock/hardware"
)

const gib = 1 << 30

func TestJudge(t *testing.T) {
	ram := hardware.Pool{ID: "ram", Kind: hardware.RAM, TotalBytes: 32 * gib, UsedBytes: 8 * gib, UsableBytes: 20 * gib}
	card := hardware.Pool{ID: "vram-0000:03:00.0", Kind: hardware.VRAM, TotalBytes: 16 * gib, UsableBytes: 12 * gib}
	machine := hardware.Snapshot{
		Pools: []hardware.Pool{card, ram},
		GPUs:  []hardware.GPU{{Pool: card.ID}},
	}
	vulkan := build.Device{ID: "Vulkan0", FreeBytes: 10 * gib}
	second := build.Device{ID: "Vulkan1", FreeBytes: 10 * gib}
	software := build.Device{ID: "Vulkan0", FreeBytes: 2 * gib, Software: true}

	tests := []struct {
		name    string
		machine hardware.Snapshot
		devices []build.Device
		id      string
		need    uint64
		wantID  string
		usable  uint64
		want    Fit
	}{
		{"RAM with room to spare", machine, nil, RAM, 20 * gib, "ram", 20 * gib, Fits},
		{"RAM that eats into the reserve", machine, nil, RAM, 21 * gib, "ram", 20 * gib, Tight},
		{"more RAM than is free", machine, nil, RAM, 25 * gib, "ram", 20 * gib, DoesNotFit},
		{"one device is the one card", machine, []build.Device{vulkan}, "Vulkan0", 11 * gib, card.ID, 12 * gib, Fits},
		{"a card without its margin", machine, []build.Device{vulkan}, "Vulkan0", 12 * gib, card.ID, 12 * gib, Tight},
		{"a card that is too small", machine, []build.Device{vulkan}, "Vulkan0", 13 * gib, card.ID, 12 * gib, DoesNotFit},
		{"two devices may be any card: the engine's own numbers", machine, []build.Device{vulkan, second}, "Vulkan1", 11 * gib, "Vulkan1", 10 * gib, DoesNotFit},
		{"a software device is no card", machine, []build.Device{software}, "Vulkan0", 3 * gib, "Vulkan0", 2 * gib, DoesNotFit},
		{"a device with less than the margin free", machine, []build.Device{{ID: "Vulkan0", FreeBytes: 1 << 20, Software: true}}, "Vulkan0", 1, "Vulkan0", 1 << 20, Tight},
		{"nothing is known of the device", machine, nil, "CUDA7", 100 * gib, "CUDA7", 0, Fits},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			v := Judge(Memory{Pools: []PoolNeed{{ID: test.id, NeededBytes: test.need}}}, Situation{Machine: test.machine, Devices: test.devices})
			if v.Fit != test.want || len(v.Pools) != 1 {
				t.Fatalf("%+v", v)
			}
			p := v.Pools[0]
			if p.ID != test.wantID || p.UsableBytes != test.usable || p.Fit != test.want || p.NeededBytes != test.need {
				t.Errorf("%+v", p)
			}
		})
	}
}

func TestTheWorstPoolDecides(t *testing.T) {
	machine := hardware.Snapshot{Pools: []hardware.Pool{{ID: "ram", Kind: hardware.RAM, TotalBytes: 8 * gib, UsableBytes: 4 * gib}}}
	devices := []build.Device{{ID: "A", FreeBytes: 8 * gib}, {ID: "B", FreeBytes: 8 * gib}}
	v := Judge(Memory{Pools: []PoolNeed{
		{ID: "A", NeededBytes: gib}, {ID: "B", NeededBytes: 9 * gib}, {ID: RAM, NeededBytes: 5 * gib},
	}}, Situation{Machine: machine, Devices: devices})
	if v.Fit != DoesNotFit {
		t.Errorf("%+v", v)
	}
}

func TestMatchDevicesLeavesTheMachineItWasGivenAlone(t *testing.T) {
	machine := hardware.Snapshot{GPUs: []hardware.GPU{{Pool: "x", EngineDevices: []string{}}}}
	matched := MatchDevices(machine, []build.Device{{ID: "Vulkan0"}})
	if len(machine.GPUs[0].EngineDevices) != 0 || len(matched.GPUs[0].EngineDevices) != 1 {
		t.Errorf("given %+v, matched %+v", machine, matched)
	}
}

// strixHalo is a machine with an integrated GPU that can take 64 GiB of its RAM.
func strixHalo() Situation {
	apu := hardware.Pool{ID: "apu", Name: "Radeon 8060S", Kind: hardware.APU, TotalBytes: 64*gib + gib/2, UsableBytes: 64 * gib}
	ram := hardware.Pool{ID: "ram", Name: "RAM", Kind: hardware.RAM, TotalBytes: 124 * gib, UsedBytes: 6 * gib, UsableBytes: 108 * gib}
	return Situation{
		Machine: hardware.Snapshot{
			Pools: []hardware.Pool{apu, ram},
			GPUs:  []hardware.GPU{{Pool: "apu", Integrated: true, VRAMTotalBytes: gib / 2, GTTTotalBytes: 64 * gib}},
		},
		Devices: []build.Device{{ID: "Vulkan0", TotalBytes: 43 * gib, FreeBytes: 43 * gib}},
	}
}

func needs(id string, bytes uint64) PoolNeed {
	return PoolNeed{ID: id, NeededBytes: bytes, Slices: Slices{Weights: bytes}}
}

func TestDevicesOfOnePoolAreAddedUp(t *testing.T) {
	s := Situation{Machine: hardware.Snapshot{
		Pools: []hardware.Pool{{ID: "vram", Kind: hardware.VRAM, TotalBytes: 16 * gib, UsableBytes: 12 * gib}},
		GPUs:  []hardware.GPU{{Pool: "vram", EngineDevices: []string{"Vulkan0", "CUDA0"}}},
	}}
	v := Judge(Memory{Pools: []PoolNeed{needs("Vulkan0", 7*gib), needs("CUDA0", 6*gib)}}, s)
	if len(v.Pools) != 1 || v.Fit != DoesNotFit {
		t.Fatalf("%+v", v)
	}
	p := v.Pools[0]
	if p.NeededBytes != 13*gib || p.Slices[Weights] != 13*gib || len(p.Devices) != 2 || p.MissingBytes() != gib+DeviceMarginBytes {
		t.Errorf("%+v, missing %d", p, p.MissingBytes())
	}
}

func TestWhatAnIntegratedGPUTakesIsTakenFromRAMToo(t *testing.T) {
	s := strixHalo()
	v := Judge(Memory{Pools: []PoolNeed{needs("Vulkan0", 60*gib), needs(RAM, 50*gib)}}, s)
	if v.Fit != Tight || v.Pools[0].Fit != Fits || v.Pools[1].Fit != Tight {
		t.Errorf("%+v", v)
	}
	if ram := v.Pools[1]; ram.SharedBytes != 60*gib-gib/2 || ram.LeftBytes() != 0 {
		t.Errorf("%+v", ram)
	}
	if v := Judge(Memory{Pools: []PoolNeed{needs("Vulkan0", 60*gib), needs(RAM, 10*gib)}}, s); v.Fit != Fits {
		t.Errorf("%+v", v)
	}
}

func TestOtherEnginesAndAReplacedModelCount(t *testing.T) {
	card := Situation{Machine: hardware.Snapshot{
		Pools: []hardware.Pool{{ID: "vram", Kind: hardware.VRAM, TotalBytes: 16 * gib, UsedBytes: 10 * gib, UsableBytes: 6 * gib}},
		GPUs:  []hardware.GPU{{Pool: "vram", EngineDevices: []string{"CUDA0"}}},
	}}
	plan := Memory{Pools: []PoolNeed{needs("CUDA0", 8*gib)}}
	running := Memory{Pools: []PoolNeed{needs("CUDA0", 9*gib)}}
	starting := Memory{Pools: []PoolNeed{needs("CUDA0", 7*gib)}}
	tests := []struct {
		name     string
		freed    []Memory
		others   []Memory
		margin   uint64
		fit      Fit
		left     uint64
		otherGiB uint64
	}{
		{"beside the running one", nil, nil, 0, DoesNotFit, 0, 10},
		{"in its place", []Memory{running}, nil, 0, Fits, 7*gib - DeviceMarginBytes, 1},
		{"in its place, beside one that starts", []Memory{running}, []Memory{starting}, 0, Tight, 0, 8},
		{"in its place, with a larger margin", []Memory{running}, nil, 8 * gib, Tight, 0, 1},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			s := card
			s.Freed, s.Others, s.MarginBytes = test.freed, test.others, test.margin
			v := Judge(plan, s)
			if p := v.Pools[0]; v.Fit != test.fit || p.LeftBytes() != test.left || p.OtherBytes != test.otherGiB*gib {
				t.Errorf("%+v, left %d", v, p.LeftBytes())
			}
		})
	}
}

func TestATensorThatNoBufferHoldsDoesNotFit(t *testing.T) {
	n := needs("Vulkan0", gib)
	n.LargestBytes = 200 * mib
	real := Situation{Devices: []build.Device{{ID: "Vulkan0", TotalBytes: 8 * gib, FreeBytes: 8 * gib}}}
	software := Situation{Devices: []build.Device{{ID: "Vulkan0", TotalBytes: 8 * gib, FreeBytes: 8 * gib, Software: true}}}
	if v := Judge(Memory{Pools: []PoolNeed{n}}, real); v.Fit != Fits || v.TooLarge != "" {
		t.Errorf("%+v", v)
	}
	if v := Judge(Memory{Pools: []PoolNeed{n}}, software); v.Fit != DoesNotFit || v.TooLarge != "Vulkan0" {
		t.Errorf("%+v", v)
	}
	n.LargestBytes = 5 * gib
	if v := Judge(Memory{Pools: []PoolNeed{n}}, real); v.TooLarge != "Vulkan0" {
		t.Errorf("%+v", v)
	}
}

func TestPoolsThatAreNotUsedAreThereForComparison(t *testing.T) {
	s := strixHalo()
	v := Judge(Memory{Pools: []PoolNeed{needs(RAM, gib)}}, s)
	if len(v.Pools) != 1 || len(v.Unused) != 1 || v.Unused[0].ID != "apu" || v.Unused[0].Used() {
		t.Errorf("%+v", v)
	}
}
