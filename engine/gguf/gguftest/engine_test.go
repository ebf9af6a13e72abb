package gguftest_test

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"io"
	"net"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

// An engine is a running llama-server of a test's own.
type engine struct {
	http *http.Client
}

// start runs the engine on a model and waits until it is loaded.
func start(t *testing.T, model string, args ...string) *engine {
	t.Helper()
	socket := filepath.Join(t.TempDir(), "e.sock")
	// One thread: the models are so small that a second one only waits.
	args = append([]string{"-m", model, "--host", socket, "-c", "512", "-np", "1", "-fit", "off", "-t", "1",
		"--offline", "--no-ui"}, args...)
	cmd := command(t, args...)
	log, err := os.Create(filepath.Join(t.TempDir(), "log"))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { log.Close() })
	cmd.Stdout, cmd.Stderr = log, log
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	t.Cleanup(func() {
		cmd.Process.Kill()
		<-ended
	})
	e := &engine{&http.Client{Timeout: 20 * time.Second, Transport: &http.Transport{
		DisableKeepAlives: true,
		DialContext: func(ctx context.Context, _, _ string) (net.Conn, error) {
			return new(net.Dialer).DialContext(ctx, "unix", socket)
		},
	}}}
	for deadline := time.Now().Add(20 * time.Second); time.Now().Before(deadline); time.Sleep(20 * time.Millisecond) {
		select {
		case err := <-ended:
			ended <- err
			t.Fatalf("the engine ended: %v\n%s", err, lastLines(log.Name()))
		default:
		}
		if answer, err := e.http.Get("http://engine/health"); err == nil {
			answer.Body.Close()
			if answer.StatusCode == http.StatusOK {
				return e
			}
		}
	}
	t.Fatalf("the engine did not load the model in time\n%s", lastLines(log.Name()))
	return nil
}

// command finds the engine: the one PADDOCK_ENGINE names (a bundle's folder or a
// llama-server), else the bundle the Makefile makes.
func command(t *testing.T, args ...string) *exec.Cmd {
	t.Helper()
	place := os.Getenv("PADDOCK_ENGINE")
	if place == "" {
		place = filepath.Join("..", "..", "..", "build", "engine")
	}
	info, err := os.Stat(place)
	if err != nil {
		t.Fatalf("no engine to test with (%v): run make engine, or set PADDOCK_ENGINE", err)
	}
	cmd := exec.Command(place, args...)
	if info.IsDir() {
		lib := filepath.Join(place, "lib")
		cmd = exec.Command(filepath.Join(lib, "ld-linux-x86-64.so.2"),
			append([]string{"--library-path", lib, filepath.Join(place, "bin", "llama-server")}, args...)...)
	}
	cmd.Env = []string{"GGML_NO_BACKTRACE=1", "XDG_CONFIG_HOME=", "HOME=" + t.TempDir()}
	return cmd
}

func lastLines(path string) string {
	text, err := os.ReadFile(path)
	if err != nil {
		return err.Error()
	}
	lines := strings.Split(strings.TrimSpace(string(text)), "\n")
	return strings.Join(lines[max(0, len(lines)-15):], "\n")
}

// ask sends one request and decodes the answer.
func ask[Answer any](t *testing.T, e *engine, path string, request any) Answer {
	t.Helper()
	body, err := json.Marshal(request)
	if err != nil {
		t.Fatal(err)
	}
	response, err := e.http.Post("http://engine"+path, "application/json", bytes.NewReader(body))
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	text, err := io.ReadAll(response.Body)
	if err != nil {
		t.Fatal(err)
	}
	if response.StatusCode != http.StatusOK {
		t.Fatalf("%s: %s: %s", path, response.Status, text)
	}
	var answer Answer
	if err := json.Unmarshal(text, &answer); err != nil {
		t.Fatalf("%v in %s", err, text)
	}
	return answer
}

// A chatAnswer is what a test wants to know of an answer.
type chatAnswer struct {
	Choices []struct {
		FinishReason string `json:"finish_reason"`
		Message      struct{ Content string }
	}
	Usage struct {
		PromptTokens     int `json:"prompt_tokens"`
		CompletionTokens int `json:"completion_tokens"`
	}
	Timings struct {
		Drafted  int `json:"draft_n"`
		Accepted int `json:"draft_n_accepted"`
	}
}

func (a chatAnswer) text() string {
	if len(a.Choices) != 1 {
		return fmt.Sprintf("%d choices", len(a.Choices))
	}
	return a.Choices[0].Message.Content
}

type object map[string]any

// chat asks for the likeliest answer of at most so many tokens.
func chat(t *testing.T, e *engine, content any, tokens int) chatAnswer {
	t.Helper()
	return ask[chatAnswer](t, e, "/v1/chat/completions", object{
		"messages":    []object{{"role": "user", "content": content}},
		"max_tokens":  tokens,
		"temperature": 0,
	})
}
