// Package plan holds a choice of settings for one model, the rules that say
// which choices are valid, and the engine arguments a choice stands for. It is
// pure: values in, values out.
package plan

import (
	"slices"
	"strings"
)

// A Plan is everything that decides how an engine process is started. Two equal
// plans give equal arguments. Zero values mean "not chosen yet"; Complete
// chooses them.
type Plan struct {
	ModelPath     string `json:"modelPath"`
	ContextTokens int    `json:"contextTokens"`
	Devices       string `json:"devices"`   // "CPU", or engine device ids with commas: "Vulkan0,Vulkan1"
	GPULayers     string `json:"gpuLayers"` // "auto", "all" or a number
	CacheK        string `json:"cacheK"`    // KV cache type: "f16", "q8_0" …
	CacheV        string `json:"cacheV"`
	FlashAttn     string `json:"flashAttn"` // "auto", "on" or "off"
	Slots         int    `json:"slots"`

	// What follows has a default that is as good as a choice: an empty value
	// stands for it, also in a complete plan.
	RPCServers          string `json:"rpcServers,omitempty"`          // other machines' devices: "host:port" with commas
	SplitMode           string `json:"splitMode,omitempty"`           // "none", "layer", "row" or "tensor"; empty: by the number of devices
	TensorSplit         string `json:"tensorSplit,omitempty"`         // shares of the devices, "3,1"; empty: by what is free on each
	KVUnified           bool   `json:"kvUnified,omitempty"`           // the slots share one cache
	BatchTokens         int    `json:"batchTokens,omitempty"`         // taken in at a time
	PhysicalBatchTokens int    `json:"physicalBatchTokens,omitempty"` // computed at a time
	PromptCacheMiB      int    `json:"promptCacheMiB,omitempty"`      // RAM for earlier prompts; negative for none

	SpecTypes     string `json:"specTypes,omitempty"`     // the engine's names with commas: "draft-mtp,ngram-mod"; empty for none
	DraftPath     string `json:"draftPath,omitempty"`     // the draft model, or the file with the layers for multi-token prediction
	DraftCacheK   string `json:"draftCacheK,omitempty"`   // KV cache types of a draft's context, "f16" when empty
	DraftCacheV   string `json:"draftCacheV,omitempty"`   //
	DraftMax      int    `json:"draftMax,omitempty"`      // tokens guessed at a time
	ProjectorPath string `json:"projectorPath,omitempty"` // the vision or audio encoder
	// ProjectorDevice is "cpu" or "gpu"; empty: where the model is.
	ProjectorDevice string `json:"projectorDevice,omitempty"`
}

// CPU is the value of Plan.Devices that uses no other device.
const CPU = "CPU"

// CacheTypes are the types a KV cache can have, as the engine names them.
func CacheTypes() []string {
	return []string{"f32", "f16", "bf16", "q8_0", "q5_1", "q5_0", "q4_1", "q4_0", "iq4_nl"}
}

// FlashAttnModes are the values of Plan.FlashAttn.
func FlashAttnModes() []string {
	return []string{"auto", "on", "off"}
}

// DeviceIDs are the engine devices of the plan, none for the CPU alone.
func (p Plan) DeviceIDs() []string {
	if p.Devices == "" || p.Devices == CPU {
		return nil
	}
	return strings.Split(p.Devices, ",")
}

// Split is how the model is shared among the plan's devices: what was chosen,
// else "none" for one device or none and "layer" for several.
func (p Plan) Split() string {
	if p.SplitMode != "" {
		return p.SplitMode
	}
	if len(p.DeviceIDs()) > 1 {
		return "layer"
	}
	return "none"
}

// Speculates says whether the plan guesses with a method, by the engine's name
// of it.
func (p Plan) Speculates(method string) bool {
	return slices.Contains(p.SpecMethods(), method)
}

// SpecMethods are the ways of guessing the plan asks for.
func (p Plan) SpecMethods() []string {
	if p.SpecTypes == "" || p.SpecTypes == NoSpec {
		return nil
	}
	return strings.Split(p.SpecTypes, ",")
}

// NoSpec is the value of Plan.SpecTypes that guesses nothing, like an empty one.
const NoSpec = "none"

// Batch is how many tokens are taken in, and how many of them are computed, at a
// time.
func (p Plan) Batch() (logical, physical int) {
	logical, physical = p.BatchTokens, p.PhysicalBatchTokens
	if logical == 0 {
		logical = batchTokens
	}
	if physical == 0 {
		physical = physicalBatchTokens
	}
	return logical, min(physical, logical)
}

// PromptCacheBytes is how much RAM the engine may keep earlier prompts in.
func (p Plan) PromptCacheBytes() uint64 {
	switch {
	case p.PromptCacheMiB < 0:
		return 0
	case p.PromptCacheMiB > 0:
		return uint64(p.PromptCacheMiB) << 20
	}
	return PromptCacheMiB << 20
}

// DraftTokens is how many tokens a draft guesses at a time.
func (p Plan) DraftTokens() int {
	if p.DraftMax > 0 {
		return p.DraftMax
	}
	return draftTokens
}
