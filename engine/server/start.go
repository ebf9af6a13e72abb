package server

import (
	"context"
	"os/exec"
	"runtime"
	"time"

	"paddock/engine/client"
	"paddock/engine/plan"
)

// Start starts the engine, waits until it has loaded the model, and proves that
// it answers. It returns an engine only after the proof; everything else is a
// *Failure, with nothing left running or lying about. It may be cancelled at
// any moment.
func Start(ctx context.Context, o Options) (_ *Instance, err error) {
	if o.StallTime == 0 {
		o.StallTime = stallTime
	}
	if o.ProofTime == 0 {
		o.ProofTime = proofTime
	}
	if o.openLog == nil {
		o.openLog = openLog
	}
	o.loopback = o.loopback || runtime.GOOS == "windows"
	i := &Instance{options: o, started: time.Now(), done: make(chan struct{})}
	proven := false
	defer func() {
		// Also when a callback panics.
		if !proven {
			i.discard()
		}
	}()
	if failure := i.start(ctx); failure != nil {
		return nil, i.complete(failure)
	}
	proven = true
	go i.watch()
	return i, nil
}

// start takes an instance through its phases.
func (i *Instance) start(ctx context.Context) *Failure {
	if ctx.Err() != nil {
		return cancelled(ctx)
	}
	if failure := engineFailure(i.options.Build.Path); failure != nil {
		return failure
	}
	if failure := modelFailure(i.options.Plan.ModelPath); failure != nil {
		return failure
	}
	var failure *Failure
	if i.place, failure = newPlace(i.options.RuntimeDir); failure != nil {
		return failure
	}
	i.journal = newJournal(newLogFile(i.options.LogDir, i.options.openLog), i.place.key, i.options.Warn)
	i.report(Loading, -1)
	i.oomKills = oomKills()
	process, err := launch(i.command(), i.journal)
	if err != nil {
		return launchFailure(err)
	}
	i.process = process
	if !i.options.loopback {
		i.client = client.New(i.place.socket, i.place.key)
	}
	if failure := i.load(ctx); failure != nil {
		return failure
	}
	i.report(Proving, -1)
	if failure := i.prove(ctx); failure != nil {
		return failure
	}
	i.journal.forget()
	i.place.removeKey() // the engine has read it
	return nil
}

// command is the engine's call. What the plan says is not repeated here.
func (i *Instance) command() *exec.Cmd {
	host := []string{"--host", i.place.socket}
	if i.options.loopback {
		host = []string{"--host", "127.0.0.1", "--port", "0"}
	}
	args := append(host,
		"--api-key-file", i.place.keyFile,
		"--offline", "--no-ui", "--cors-origins", "null",
		"--log-jsonl", "-lv", "4", // 4 tells the devices that are used, 3 does not
	)
	args = append(args, plan.Arguments(i.options.Plan)...)
	// The engine outlives the context of its start.
	cmd := i.options.Build.Command(context.Background(), "llama-server", args...)
	if i.options.Build.ChildMode {
		cmd.Env = append(cmd.Env, "LLAMA_SERVER_ROUTER_PORT=1")
	}
	return cmd
}

// healthPause is how often an engine that does not report its progress is asked
// whether it has loaded.
const healthPause = 50 * time.Millisecond

// load waits until the engine has loaded the model.
func (i *Instance) load(ctx context.Context) *Failure {
	tick := time.NewTicker(healthPause)
	defer tick.Stop()
	reported := -1.0
	for {
		select {
		case <-ctx.Done():
			return cancelled(ctx)
		case <-i.process.exited:
			return i.exited()
		case <-i.journal.news:
		case <-tick.C:
		}
		now := i.journal.now()
		if now.progress > reported {
			reported = now.progress
			i.report(Loading, reported)
		}
		if i.client == nil && now.address != "" {
			i.client = client.New(now.address, i.place.key)
		}
		if i.loaded(ctx, now) {
			return nil
		}
		if time.Since(now.active) > i.options.StallTime {
			return failed(NeverReady, nil)
		}
	}
}

// loaded is whether the engine says that it has loaded. It means no more.
func (i *Instance) loaded(ctx context.Context, now snapshot) bool {
	if i.client == nil {
		return false
	}
	if i.options.Build.ChildMode {
		return now.ready
	}
	ctx, cancel := context.WithTimeout(ctx, time.Second)
	defer cancel()
	return i.client.Health(ctx) == nil
}

// exited is why the engine has ended while it loaded.
func (i *Instance) exited() *Failure {
	// The file may have gone between our look and the engine's.
	f := i.exitFailure(i.journal.now().progress >= 0)
	if gone := modelFailure(i.options.Plan.ModelPath); gone != nil && f.Kind != MissingPart {
		f.Kind, f.Err = gone.Kind, gone.Err
	}
	return f
}

func (i *Instance) report(phase string, value float64) {
	if i.options.Progress != nil {
		i.options.Progress(Progress{Phase: phase, Value: value, LogPath: i.journal.path()})
	}
}
