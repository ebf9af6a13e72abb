package budget

import (
	"slices"

	"paddock/engine/build"
	"paddock/hardware"
)

// Integrated are the ids of a build's devices that are part of the processor, as
// far as it is certain which card a device is.
func Integrated(machine hardware.Snapshot, devices []build.Device) []string {
	var ids []string
	matched := MatchDevices(machine, devices)
	for _, d := range devices {
		if slices.ContainsFunc(matched.GPUs, func(g hardware.GPU) bool {
			return g.Integrated && slices.Contains(g.EngineDevices, d.ID)
		}) {
			ids = append(ids, d.ID)
		}
	}
	return ids
}
