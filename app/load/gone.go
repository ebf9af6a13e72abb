package load

import (
	"slices"
	"strings"

	"paddock/engine/build"
	"paddock/engine/plan"
	"paddock/words"
)

// gone are devices of a plan that this engine build does not see now.
func (p *Presenter) gone(q plan.Plan) []string {
	return slices.DeleteFunc(slices.Clone(q.DeviceIDs()), func(id string) bool {
		return slices.ContainsFunc(p.devices, func(d build.Device) bool { return d.ID == id })
	})
}

// withoutGone is a plan that was chosen before without devices that are not there
// any more. Where none is left they are chosen anew. It says so in a line.
func (p *Presenter) withoutGone(q plan.Plan) plan.Plan {
	gone := p.gone(q)
	if len(gone) == 0 {
		return q
	}
	left := slices.DeleteFunc(q.DeviceIDs(), func(id string) bool { return slices.Contains(gone, id) })
	q.Devices, q.TensorSplit, q.GPULayers = strings.Join(left, ","), "", LayersAuto
	if len(left) < 2 {
		q.SplitMode = ""
	}
	q.Devices = p.complete(q).Devices
	change := plan.Change{Setting: "devices", To: q.Devices}
	p.said = aside{devicesSetting, Note{Kind: Caution, Text: words.T("load.gone.changed", map[string]any{
		"IDs": strings.Join(gone, ", "), "Several": len(gone) > 1,
		"Changes": strings.Join(changesInWords([]plan.Change{change}, p.devices), " "),
	}), Undo: len(p.history.steps) > 0}}
	return q
}
