package buildtest

import (
	"bufio"
	"context"
	"fmt"
	"net"
	"net/http"
	"net/http/httputil"
	"net/url"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync/atomic"
	"syscall"
	"testing"
	"time"

	"paddock/engine/build"
)

// relayTo is set where the test's own binary is to be the engine of Breaking: to
// the real engine's path.
const relayTo = "PADDOCK_TEST_RELAY"

func init() {
	if path := os.Getenv(relayTo); path != "" {
		os.Unsetenv(relayTo)
		relay(build.Build{Path: path})
	}
}

// Breaking is the path of an engine that is the real one until its second
// answer, the first after the proof: in the middle of a word it is killed by a
// segmentation fault. How fast an answer comes doesn't matter then.
func Breaking(t testing.TB) string {
	t.Helper()
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	return script(t, fmt.Sprintf("%s='%s' exec '%s' \"$@\"", relayTo, Engine(t).Path, self))
}

// Faulty is the path of an engine that is the real one, but that a line of shell
// comes before it loads a model, with the arguments of the load. It measures
// memory as the real one does.
func Faulty(t testing.TB, fault string) string {
	t.Helper()
	return script(t, "case \"$*\" in *--api-key-file*)\n"+fault+"\n;; esac\n"+call(t, "llama-server"))
}

func script(t testing.TB, body string) string {
	t.Helper()
	folder := t.TempDir()
	for name, text := range map[string]string{"llama-server": body, "llama-fit-params": call(t, "llama-fit-params")} {
		Program(t, filepath.Join(folder, name), "#!/bin/sh\n"+text+"\n")
	}
	return filepath.Join(folder, "llama-server")
}

// call is the line of shell that becomes a program of the real engine.
func call(t testing.TB, tool string) string {
	t.Helper()
	return "exec '" + strings.Join(Engine(t).Command(t.Context(), tool).Args, "' '") + "' \"$@\""
}

// dying is whether the relay has begun to end by itself.
var dying atomic.Bool

// relay is the process of Breaking. It does not return.
func relay(engine build.Build) {
	args := os.Args[1:]
	cmd := engine.Command(context.Background(), "llama-server", args...)
	at := slices.Index(args, "--api-key-file")
	if at < 0 { // it is only asked what it is
		must(syscall.Exec(cmd.Path, cmd.Args, append(cmd.Env, childMode()...)))
	}
	socket := args[slices.Index(args, "--host")+1]
	inner := filepath.Join(filepath.Dir(socket), "r.sock")
	cmd.Args[slices.Index(cmd.Args, socket)] = inner
	cmd.Env = append(cmd.Env, childMode()...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.SysProcAttr = &syscall.SysProcAttr{Pdeathsig: syscall.SIGKILL}
	listener, err := net.Listen("unix", socket)
	must(err)
	must(cmd.Start())
	var answers atomic.Int64
	proxy := httputil.NewSingleHostReverseProxy(&url.URL{Scheme: "http", Host: "engine"})
	proxy.FlushInterval = -1
	// The engine drops kept connections, at times just when the next request takes one.
	proxy.Transport = &http.Transport{DisableKeepAlives: true, DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
		return new(net.Dialer).DialContext(ctx, "unix", inner)
	}}
	proxy.ErrorHandler = func(w http.ResponseWriter, _ *http.Request, _ error) { w.WriteHeader(http.StatusServiceUnavailable) }
	proxy.ModifyResponse = func(r *http.Response) error {
		if os.Getenv(relayFault) != "" {
			return failGuessing(r, args)
		}
		if r.Request.URL.Path == "/v1/chat/completions" && answers.Add(1) == 2 {
			r.Body = &breaking{Reader: bufio.NewReader(r.Body), engine: cmd}
		}
		return nil
	}
	go http.Serve(listener, proxy)
	_ = cmd.Wait() // its status is its own affair
	if dying.Load() {
		select {} // until end has come to it
	}
	os.Exit(0)
}

// childMode is the variable that Command takes out of the environment.
func childMode() []string {
	if port, ok := os.LookupEnv("LLAMA_SERVER_ROUTER_PORT"); ok {
		return []string{"LLAMA_SERVER_ROUTER_PORT=" + port}
	}
	return nil
}

// breakAt is which event of an answer is cut.
const breakAt = 8

// A breaking is an answer's stream that ends in the middle of a word, and the
// engine with it.
type breaking struct {
	*bufio.Reader
	engine *exec.Cmd
	events int
	line   string
}

func (b *breaking) Read(p []byte) (int, error) {
	if b.line == "" {
		if b.events == breakAt {
			b.end()
		}
		line, err := b.ReadString('\n')
		if err != nil && line == "" {
			return 0, err
		}
		if strings.HasPrefix(line, "data:") {
			if b.events++; b.events == breakAt {
				line = halved(line)
			}
		}
		b.line = line
	}
	n := copy(p, b.line)
	b.line = b.line[n:]
	return n, nil
}

func (b *breaking) Close() error { return nil }

// halved is an event with only the first half of its text.
func halved(event string) string {
	const before = `"content":"`
	from := strings.Index(event, before)
	if from < 0 {
		return event
	}
	from += len(before)
	length := strings.IndexByte(event[from:], '"')
	return event[:from+(length+1)/2] + event[from+length:] + "\n"
}

// end dies as the engine would: the process becomes a shell that kills itself,
// so that no Go runtime is there to catch the signal.
func (b *breaking) end() {
	time.Sleep(50 * time.Millisecond) // for what was read to be sent
	dying.Store(true)
	b.engine.Process.Kill()
	must(syscall.Exec("/bin/sh", []string{"sh", "-c", "kill -SEGV $$"}, nil))
}

func must(err error) {
	if err != nil {
		fmt.Fprintln(os.Stderr, "error: relay:", err)
		os.Exit(1)
	}
}
