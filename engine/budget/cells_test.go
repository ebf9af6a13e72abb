package budget

import (
	"fmt"

	"paddock/engine/plan"
)

// processorCells are the plans without a device: every model, cache type, way of
// sharing the cache and way of guessing.
func processorCells() []cell {
	var cells []cell
	add := func(quick bool, name, model string, p plan.Plan) *cell {
		p.Devices = plan.CPU
		cells = append(cells, cell{name: name, model: model, plan: p, quick: quick})
		return &cells[len(cells)-1]
	}
	models := []string{"llama", "llama-head80", "gemma3", "qwen35-mtp", "qwen35moe-mtp", "qwen3-embedding"}
	for _, model := range models {
		for _, tokens := range []int{256, 4096, 131072} {
			add(tokens == 4096 && (model == "gemma3" || model == "qwen35moe-mtp"), fmt.Sprintf("%s, %d tokens", model, tokens), model, plan.Plan{ContextTokens: tokens})
		}
	}
	add(true, "a split set", "llama-split", plan.Plan{ContextTokens: 2048})
	add(false, "a BERT", "bert", plan.Plan{ContextTokens: 512})
	for _, kind := range []string{"f32", "bf16", "q8_0", "q5_1", "q4_1", "q4_0", "iq4_nl"} {
		add(kind == "q4_0", "cache of "+kind, "llama", plan.Plan{ContextTokens: 16384, CacheK: kind, CacheV: kind})
	}
	add(false, "keys q8_0, values q4_0", "qwen35-mtp", plan.Plan{ContextTokens: 16384, CacheK: "q8_0", CacheV: "q4_0"})
	for _, model := range []string{"llama", "gemma3", "qwen35-mtp"} {
		add(model == "qwen35-mtp", model+", 4 slots", model, plan.Plan{ContextTokens: 10000, Slots: 4})
		add(model == "gemma3", model+", 4 slots sharing", model, plan.Plan{ContextTokens: 10000, Slots: 4, KVUnified: true})
		add(false, model+", 3 slots", model, plan.Plan{ContextTokens: 5000, Slots: 3})
	}
	for _, guesses := range []int{1, 3, 8} {
		add(guesses == 3, fmt.Sprintf("MTP guessing %d", guesses), "qwen35-mtp",
			plan.Plan{ContextTokens: 16384, SpecTypes: "draft-mtp", DraftMax: guesses})
	}
	add(false, "MTP of a MoE, 4 slots, its cache q8_0", "qwen35moe-mtp",
		plan.Plan{ContextTokens: 16384, Slots: 4, SpecTypes: "draft-mtp", DraftCacheK: "q8_0", DraftCacheV: "q8_0"})
	add(false, "MTP, 4 slots sharing", "qwen35-mtp", plan.Plan{ContextTokens: 16384, Slots: 4, KVUnified: true, SpecTypes: "draft-mtp"})
	add(false, "MTP and n-grams", "qwen35-mtp", plan.Plan{ContextTokens: 8192, SpecTypes: "draft-mtp,ngram-mod"})
	add(false, "n-grams", "llama", plan.Plan{ContextTokens: 8192, SpecTypes: "ngram-simple"})
	add(true, "a draft model", "llama", plan.Plan{ContextTokens: 32768, SpecTypes: "draft-simple"}).draft = "llama-draft"
	add(false, "a draft model, 4 slots, its cache q4_0", "llama",
		plan.Plan{ContextTokens: 32768, Slots: 4, SpecTypes: "draft-simple", DraftCacheK: "q4_0", DraftCacheV: "q4_0"}).draft = "llama-draft"
	add(false, "EAGLE-3", "llama", plan.Plan{ContextTokens: 8192, SpecTypes: "draft-eagle3"}).draft = "llama-eagle3"
	for _, tokens := range []int{4096, 32768} {
		add(false, fmt.Sprintf("gemma4, %d tokens", tokens), "gemma4", plan.Plan{ContextTokens: tokens, Slots: 1})
		add(true, fmt.Sprintf("the assistant of Gemma 4, %d tokens", tokens), "gemma4",
			plan.Plan{ContextTokens: tokens, Slots: 1, SpecTypes: "draft-mtp"}).draft = "gemma4-assistant"
	}
	add(true, "a projector", "llama", plan.Plan{ContextTokens: 4096}).projector = "mmproj"
	add(false, "small batches", "gemma3", plan.Plan{ContextTokens: 8192, BatchTokens: 256, PhysicalBatchTokens: 128})
	add(false, "large batches", "llama", plan.Plan{ContextTokens: 8192, PhysicalBatchTokens: 2048})
	for _, model := range []string{"llama", "gemma3", "qwen35-mtp"} {
		add(model == "llama", model+", no flash attention", model, plan.Plan{ContextTokens: 8192, FlashAttn: "off"})
	}
	return cells
}

