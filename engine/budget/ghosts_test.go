package budget

import (
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

// summon writes a ghost and reads its facts, of all its parts.
func summon(t *testing.T, g gguftest.Ghost) (string, gguf.Facts) {
	t.Helper()
	folder := t.TempDir()
	path, err := g.Write(folder)
	if err != nil {
		t.Fatal(err)
	}
	parts, err := filepath.Glob(filepath.Join(folder, "*.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	var f gguf.Facts
	if len(parts) > 1 {
		f, err = gguf.ReadSet(parts)
	} else {
		f, err = gguf.Read(path)
	}
	if err != nil {
		t.Fatal(err)
	}
	return path, f
}

// ghostRequest is a ghost on some devices with a context; 0 is the trained one.
func ghostRequest(path string, f gguf.Facts, devices string, tokens int) Request {
	if tokens == 0 {
		tokens = f.ContextTokens
	}
	r := Request{Given: plan.Given{Model: f}, Plan: plan.Plan{ModelPath: path, ContextTokens: tokens, Devices: devices, PromptCacheMiB: -1}}
	for _, id := range r.Plan.DeviceIDs() {
		r.Devices = append(r.Devices, build.Device{ID: id, Software: true, FreeBytes: 1 << 31})
	}
	if len(r.Devices) > 1 {
		r.Plan.TensorSplit = "1,1"
	}
	r.Plan, _ = plan.Complete(r.Plan, plan.Given{Model: f, Devices: r.Devices})
	return r
}

// engineBytes is what a pool's need is without what the engine does not measure.
func engineBytes(p *PoolNeed) float64 {
	return float64(p.Slices.Total()-p.Slices[Host]-p.Slices[Overhead]) / mib
}

// known are the ghosts' cells that are farther off, with the cause. There are
// none.
var known = map[string]string{}

func TestEstimatesOfRealSizesAgreeWithTheEngine(t *testing.T) {
	b := buildtest.Engine(t)
	out := tabwriter.NewWriter(os.Stdout, 0, 0, 2, ' ', tabwriter.AlignRight)
	fmt.Fprint(out, "model\tcontext\tdevices\tpool\testimate\tmeasured, MiB\toff\t\n")
	worst, worstCell := 0.0, ""
	slowest := time.Duration(0)
	count := 0
	one := func(t *testing.T, of, path string, f gguf.Facts, devices, spec string, contexts []int) {
		for _, tokens := range contexts {
			r := ghostRequest(path, f, devices, tokens)
			r.Plan.SpecTypes = spec
			name := fmt.Sprintf("%s, %d tokens, %s", of, r.Plan.ContextTokens, devices)
			start := time.Now()
			estimate := Estimate(r)
			slowest = max(slowest, time.Since(start))
			measured, err := Measure(t.Context(), b, r)
			tooLarge := Judge(estimate, Situation{Devices: r.Devices}).TooLarge != ""
			if tooLarge != (err != nil) {
				t.Errorf("%s: a cache larger than the device's buffers: %v; the engine: %v", name, tooLarge, err)
			}
			if err != nil {
				fmt.Fprintf(out, "%s\t%d\t%s\t\t\tthe engine aborts: a layer's keys are larger than a buffer\t\t\n", of, r.Plan.ContextTokens, devices)
				continue
			}
			count++
			var sum, measuredSum float64
			for i := range estimate.Pools {
				e, m := engineBytes(&estimate.Pools[i]), engineBytes(measured.pool(estimate.Pools[i].ID))
				sum, measuredSum = sum+e, measuredSum+m
				off := (e - m) / max(m, 1)
				fmt.Fprintf(out, "%s\t%d\t%s\t%s\t%.1f\t%.0f\t%.2f %%\t\n", of, r.Plan.ContextTokens, devices, estimate.Pools[i].ID, e, m, 100*off)
				if abs(off) > worst {
					worst, worstCell = abs(off), name+", "+estimate.Pools[i].ID
				}
				// A few MiB are rounding: every line of the engine's is.
				if abs(off) > 0.05 && abs(e-m) > 4 && known[name] == "" {
					t.Errorf("%s, %s: estimated %.1f MiB, measured %.0f", name, estimate.Pools[i].ID, e, m)
				}
			}
			if off := abs(sum-measuredSum) / measuredSum; off > 0.02 && known[name] == "" {
				t.Errorf("%s in sum: estimated %.1f MiB, measured %.0f", name, sum, measuredSum)
			}
		}
	}
	ghosts, contexts := gguftest.Ghosts(), []int{4096, 32768, 131072, 0}
	if !*whole {
		ghosts, contexts = quickGhosts(ghosts), []int{32768}
	}
	every := func(t *testing.T, devices string) {
		for _, g := range ghosts {
			path, f := summon(t, g)
			one(t, strings.TrimPrefix(g.Name, "ghost-"), path, f, devices, "", contexts)
			if f.NextNLayers > 0 {
				one(t, strings.TrimPrefix(g.Name, "ghost-")+" with MTP", path, f, devices, "draft-mtp", contexts)
			}
		}
	}
	t.Run("the processor", func(t *testing.T) { every(t, plan.CPU) })
	t.Run("one software Vulkan device", func(t *testing.T) { buildtest.Vulkan(t, 1); every(t, "Vulkan0") })
	t.Run("two software Vulkan devices", func(t *testing.T) { buildtest.Vulkan(t, 2); every(t, "Vulkan0,Vulkan1") })
	t.Run("the real model, where there is one", func(t *testing.T) {
		real, err := filepath.Glob("../../build/real/*.gguf")
		if err != nil {
			t.Fatal(err)
		}
		for _, path := range real {
			f, err := gguf.Read(path)
			if err != nil {
				t.Fatal(err)
			}
			one(t, filepath.Base(path), path, f, plan.CPU, "", contexts)
		}
	})
	if *whole {
		out.Flush()
		fmt.Printf("%d measurements of %d models; the worst: %s, %.2f %% off; the slowest estimate took %v\n",
			count, len(ghosts), worstCell, 100*worst, slowest)
	}
}

// quickGhosts are those of make test: one of each kind of memory.
func quickGhosts(all []gguftest.Ghost) []gguftest.Ghost {
	var some []gguftest.Ghost
	for _, g := range all {
		switch g.Name {
		case "ghost-gemma4-e4b", "ghost-qwen3.6-35b-a3b", "ghost-deepseek-v3", "ghost-lfm2-1.2b":
			some = append(some, g)
		}
	}
	return some
}

func TestProjectorsOfRealSizes(t *testing.T) {
	b := buildtest.Engine(t)
	model, f := summon(t, gguftest.Ghosts()[0])
	for _, g := range gguftest.VisionGhosts() {
		path, encoder := summon(t, g)
		r := ghostRequest(model, f, plan.CPU, 4096)
		r.Beside, r.Plan.ProjectorPath = append(r.Beside, encoder), path
		measured, err := Measure(t.Context(), b, r)
		if err != nil {
			t.Fatal(err)
		}
		e, m := Estimate(r).Pools[0].Slices[Projector], measured.Pools[0].Slices[Projector]
		if *whole {
			fmt.Printf("%s: estimated %.1f MiB, measured %.1f\n", g.Name, float64(e)/mib, float64(m)/mib)
		}
		if off := abs(float64(e)-float64(m)) / float64(m); m == 0 || off > 0.05 {
			t.Errorf("%s: estimated %d bytes, measured %d", g.Name, e, m)
		}
	}
}
