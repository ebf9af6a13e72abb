package cli

import (
	"slices"
	"strings"
	"testing"

	"paddock/engine/budget"
	"paddock/engine/plan"
	"paddock/words"
)

func TestAChangeOfAPlanIsWrittenAsFlags(t *testing.T) {
	from := plan.Plan{
		ContextTokens: 8192, Devices: "CUDA0,CUDA1", GPULayers: "all", SplitMode: "tensor", TensorSplit: "3,1", CacheK: "f16",
		SpecTypes: plan.SpecMTP, DraftPath: "/m/head.gguf", DraftMax: 2, DraftCacheK: "q8_0", ProjectorPath: "/m/eyes.gguf",
		ContextShift: true, CacheReuseTokens: 256, BatchTokens: 2048,
	}
	tests := map[string]struct {
		change func(*plan.Plan)
		want   string
	}{
		"nothing":                  {func(*plan.Plan) {}, ""},
		"a shorter context":        {func(p *plan.Plan) { p.ContextTokens = 512 }, "--context 512"},
		"no guessing":              {func(p *plan.Plan) { p.SpecTypes, p.DraftPath, p.DraftMax, p.DraftCacheK = "none", "", 0, "" }, "--spec none"},
		"another way of guessing":  {func(p *plan.Plan) { p.SpecTypes = "draft-simple,ngram-mod" }, "--spec draft,ngram-mod"},
		"fewer tokens guessed":     {func(p *plan.Plan) { p.DraftMax = 1 }, "--draft-max 1"},
		"the processor alone":      {func(p *plan.Plan) { p.Devices, p.GPULayers, p.SplitMode, p.TensorSplit = "CPU", "0", "", "" }, "--devices CPU --gpu-layers 0 --split '' --tensor-split ''"},
		"whole layers":             {func(p *plan.Plan) { p.SplitMode, p.TensorSplit = "layer", "" }, "--split layer --tensor-split ''"},
		"vision on the processor":  {func(p *plan.Plan) { p.ProjectorDevice = "cpu" }, "--projector-device cpu"},
		"no prompt cache":          {func(p *plan.Plan) { p.PromptCacheMiB = plan.NoPromptCache }, "--prompt-cache none"},
		"a small prompt cache":     {func(p *plan.Plan) { p.PromptCacheMiB = 64 }, "--prompt-cache 64"},
		"no vision":                {func(p *plan.Plan) { p.ProjectorPath = "none" }, "--projector none"},
		"nothing forgotten":        {func(p *plan.Plan) { p.ContextShift, p.CacheReuseTokens = false, 0 }, "--no-context-shift --cache-reuse 0"},
		"what no flag is there of": {func(p *plan.Plan) { p.BatchTokens = 512 }, ""},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			to := from
			test.change(&to)
			if got, want := strings.Fields(words.Shell(flagsOf(from, to))), strings.Fields(test.want); !sameFlags(got, want) {
				t.Errorf("%q, want %q", got, want)
			}
		})
	}
}

// sameFlags compares flags with their values, whatever their order.
func sameFlags(a, b []string) bool {
	pairs := func(list []string) []string {
		all := strings.Split(strings.Join(list, " "), "--")
		for i := range all {
			all[i] = strings.TrimSpace(all[i])
		}
		slices.Sort(all)
		return all
	}
	return slices.Equal(pairs(a), pairs(b))
}

func TestWhatMakesAPlanFitCanBeAddedToItsCommandLine(t *testing.T) {
	root := record(t, map[string]string{
		"proc/meminfo":     "MemTotal: 65536000 kB\nMemAvailable: 60000000 kB\n",
		"list-devices.txt": "Available devices:\n  CUDA0: Tiny (1024 MiB, 300 MiB free)\n  CUDA1: Tiny (1024 MiB, 300 MiB free)\n",
	})
	dir := shelve(t, "llama", "llama-draft")
	args := []string{"check", dir + "/llama.gguf", "--json", "--build", "11669", "--root", root, "--tensor-split", "3,1", "--spec", "draft"}
	c := decode[checkDocument](t, runWithoutEngine(t, args...))
	if len(c.Remedies) == 0 {
		t.Fatal("nothing helps")
	}
	for _, remedy := range c.Remedies {
		again := runWithoutEngine(t, append(slices.Clone(args), remedy.Flags...)...)
		if again.status != Done {
			t.Errorf("%q: exit status %d, %s", remedy.Flags, again.status, again.stderr)
		}
	}
}

func TestACardOfThreeTakesItsShare(t *testing.T) {
	dir := shelve(t, "llama")
	args := []string{"check", dir + "/llama.gguf", "--json", "--build", "11669", "--root", recordedMachine("nvidia-three")}
	tests := map[string]struct {
		flags   []string
		devices string
		pools   int // of cards
	}{
		"each card once":        {nil, "CUDA0,CUDA1,CUDA2", 3},
		"layers by given parts": {[]string{"--split", "layer", "--tensor-split", "2,1,1"}, "CUDA0,CUDA1,CUDA2", 3},
		"two of them":           {[]string{"--devices", "CUDA2,CUDA0", "--tensor-split", "1,2"}, "CUDA2,CUDA0", 2},
		"one of them":           {[]string{"--devices", "Vulkan1"}, "Vulkan1", 1},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := runWithoutEngine(t, append(slices.Clone(args), test.flags...)...)
			c := decode[checkDocument](t, r)
			if r.status != Done || c.Plan.Devices != test.devices || c.Memory.Source != "estimate" {
				t.Fatalf("%d, %+v, %s", r.status, c.Plan, r.stderr)
			}
			cards := 0
			for _, pool := range c.Memory.Pools {
				if pool.ID != "ram" && pool.NeededBytes > 0 {
					cards++
				}
			}
			if cards != test.pools {
				t.Errorf("%d cards hold something: %+v", cards, c.Memory.Pools)
			}
		})
	}
}

func TestAMachineWithLittleMemoryIsToldOfAPlanThatIsTight(t *testing.T) {
	root := record(t, map[string]string{
		"proc/meminfo": "MemTotal: 8000000 kB\nMemAvailable: 1100000 kB\n", "list-devices.txt": "Available devices:\n",
	})
	dir := shelve(t, "llama")
	args := []string{"check", dir + "/llama.gguf", "--json", "--build", "11669", "--root", root}
	c := decode[struct{ Remedies []remedy }](t, runWithoutEngine(t, args...))
	if len(c.Remedies) == 0 || c.Remedies[0].Fit != budget.Tight || !slices.Equal(c.Remedies[0].Flags, []string{"--prompt-cache", "none"}) ||
		!strings.Contains(c.Remedies[0].Message, "prompt cache") || !strings.Contains(c.Remedies[0].Message, "tight") {
		t.Fatalf("%+v", c.Remedies)
	}
	again := runWithoutEngine(t, append(slices.Clone(args), c.Remedies[0].Flags...)...)
	if d := decode[struct{ Fit budget.Fit }](t, again); again.status != Done || d.Fit != budget.Tight {
		t.Errorf("exit status %d, %s: %s", again.status, d.Fit, again.stderr)
	}
}
