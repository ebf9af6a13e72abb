//go:build !linux && !windows && !darwin

package hardware

const memorySource = "the system"

// addGPUs adds nothing: the engine's list is all that is known here.
func addGPUs(*Snapshot) {}
