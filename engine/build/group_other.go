//go:build !unix

package build

import (
	"os"
	"os/exec"
)

// OwnGroup does nothing: there are no process groups that can be ended here.
func OwnGroup(*exec.Cmd) {}

// AskGroup ends a started command at once: there is no way to ask.
func AskGroup(p *os.Process) { _ = p.Kill() }

// EndGroup ends a started command, and not what that has started.
func EndGroup(p *os.Process) { _ = p.Kill() }
