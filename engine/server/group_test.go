//go:build linux

package server

import (
	"context"
	"fmt"
	"os"
	"strings"
	"testing"

	"paddock/engine/build/buildtest"
)

// viaScript is the real engine, started by a script that does not become it.
func viaScript(t *testing.T, o Options) Options {
	t.Helper()
	command := buildtest.Engine(t).Command(t.Context(), "llama-server").Args
	o.Build.Path = script(t, fmt.Sprintf("'%s' \"$@\"\nexit $?", strings.Join(command, "' '"))).Path
	return o
}

func TestAnEngineBehindAScriptEndsWithIt(t *testing.T) {
	for name, end := range map[string]func(*testing.T, *Instance){
		"when it is stopped": func(t *testing.T, i *Instance) { stop(t, i) },
		"when it is stopped at once": func(t *testing.T, i *Instance) {
			ctx, cancel := context.WithCancel(t.Context())
			cancel()
			if err := i.Stop(ctx); err != nil {
				t.Error(err)
			}
		},
		"when the script is killed": func(t *testing.T, i *Instance) {
			p, err := os.FindProcess(i.PID())
			if err != nil {
				t.Fatal(err)
			}
			p.Kill()
			<-i.Done()
		},
	} {
		t.Run(name, func(t *testing.T) {
			o := viaScript(t, realOptions(t))
			i := start(t, o)
			if running := processesWith(t, o.RuntimeDir); len(running) != 2 {
				t.Fatalf("processes %v, want the script and the engine", running)
			}
			end(t, i)
			eventually(t, "the engine gone", func() bool { return len(processesWith(t, o.RuntimeDir)) == 0 })
			wantNothingLeft(t, o.RuntimeDir)
		})
	}
}

func TestACountOfTheKernelIsRead(t *testing.T) {
	const counters = "nr_free_pages 12\noom_kill_hard 9\noom_kill 3\n"
	for name, want := range map[string]uint64{"oom_kill": 3, "nr_free_pages": 12, "kill": 0} {
		if got := countOf(counters, name); got != want {
			t.Errorf("%s is %d, want %d", name, got, want)
		}
	}
}
