package server

import (
	"testing"

	"paddock/engine/plan"
)

func TestALogThatSpeaksOfTheFileIsAFaultAndOneOfSettingsIsNone(t *testing.T) {
	p := plan.Plan{ModelPath: "/m/model.gguf", DraftPath: "/m/draft.gguf"}
	const load = "0.00.031.553 E llama_model_load: error loading model: "
	for _, test := range []struct {
		name, log string
		kind      FailureKind // empty for no fault
		path      string
	}{
		{"an architecture", load + "unknown model architecture: 'lloma'\n", UnknownArchitecture, p.ModelPath},
		{"a tokenizer", load + "error loading model vocabulary: unknown tokenizer: 'x'\r\n", UnknownArchitecture, p.ModelPath},
		{"a size that can't be", load + "error loading model hyperparameters: invalid n_rot: 7, expected 32\n", ModelCorrupt, p.ModelPath},
		{"a missing tensor", load + "check_tensor_dims: tensor 'blk.3.ffn_down.weight' not found\n", ModelCorrupt, p.ModelPath},
		{"a key of another type", load + "key general.file_type has wrong type i32 but expected type u32\n", ModelCorrupt, p.ModelPath},
		{"a number of layers that is asserted", "./src/llama-model.cpp:1381: GGML_ASSERT(hparams.n_layer_all > 0) failed\n", ModelCorrupt, p.ModelPath},
		{"no processor", load + "make_cpu_buft_list: no CPU backend found\n", EngineIncomplete, p.ModelPath},
		{"a draft", load + "unknown model architecture: 'x'\n0.00.034.857 E cmn  common_init_: failed to load model '/m/draft.gguf'\n", UnknownArchitecture, p.DraftPath},
		{"memory", load + "unable to allocate Vulkan0 buffer\n", "", ""},
		{"a setting", "error while handling argument \"-ctk\": Unsupported cache type: q9\n", "", ""},
		{"another assertion", "ggml-backend.cpp:12: GGML_ASSERT(buffer) failed\n", "", ""},
		{"a warning", "0.00.034.524 W llama_context: n_ctx_seq (4096) > n_ctx_train (64)\n", "", ""},
		{"nothing", "", "", ""},
	} {
		t.Run(test.name, func(t *testing.T) {
			f := Fault(test.log, p)
			switch {
			case test.kind == "" && f != nil:
				t.Errorf("it is taken for %v", f)
			case test.kind != "" && (f == nil || f.Kind != test.kind || f.ModelPath != test.path || f.Reason == "" || f.ExitCode != -1):
				t.Errorf("fault %+v, want %s of %s", f, test.kind, test.path)
			}
		})
	}
}
