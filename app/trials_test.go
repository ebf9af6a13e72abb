package app

import (
	"context"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"paddock/config"
	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/build/buildtest"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/engine/server"
)

// fellBackState is a model that was to be split by tensor, and is by layer.
func fellBackState() engine.State {
	from := plan.Plan{ModelPath: "/m/qwen.gguf", Devices: "Vulkan0,Vulkan1", SplitMode: "tensor", SpecTypes: plan.SpecMTP}
	to := from
	to.SplitMode = "layer"
	return engine.State{
		Phase: engine.Ready, Model: loadedModel, Plan: to, Build: build.Build{ID: "e", Path: "/nowhere/llama-server"},
		LastWords: []string{"ready"}, LogPath: "/log/second.log",
		FellBack: &engine.FellBack{
			From: from, To: to, Foreseen: plan.Finding{Rule: "build-newer", Trial: "build-newer", Message: "rule.build-newer", Data: map[string]any{"newestKnownBuild": 1}},
			Err: &server.Failure{Kind: server.Crashed, ModelPath: "/m/qwen.gguf", LastWords: []string{"E GGML_ASSERT(buffer)"}, LogPath: "/log/first.log"},
		},
	}
}

func TestAFallbackIsANoticeWithDetailsBesideAModelThatIsReady(t *testing.T) {
	b := newBench(t, nil)
	s := fellBackState()
	b.show(s)
	if !b.strip.content.Visible() || b.strip.bold.String() != "Tensor split with MTP failed here; loaded by layer instead." {
		t.Fatalf("the strip says %q", b.strip.bold.String())
	}
	if b.bar.pill.AccessibilityLabel() != "Ready" || b.strip.retry.Visible() || b.strip.change.Visible() || !b.strip.forget.Visible() {
		t.Error("the strip looks like a failure's")
	}
	if detail := b.strip.detail.String(); !strings.Contains(detail, "remembered") || !strings.Contains(detail, "qwen.gguf") {
		t.Errorf("the detail is %q", detail)
	}
	if b.strip.logs.Text() != "Details" {
		t.Errorf("the button says %q", b.strip.logs.Text())
	}
	test.Tap(b.strip.logs)
	if !strings.Contains(b.logs.text, "GGML_ASSERT(buffer)") || b.logged().LogPath != "/log/first.log" || b.strip.logs.Text() != "Hide details" {
		t.Errorf("the details are %q", b.logs.text)
	}
	b.dismiss()
	if b.strip.content.Visible() || b.logs.content.Visible() {
		t.Error("it stays when it is dismissed")
	}
	s.TokensPerSecond = 3
	b.engine.Become(s)
	b.until("the speed is shown", func() bool { return b.bar.state.TokensPerSecond == 3 })
	if b.strip.content.Visible() {
		t.Error("it is back after the next answer")
	}
	if b.logged().LogPath != "/log/second.log" {
		t.Errorf("then the log is %q", b.logged().LogPath)
	}
}

func TestARequestRepeatedWithoutMTPIsSaid(t *testing.T) {
	b := newBench(t, nil)
	s := fellBackState()
	s.FellBack = &engine.FellBack{
		From: plan.Plan{SpecTypes: plan.SpecMTP}, To: plan.Plan{SpecTypes: plan.NoSpec}, OnRequest: true,
		Err: &client.Error{Kind: client.EngineFailed, Status: 500, Message: "failed to process speculative batch"},
	}
	b.show(s)
	if b.strip.bold.String() != "A request failed with MTP; the model was loaded again without it, and the request repeated." || b.strip.forget.Visible() {
		t.Errorf("the strip says %q", b.strip.bold.String())
	}
	if !strings.Contains(b.strip.detail.String(), "speculative batch") {
		t.Errorf("the detail is %q", b.strip.detail.String())
	}
}

func TestAFailureInMTPOffersALoadWithoutIt(t *testing.T) {
	b := newBench(t, nil)
	s := failedState
	s.Plan = plan.Plan{ModelPath: "/m/qwen.gguf", Devices: plan.CPU, GPULayers: "0", SpecTypes: plan.SpecMTP, DraftMax: 2, Purpose: plan.Chat, ContextTokens: 512, Slots: 1}
	s.Given = plan.Given{Model: gguf.Facts{Path: "/m/qwen.gguf", Kind: gguf.Model, NextNLayers: 1}}
	s.Err = &server.Failure{Kind: server.LoadFailed, ModelPath: "/m/qwen.gguf", Reason: "failed to create MTP context"}
	b.show(s)
	if o := b.strip.options[0]; !o.Visible() || o.Text() != "Load without MTP" || b.strip.options[1].Visible() || b.strip.retry.Visible() || !b.strip.change.Visible() {
		t.Fatalf("the way out is %q", b.strip.options[0].Text())
	}
	test.Tap(b.strip.options[0])
	b.until("it is loaded", func() bool { return b.engine.called("load qwen.gguf") })
	b.engine.mu.Lock()
	loaded := b.engine.loaded
	b.engine.mu.Unlock()
	if loaded.SpecTypes != plan.NoSpec || loaded.DraftMax != 0 {
		t.Errorf("it is loaded as %+v", loaded)
	}
	b.show(engine.State{Phase: engine.Loading, Model: loadedModel})
	b.show(failedState)
	if b.strip.options[0].Visible() || !b.strip.retry.Visible() {
		t.Error("another failure has the same way out")
	}
}

