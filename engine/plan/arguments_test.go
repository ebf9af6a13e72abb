package plan

import (
	"slices"
	"strings"
	"testing"

	"paddock/engine/gguf"
)

func TestArgumentsSayEverySettingThatMatters(t *testing.T) {
	p, _ := Complete(Plan{}, Given{Model: gguf.Facts{Path: "m.gguf", ContextTokens: 2048}})
	args := Arguments(p)
	for _, pair := range []string{
		"-m m.gguf", "-c 2048", "-np 1", "-b 2048", "-ub 512", "-dev none", "-ngl 0", "-sm none", "-fa auto",
		"-ctk f16", "-ctv f16", "--no-kv-unified", "-fit off", "--cache-ram 1024", "--ctx-checkpoints 4",
		"--cache-reuse 0", "--no-context-shift", "--spec-type none",
	} {
		if !strings.Contains(" "+strings.Join(args, " ")+" ", " "+pair+" ") {
			t.Errorf("%q is missing from %q", pair, args)
		}
	}
}

func TestArgumentsFollowTheDevices(t *testing.T) {
	tests := []struct {
		name, devices, layers, want string
	}{
		{"none for the CPU, whatever the layers say", "CPU", "12", "-dev none -ngl 0 -sm none"},
		{"one device holds the model whole", "Vulkan0", "all", "-dev Vulkan0 -ngl all -sm none"},
		{"several devices share by layer", "Vulkan0,Vulkan1", "20", "-dev Vulkan0,Vulkan1 -ngl 20 -sm layer"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			args := strings.Join(Arguments(Plan{Devices: test.devices, GPULayers: test.layers}), " ")
			if !strings.Contains(args, test.want) {
				t.Errorf("%q is not in %q", test.want, args)
			}
		})
	}
}

func TestEqualPlansGiveEqualArguments(t *testing.T) {
	p, _ := Complete(Plan{Devices: "Vulkan0,Vulkan1"}, Given{Model: gguf.Facts{Path: "m.gguf"}})
	same := p
	if !slices.Equal(Arguments(p), Arguments(same)) {
		t.Error("two equal plans differ in their arguments")
	}
}

func TestEverySettingReachesTheArguments(t *testing.T) {
	base, _ := Complete(Plan{Devices: "Vulkan0"}, Given{Model: gguf.Facts{Path: "m.gguf"}})
	changes := map[string]func(*Plan){
		"model":           func(p *Plan) { p.ModelPath = "n.gguf" },
		"context":         func(p *Plan) { p.ContextTokens++ },
		"devices":         func(p *Plan) { p.Devices = "Vulkan1" },
		"layers":          func(p *Plan) { p.GPULayers = "1" },
		"key type":        func(p *Plan) { p.CacheK = "q8_0" },
		"value type":      func(p *Plan) { p.CacheV = "q8_0" },
		"flash attention": func(p *Plan) { p.FlashAttn = "on" },
		"slots":           func(p *Plan) { p.Slots = 3 },
		"split":           func(p *Plan) { p.SplitMode = "row" },
		"shares":          func(p *Plan) { p.TensorSplit = "3,1" },
		"RPC servers":     func(p *Plan) { p.RPCServers = "127.0.0.1:50052" },
		"a shared cache":  func(p *Plan) { p.KVUnified = true },
		"batches":         func(p *Plan) { p.BatchTokens = 1024 },
		"their size":      func(p *Plan) { p.PhysicalBatchTokens = 256 },
		"prompt cache":    func(p *Plan) { p.PromptCacheMiB = -1 },
		"speculation":     func(p *Plan) { p.SpecTypes = "ngram-mod" },
		"projector":       func(p *Plan) { p.ProjectorPath = "v.gguf" },
	}
	for name, change := range changes {
		p := base
		change(&p)
		if slices.Equal(Arguments(p), Arguments(base)) {
			t.Errorf("a change of %s does not reach the engine", name)
		}
	}
}

func TestSpeculationInArguments(t *testing.T) {
	tests := []struct {
		name string
		plan Plan
		want string
	}{
		{"none", Plan{}, "--spec-type none"},
		{"none, said so", Plan{SpecTypes: "none", DraftPath: "d.gguf"}, "--spec-type none"},
		{"layers of the model's own", Plan{SpecTypes: "draft-mtp"}, "--spec-type draft-mtp --spec-draft-n-max 3 -ctkd f16 -ctvd f16"},
		{"a draft model", Plan{SpecTypes: "draft-simple", DraftPath: "d.gguf", DraftMax: 8, DraftCacheK: "q8_0", DraftCacheV: "q4_0"},
			"--spec-type draft-simple -md d.gguf --spec-draft-n-max 8 -ctkd q8_0 -ctvd q4_0"},
		{"n-grams have no draft", Plan{SpecTypes: "ngram-mod,ngram-simple"}, "--spec-type ngram-mod,ngram-simple"},
	}
	for _, test := range tests {
		if got := strings.Join(Arguments(test.plan), " "); !strings.Contains(got, test.want) {
			t.Errorf("%s: %s", test.name, got)
		}
	}
	if none := strings.Join(Arguments(Plan{}), " "); strings.Contains(none, "-md") || strings.Contains(none, "-ctkd") {
		t.Error(none)
	}
}

func TestProjectorInArguments(t *testing.T) {
	tests := []struct {
		name string
		plan Plan
		want string
	}{
		{"none", Plan{}, "--no-mmproj"},
		{"where the model is", Plan{ProjectorPath: "v.gguf", Devices: "Vulkan0"}, "--mmproj v.gguf --mmproj-offload"},
		{"in RAM", Plan{ProjectorPath: "v.gguf", Devices: "Vulkan0", ProjectorDevice: ProjectorCPU}, "--mmproj v.gguf --no-mmproj-offload"},
		{"without a device", Plan{ProjectorPath: "v.gguf", Devices: CPU}, "--mmproj v.gguf --no-mmproj-offload"},
	}
	for _, test := range tests {
		if got := strings.Join(Arguments(test.plan), " "); !strings.HasSuffix(got, test.want) {
			t.Errorf("%s: %s", test.name, got)
		}
	}
}

func TestRPCServersStandBeforeTheDevicesTheyMakeKnown(t *testing.T) {
	args := Arguments(Plan{RPCServers: "127.0.0.1:1", Devices: "RPC0"})
	if slices.Index(args, "--rpc") > slices.Index(args, "-dev") {
		t.Error(args)
	}
}
