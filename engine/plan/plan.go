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
	Purpose       string `json:"purpose"` // Chat, Embeddings or Rerank: one process does one of them
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

	SpecTypes     string `json:"specTypes,omitempty"`     // the engine's names with commas: "draft-mtp,ngram-mod"; NoSpec for none
	DraftPath     string `json:"draftPath,omitempty"`     // the draft model, or the file with the layers for multi-token prediction
	DraftCacheK   string `json:"draftCacheK,omitempty"`   // KV cache types of a draft's context, "f16" when empty
	DraftCacheV   string `json:"draftCacheV,omitempty"`   //
	DraftMax      int    `json:"draftMax,omitempty"`      // tokens guessed at a time
	ProjectorPath string `json:"projectorPath,omitempty"` // the vision or audio encoder; NoProjector for none
	// ProjectorDevice is "cpu" or "gpu"; empty: where the model is.
	ProjectorDevice string `json:"projectorDevice,omitempty"`

	Pooling          string `json:"pooling,omitempty"`      // "mean", "cls", "last" or "rank": how vectors become one; empty for the model's own
	ContextShift     bool   `json:"contextShift,omitempty"` // a full context forgets its oldest tokens
	CacheReuseTokens int    `json:"cacheReuse,omitempty"`   // the least run of tokens that is taken over from an earlier prompt; 0 for none
	LoRAPath         string `json:"loraPath,omitempty"`     // an adapter
}

// The purposes a process can have.
const (
	Chat       = "chat"
	Embeddings = "embeddings"
	Rerank     = "rerank"
)

// Purposes are the values of Plan.Purpose.
func Purposes() []string { return []string{Chat, Embeddings, Rerank} }

// SplitModes are the values of Plan.SplitMode.
func SplitModes() []string { return []string{"none", "layer", "row", "tensor"} }

// SpecMethods are the ways of guessing the rules know, as the engine names them.
func SpecMethods() []string {
	return []string{SpecMTP, SpecDraft, SpecEAGLE3, SpecDFlash, "ngram-simple", "ngram-map-k", "ngram-map-k4v", "ngram-mod"}
}

// The ways of guessing with weights.
const (
	SpecMTP    = "draft-mtp"    // the model's own layers for it, or those of a file beside it
	SpecDraft  = "draft-simple" // a smaller model
	SpecEAGLE3 = "draft-eagle3"
	SpecDFlash = "draft-dflash"
)

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

// WithoutSpec is the plan without guessing, and without what has no meaning then.
func (p Plan) WithoutSpec() Plan {
	p.SpecTypes, p.DraftPath, p.DraftMax, p.DraftCacheK, p.DraftCacheV = NoSpec, "", 0, "", ""
	return p
}

// Drafts says whether any of the plan's ways of guessing has weights.
func (p Plan) Drafts() bool {
	return slices.ContainsFunc(p.SpecMethods(), func(m string) bool { return strings.HasPrefix(m, "draft-") })
}

// Projector is the path of the plan's projector, empty for none.
func (p Plan) Projector() string {
	if p.ProjectorPath == NoProjector {
		return ""
	}
	return p.ProjectorPath
}

// NoPromptCache is the value of Plan.PromptCacheMiB that keeps no earlier prompts.
const NoPromptCache = -1

// Values that say a part is left out, where an empty one means not chosen yet.
const (
	NoSpec      = "none" // of Plan.SpecTypes
	NoProjector = "none" // of Plan.ProjectorPath
)

// textTokens is the longest text one slot takes, of a model trained on as many
// tokens as trained says; 0 for unknown. Slots that share one cache can each use
// all of it.
func (p Plan) textTokens(trained int) int {
	tokens := p.ContextTokens
	if !p.KVUnified {
		tokens /= max(p.Slots, 1)
	}
	if trained > 0 {
		tokens = min(tokens, trained)
	}
	return tokens
}

// contextBlock is what the engine rounds the context of a slot up to, in tokens.
const contextBlock = 256

// graphTokens is how many tokens the engine lays its computation out for: those of
// the physical batch, or all there is room for where that is less.
func (p Plan) graphTokens() int {
	up := func(tokens int) int { return (tokens + contextBlock - 1) / contextBlock * contextBlock }
	context := up(p.ContextTokens)
	if slots := max(p.Slots, 1); !p.KVUnified {
		context = up(p.ContextTokens/slots) * slots
	}
	_, physical := p.Batch()
	return min(physical, context)
}

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
