package budget

import (
	"path/filepath"
	"slices"
	"testing"

	"paddock/engine/build"
	"paddock/hardware"
)

func TestDevicesInTheProcessorAreKnownByTheMachine(t *testing.T) {
	tests := map[string][]string{
		"strix-halo-512mb":            {"Vulkan0", "ROCm0"},
		"amd-discrete-and-integrated": {"Vulkan1"},
		"nvidia-three":                nil,
		"no-gpu":                      nil,
	}
	for machine, want := range tests {
		t.Run(machine, func(t *testing.T) {
			recording, err := hardware.Recorded(filepath.Join("..", "..", "hardware", "testdata", "machines", machine))
			if err != nil {
				t.Fatal(err)
			}
			if got := Integrated(recording.Snapshot, build.ParseDevices(recording.DeviceList)); !slices.Equal(got, want) {
				t.Errorf("got %v, want %v", got, want)
			}
		})
	}
}
