package load

import (
	"maps"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/words"
)

// settingLabels are the names the screen has for settings of a plan. Those without
// one follow from others.
var settingLabels = map[string]string{
	"purpose": "load.purpose", "devices": "load.devices", "splitMode": "load.split", "gpuLayers": "load.layers",
	"contextTokens": "load.context", "cacheK": "load.cache", "cacheV": "load.cache", "flashAttn": "load.flash",
	"specTypes": "load.spec", "draftMax": "load.spec.ahead", "projectorPath": "load.vision", "projectorDevice": "load.vision",
	"slots": "load.slots", "promptCacheMiB": "load.promptCache",
}

// rowOf is the row of controls that a setting of a plan is chosen in.
func rowOf(name string) setting {
	switch name {
	case "cacheK", "cacheV", "flashAttn":
		return cacheSetting
	case "projectorDevice":
		return visionSetting
	case "draftPath", "draftMax", "draftCacheK", "draftCacheV":
		return specSetting
	case "tensorSplit":
		return splitSetting
	}
	return setting(name)
}

// alsoChanged says what a change of one setting changed beside it, and why; empty
// when there is nothing.
func (p *Presenter) alsoChanged(of setting, before, after plan.Plan, refusal *plan.Finding) string {
	var others []plan.Change
	for _, c := range plan.Changes(before, after) {
		if rowOf(c.Setting) != of {
			others = append(others, c)
		}
	}
	if of == devicesSetting {
		others = append(others, p.followed(before, after)...)
	}
	sentences := changesInWords(others, p.devices)
	if len(sentences) > 0 && refusal != nil {
		sentences = append(sentences, words.Finding(*refusal).Message)
	}
	return strings.Join(sentences, " ")
}

// followed is what follows from other devices without being chosen: where the
// projector runs, and that there are GPU layers again.
func (p *Presenter) followed(before, after plan.Plan) []plan.Change {
	from, to := p.complete(before), p.complete(after)
	var list []plan.Change
	if was, is := visionMode(from), visionMode(to); was != is && is != VisionOff && was != VisionOff {
		list = append(list, plan.Change{Setting: "projectorDevice", From: was, To: is})
	}
	if len(from.DeviceIDs()) == 0 && len(to.DeviceIDs()) > 0 && before.GPULayers == after.GPULayers {
		list = append(list, plan.Change{Setting: "gpuLayers", From: "0", To: after.GPULayers})
	}
	return list
}

// changesInWords are a sentence each.
func changesInWords(changes []plan.Change, devices []build.Device) []string {
	var list []string
	for _, c := range changes {
		label, shown := settingLabels[c.Setting]
		if !shown || c.Setting == "projectorDevice" && c.To == "" {
			continue
		}
		key := "load.changed"
		if c.Setting == "devices" || c.Setting == "gpuLayers" || c.Setting == "slots" {
			key = "load.changed.several"
		}
		text := words.T(key, map[string]any{"Setting": words.T(label), "Value": valueInWords(c.Setting, c.To, devices)})
		if !slices.Contains(list, text) { // keys and values of the cache
			list = append(list, text)
		}
	}
	return list
}

// valueInWords is a setting's value as the screen shows it.
func valueInWords(name, value string, devices []build.Device) string {
	switch name {
	case "purpose":
		return words.T("load.purpose." + value)
	case "devices":
		return deviceNames(plan.Plan{Devices: value}, devices)
	case "splitMode":
		if value == "" {
			value = "layer"
		}
		return words.T("load.split." + value)
	case "gpuLayers":
		if value == LayersAuto || value == LayersAll {
			return words.T("load.layers.mode." + value)
		}
	case "contextTokens":
		if n, err := strconv.Atoi(value); err == nil {
			return words.Count(n)
		}
	case "flashAttn":
		return words.T("load.flash." + value)
	case "specTypes":
		return methodsInWords(plan.Plan{SpecTypes: value}.SpecMethods())
	case "projectorPath":
		if value == plan.NoProjector || value == "" {
			return words.T("load.vision.off")
		}
		return gguf.Printable(filepath.Base(value))
	case "promptCacheMiB":
		if strings.HasPrefix(value, "-") {
			return words.T("load.promptCache.none")
		}
		return words.T("load.promptCache.usual")
	case "projectorDevice":
		return words.T("load.vision." + value)
	}
	return value
}

// methodsInWords are ways of guessing, in a word or two each.
func methodsInWords(methods []string) string {
	if len(methods) == 0 {
		return words.T("load.spec.off")
	}
	var list []string
	for _, method := range methods {
		switch method {
		case plan.SpecMTP:
			method = "MTP"
		case plan.SpecDraft:
			method = words.T("load.spec.draft")
		case plan.SpecEAGLE3:
			method = "EAGLE-3"
		case plan.SpecDFlash:
			method = "DFlash"
		default:
			method = "n-gram"
		}
		list = append(list, method)
	}
	return strings.Join(list, " + ")
}

// fallbackInWords is what is loaded instead when a caution comes true.
func fallbackInWords(fallback map[string]string, devices []build.Device) string {
	var list []string
	for _, name := range slices.Sorted(maps.Keys(fallback)) {
		value := fallback[name]
		switch label, shown := settingLabels[name]; {
		case name == "splitMode" && value == "layer":
			list = append(list, words.T("load.fallback.layer"))
		case name == "specTypes" && value == plan.NoSpec:
			list = append(list, words.T("load.fallback.spec"))
		case name == "projectorDevice" && value == plan.ProjectorCPU:
			list = append(list, words.T("load.fallback.cpu"))
		case name == "projectorPath" && value == plan.NoProjector:
			list = append(list, words.T("load.fallback.vision"))
		case name == "devices" && value == "":
			list = append(list, words.T("load.fallback.devices"))
		case shown && value == "":
			list = append(list, words.T("load.fallback.anew", map[string]any{"Setting": words.T(label)}))
		case shown:
			list = append(list, words.T("load.fallback.other", map[string]any{
				"Setting": words.T(label), "Value": valueInWords(name, value, devices),
			}))
		}
	}
	return strings.Join(list, ", ")
}

// deviceNames are the devices of a plan as a person knows them.
func deviceNames(p plan.Plan, devices []build.Device) string {
	var names []string
	for _, id := range p.DeviceIDs() {
		name := id
		if i := slices.IndexFunc(devices, func(d build.Device) bool { return d.ID == id }); i >= 0 {
			name = gguf.Printable(devices[i].Name)
		}
		names = append(names, name)
	}
	if len(names) == 0 {
		return words.T("load.device.cpu")
	}
	return strings.Join(names, " + ")
}
