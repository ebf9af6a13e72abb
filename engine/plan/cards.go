package plan

import (
	"strings"

	"paddock/engine/build"
)

// makers are the only maker of cards that a backend sees. Others see cards of
// several makers.
var makers = map[string]string{"CUDA": "NVIDIA", "ROCm": "AMD", "SYCL": "Intel", "MTL": "Apple", "MUSA": "Moore Threads"}

// cards are the devices in their order, less those that may be a card once more:
// a build with several backends lists a card under each that sees it, with a
// different name and memory, and two devices of one card would share what it has
// once. One backend lists no card twice, so the one that lists most counts, the
// first of equals; others only where theirs can't be the same cards. Devices of
// another computer (RPC) never are.
func cards(devices []build.Device) []build.Device {
	count := map[string]int{}
	chosen := ""
	for _, d := range devices {
		count[backend(d)]++
	}
	for _, d := range devices {
		if b := backend(d); b != "RPC" && (chosen == "" || count[b] > count[chosen]) {
			chosen = b
		}
	}
	var once []build.Device
	for _, d := range devices {
		b := backend(d)
		other := makers[b] != "" && makers[chosen] != "" && makers[b] != makers[chosen]
		if b == "RPC" || b == chosen || other {
			once = append(once, d)
		}
	}
	return once
}

// backend is a device's id without its number: "Vulkan" of "Vulkan0".
func backend(d build.Device) string { return strings.TrimRight(d.ID, "0123456789") }
