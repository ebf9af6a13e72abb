package buildtest

import (
	"fmt"
	"strings"
	"testing"

	"paddock/engine/build"
	"paddock/engine/build/bare"
)

// A Rig is devices for a test to run plans on: their ids with commas as
// plan.Plan.Devices has them, and the servers of those that are on the network.
type Rig struct {
	Devices    string
	RPCServers string
	// Seen are the devices as the engine would list them, with as much free on
	// each.
	Seen []build.Device
}

// rigBytes is what a device of a rig is said to have: Mesa's software Vulkan
// reports so much.
const rigBytes = 2 << 30

// Vulkan makes the engine find so many software devices until the test ends. A
// machine without a driver for them fails the test.
func Vulkan(t testing.TB, count int) Rig {
	t.Helper()
	env, ok := bare.SoftwareVulkan(count)
	if !ok {
		t.Fatal("no software Vulkan driver: install mesa-vulkan-drivers")
	}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		t.Setenv(name, value)
	}
	return rig("Vulkan", count)
}

// RPC starts devices that the engine reaches over the network, here on loopback.
// They end with the test.
func RPC(t testing.TB, count int) Rig {
	t.Helper()
	addresses, stop, err := bare.RPC(t.Context(), Engine(t), count)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(stop)
	r := rig("RPC", count)
	r.RPCServers = addresses
	return r
}

func rig(backend string, count int) Rig {
	var r Rig
	var ids []string
	for i := range count {
		d := build.Device{ID: fmt.Sprint(backend, i), TotalBytes: rigBytes, FreeBytes: rigBytes, Software: backend == "Vulkan"}
		r.Seen = append(r.Seen, d)
		ids = append(ids, d.ID)
	}
	r.Devices = strings.Join(ids, ",")
	return r
}
