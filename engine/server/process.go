package server

import (
	"context"
	"io"
	"os/exec"
	"runtime"
	"time"

	"paddock/engine/build"
)

// drainTime is how long output may still come after the engine has ended, when
// something it started holds its pipes open.
const drainTime = time.Second

// killTime is how long the kernel may take to end a killed process.
const killTime = 2 * time.Second

// A process is the engine's, started.
type process struct {
	cmd    *exec.Cmd
	stdin  io.Closer     // closing it ends an engine in child mode
	exited chan struct{} // closed when it has ended, its output is read and it is no zombie
}

// launch starts cmd with its output going to the journal.
func launch(cmd *exec.Cmd, j *journal) (*process, error) {
	stdout, stderr := &lineWriter{journal: j}, &lineWriter{journal: j}
	cmd.Stdout, cmd.Stderr = stdout, stderr
	cmd.WaitDelay = drainTime
	build.OwnGroup(cmd)
	tether(cmd)
	stdin, err := cmd.StdinPipe()
	if err != nil {
		return nil, err
	}
	p := &process{cmd: cmd, stdin: stdin, exited: make(chan struct{})}
	started := make(chan error)
	go func() {
		// Linux sends the parent-death signal when the thread that started the
		// child ends, so that thread has to live as long as the child does.
		runtime.LockOSThread()
		err := cmd.Start()
		started <- err
		if err != nil {
			return
		}
		_ = cmd.Wait() // how it ended is in its ProcessState
		build.EndGroup(cmd.Process)
		stdout.flush()
		stderr.flush()
		close(p.exited)
	}()
	if err := <-started; err != nil {
		stdin.Close()
		return nil, err
	}
	return p, nil
}

// end asks the process to end, and makes it end when ctx does. It returns false
// when even that did not help: a process that hangs in a driver can't be killed.
func (p *process) end(ctx context.Context) bool {
	// In child mode the engine, asked by a signal to end, waits for the end of its
	// stdin (b11669), so that comes first.
	p.stdin.Close()
	select {
	case <-p.exited:
		return true
	default:
		build.AskGroup(p.cmd.Process)
	}
	select {
	case <-p.exited:
		return true
	case <-ctx.Done():
	}
	build.EndGroup(p.cmd.Process)
	return p.waited(killTime)
}

// waited is whether the process has ended within limit.
func (p *process) waited(limit time.Duration) bool {
	timer := time.NewTimer(limit)
	defer timer.Stop()
	select {
	case <-p.exited:
		return true
	case <-timer.C:
		return false
	}
}
