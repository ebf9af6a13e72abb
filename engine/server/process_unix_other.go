//go:build unix && !linux

package server

import "os/exec"

// tether does nothing: that the engine ends with Paddock is left to its stdin.
func tether(*exec.Cmd) {}

// oomKills is not counted here.
func oomKills() uint64 { return 0 }
