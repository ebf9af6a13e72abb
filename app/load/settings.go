package load

import (
	"slices"
	"strconv"
	"strings"

	"paddock/engine/plan"
	"paddock/words"
)

// SetPurpose chooses what the model is loaded for: another purpose is another
// set-up.
func (p *Presenter) SetPurpose(purpose string) {
	p.change(purposeSetting, func(q *plan.Plan) {
		if i := slices.IndexFunc(p.offered().Purpose, func(o plan.Offer) bool { return o.Value == purpose }); i >= 0 {
			*q = p.asAsked(p.offered().Purpose[i].Plan, q.GPULayers)
		}
	})
}

// SetDevice uses a device or leaves it out. Without any, the processor does all.
func (p *Presenter) SetDevice(id string, on bool) {
	if len(p.devices) == 0 {
		p.publish() // the processor alone can't be left out
		return
	}
	p.change(devicesSetting, func(q *plan.Plan) {
		var ids []string
		for _, d := range p.devices { // keeps the engine's order
			if d.ID == id && on || d.ID != id && slices.Contains(q.DeviceIDs(), d.ID) {
				ids = append(ids, d.ID)
			}
		}
		q.Devices, q.TensorSplit = plan.CPU, "" // shares are of so many devices
		if len(ids) > 0 {
			q.Devices = strings.Join(ids, ",")
		}
	})
}

// SetSplit chooses how the model is shared among the devices.
func (p *Presenter) SetSplit(mode string) {
	p.change(splitSetting, func(q *plan.Plan) { q.SplitMode, q.TensorSplit = mode, "" })
}

// SetLayers chooses how many layers go to the devices; number counts in
// LayersNumber only.
func (p *Presenter) SetLayers(mode string, number int) {
	p.change(layersSetting, func(q *plan.Plan) {
		q.GPULayers = mode
		if mode == LayersNumber {
			q.GPULayers = strconv.Itoa(min(max(number, 0), p.mostLayers()))
		}
	})
}

// mostLayers counts the output layer as one, as the engine does.
func (p *Presenter) mostLayers() int { return p.state.Model.Facts.Layers + 1 }

// leastContextTokens is the shortest context worth loading a model with.
const leastContextTokens = 256

// SetContext chooses the length of the context. One out of range is refused.
func (p *Presenter) SetContext(tokens int) {
	least, most := p.contextRange()
	if tokens < least || most > 0 && tokens > most {
		p.RefuseContext()
		return
	}
	p.change(contextSetting, func(q *plan.Plan) { q.ContextTokens = tokens })
}

// RefuseContext says which lengths of the context there are. The one before stays.
func (p *Presenter) RefuseContext() {
	if p.state.Preparing {
		return
	}
	least, most := p.contextRange()
	key := "load.context.range"
	if most == 0 {
		key = "load.context.rangeUp"
	}
	p.refused = aside{contextSetting, Note{Kind: Off, Text: words.T(key, map[string]any{
		"Least": words.Count(least), "Most": words.Count(most), "Tokens": words.Count(p.state.Plan.ContextTokens),
	})}}
	p.publish()
}

// contextRange is the shortest and the longest context to be had; most is 0 when
// the file does not say what the model was trained for.
func (p *Presenter) contextRange() (least, most int) {
	most = p.state.Model.Facts.ContextTokens
	if most > 0 {
		return min(leastContextTokens, most), most
	}
	return leastContextTokens, 0
}

// SetCache chooses the type of the KV cache, for keys and values alike.
func (p *Presenter) SetCache(cacheType string) {
	p.change(cacheSetting, func(q *plan.Plan) { q.CacheK, q.CacheV = cacheType, cacheType })
}

// SetFlash chooses flash attention.
func (p *Presenter) SetFlash(mode string) {
	p.change(cacheSetting, func(q *plan.Plan) { q.FlashAttn = mode })
}

// SetVision chooses whether the model sees, and where what it sees with runs.
func (p *Presenter) SetVision(mode string) {
	p.change(visionSetting, func(q *plan.Plan) {
		if mode == VisionOff {
			q.ProjectorPath, q.ProjectorDevice = plan.NoProjector, ""
			return
		}
		q.ProjectorDevice = mode
		if files := p.projectors(); q.Projector() == "" && len(files) > 0 {
			q.ProjectorPath = files[0].Path
		}
	})
}

// SetProjector chooses the file the model sees with.
func (p *Presenter) SetProjector(path string) {
	p.change(visionSetting, func(q *plan.Plan) { q.ProjectorPath = path })
}

// SetSlots chooses how many conversations the engine has at a time.
func (p *Presenter) SetSlots(slots string) {
	if n, err := strconv.Atoi(slots); err == nil {
		p.change(slotsSetting, func(q *plan.Plan) { q.Slots = n })
	}
}

// SetBuild chooses another engine build, and asks it for its devices. The other
// settings stay as they are.
func (p *Presenter) SetBuild(id string) {
	if p.state.Preparing || id == p.state.Build.ID {
		return
	}
	p.remember("")
	p.quiet()
	p.useBuild(id, id)
}

// useBuild takes a build; chosen is what is remembered of that.
func (p *Presenter) useBuild(id, chosen string) {
	p.cancel()
	p.seekNoMore()
	p.chosen = chosen
	p.keep()
	p.known = false
	p.state.Preparing = true
	p.state.Context.Fits = 0
	p.publish()
	p.prepare(id)
}
