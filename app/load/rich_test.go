package load

import (
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/hardware"
)

// newRichMachine has a processor with a graphics part of 96 GiB, a card of 16 GiB,
// and beside the model a file of every kind.
func newRichMachine() *machine {
	m := newMachine()
	m.devices = []build.Device{
		{ID: "Vulkan0", Name: "Radeon 8060S", TotalBytes: 96 * gi, FreeBytes: 95 * gi},
		{ID: "Vulkan1", Name: "GeForce RTX 4060 Ti", TotalBytes: 16 * gi, FreeBytes: 15 * gi},
	}
	m.hardware = hardware.Snapshot{
		Pools: []hardware.Pool{
			{ID: "ram", Name: "RAM", Kind: hardware.RAM, TotalBytes: 124 * gi, UsedBytes: 12 * gi, UsableBytes: 100 * gi},
			{ID: "apu", Name: "Radeon 8060S", Kind: hardware.APU, TotalBytes: 96 * gi, UsedBytes: gi, UsableBytes: 95 * gi},
		},
		GPUs: []hardware.GPU{{Name: "Radeon 8060S", Vendor: "AMD", Integrated: true, Pool: "apu", GTTTotalBytes: 96 * gi}},
	}
	m.beside = []gguf.Facts{
		projectorFile("mmproj-model-F16"), projectorFile("mmproj-model-Q8_0"),
		{Path: "/m/model-mtp.gguf", Kind: gguf.MTPHead, Name: "Head", Architecture: "llama", NextNLayers: 1, SizeBytes: 400 << 20},
		smallFile("tiny"), smallFile("small"),
	}
	return m
}

func projectorFile(name string) gguf.Facts {
	return gguf.Facts{
		Path: "/m/" + name + ".gguf", Kind: gguf.Projector, Architecture: "clip", SizeBytes: 900 << 20,
		Projection: gguf.Projection{Vision: "qwen3vl_merger", Width: 2048, Parts: 1},
	}
}

// smallFile is a model that can guess for the one that is open.
func smallFile(name string) gguf.Facts {
	f := someModel().Facts
	f.Path, f.Name, f.Layers, f.SizeBytes = "/m/"+name+".gguf", name, 4, gi/2
	f.Network.Blocks = f.Network.Blocks[:4]
	return f
}

// withMTP gives a model a layer for multi-token prediction.
func withMTP(m *library.Model) { m.Facts.NextNLayers, m.Facts.Network.NextN = 1, 1 }
