package app

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/app/theme"
	"paddock/engine"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
	"paddock/hardware"
)

const gib = 1 << 30

var (
	someCard = hardware.GPU{Name: "Card", Pool: "card", EngineDevices: []string{"Vulkan0"}}
	cardPool = hardware.Pool{ID: "card", Name: "Card", Kind: hardware.VRAM, TotalBytes: 16 * gib, UsedBytes: 11 * gib, UsableBytes: 5 * gib, Source: "sysfs"}
	ramPool  = hardware.Pool{ID: "ram", Name: "RAM", Kind: hardware.RAM, TotalBytes: 64 * gib, UsedBytes: 8 * gib, UsableBytes: 50 * gib, Source: "/proc/meminfo"}
	actual   = budget.Memory{Source: budget.Actual, Pools: []budget.PoolNeed{
		{ID: "Vulkan0", NeededBytes: 10 * gib, Slices: budget.Slices{budget.Weights: 8 * gib, budget.KV: 2 * gib}},
		{ID: budget.RAM, NeededBytes: 4 * gib, Slices: budget.Slices{budget.Weights: 3 * gib, budget.Compute: gib}},
	}}
)

func TestTheBarShowsWhatTheModelHoldsBesideItsEstimate(t *testing.T) {
	machine := hardware.Snapshot{Pools: []hardware.Pool{cardPool, ramPool}, GPUs: []hardware.GPU{someCard}}
	estimate := budget.Memory{Pools: []budget.PoolNeed{
		{ID: "Vulkan0", NeededBytes: 9 * gib, Slices: budget.Slices{budget.Weights: 8 * gib, budget.Overhead: gib}},
	}}
	held := holdings(actual, estimate, machine, nil)
	if h := held["card"]; h.Bytes != 10*gib || h.EstimatedBytes != 8*gib {
		t.Fatalf("the card's: %+v", held)
	}
	total := func(pool hardware.Pool) (other, ours uint64) {
		for _, s := range poolSlices(pool, held[pool.ID]) {
			if s.Color == theme.SliceOther {
				other += s.Bytes
			} else {
				ours += s.Bytes
			}
		}
		return other, ours
	}
	if other, ours := total(cardPool); other != gib || ours != 10*gib {
		t.Errorf("on the card %d of others, %d of the model", other, ours)
	}
	// Weights in RAM are pages of the file and not among what is used.
	if other, ours := total(ramPool); other != 7*gib || ours != 4*gib {
		t.Errorf("in RAM %d of others, %d of the model", other, ours)
	}
	tip := poolTip(cardPool, held["card"])
	if !strings.Contains(tip, "11.0 of 16.0 GiB used (from sysfs)") || !strings.Contains(tip, "holds 10240.0 MiB by the engine's log, estimated 8192.0") {
		t.Errorf("the tip is %q", tip)
	}
	if tip := poolTip(cardPool, holding{}); strings.Contains(tip, "holds") {
		t.Errorf("without a model the tip is %q", tip)
	}
}

func TestWhatALoadTookIsRememberedForTheNextEstimate(t *testing.T) {
	path := gguftest.Llama(t)
	facts, err := gguf.Read(path)
	if err != nil {
		t.Fatal(err)
	}
	b := newBench(t, nil)
	p, _ := plan.Complete(plan.Plan{}, plan.Given{Model: facts})
	took := budget.Memory{Source: budget.Actual, Pools: []budget.PoolNeed{{ID: budget.RAM, NeededBytes: gib, Slices: budget.Slices{budget.Weights: gib}}}}
	some := build.Build{ID: "e", Path: "/nowhere/llama-server"}
	b.learn(&seen{state: engine.State{Phase: engine.Ready, Model: facts, Plan: p, Build: some, Actual: took}})
	b.until("it is learned", func() bool { return b.learned(facts, some) != nil })
	estimate := budget.Estimate(budget.Request{Plan: p, Given: plan.Given{Model: facts}, Overhead: b.learned(facts, some)})
	if s := estimate.Pools[0].Slices; estimate.Pools[0].NeededBytes-s[budget.Host] < gib {
		t.Errorf("the next estimate is %+v", estimate.Pools[0])
	}
	b.learn(&seen{state: engine.State{Phase: engine.Ready, Model: facts, Plan: p, Build: build.Build{ID: "silent"}}})
	if b.learned(facts, build.Build{ID: "silent"}) != nil {
		t.Error("something is learned of a log that tells nothing")
	}
}

