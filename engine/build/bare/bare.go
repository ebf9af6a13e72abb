// Package bare runs an engine just as its arguments say: no rules, no proof, no
// supervision. It is for tests, and for finding out what the engine really does.
package bare

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"time"

	psnet "github.com/shirou/gopsutil/v4/net"

	"paddock/engine/build"
)

// An Engine is a process that was started.
type Engine struct {
	HTTP   *http.Client // to any host: it reaches the engine
	Socket string

	folder string
	cancel context.CancelFunc
	done   chan struct{} // closed when the process has ended
	err    error         // of its end
	log    output
}

// Start starts llama-server with arguments, to which those of its socket are
// added. What it prints is kept. Stop it in any case.
func Start(ctx context.Context, b build.Build, args ...string) (*Engine, error) {
	folder, err := os.MkdirTemp("", "pb") // short: the path of a socket is limited
	if err != nil {
		return nil, err
	}
	socket := filepath.Join(folder, "e.sock")
	ctx, cancel := context.WithCancel(ctx)
	cmd := b.Command(ctx, "llama-server", append(args, "--host", socket, "--offline", "--no-ui")...)
	e := &Engine{Socket: socket, folder: folder, cancel: cancel, done: make(chan struct{})}
	cmd.Stdout, cmd.Stderr = &e.log, &e.log
	cmd.WaitDelay = time.Second
	if err := cmd.Start(); err != nil {
		cancel()
		os.RemoveAll(folder)
		return nil, err
	}
	go func() {
		e.err = cmd.Wait()
		close(e.done)
	}()
	e.HTTP = &http.Client{Transport: &http.Transport{
		DisableKeepAlives: true, // a connection of before would tell nothing of an engine that ended
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}
	return e, nil
}

// Stop kills the process and returns when nothing of it is left.
func (e *Engine) Stop() {
	e.cancel()
	<-e.done
	os.RemoveAll(e.folder)
}

// Log is what it printed so far.
func (e *Engine) Log() string { return e.log.String() }

// Done is closed when the process has ended.
func (e *Engine) Done() <-chan struct{} { return e.done }

// Err is how the process ended, after Done.
func (e *Engine) Err() error { return e.err }

// Dead says whether the process has ended.
func (e *Engine) Dead() bool {
	select {
	case <-e.done:
		return true
	default:
		return false
	}
}

// Healthy waits until the engine says that it is ready. It is false when the
// process ends instead, or ctx does.
func (e *Engine) Healthy(ctx context.Context) bool {
	for {
		select {
		case <-e.done:
			return false
		case <-ctx.Done():
			return false
		case <-time.After(15 * time.Millisecond):
		}
		if status, _, err := e.Ask(ctx, http.MethodGet, "/health", nil); err == nil && status == http.StatusOK {
			return true
		}
	}
}

// Ask sends a request with a body as JSON and returns the status and the body of
// the response. The error says that none came.
func (e *Engine) Ask(ctx context.Context, method, path string, body any) (status int, answer []byte, err error) {
	var text io.Reader
	if body != nil {
		data, err := json.Marshal(body)
		if err != nil {
			return 0, nil, err
		}
		text = bytes.NewReader(data)
	}
	request, err := http.NewRequestWithContext(ctx, method, "http://engine"+path, text)
	if err != nil {
		return 0, nil, err
	}
	request.Header.Set("Content-Type", "application/json")
	response, err := e.HTTP.Do(request)
	if err != nil {
		return 0, nil, err
	}
	defer response.Body.Close()
	answer, err = io.ReadAll(response.Body)
	return response.StatusCode, answer, err
}

// FirstError is the first line of a log that says what went wrong, empty when none
// does.
func FirstError(log string) string {
	for line := range strings.Lines(log) {
		line = strings.TrimSpace(line)
		_, text, isError := strings.Cut(line, " E ")
		switch {
		case isError:
			return strings.TrimSpace(text)
		case strings.Contains(line, "GGML_ASSERT"), strings.HasPrefix(line, "error"), strings.Contains(line, "what():"):
			return line
		}
	}
	return ""
}

// An output is what a process prints, read while it is written.
type output struct {
	mu   sync.Mutex
	text bytes.Buffer
}

func (b *output) Write(p []byte) (int, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.Write(p)
}

func (b *output) String() string {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.text.String()
}

// RPC starts so many devices that others reach over the network, on loopback. It
// returns their addresses with commas and a function that ends them.
func RPC(ctx context.Context, b build.Build, count int) (addresses string, stop func(), err error) {
	var list []string
	var ends []func()
	stop = func() {
		for _, end := range ends {
			end()
		}
	}
	for range count {
		address, end, err := rpcServer(ctx, b)
		if err != nil {
			stop()
			return "", nil, err
		}
		list, ends = append(list, address), append(ends, end)
	}
	return strings.Join(list, ","), stop, nil
}

// rpcServer starts one server. Another program may take the port before it does:
// then it ends at once, and the next port is tried.
func rpcServer(ctx context.Context, b build.Build) (address string, end func(), err error) {
	for range 5 {
		address, err := freeAddress()
		if err != nil {
			return "", nil, err
		}
		_, port, _ := net.SplitHostPort(address)
		cmd := b.Command(context.WithoutCancel(ctx), "ggml-rpc-server", "-t", "1", "-H", "127.0.0.1", "-p", port)
		build.OwnGroup(cmd)
		if err := cmd.Start(); err != nil {
			return "", nil, err
		}
		ended := make(chan struct{})
		go func() {
			_ = cmd.Wait() // it is killed
			close(ended)
		}()
		end := func() {
			build.EndGroup(cmd.Process)
			<-ended
		}
		if listens(ctx, address, ended) && owns(ctx, cmd.Process.Pid, port) {
			return address, end, nil
		}
		end()
	}
	return "", nil, errors.New("no RPC device would start")
}

func freeAddress() (string, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		return "", err
	}
	defer listener.Close()
	return listener.Addr().String(), nil
}

// listenTime is how long a server may take on a busy machine.
const listenTime = 30 * time.Second

// listens waits until something accepts at an address, false when the server ends
// first, or the time does.
func listens(ctx context.Context, address string, ended chan struct{}) bool {
	ctx, cancel := context.WithTimeout(ctx, listenTime)
	defer cancel()
	for {
		if c, err := new(net.Dialer).DialContext(ctx, "tcp", address); err == nil {
			return c.Close() == nil
		}
		select {
		case <-ended:
			return false
		case <-ctx.Done():
			return false
		case <-time.After(20 * time.Millisecond):
		}
	}
}

// owns says whether it is this process that listens at a port of loopback: a program
// that took the port before it accepts too, and is gone when it is needed.
func owns(ctx context.Context, pid int, port string) bool {
	of, err := psnet.ConnectionsPidWithContext(ctx, "tcp", int32(pid))
	return err == nil && slices.ContainsFunc(of, func(c psnet.ConnectionStat) bool {
		return c.Status == "LISTEN" && strconv.Itoa(int(c.Laddr.Port)) == port
	})
}

// SoftwareVulkan is the environment in which an engine finds so many Vulkan
// devices that Mesa computes on the processor. ok is false where Mesa has none.
func SoftwareVulkan(count int) (env []string, ok bool) {
	found, err := filepath.Glob("/usr/share/vulkan/icd.d/lvp_icd*.json")
	if err != nil || len(found) == 0 {
		return nil, false
	}
	devices := strings.TrimSuffix(strings.Repeat("0,", count), ",")
	return []string{"VK_DRIVER_FILES=" + found[0], "GGML_VK_VISIBLE_DEVICES=" + devices}, true
}