// rpcCells share a model among two and three devices.
func rpcCells(two, three string) []cell {
	var cells []cell
	for _, model := range []string{"llama", "gemma3", "qwen35-mtp"} {
		cells = append(cells,
			cell{name: model + " on two, evenly", model: model,
				plan: plan.Plan{ContextTokens: 8192, RPCServers: two, Devices: "RPC0,RPC1", TensorSplit: "1,1"}},
			cell{name: model + " on three, unevenly", model: model, quick: model == "qwen35-mtp",
				plan: plan.Plan{ContextTokens: 8192, Slots: 4, RPCServers: three, Devices: "RPC0,RPC1,RPC2", TensorSplit: "3,1,2"}},
			cell{name: model + " on two, two layers in RAM", model: model,
				plan: plan.Plan{ContextTokens: 8192, RPCServers: two, Devices: "RPC0,RPC1", TensorSplit: "1,1", GPULayers: "3"}},
		)
	}
	for _, tokens := range []int{4096, 32768} {
		cells = append(cells,
			cell{name: fmt.Sprintf("the assistant of Gemma 4 on two, %d tokens", tokens), model: "gemma4", draft: "gemma4-assistant", quick: tokens == 32768,
				plan: plan.Plan{ContextTokens: tokens, Slots: 1, RPCServers: two, Devices: "RPC0,RPC1", TensorSplit: "1,1", SpecTypes: "draft-mtp"}},
			cell{name: fmt.Sprintf("the assistant of Gemma 4 on one, %d tokens", tokens), model: "gemma4", draft: "gemma4-assistant", quick: true,
				plan: plan.Plan{ContextTokens: tokens, Slots: 1, RPCServers: two, Devices: "RPC0", SpecTypes: "draft-mtp"}})
	}
	return append(cells, cell{name: "MTP on two", model: "qwen35-mtp",
		plan: plan.Plan{ContextTokens: 8192, RPCServers: two, Devices: "RPC0,RPC1", TensorSplit: "1,1", SpecTypes: "draft-mtp"}})
}

// vulkanCells are plans on software Vulkan devices.
func vulkanCells(devices string) []cell {
	var cells []cell
	for _, model := range []string{"llama", "gemma3", "qwen35-mtp", "qwen35moe-mtp"} {
		cells = append(cells, cell{name: model + " on " + devices, model: model, quick: model == "qwen35-mtp" && devices == "Vulkan0" || model == "gemma3" && devices != "Vulkan0",
			plan: plan.Plan{ContextTokens: 8192, Devices: devices, TensorSplit: "1,1"}})
	}
	for _, tokens := range []int{4096, 32768} {
		cells = append(cells, cell{name: fmt.Sprintf("the assistant of Gemma 4 on %s, %d tokens", devices, tokens), model: "gemma4", draft: "gemma4-assistant",
			plan: plan.Plan{ContextTokens: tokens, Slots: 1, Devices: devices, TensorSplit: "1,1", SpecTypes: "draft-mtp"}})
	}
	return append(cells,
		cell{name: "two layers of llama on " + devices, model: "llama", plan: plan.Plan{ContextTokens: 8192, Devices: devices, TensorSplit: "1,1", GPULayers: "2"}},
		cell{name: "cache of q8_0 on " + devices, model: "llama", plan: plan.Plan{ContextTokens: 32768, Devices: devices, TensorSplit: "1,1", CacheK: "q8_0", CacheV: "q8_0"}},
	)
}
