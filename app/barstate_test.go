package app

import (
	"errors"
	"strings"
	"testing"

	"paddock/app/theme"
	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/engine/server"
	"paddock/hardware"
)

func TestTheBarSaysEveryStateOfTheEngine(t *testing.T) {
	model := gguf.Facts{Path: "/m/qwen.gguf", Name: "Qwen3.6-35B-A3B", Quantisation: "Q6_K"}
	for _, c := range []struct {
		name     string
		state    engine.State
		title    string
		pill     string
		icon     theme.IconName
		progress float64
		action   action
	}{
		{"nothing", engine.State{Phase: engine.NotLoaded}, "No model loaded", "Not loaded", "", -1, actChoose},
		{"checking", engine.State{Phase: engine.Checking, Model: model}, "Qwen3.6-35B-A3B", "Checking", "", -1, actCancel},
		{"loading", engine.State{Phase: engine.Loading, Model: model, Progress: 0.43}, "Qwen3.6-35B-A3B", "Loading 43 %", "", 0.43, actCancel},
		{"loading without progress", engine.State{Phase: engine.Loading, Model: model, Progress: -1}, "Qwen3.6-35B-A3B", "Loading", "", -1, actCancel},
		{"proving", engine.State{Phase: engine.Proving, Model: model}, "Qwen3.6-35B-A3B", "Proving: first words", "", -1, actCancel},
		{"ready", engine.State{Phase: engine.Ready, Model: model, TokensPerSecond: 61.7}, "Qwen3.6-35B-A3B", "Ready · 62 tok/s", "", -1, actUnload},
		{"slow", engine.State{Phase: engine.Ready, Model: model, TokensPerSecond: 4.66}, "Qwen3.6-35B-A3B", "Ready · 4.7 tok/s", "", -1, actUnload},
		{"ready, speed unknown", engine.State{Phase: engine.Ready, Model: model}, "Qwen3.6-35B-A3B", "Ready", "", -1, actUnload},
		{"stopping", engine.State{Phase: engine.Stopping, Model: model}, "Qwen3.6-35B-A3B", "Stopping", "", -1, actNone},
		{
			"out of graphics memory", engine.State{Phase: engine.Failed, Model: model, Err: &server.Failure{Kind: server.OutOfDeviceMemory}},
			"Qwen3.6-35B-A3B", "Failed: graphics memory ran out", theme.IconRefuseRing, -1, actRetry,
		},
		{
			"unknown failure", engine.State{Phase: engine.Failed, Model: model, Err: errors.New("odd")},
			"Qwen3.6-35B-A3B", "Failed", theme.IconRefuseRing, -1, actRetry,
		},
		{"nameless", engine.State{Phase: engine.Checking, Model: gguf.Facts{Path: "/m/a.gguf"}}, "a.gguf", "Checking", "", -1, actCancel},
	} {
		t.Run(c.name, func(t *testing.T) {
			b := barFor(c.state)
			if b.Title != c.title || b.Pill.Text != c.pill || b.Pill.Icon != c.icon || b.Progress != c.progress || b.Action != c.action {
				t.Errorf("got %+v", b)
			}
		})
	}
}

func TestAModelsNameCantDrawOnTheWindow(t *testing.T) {
	b := barFor(engine.State{Phase: engine.Checking, Model: gguf.Facts{Name: "evil\x1b[2J\nname\u202e"}})
	for _, r := range b.Title {
		if r < ' ' || r == '\u202e' {
			t.Fatalf("the title is %q", b.Title)
		}
	}
}

func TestTheStripIsThereForFailuresOnly(t *testing.T) {
	if _, on := stripFor(engine.State{Phase: engine.Ready}); on {
		t.Error("a ready engine has a failure strip")
	}
	strip, on := stripFor(engine.State{Phase: engine.Failed, Err: &server.Failure{Kind: server.OutOfDeviceMemory, ModelPath: "/m/a.gguf"}})
	if !on || strip.Bold == "" || strip.Detail == "" {
		t.Errorf("got %+v, %t", strip, on)
	}
}

func TestTheStripTellsWhatTheEngineSaidBelowWhatHappened(t *testing.T) {
	for _, c := range []struct{ reason, bold, detail string }{
		{"unknown model architecture: 'xxxxx'", "The engine does not know the kind of model a.gguf is.", "Unknown model architecture: 'xxxxx'. It may need"},
		{"", "The engine does not know the kind of model a.gguf is.", "It may need"},
	} {
		strip, _ := stripFor(engine.State{Phase: engine.Failed, Err: &server.Failure{
			Kind: server.UnknownArchitecture, ModelPath: "/m/a.gguf", Reason: c.reason,
		}})
		if strip.Bold != c.bold || !strings.HasPrefix(strip.Detail, c.detail) {
			t.Errorf("%q: got %+v", c.reason, strip)
		}
	}
}

func TestTheLogMarksWhatWentWrong(t *testing.T) {
	lines := logLines([]string{
		"slot update: id 0, n_past 6392, drafting 3",
		"E ggml_vulkan: Device memory allocation of size 1342177280 failed.",
		"14:22:07 E GGML_ASSERT(buffer) failed",
		"main: error loading model",
		"\x1b[31mcolour",
	})
	for i, want := range []bool{false, true, true, true, false} {
		if lines[i].Error != want {
			t.Errorf("%q: marked %t, want %t", lines[i].Text, lines[i].Error, want)
		}
	}
	if lines[4].Text[0] == '\x1b' {
		t.Errorf("a control character reached the window: %q", lines[4].Text)
	}
}

func TestABuildIsNamedByWhatItAddsToTheProcessor(t *testing.T) {
	for _, c := range []struct {
		build build.Build
		want  string
	}{
		{build.Build{}, "no engine"},
		{build.Build{Path: "/e", Number: 11669, Backends: []string{"RPC", "Vulkan", "CPU"}}, "llama.cpp b11669 · Vulkan"},
		{build.Build{Path: "/e", Number: 11669, Backends: []string{"CPU"}}, "llama.cpp b11669"},
	} {
		if got := buildName(c.build); got != c.want {
			t.Errorf("got %q, want %q", got, c.want)
		}
	}
}

func TestANarrowBarLeavesOutPoolsTheModelDoesNotUse(t *testing.T) {
	machine := hardware.Snapshot{
		Pools: []hardware.Pool{{ID: "a", Kind: hardware.VRAM}, {ID: "b", Kind: hardware.VRAM}, {ID: "ram", Kind: hardware.RAM}},
		GPUs:  []hardware.GPU{{Pool: "a", EngineDevices: []string{"Vulkan0"}}, {Pool: "b", EngineDevices: []string{"Vulkan1"}}},
	}
	for _, c := range []struct {
		name    string
		state   engine.State
		a, b, r bool
	}{
		{"nothing is loaded", engine.State{Phase: engine.NotLoaded}, true, true, true},
		{"on one card", engine.State{Phase: engine.Ready, Plan: plan.Plan{Devices: "Vulkan0"}}, true, false, true},
		{"on both", engine.State{Phase: engine.Ready, Plan: plan.Plan{Devices: "Vulkan0,Vulkan1"}}, true, true, true},
		{"on the processor", engine.State{Phase: engine.Ready, Plan: plan.Plan{Devices: "CPU"}}, false, false, true},
	} {
		for i, want := range []bool{c.a, c.b, c.r} {
			if got := usesPool(c.state, machine, machine.Pools[i]); got != want {
				t.Errorf("%s: pool %s shown %t, want %t", c.name, machine.Pools[i].ID, got, want)
			}
		}
	}
}
