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
			v := Judge(Memory{Pools: []PoolNeed{{ID: test.id, NeededBytes: test.need}}}, test.machine, test.devices)
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
	}}, machine, devices)
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
