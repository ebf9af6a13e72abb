package budget

import (
	"reflect"
	"strings"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/plan"
)

const table = `0.00.1 I srv load_model: [mtmd] estimated worst-case memory usage of mmproj is 937.94 MiB (took 2.03 ms)
0.00.1 I common_memory_breakdown_print: | memory breakdown [MiB]                         | total   free     self   model   context   compute    unaccounted |
0.00.1 I common_memory_breakdown_print: |   - Vulkan0 (llvmpipe (LLVM 15.0.6, 256 bits)) |  2048 = 2048 + (20722 = 16342 +    2624 +    1756) +      -20722 |
0.00.1 I common_memory_breakdown_print: |   - CUDA1                                      |  2048 = 2048 + (20722 = 5 +    6 +    7) +      -20722 |
0.00.1 I common_memory_breakdown_print: |   - Host                                       |                 17954 =  8993 +       0 +    8960                |
0.00.1 I common_memory_breakdown_print: | memory breakdown [MiB] | total   free    self   model   context   compute    unaccounted |
0.00.1 I common_memory_breakdown_print: |   - Host               |                    8 =     1 +       2 +       5                |
0.00.1 I common_params_fit_impl: projected to use 17 MiB of host memory vs. 24105 MiB of total host memory
`

func TestTheServersTablesAreRead(t *testing.T) {
	var a answer
	for line := range strings.Lines(table) {
		if a.complete {
			t.Fatal("it is complete before its end")
		}
		a.serverLine(line)
	}
	want := answer{
		contexts: [][]need{
			{{"Vulkan0", 16342 * mib, 2624 * mib, 1756 * mib}, {"CUDA1", 5 * mib, 6 * mib, 7 * mib}, {"Host", 8993 * mib, 0, 8960 * mib}},
			{{"Host", mib, 2 * mib, 5 * mib}},
		},
		projector: 937*mib + 985661, // .94 MiB
		complete:  true,
	}
	if !reflect.DeepEqual(a, want) {
		t.Errorf("got  %+v\nwant %+v", a, want)
	}

	r := Request{Plan: plan.Plan{Devices: "Vulkan0,CUDA1", PromptCacheMiB: 10}, Given: plan.Given{Model: layers(1, nil)}}
	slices := func(m Memory, id string) Slices { return m.pool(id).Slices }
	own := a.memory(r)
	if s := slices(own, "Vulkan0"); s[Weights] != 16342*mib || s[KV] != 2624*mib || s[Compute] != 1756*mib || s[Projector] != want.projector {
		t.Errorf("%+v", s)
	}
	if s := slices(own, RAM); s[Draft] != 7*mib || s[Host] != 10*mib {
		t.Errorf("layers of the model's own for prediction: %+v", s)
	}
	r.Plan.DraftPath, r.Plan.ProjectorDevice = "d.gguf", plan.ProjectorCPU
	if s := slices(a.memory(r), RAM); s[Draft] != 8*mib || s[Projector] != want.projector {
		t.Errorf("a draft model and a projector in RAM: %+v", s)
	}
	if last := own.Pools[len(own.Pools)-1].ID; last != RAM || len(own.Pools) != 3 {
		t.Errorf("%+v", own.Pools)
	}
}

func TestADraftTheEngineCannotMeasureIsCountedAsEstimated(t *testing.T) {
	var a answer
	for line := range strings.Lines(`0.00.1 I common_memory_breakdown_print: | memory breakdown [MiB] | total   free    self   model   context   compute    unaccounted |
0.00.1 I common_memory_breakdown_print: |   - Host               |                   69 =     1 +      32 +      35                |
0.00.1 W operator(): failed to measure the memory of the extra model, fitting without it: failed to create llama_context from model
0.00.1 I common_params_fit_impl: projected to use 69 MiB of host memory vs. 24105 MiB of total host memory
`) {
		a.serverLine(line)
	}
	draft := layers(2, nil)
	draft.Path = "d.gguf"
	r := Request{
		Plan:  plan.Plan{ContextTokens: 4096, Devices: plan.CPU, SpecTypes: "draft-simple", DraftPath: "d.gguf"},
		Given: plan.Given{Model: layers(2, nil), Beside: []gguf.Facts{draft}},
	}
	measured := a.memory(r)
	got, want := measured.pool(RAM).Slices[Draft], Estimate(r).Pools[0].Slices[Draft]
	if got != want || want == 0 {
		t.Errorf("%d bytes, estimated %d", got, want)
	}
}

func TestTheToolsLinesAreRead(t *testing.T) {
	tests := []struct {
		name, text string
		want       []need
	}{
		{"the processor alone", "Host 235 39 527 \n", []need{{"Host", 235 * mib, 39 * mib, 527 * mib}}},
		{"a device whose name has blanks", "Some Device 0 1 2 3\n", []need{{"Some Device 0", mib, 2 * mib, 3 * mib}}},
		{"other words", "usage: llama-fit-params\nHost 1 2\n", nil},
		{"an absurd number counts as nothing", "Host 99999999999999999999 1 1", []need{{"Host", 0, mib, mib}}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var a answer
			for line := range strings.Lines(test.text) {
				a.toolLine(line)
			}
			var got []need
			if len(a.contexts) > 0 {
				got = a.contexts[0]
			}
			if !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v", got)
			}
		})
	}
}

func TestTheProcessorUnderSeveralNamesIsOnePool(t *testing.T) {
	for name, want := range map[string]string{
		"Host": RAM, "CPU": RAM, "CPU_REPACK": RAM, "CPU_Mapped": RAM, "Vulkan_Host": RAM, "CUDA_Host": RAM,
		"Vulkan0": "Vulkan0", "CUDA1": "CUDA1", "RPC0": "RPC0",
	} {
		if got := poolID(name); got != want {
			t.Errorf("%s is in %s", name, got)
		}
	}
}

func TestFirstError(t *testing.T) {
	tests := []struct{ name, log, want string }{
		{"the first error of the log", "0.00.1 I x: loading\n0.00.2 E gguf: no such file\n0.00.3 E load: failed\n", "gguf: no such file"},
		{"an argument it does not know", "error: invalid argument: --x\n", "invalid argument: --x"},
		{"its end, when the log is lost", "terminate called after throwing\n  what():  failed to load model\n", "failed to load model"},
		{"nothing", "0.00.1 I x: loading\n", ""},
	}
	for _, test := range tests {
		if got := firstError(test.log); got != test.want {
			t.Errorf("%s: got %q", test.name, got)
		}
	}
}
