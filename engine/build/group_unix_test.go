//go:build unix

package build_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strconv"
	"strings"
	"syscall"
	"testing"
	"time"

	"paddock/engine/build"
)

func TestWhatAnEngineStartsEndsWithIt(t *testing.T) {
	for name, script := range map[string]string{
		"when it is given up":  "wait\n",
		"when it has answered": "exec >&- 2>&-\nexit 0\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := fake(t, "sleep 1000 >/dev/null 2>&1 &\necho $! > \"$(dirname \"$0\")/pid\"\n"+script)
			ctx, cancel := context.WithTimeout(t.Context(), 500*time.Millisecond)
			defer cancel()
			if b := build.Identify(ctx, path, build.Added); b.Problem == "" {
				t.Errorf("got %+v", b)
			}
			text, err := os.ReadFile(filepath.Join(filepath.Dir(path), "pid"))
			if err != nil {
				t.Fatal(err)
			}
			child, err := strconv.Atoi(strings.TrimSpace(string(text)))
			if err != nil {
				t.Fatal(err)
			}
			wantGone(t, child)
		})
	}
}

// wantGone waits for the end of a process that is no child of ours. Where nobody
// reaps it, it stays a zombie, whose command line is empty.
func wantGone(t *testing.T, pid int) {
	t.Helper()
	for range 200 {
		command, err := os.ReadFile("/proc/" + strconv.Itoa(pid) + "/cmdline")
		if errors.Is(syscall.Kill(pid, 0), syscall.ESRCH) || err == nil && len(command) == 0 {
			return
		}
		time.Sleep(10 * time.Millisecond)
	}
	t.Errorf("process %d still runs", pid)
	syscall.Kill(pid, syscall.SIGKILL)
}
