//go:build linux

package main

import (
	"bufio"
	"bytes"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"testing"
	"time"

	"paddock/engine/build/buildtest"
)

// builtIn is the folder built compiles into, empty until it does.
var builtIn string

// built is the program, compiled once for all tests of the real window.
var built = sync.OnceValues(func() (string, error) {
	var err error
	if builtIn, err = os.MkdirTemp("", "paddock-test"); err != nil {
		return "", err
	}
	path := filepath.Join(builtIn, "paddock")
	if out, err := exec.Command("go", "build", "-o", path, ".").CombinedOutput(); err != nil {
		return "", fmt.Errorf("build the program: %w\n%s", err, out)
	}
	return path, nil
})

func TestMain(m *testing.M) {
	if os.Getenv(seesEnv) != "" {
		os.Exit(runSeeing())
	}
	status := m.Run()
	os.RemoveAll(builtIn) // of an empty name it removes nothing
	os.Exit(status)
}

// A desktop is an X server without a screen, with a window manager, and what a
// person does on it.
type desktop struct {
	t       *testing.T
	display string
}

// newDesktop starts Xvfb with these arguments beside the usual ones.
func newDesktop(t *testing.T, arguments ...string) *desktop {
	t.Helper()
	read, write, err := os.Pipe()
	if err != nil {
		t.Fatal(err)
	}
	defer read.Close()
	server := exec.Command("Xvfb", append([]string{"-noreset", "-displayfd", "3", "-screen", "0", "1280x800x24", "-nolisten", "tcp"}, arguments...)...)
	server.ExtraFiles = []*os.File{write}
	start(t, server)
	write.Close()
	number, err := bufio.NewReader(read).ReadString('\n')
	if err != nil {
		t.Fatalf("Xvfb names no display: %v", err)
	}
	d := &desktop{t: t, display: ":" + strings.TrimSpace(number)}
	manager := exec.Command("openbox")
	manager.Env = d.environment()
	start(t, manager)
	return d
}

// start starts a process that is ended with the test.
func start(t *testing.T, command *exec.Cmd) {
	t.Helper()
	if err := command.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		command.Process.Kill()
		command.Wait()
	})
}

func (d *desktop) environment() []string {
	environment := slices.DeleteFunc(os.Environ(), func(v string) bool {
		return strings.HasPrefix(v, "DISPLAY=") || strings.HasPrefix(v, "WAYLAND_DISPLAY=")
	})
	return append(environment, "DISPLAY="+d.display, "LANG=en_US.UTF-8", "XDG_SESSION_TYPE=x11")
}

// do runs xdotool.
func (d *desktop) do(arguments ...string) {
	d.t.Helper()
	command := exec.Command("xdotool", arguments...)
	command.Env = d.environment()
	if out, err := command.CombinedOutput(); err != nil {
		d.t.Fatalf("xdotool %v: %v\n%s", arguments, err, out)
	}
}

func (d *desktop) key(keys ...string) { d.t.Helper(); d.do(append([]string{"key"}, keys...)...) }

func (d *desktop) write(text string) { d.t.Helper(); d.do("type", "--delay", "15", text) }

// A program is a running Paddock.
type program struct {
	t       *testing.T
	command *exec.Cmd
	log     string
	output  *bytes.Buffer
	ended   chan error
}

// open starts Paddock with a configuration of its own and waits for its window.
func (d *desktop) open(arguments ...string) *program {
	d.t.Helper()
	p := d.launch(arguments...)
	p.wait(20*time.Second, "window shown")
	return p
}

func (d *desktop) launch(arguments ...string) *program {
	d.t.Helper()
	path, err := built()
	if err != nil {
		d.t.Fatal(err)
	}
	return d.launchAs(path, nil, arguments...)
}

