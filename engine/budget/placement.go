package budget

import (
	"slices"
	"strconv"
	"strings"

	"paddock/engine/build"
	"paddock/engine/gguf"
)

// A device is one the plan computes on.
type device struct {
	id           string
	share        float64 // of the layers
	largestBytes uint64  // of one tensor; 0 for no limit that matters
	chunkBytes   uint64  // of one buffer; 0 for no limit
}

// softwareLargestBytes is the largest tensor Mesa's software Vulkan can take. What
// is larger the engine leaves to the processor. Real drivers take 2 to 4 GiB.
const softwareLargestBytes = 128 << 20

// vulkanChunkBytes is what the Vulkan backend allocates at most at once.
const vulkanChunkBytes = 1 << 30

// devicesOf are the plan's devices. Without shares in the plan the engine cuts
// by what is free on each.
func devicesOf(r Request) []device {
	ids := r.Plan.DeviceIDs()
	if r.Plan.Split() == "none" && len(ids) > 1 {
		ids = ids[:1]
	}
	var shares []string
	if r.Plan.TensorSplit != "" {
		shares = strings.Split(r.Plan.TensorSplit, ",")
	}
	var list []device
	for i, id := range ids {
		d := device{id: id, share: 1}
		if backend(id) == "Vulkan" {
			d.chunkBytes = vulkanChunkBytes
		}
		if at := slices.IndexFunc(r.Devices, func(d build.Device) bool { return d.ID == id }); at >= 0 {
			if free := r.Devices[at].FreeBytes; free > 0 {
				d.share = float64(free)
			}
			if r.Devices[at].Software {
				d.largestBytes = softwareLargestBytes
			}
		}
		if shares != nil {
			d.share = 0
			if i < len(shares) {
				d.share, _ = strconv.ParseFloat(strings.TrimSpace(shares[i]), 64)
			}
		}
		list = append(list, d)
	}
	return list
}

// A placement is where a model's layers are: the index of a device, or of RAM.
type placement struct {
	layers []int
	output int
	copies int // batches under way at a time
}

// place puts layers on devices as the engine does (load_tensors in
// llama-model.cpp): the last ones, and what comes after them, by the devices'
// shares.
func (e *estimate) place(f gguf.Facts, gpuLayers string) placement {
	n := len(f.Network.Blocks)
	offloaded := n + 1
	if count, err := strconv.Atoi(gpuLayers); err == nil {
		offloaded = min(count, n+1)
	}
	if len(e.devices) == 0 {
		offloaded = 0
	}
	first := n + 1 - offloaded
	where := func(layer int) int {
		if layer < first {
			return e.ram()
		}
		return e.deviceAt(float32(layer-first) / float32(offloaded))
	}
	p := placement{output: where(n), copies: 1}
	for layer := range n {
		p.layers = append(p.layers, where(layer))
	}
	if offloaded == n+1 && len(e.devices) > 1 && e.Plan.Split() == "layer" && e.pipelines() {
		p.copies = pipelineCopies
	}
	return p
}

// deviceAt is the device at a place between 0 and 1 of the layers.
func (e *estimate) deviceAt(place float32) int {
	var sum, reached float32
	for _, d := range e.devices {
		sum += float32(d.share)
	}
	for i, d := range e.devices {
		reached += float32(d.share)
		if sum == 0 || reached/sum > place {
			return i
		}
	}
	return len(e.devices) - 1
}

// pipelineCopies is GGML_SCHED_MAX_COPIES.
const pipelineCopies = 4

// pipelines says whether the devices can work on several batches at a time: all
// of backends that have events.
func (e *estimate) pipelines() bool {
	for _, d := range e.devices {
		switch backend(d.id) {
		case "CUDA", "ROCm", "Vulkan", "MUSA", "RPC":
		default:
			return false
		}
	}
	return true
}

// backend is the kind of a device: its id without the number.
func backend(id string) string { return strings.TrimRight(id, "0123456789") }

// limits are the devices' largest tensors and largest buffers.
func (e *estimate) limits() (tensors, buffers []uint64) {
	for _, d := range e.devices {
		tensors, buffers = append(tensors, d.largestBytes), append(buffers, d.chunkBytes)
	}
	return tensors, buffers
}

// holds says whether a pool is a device's that takes a matrix of this size.
func (e *estimate) holds(at int, m gguf.Weight) bool {
	return at < e.ram() && (e.devices[at].largestBytes == 0 || m.Bytes <= e.devices[at].largestBytes)
}

// weights counts a model's tensors where they are loaded.
func (e *estimate) weights(f gguf.Facts, r run, slice string) {
	n := f.Network
	put := func(m gguf.Weight, at int) {
		if !e.holds(at, m) {
			at = e.ram()
		}
		e.add(at, slice, m.Bytes)
	}
	for i, block := range n.Blocks {
		if i >= len(n.Blocks)-n.NextN && !r.mtp && !e.mtp() {
			continue // only loaded to guess with
		}
		for _, m := range n.Shapes[block.Shape] {
			put(m, r.place.layers[i])
		}
	}
	for _, m := range n.Input {
		e.add(e.ram(), slice, m.Bytes)
		if m.Name == "token_embd.weight" && n.TiedOutput && n.Causal && e.holds(r.place.output, m) {
			e.add(r.place.output, slice, m.Bytes) // once more, as output matrix
		}
	}
	for _, m := range n.Output {
		at := r.place.output
		if (strings.HasPrefix(m.Name, "per_layer_") || m.Name == "nextn.pre_projection.weight") && len(r.place.layers) > 0 {
			at = r.place.layers[0]
		}
		put(m, at)
	}
	for _, m := range n.Shared {
		put(m, r.place.output)
	}
}
