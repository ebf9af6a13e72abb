package server

import (
	"os"
	"os/exec"
	"strconv"
	"strings"
	"syscall"
)

// tether makes the kernel kill the engine when Paddock dies. Child mode does not
// make it unnecessary: the engine watches its stdin only once it has loaded.
func tether(cmd *exec.Cmd) {
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Pdeathsig = syscall.SIGKILL
}

// oomKills is how many processes of this machine the kernel has killed to get
// memory, since it was started; 0 when it does not tell.
func oomKills() uint64 {
	counters, err := os.ReadFile("/proc/vmstat")
	if err != nil {
		return 0
	}
	return countOf(string(counters), "oom_kill")
}

// countOf is a counter of /proc/vmstat, 0 when it is not there.
func countOf(counters, name string) uint64 {
	for line := range strings.Lines(counters) {
		if count, ok := strings.CutPrefix(strings.TrimSpace(line), name+" "); ok {
			n, _ := strconv.ParseUint(count, 10, 64) // 0 is what a broken one says
			return n
		}
	}
	return 0
}