// launchAs starts a program that is Paddock, with more in its environment.
func (d *desktop) launchAs(path string, environment []string, arguments ...string) *program {
	d.t.Helper()
	dir := d.t.TempDir()
	p := &program{t: d.t, log: filepath.Join(dir, "log"), output: new(bytes.Buffer), ended: make(chan error, 1)}
	p.command = exec.Command(path, append([]string{
		"--config", filepath.Join(dir, "c"), "--log", p.log, "--engine", buildtest.Path(d.t),
	}, arguments...)...)
	p.command.Env = append(d.environment(), environment...)
	p.command.Stdout, p.command.Stderr = io.Discard, p.output
	if err := p.command.Start(); err != nil {
		d.t.Fatal(err)
	}
	go func() { p.ended <- p.command.Wait() }()
	d.t.Cleanup(func() {
		p.command.Process.Kill()
		if d.t.Failed() {
			log, _ := os.ReadFile(p.log)
			d.t.Logf("it said:\n%s\nits log:\n%s", p.output, log)
		}
	})
	return p
}

// wait waits until one line of the program's log has all of these.
func (p *program) wait(limit time.Duration, parts ...string) {
	p.t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(30 * time.Millisecond) {
		log, _ := os.ReadFile(p.log)
		for line := range strings.Lines(string(log)) {
			if !slices.ContainsFunc(parts, func(part string) bool { return !strings.Contains(line, part) }) {
				return
			}
		}
	}
	p.t.Fatalf("the log does not come to say %q", parts)
}

// closes closes the window and returns the program's status. A second time is for the
// question that is asked while the end of an answer has not come to the chat.
func (d *desktop) closes(p *program) int {
	p.t.Helper()
	for end := time.Now().Add(loaded); time.Now().Before(end); {
		d.key("alt+F4")
		select {
		case <-p.ended:
			return p.command.ProcessState.ExitCode()
		case <-time.After(2 * time.Second):
		}
	}
	return p.exits(time.Second)
}

// exits waits for the program's end and returns its status.
func (p *program) exits(limit time.Duration) int {
	p.t.Helper()
	select {
	case <-p.ended:
		return p.command.ProcessState.ExitCode()
	case <-time.After(limit):
		p.t.Fatalf("it still runs after %v", limit)
		return 0
	}
}

// engines are the processes of llama-server this Paddock has started.
func (p *program) engines() []int {
	p.t.Helper()
	var found []int
	stats, err := filepath.Glob("/proc/[0-9]*/stat")
	if err != nil {
		p.t.Fatal(err)
	}
	for _, path := range stats {
		stat, err := os.ReadFile(path)
		if err != nil {
			continue // it has ended
		}
		var pid, parent int
		var state string
		rest := stat[bytes.LastIndexByte(stat, ')')+1:]
		fmt.Sscan(string(stat), &pid)
		fmt.Sscan(string(rest), &state, &parent)
		line, _ := os.ReadFile(filepath.Join(filepath.Dir(path), "cmdline"))
		if parent == p.command.Process.Pid && state != "Z" && bytes.Contains(line, []byte("--api-key-file")) {
			found = append(found, pid)
		}
	}
	return found
}

// alive is whether a process runs.
func alive(pid int) bool {
	stat, err := os.ReadFile(fmt.Sprintf("/proc/%d/stat", pid))
	return err == nil && !strings.Contains(string(stat[bytes.LastIndexByte(stat, ')')+1:])[:3], "Z") && syscall.Kill(pid, 0) == nil
}

func (p *program) theEngine() int {
	p.t.Helper()
	engines := p.engines()
	if len(engines) != 1 {
		p.t.Fatalf("%d engines run", len(engines))
	}
	return engines[0]
}

// gone waits until a process has ended.
func gone(t *testing.T, pid int, limit time.Duration) {
	t.Helper()
	for end := time.Now().Add(limit); time.Now().Before(end); time.Sleep(20 * time.Millisecond) {
		if !alive(pid) {
			return
		}
	}
	t.Errorf("process %d still runs after %v", pid, limit)
}
