// Matrix explores: it starts the real engine with hundreds of combinations of what
// the product lets a user choose, on generated models, and compares what happens
// with what the rules say. It can be interrupted and goes on where it was.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"time"

	"paddock/engine/build"
	"paddock/engine/build/bare"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
)

func main() {
	engine := flag.String("engine", "build/engine/bin/llama-server", "engine to explore")
	folder := flag.String("folder", "build/matrix", "what was found so far")
	out := flag.String("out", "docs/combinations.md", "file to write")
	combined := flag.Int("combined", 24, "combinations of several options for each model and set of devices")
	only := flag.String("only", "", "only the sets of devices with this in their name")
	flag.Parse()
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	if err := explore(ctx, *engine, *folder, *out, *only, *combined); err != nil {
		fmt.Fprintln(os.Stderr, "matrix:", err)
		os.Exit(1)
	}
}

func explore(ctx context.Context, enginePath, folder, out, only string, combined int) error {
	b := build.Identify(ctx, enginePath, build.Bundled)
	if err := b.Err(); err != nil {
		return err
	}
	models, err := generate(filepath.Join(folder, "models"))
	if err != nil {
		return err
	}
	known, err := open(filepath.Join(folder, "results.jsonl"))
	if err != nil {
		return err
	}
	defer known.file.Close()
	var verdicts []verdict
	for _, h := range halls {
		if !strings.Contains(h.name, only) {
			continue
		}
		found, err := visit(ctx, b, h, cells(models, h, combined), known)
		if err != nil {
			return err
		}
		verdicts = append(verdicts, found...)
	}
	file, err := os.Create(out)
	if err != nil {
		return err
	}
	defer file.Close()
	report(file, fmt.Sprintf("b%d", b.Number), verdicts)
	if bad := ofKind(verdicts, unexplained); len(bad) > 0 {
		for _, v := range bad {
			fmt.Printf("%s, %s, %q: %s, but %s %s\n", v.cell.model, v.cell.hall.name, v.cell.what, saying(v.check), v.result.Outcome, v.result.Reason)
		}
		return fmt.Errorf("%d of %d plans are unexplained", len(bad), len(verdicts))
	}
	fmt.Printf("%d plans, none unexplained\n", len(verdicts))
	return file.Close()
}

// generate makes the models, and reads them. A model's name is its file's.
func generate(folder string) (map[string]gguf.Facts, error) {
	if err := os.MkdirAll(folder, 0o755); err != nil {
		return nil, err
	}
	folder, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	models := map[string]gguf.Facts{}
	for _, spec := range gguftest.All() {
		path, err := spec.Write(folder)
		if err != nil {
			return nil, err
		}
		f, err := gguf.Read(path)
		if err != nil {
			return nil, err
		}
		f.Name = spec.Name
		models[spec.Name] = f
	}
	return models, nil
}

// visit runs the cells of one set of devices that are not known yet, and judges
// all.
func visit(ctx context.Context, b build.Build, h hall, list []cell, known *store) ([]verdict, error) {
	env, ok := bare.SoftwareVulkan(h.vulkan)
	if h.vulkan > 0 && !ok {
		return nil, fmt.Errorf("no software Vulkan: the package mesa-vulkan-drivers has it")
	}
	for _, entry := range env {
		name, value, _ := strings.Cut(entry, "=")
		if err := os.Setenv(name, value); err != nil {
			return nil, err
		}
	}
	servers := ""
	if h.rpc > 0 {
		addresses, stop, err := bare.RPC(ctx, b, h.rpc)
		if err != nil {
			return nil, err
		}
		defer stop()
		servers = addresses
	}
	key := func(c cell) string { return c.key(b.Version + fmt.Sprint(b.Number)) }
	todo := 0
	for _, c := range list {
		if _, done := known.results[key(c)]; !done {
			todo++
		}
	}
	start, done := time.Now(), 0
	for _, c := range list {
		if _, is := known.results[key(c)]; is {
			continue
		}
		running := c
		if h.rpc > 0 {
			running.plan.RPCServers = servers
		}
		r := result{Key: key(c)}
		r.Outcome, r.Reason, r.Text = run(ctx, b, running)
		if ctx.Err() != nil {
			return nil, fmt.Errorf("interrupted; what was found is kept")
		}
		if err := known.add(r); err != nil {
			return nil, err
		}
		if done++; done%25 == 0 {
			left := time.Duration(float64(time.Since(start)) / float64(done) * float64(todo-done))
			fmt.Printf("%s: %d of %d, %s left\n", h.name, done, todo, left.Round(time.Second))
		}
	}
	var verdicts []verdict
	for _, c := range list {
		verdicts = append(verdicts, judge(c, known.results[key(c)], known.results[key(c.plain())].Text, b.Number))
	}
	return verdicts, nil
}

// A store is what was found so far, on disk.
type store struct {
	file    *os.File
	results map[string]result
}

func open(path string) (*store, error) {
	file, err := os.OpenFile(path, os.O_RDWR|os.O_CREATE|os.O_APPEND, 0o644)
	if err != nil {
		return nil, err
	}
	s := &store{file: file, results: map[string]result{}}
	lines := bufio.NewScanner(file)
	lines.Buffer(nil, 1<<20)
	for lines.Scan() {
		var r result
		if json.Unmarshal(lines.Bytes(), &r) == nil { // a line cut short is found anew
			s.results[r.Key] = r
		}
	}
	return s, lines.Err()
}

func (s *store) add(r result) error {
	s.results[r.Key] = r
	data, err := json.Marshal(r)
	if err != nil {
		return err
	}
	_, err = s.file.Write(append(data, '\n'))
	return err
}

// device is a device as the engine lists it here.
func device(id string) build.Device {
	return build.Device{ID: id, Name: id, Software: strings.HasPrefix(id, "Vulkan"), TotalBytes: 2 << 30, FreeBytes: 2 << 30}
}
