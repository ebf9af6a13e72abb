package budget

import (
	"bufio"
	"bytes"
	"context"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"text/tabwriter"
	"time"

	"paddock/engine/build"
	"paddock/engine/build/buildtest"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// With -whole the tests against the engine try everything and print tables, as
// make bench does; else a part that covers every kind of thing.
var whole = flag.Bool("whole", false, "try every plan against the engine and print the tables")

// A cell is one plan over generated models, to be compared with the engine.
type cell struct {
	name             string
	model            string // name of a generated model
	draft, projector string
	plan             plan.Plan
	quick            bool // part of make test
}

// A hall is where cells are tried: models, devices, an engine.
type hall struct {
	build  build.Build
	models map[string]string // paths by name
	facts  map[string]gguf.Facts
}

func newHall(t *testing.T) *hall {
	h := &hall{build: buildtest.Engine(t), models: map[string]string{}, facts: map[string]gguf.Facts{}}
	folder := t.TempDir()
	for _, spec := range gguftest.All() {
		path, err := spec.Write(folder)
		if err != nil {
			t.Fatal(err)
		}
		if spec.Name == "llama-split" {
			f, err := gguf.ReadSet([]string{path, strings.Replace(path, "00001-of", "00002-of", 1)})
			if err != nil {
				t.Fatal(err)
			}
			h.models[spec.Name], h.facts[spec.Name] = path, f
			continue
		}
		f, err := gguf.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		h.models[spec.Name], h.facts[spec.Name] = path, f
	}
	return h
}

// request is a cell's plan, complete.
func (h *hall) request(c cell) Request {
	r := Request{Plan: c.plan, Given: plan.Given{Model: h.facts[c.model]}}
	r.Plan.PromptCacheMiB = -1
	r.Plan.ModelPath = h.models[c.model]
	if c.draft != "" {
		r.Plan.DraftPath = h.models[c.draft]
		r.Beside = append(r.Beside, h.facts[c.draft])
	}
	if c.projector != "" {
		r.Plan.ProjectorPath = h.models[c.projector]
		r.Beside = append(r.Beside, h.facts[c.projector])
	}
	for _, id := range r.Plan.DeviceIDs() {
		r.Devices = append(r.Devices, build.Device{ID: id, Software: backend(id) == "Vulkan", FreeBytes: 1 << 31})
	}
	r.Plan, _ = plan.Complete(r.Plan, r.Given)
	return r
}

// load starts the engine with a plan, waits until it has loaded, and returns what
// its log says it allocated.
func load(ctx context.Context, b build.Build, p plan.Plan) (Memory, error) {
	ctx, cancel := context.WithTimeout(ctx, time.Minute)
	defer cancel()
	folder, err := os.MkdirTemp("", "pl")
	if err != nil {
		return Memory{}, err
	}
	defer os.RemoveAll(folder)
	args := append(plan.Arguments(p), "--no-repack", "--no-warmup", "-t", "1", "-lv", "4", "--offline", "--no-ui",
		"--host", filepath.Join(folder, "l.sock"))
	cmd := b.Command(ctx, "llama-server", args...)
	build.OwnGroup(cmd)
	output, err := cmd.StdoutPipe()
	if err != nil {
		return Memory{}, err
	}
	cmd.Stderr = cmd.Stdout
	if err := cmd.Start(); err != nil {
		return Memory{}, err
	}
	defer func() { build.EndGroup(cmd.Process); cmd.Wait() }()
	var log bytes.Buffer
	lines := bufio.NewScanner(output)
	for lines.Scan() {
		fmt.Fprintln(&log, lines.Text())
		if strings.Contains(lines.Text(), "model loaded") {
			return FromLog(&log)
		}
	}
	return Memory{}, fmt.Errorf("it did not load: %s", firstError(log.String()))
}

// A comparison is what one cell came to.
type comparison struct {
	where, slice                  string
	estimate, measured, allocated float64 // MiB
	bad                           bool
}

// off is how far the estimate is from what was allocated, beyond what is allowed,
// as a share of that.
func (c comparison) off() float64 {
	return max(abs(c.estimate-c.allocated), abs(c.measured-c.allocated)) / max(c.allocated, 16)
}

func abs(x float64) float64 { return max(x, -x) }

// compare holds estimate and measurement against what the engine allocated:
// weights, cache and states exactly, compute buffers within a tenth or 16 MiB.
func compare(estimate, measured, allocated Memory) []comparison {
	var list []comparison
	for _, pool := range estimate.Pools {
		m, a := measured.pool(pool.ID).Slices, allocated.pool(pool.ID).Slices
		for _, slice := range []string{Weights, KV, Recurrent, Compute, Draft} {
			c := comparison{
				where: pool.ID, slice: slice, estimate: float64(pool.Slices[slice]) / mib,
				measured: float64(m[slice]) / mib, allocated: float64(a[slice]) / mib,
			}
			if slice == Compute || slice == Draft {
				allowed := max(c.allocated/10, 16)
				c.bad = abs(c.measured-c.allocated) > allowed || abs(c.estimate-c.allocated) > allowed
			} else {
				// The engine rounds what it measures down to MiB, and lines of its log
				// to a hundredth.
				c.bad = abs(c.estimate-c.allocated) > 0.1 || abs(c.measured-c.allocated) > 1.1
			}
			list = append(list, c)
		}
	}
	return list
}

func TestTheEngineAllocatesWhatWasEstimatedAndMeasured(t *testing.T) {
	h := newHall(t)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(out, "plan\tpool\tslice\testimate\tmeasured\tallocated, MiB\t\n")
	var worst comparison
	var worstCell string
	count := 0
	run := func(t *testing.T, cells []cell) {
		for _, c := range cells {
			if !c.quick && !*whole {
				continue
			}
			count++
			r := h.request(c)
			estimate := Estimate(r)
			measured, err := Measure(t.Context(), h.build, r)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			allocated, err := load(t.Context(), h.build, r.Plan)
			if err != nil {
				t.Errorf("%s: %v", c.name, err)
				continue
			}
			for _, x := range compare(estimate, measured, allocated) {
				if x.bad {
					t.Errorf("%s, %s on %s: estimated %.2f MiB, measured %.0f, allocated %.2f", c.name, x.slice, x.where, x.estimate, x.measured, x.allocated)
				}
				if x.off() > worst.off() {
					worst, worstCell = x, c.name
				}
				if x.estimate+x.measured+x.allocated > 0 {
					fmt.Fprintf(out, "%s\t%s\t%s\t%.2f\t%.0f\t%.2f\t\n", c.name, x.where, x.slice, x.estimate, x.measured, x.allocated)
				}
			}
		}
	}
	t.Run("the processor", func(t *testing.T) { run(t, processorCells()) })
	t.Run("RPC devices", func(t *testing.T) {
		run(t, rpcCells(buildtest.RPC(t, 2).RPCServers, buildtest.RPC(t, 3).RPCServers))
	})
	t.Run("one software Vulkan device", func(t *testing.T) { buildtest.Vulkan(t, 1); run(t, vulkanCells("Vulkan0")) })
	t.Run("two software Vulkan devices", func(t *testing.T) { buildtest.Vulkan(t, 2); run(t, vulkanCells("Vulkan0,Vulkan1")) })
	if *whole {
		out.Flush()
		fmt.Printf("%d plans; the worst: %s, %s on %s, estimated %.2f MiB, measured %.0f, allocated %.2f\n",
			count, worstCell, worst.slice, worst.where, worst.estimate, worst.measured, worst.allocated)
		if count < 60 {
			t.Errorf("only %d plans", count)
		}
	}
}
