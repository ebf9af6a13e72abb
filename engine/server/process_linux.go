package server

import (
	"os/exec"
	"syscall"
)

// tether makes the kernel kill the engine when Paddock dies. Child mode does not
// make it unnecessary: the engine watches its stdin only once it has loaded. A
// process group of its own keeps a terminal's Ctrl-C from it, so that it is
// ended in order.
func tether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL, Setpgid: true}
}
