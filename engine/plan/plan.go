// Package plan holds a choice of settings for one model, the rules that say
// which choices are valid, and the engine arguments a choice stands for. It is
// pure: values in, values out.
package plan

import "strings"

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

// Split is how the model is shared among the plan's devices: "none" for one
// device or none, else "layer".
func (p Plan) Split() string {
	if len(p.DeviceIDs()) > 1 {
		return "layer"
	}
	return "none"
}
