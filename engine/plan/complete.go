package plan

import (
	"strconv"
	"strings"

	"paddock/engine/build"
	"paddock/engine/gguf"
)

// Context lengths that are chosen when none is given. A longer one is the
// user's to ask for: it costs memory whether it is used or not.
const (
	defaultContextTokens = 8192
	unknownContextTokens = 4096 // when the file does not say what it was trained for
)

// A Choice is a setting Complete decided on, and the key of the sentence that
// says why.
type Choice struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	Reason  string `json:"reason"`
}

// Complete fills in what p leaves open and lists what it chose. What p says
// explicitly stays, valid or not: judging is Check's part. devices are those of
// the build that will run the plan.
func Complete(p Plan, f gguf.Facts, devices []build.Device) (Plan, []Choice) {
	var choices []Choice
	choose := func(setting, value, reason string) string {
		choices = append(choices, Choice{setting, value, "choice." + reason})
		return value
	}

	if p.ModelPath == "" {
		p.ModelPath = f.Path
	}
	if p.ContextTokens == 0 {
		tokens, reason := defaultContext(f.ContextTokens)
		p.ContextTokens = tokens
		choose("contextTokens", strconv.Itoa(tokens), reason)
	}
	if p.Devices == "" {
		value, reason := defaultDevices(devices)
		p.Devices = choose("devices", value, reason)
	}
	if p.GPULayers == "" || p.GPULayers == "auto" {
		if p.Devices == CPU {
			p.GPULayers = choose("gpuLayers", "0", "layers-none")
		} else {
			p.GPULayers = choose("gpuLayers", "all", "layers-all")
		}
	}
	if p.CacheK == "" {
		p.CacheK = choose("cacheK", "f16", "cache-f16")
	}
	if p.CacheV == "" {
		p.CacheV = choose("cacheV", "f16", "cache-f16")
	}
	if p.FlashAttn == "" {
		p.FlashAttn = choose("flashAttn", "auto", "flash-auto")
	}
	if p.Slots == 0 {
		p.Slots = 1
		choose("slots", "1", "slots-one")
	}
	return p, choices
}

func defaultContext(trainedTokens int) (tokens int, reason string) {
	switch {
	case trainedTokens <= 0:
		return unknownContextTokens, "context-unknown"
	case trainedTokens <= defaultContextTokens:
		return trainedTokens, "context-trained"
	default:
		return defaultContextTokens, "context-default"
	}
}

// defaultDevices are all hardware devices, each card once. A software device is a
// processor pretending to be a graphics card: slower than the CPU itself.
func defaultDevices(devices []build.Device) (value, reason string) {
	var hardware []build.Device
	for _, d := range devices {
		if !d.Software {
			hardware = append(hardware, d)
		}
	}
	var ids []string
	for _, d := range cards(hardware) {
		ids = append(ids, d.ID)
	}
	switch {
	case len(ids) > 0:
		return strings.Join(ids, ","), "devices-hardware"
	case len(devices) > 0:
		return CPU, "devices-software"
	default:
		return CPU, "devices-none"
	}
}
