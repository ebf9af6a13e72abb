//go:build unix

package build

import (
	"os"
	"os/exec"
	"syscall"
)

// OwnGroup gives cmd, not yet started, a process group of its own: an engine may
// be a script, and EndGroup has to reach what that starts. It also keeps a
// terminal's Ctrl-C from it.
func OwnGroup(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Setpgid = true
}

// AskGroup asks a started command of its own group, and all it started, to end.
func AskGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGTERM) } // there may be none left

// EndGroup kills them. What is left of a group can be killed after its first
// process has ended, too.
func EndGroup(p *os.Process) { _ = syscall.Kill(-p.Pid, syscall.SIGKILL) }
