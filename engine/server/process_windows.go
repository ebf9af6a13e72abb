package server

import (
	"os"
	"os/exec"
	"syscall"
)

// tether keeps Ctrl-C and a console window from the engine. That it ends with
// Paddock is left to its stdin here.
func tether(cmd *exec.Cmd) {
	cmd.SysProcAttr = &syscall.SysProcAttr{HideWindow: true, CreationFlags: syscall.CREATE_NEW_PROCESS_GROUP}
}

func alive(pid int) bool {
	p, err := os.FindProcess(pid)
	if err != nil {
		return false
	}
	p.Release()
	return true
}

// Exit codes Windows gives instead of signals.
const (
	statusIllegalInstruction = 0xC000001D
	statusAccessViolation    = 0xC0000005
	statusAbort              = 0xC0000409
)

// signalOf names what ended a process as other systems name their signals,
// empty when it ended by itself.
func signalOf(state *os.ProcessState) string {
	switch uint32(state.ExitCode()) {
	case statusIllegalInstruction:
		return illegalInstruction
	case statusAccessViolation:
		return "segmentation fault"
	case statusAbort:
		return "aborted"
	}
	return ""
}

// oomKills is not counted here.
func oomKills() uint64 { return 0 }
