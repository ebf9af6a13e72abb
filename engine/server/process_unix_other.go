//go:build unix && !linux

package server

import (
	"os/exec"
	"syscall"
)

// tether keeps a terminal's Ctrl-C from the engine, so that it is ended in
// order. That it ends with Paddock is left to its stdin here.
func tether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Setpgid: true}
}