// listing is a build that lists a device called name.
func listing(t *testing.T, id, name string) build.Build {
	t.Helper()
	path := filepath.Join(t.TempDir(), "llama-server")
	text := "#!/bin/sh\necho 'Available devices:'\necho '  Vulkan0: " + name + " (2048 MiB, 2048 MiB free)'\n"
	buildtest.Program(t, path, text)
	return build.Build{ID: id, Path: path, Number: 11669}
}

func TestWhatFellBackIsKnownAtTheNextSetUpUntilItIsForgotten(t *testing.T) {
	some := listing(t, "e", "Some card")
	b := newBench(t, func(o *Options) { o.Builds = func(context.Context) []build.Build { return []build.Build{some} } })
	facts := gguf.Facts{Path: "/m/qwen.gguf", Name: "Qwen", SizeBytes: 7}
	s := fellBackState()
	s.Model, s.Build = facts, some
	b.show(s)
	b.until("it is known", func() bool { return slices.Equal(b.failed(facts, some), []string{"build-newer"}) })
	if again := config.OpenTrials(b.options.Config.Folders().Cache); !slices.Equal(again.Failed(config.Trial{
		Model: facts.Path, SizeBytes: 7, Build: "e", Devices: []string{"Some card"},
	}), []string{"build-newer"}) {
		t.Error("it is not known at the next start")
	}
	if other := listing(t, "another", "Some card"); b.failed(facts, other) != nil {
		t.Error("it is known of another build")
	}
	test.Tap(b.strip.forget)
	b.until("it is forgotten", func() bool { return b.failed(facts, some) == nil })
	b.until("that is said", func() bool { return strings.Contains(b.said(), "tried again when Qwen") })
	if b.strip.content.Visible() {
		t.Error("the notice stays")
	}
}

func TestThatNothingCouldBeForgottenIsSaid(t *testing.T) {
	b := newBench(t, nil)
	b.show(fellBackState()) // of a build that is not there
	test.Tap(b.strip.forget)
	b.until("it is said", func() bool { return strings.Contains(b.said(), "/nowhere/llama-server") })
	if said := b.said(); strings.Contains(said, "tried again") {
		t.Errorf("it says %q", said)
	}
	facts := gguf.Facts{Path: "/m/qwen.gguf", SizeBytes: 7}
	some := listing(t, "e", "Some card")
	full := filepath.Join(b.options.Config.Folders().Cache, "trials.json")
	if err := b.trials.Put(config.Trial{Model: facts.Path, SizeBytes: 7, Build: "e", Devices: []string{"Some card"}}, "build-newer"); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(full); err != nil {
		t.Fatal(err)
	}
	if err := os.MkdirAll(filepath.Join(full, "in the way"), 0o700); err != nil {
		t.Fatal(err)
	}
	b.forget(facts, some, "build-newer") // as the set-up screen does
	b.until("that it is not kept is said", func() bool { return strings.Contains(b.said(), "trials.json") })
}

func TestWhatFellBackIsKnownToTheSetUpThatIsOpen(t *testing.T) {
	some := listing(t, "e", "Some card")
	some.Number = plan.NewestKnownBuild + 1 // its caution is the one that came true
	b := newBench(t, func(o *Options) { o.Builds = func(context.Context) []build.Build { return []build.Build{some} } })
	facts := gguf.Facts{Path: "/m/qwen.gguf", Name: "Qwen", SizeBytes: 7, Kind: gguf.Model, Architecture: "llama", ContextTokens: 4096}
	b.setUp(library.Model{Facts: facts, Files: []string{facts.Path}})
	refused := func() bool { return strings.Contains(b.loadTab().State().Footer.Text, "It failed here before.") }
	b.until("the set-up is ready", func() bool { return !b.loadTab().State().Preparing })
	if refused() {
		t.Fatal("it is refused before it was tried")
	}
	s := fellBackState()
	s.Model, s.Build = facts, some
	b.show(s)
	b.until("the set-up knows", refused)
	test.Tap(b.strip.forget)
	b.until("the set-up has forgotten", func() bool { return !refused() })
}

func TestWhatMemoryWasShortForIsNotRemembered(t *testing.T) {
	some := listing(t, "e", "Some card")
	b := newBench(t, func(o *Options) { o.Builds = func(context.Context) []build.Build { return []build.Build{some} } })
	s := fellBackState()
	fell := *s.FellBack
	fell.Err = &server.Failure{Kind: server.OutOfDeviceMemory, ModelPath: "/m/qwen.gguf"}
	s.FellBack, s.Build = &fell, some
	b.show(s)
	if b.strip.forget.Visible() || b.chat.remembered != nil || strings.Contains(b.strip.detail.String(), "remembered") {
		t.Errorf("it is: %q", b.strip.detail.String())
	}
}

func TestAFailedFallbackSaysThatTheFirstChoiceFailedToo(t *testing.T) {
	s := fellBackState()
	s.Phase, s.Err = engine.Failed, &server.Failure{Kind: server.OutOfDeviceMemory, ModelPath: "/m/qwen.gguf"}
	strip, on := stripFor(s)
	if !on || strip.Notice || !strings.Contains(strip.Detail, "had failed before") {
		t.Errorf("%+v", strip)
	}
	if _, on := noticeFor(s); on {
		t.Error("it is said to run by layer")
	}
}