func TestTheEngineThatRunsIsWhatALoadWouldReplace(t *testing.T) {
	b := newBench(t, nil)
	if r := b.meets(plan.Chat); len(r.Memory.Pools) != 0 {
		t.Errorf("without a model: %+v", r)
	}
	state := engine.State{Phase: engine.Ready, Plan: plan.Plan{ModelPath: "/m/a.gguf", Devices: plan.CPU}, Actual: actual}
	b.engine.Become(state)
	if r := b.meets(plan.Chat); r.Plan != state.Plan || r.Memory.Source != budget.Actual {
		t.Errorf("loaded: %+v", r)
	}
	state.Actual = budget.Memory{}
	b.engine.Become(state)
	if r := b.meets(plan.Chat); r.Memory.Source != budget.Estimated || len(r.Memory.Pools) == 0 {
		t.Errorf("with a log that tells nothing: %+v", r)
	}
}

func TestAJudgementNamesTheLongestContextAndWhatWouldHelp(t *testing.T) {
	facts, err := gguf.Read(gguftest.Llama(t))
	if err != nil {
		t.Fatal(err)
	}
	r := budget.Request{Given: plan.Given{Model: facts}}
	r.Plan, _ = plan.Complete(plan.Plan{}, plan.Given{Model: facts})
	j := judgement(context.Background(), r, budget.Situation{Machine: hardware.Snapshot{Pools: []hardware.Pool{ramPool}}})
	if j.Verdict.Fit != budget.Fits || j.LongestTokens < j.ContextTokens {
		t.Errorf("%+v", j)
	}
	full := ramPool
	full.UsedBytes, full.UsableBytes = full.TotalBytes, 0
	j = judgement(context.Background(), r, budget.Situation{Machine: hardware.Snapshot{Pools: []hardware.Pool{full}}})
	if j.Verdict.Fit != budget.DoesNotFit || len(j.Remedies) != 0 || j.LongestTokens != 0 {
		t.Errorf("%+v", j)
	}
}

func TestTheRoomForAModelIsTheLargestMemory(t *testing.T) {
	second := cardPool
	second.ID, second.UsableBytes = "second", 60*gib
	for name, c := range map[string]struct {
		pools []hardware.Pool
		bytes uint64
		pool  string
	}{
		"nothing known": {nil, 0, ""},
		"RAM":           {[]hardware.Pool{ramPool}, 50 * gib, "RAM"},
		"a small card":  {[]hardware.Pool{cardPool, ramPool}, 50 * gib, "RAM"},
		"two cards":     {[]hardware.Pool{cardPool, second, ramPool}, 65 * gib, "2 graphics cards"},
	} {
		if r := roomIn(hardware.Snapshot{Pools: c.pools}); r.Bytes != c.bytes || r.Pool != c.pool {
			t.Errorf("%s: %+v", name, r)
		}
	}
}

func TestWhoIsGivenUpDoesNotWaitForSomebodyElsesDevices(t *testing.T) {
	b := newBench(t, nil)
	folder := t.TempDir()
	begun, program := filepath.Join(folder, "begun"), filepath.Join(folder, "llama-server")
	if err := os.WriteFile(program, []byte("#!/bin/sh\n: > '"+begun+"'\nexec sleep 60\n"), 0o755); err != nil {
		t.Fatal(err)
	}
	slow := build.Build{ID: "slow", Path: program}
	ctx, cancel := context.WithCancel(t.Context())
	first := make(chan struct{})
	go func() {
		defer close(first)
		b.devicesOf(ctx, slow)
	}()
	b.until("it asks", func() bool {
		_, err := os.Stat(begun)
		return err == nil
	})
	given, up := context.WithCancel(t.Context())
	up()
	if _, err := b.devicesOf(given, slow); !errors.Is(err, context.Canceled) {
		t.Errorf("error %v", err)
	}
	select {
	case <-first:
		t.Error("it waited for the other")
	default:
	}
	cancel()
	<-first
}
