package plan_test

import (
	"fmt"
	"net/http"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// The proofs of rules/devices.toml, each on the real engine.

// speech is how the answers of all generated chat models begin.
const speech = "Hello! I am a very small model"

// rigged is a plan for a file on a rig's devices, with what is beside it.
func rigged(t *testing.T, rig buildtest.Rig, path string, p plan.Plan, beside ...string) (plan.Plan, plan.Given) {
	t.Helper()
	if p.Devices == "" {
		p.Devices = rig.Devices
	}
	if strings.HasPrefix(p.Devices, "RPC") && p.RPCServers == "" {
		p.RPCServers = rig.RPCServers
	}
	if p.ContextTokens == 0 {
		p.ContextTokens = 1024
	}
	g := plan.Given{Model: facts(t, path), Devices: rig.Seen, Build: plan.NewestKnownBuild}
	for _, file := range beside {
		g.Beside = append(g.Beside, facts(t, file))
	}
	p, _ = plan.Complete(p, g)
	return p, g
}

// wantVerdict holds what the rules say of a plan against ids, refusals before
// cautions.
func wantVerdict(t *testing.T, p plan.Plan, g plan.Given, refusals, cautions []string) {
	t.Helper()
	v := plan.Check(p, g)
	of := func(findings []plan.Finding) (rules []string) {
		for _, f := range findings {
			rules = append(rules, f.Rule)
		}
		return rules
	}
	if got := of(v.Refusals); !slices.Equal(got, refusals) {
		t.Errorf("refusals %v, want %v", got, refusals)
	}
	if got := of(v.Cautions); !slices.Equal(got, cautions) {
		t.Errorf("cautions %v, want %v", got, cautions)
	}
}

// wantStartFails starts the engine, which must end with an error and say why.
func wantStartFails(t *testing.T, p plan.Plan, says string) {
	t.Helper()
	r := start(t, p, "-t", "1", "--no-repack")
	if r.healthy(t) {
		t.Fatalf("the engine started:\n%s", r.Log())
	}
	if r.Err() == nil || !strings.Contains(r.Log(), says) {
		t.Errorf("ended with %v, and not %q:\n%s", r.Err(), says, r.Log())
	}
}

// wantAnswer starts the engine, which must answer as without devices. It has ended
// when this returns: a device of the network serves one engine at a time.
func wantAnswer(t *testing.T, p plan.Plan) *running {
	t.Helper()
	var r *running
	t.Run("answers", func(t *testing.T) {
		r = start(t, p, "-t", "1", "-lv", "4")
		if !r.healthy(t) {
			t.Fatalf("the engine did not start:\n%s", r.Log())
		}
		if status, answer := r.chat(t); status != http.StatusOK || !strings.HasPrefix(answer, speech) {
			t.Errorf("status %d, %q", status, answer)
		}
	})
	return r
}

// wantDeath asks a healthy engine what must kill it.
func wantDeath(t *testing.T, r *running, path, body, says string) {
	t.Helper()
	if !r.healthy(t) {
		t.Fatalf("the engine did not start:\n%s", r.Log())
	}
	response, err := r.HTTP.Post("http://engine"+path, "application/json", strings.NewReader(body))
	if err == nil {
		response.Body.Close()
		t.Fatalf("it answered with status %d", response.StatusCode)
	}
	<-r.Done()
	if r.Err() == nil || !strings.Contains(r.Log(), says) {
		t.Errorf("ended with %v, and not %q:\n%s", r.Err(), says, r.Log())
	}
}

const (
	askHello = `{"messages":[{"role":"user","content":"hello"}],"max_tokens":12,"temperature":0}`
	threeOf  = `{"input":["hello","hello world","what rests under the big trees"]}`
	threeDoc = `{"query":"hello","documents":["hello","hello world","what rests under the big trees"]}`
)

// says waits for a text in the engine's log, which it writes a little later than it
// answers.
func (r *running) says(t *testing.T, text string) {
	t.Helper()
	for deadline := time.Now().Add(10 * time.Second); !strings.Contains(r.Log(), text); time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Errorf("the engine does not say %q:\n%s", text, r.Log())
			return
		}
	}
}

// holds says which of a rig's devices have weights, by the engine's log at -lv 4.
// A device of the network is called there by its address.
func (r *running) holds(rig buildtest.Rig) []string {
	servers := strings.Split(rig.RPCServers, ",")
	var with []string
	for id := range strings.SplitSeq(rig.Devices, ",") {
		name := id
		if number, isRPC := strings.CutPrefix(id, "RPC"); isRPC {
			i, _ := strconv.Atoi(number)
			name = "[" + servers[i] + "]"
		}
		for line := range strings.Lines(r.Log()) {
			if strings.Contains(line, "model buffer size") && strings.Contains(line, name) {
				with = append(with, id)
				break
			}
		}
	}
	return with
}

func TestEngineSharesNoTensorsWithoutADevice(t *testing.T) {
	wantRefused(t, "tensor-no-device", gguftest.Llama(t), plan.Plan{SplitMode: "tensor"}, "LLAMA_SPLIT_MODE_TENSOR needs >= 1 devices")
}

func TestEngineSharesTensorsWithOneDeviceForNothing(t *testing.T) {
	p, g := rigged(t, buildtest.RPC(t, 1), gguftest.Llama(t), plan.Plan{SplitMode: "tensor"})
	wantVerdict(t, p, g, []string{"tensor-one-device"}, nil)
	wantAnswer(t, p).says(t, "not recommended")
}

func TestEngineSharesNoTensorsWithoutFlashAttention(t *testing.T) {
	p, g := rigged(t, buildtest.RPC(t, 2), gguftest.Llama(t), plan.Plan{SplitMode: "tensor", FlashAttn: "off"})
	wantVerdict(t, p, g, []string{"tensor-flash-off"}, nil)
	wantStartFails(t, p, "SPLIT_MODE_TENSOR")
	for _, rig := range []buildtest.Rig{buildtest.RPC(t, 2), buildtest.Vulkan(t, 2)} {
		for _, model := range []string{gguftest.Llama(t), gguftest.Qwen35(t)} {
			p, g := rigged(t, rig, model, plan.Plan{SplitMode: "tensor", FlashAttn: "on"})
			wantVerdict(t, p, g, nil, nil)
			wantAnswer(t, p)
		}
	}
}

// The engine refuses an architecture before it looks for anything else in the
// file.
func TestEngineSharesNoTensorsOfSomeArchitectures(t *testing.T) {
	rig := buildtest.RPC(t, 2)
	named := func(architecture string) string {
		path := filepath.Join(t.TempDir(), "named.gguf")
		f := gguftest.File{Tensors: []gguftest.Tensor{
			{Name: "token_embd.weight", Dimensions: []uint64{8, 1}, Type: gguftest.F32, Data: make([]byte, 32)},
		}}
		f.Set("general.architecture", architecture)
		if err := f.Write(path); err != nil {
			t.Fatal(err)
		}
		return path
	}
	const says = "SPLIT_MODE_TENSOR not implemented for architecture"
	var refused []string
	for _, rule := range plan.Rules() {
		if rule.ID != "tensor-architecture" {
			continue
		}
		for _, c := range rule.Conditions {
			if c.Subject == "architecture" {
				refused = c.Is
			}
		}
	}
	if len(refused) < 25 {
		t.Fatalf("the rule names %v", refused)
	}
	for _, architecture := range refused {
		p, _ := rigged(t, rig, named(architecture), plan.Plan{SplitMode: "tensor"})
		wantStartFails(t, p, says)
	}
	for _, architecture := range []string{"qwen4exp", "deepseek4", "llama", "gemma3", "qwen3next"} {
		p, _ := rigged(t, rig, named(architecture), plan.Plan{SplitMode: "tensor"})
		r := start(t, p, "-t", "1")
		if r.healthy(t) || strings.Contains(r.Log(), says) || strings.Contains(r.Log(), "unknown model architecture") {
			t.Errorf("%s is refused, or no architecture:\n%s", architecture, r.Log())
		}
	}
}

func TestEngineCannotShareTheOneHeadOfGemma3(t *testing.T) {
	model := gguftest.Gemma3(t)
	for _, rig := range []buildtest.Rig{buildtest.RPC(t, 2), buildtest.Vulkan(t, 2)} {
		p, g := rigged(t, rig, model, plan.Plan{SplitMode: "tensor"})
		wantVerdict(t, p, g, []string{"tensor-one-head"}, nil)
		wantDeath(t, start(t, p, "-t", "1"), "/v1/chat/completions", askHello, "GGML_BACKEND_SPLIT_AXIS_0")
		p.SplitMode = "layer"
		wantVerdict(t, p, g, nil, nil)
		if r := wantAnswer(t, p); len(r.holds(rig)) != 2 {
			t.Errorf("not on both:\n%s", r.Log())
		}
	}
}

func TestEngineSharesTensorsAmongThreeDevicesHere(t *testing.T) {
	rig := buildtest.RPC(t, 3)
	for _, model := range []string{gguftest.Llama(t), gguftest.Gemma4(t), gguftest.Qwen35MoE(t)} {
		p, g := rigged(t, rig, model, plan.Plan{SplitMode: "tensor"})
		wantVerdict(t, p, g, nil, []string{"tensor-three"})
		wantAnswer(t, p)
		instead, foreseen, ok := plan.Fallback(p, g)
		if !ok || foreseen.Rule != "tensor-three" || instead.SplitMode != "layer" || instead.TensorSplit != "" {
			t.Errorf("%+v because of %s, %v", instead, foreseen.Rule, ok)
		}
	}
}

func TestEngineSharesNoRecurrentTensorsAmongSlots(t *testing.T) {
	rig := buildtest.RPC(t, 2)
	model := gguftest.Qwen35(t)
	p, g := rigged(t, rig, model, plan.Plan{SplitMode: "tensor", Slots: 2, ContextTokens: 2048})
	wantVerdict(t, p, g, []string{"tensor-recurrent-slots"}, nil)
	r := start(t, p, "-t", "1")
	if !r.healthy(t) {
		t.Fatalf("the engine did not start:\n%s", r.Log())
	}
	body := strings.Replace(askHello, `"max_tokens":12`, `"max_tokens":1500,"ignore_eos":true`, 1)
	for range 2 {
		go func() {
			if response, err := r.HTTP.Post("http://engine/v1/chat/completions", "application/json", strings.NewReader(body)); err == nil {
				response.Body.Close()
			}
		}()
	}
	select {
	case <-r.Done():
		r.says(t, "GGML_BACKEND_SPLIT_AXIS_UNKNOWN")
	case <-time.After(60 * time.Second):
		t.Errorf("it lives:\n%s", r.Log())
	}
	p, g = rigged(t, rig, model, plan.Plan{SplitMode: "tensor"})
	wantVerdict(t, p, g, nil, nil)
	wantAnswer(t, p)
}

func TestEngineSharesTensorsWithEveryCacheTypeHere(t *testing.T) {
	rig := buildtest.RPC(t, 2)
	model := gguftest.Llama(t)
	for _, cache := range plan.CacheTypes() {
		t.Run(cache, func(t *testing.T) {
			p, g := rigged(t, rig, model, plan.Plan{SplitMode: "tensor", CacheK: cache, CacheV: cache})
			var cautions []string
			if slices.Contains([]string{"q5_1", "q5_0", "q4_1", "iq4_nl"}, cache) {
				cautions = []string{"tensor-cache-k", "tensor-cache-v"}
			}
			wantVerdict(t, p, g, nil, cautions)
			wantAnswer(t, p)
		})
	}
}

func TestEngineCannotPoolSeveralTextsAcrossSharedTensors(t *testing.T) {
	rig := buildtest.RPC(t, 2)
	tests := []struct {
		name, model, path, body string
		plan                    plan.Plan
		refusals                []string
	}{
		{"a BERT", gguftest.BERT(t), "/v1/embeddings", threeOf, plan.Plan{Slots: 4}, []string{"tensor-vectors"}},
		{"a BERT with one slot", gguftest.BERT(t), "/v1/embeddings", threeOf, plan.Plan{Slots: 1}, nil},
		{"a reranker", gguftest.Reranker(t), "/v1/rerank", threeDoc, plan.Plan{Slots: 4}, []string{"tensor-vectors"}},
		{"slots that share a cache", gguftest.CausalEmbedder(t), "/v1/embeddings", threeOf, plan.Plan{Slots: 4, KVUnified: true}, []string{"tensor-vectors-shared"}},
		{"slots with a cache of their own", gguftest.CausalEmbedder(t), "/v1/embeddings", threeOf, plan.Plan{Slots: 4}, nil},
		{
			"recurrent layers", gguftest.Qwen35(t), "/v1/embeddings", threeOf,
			plan.Plan{Slots: 4, KVUnified: true, Purpose: plan.Embeddings, Pooling: "mean"}, nil,
		},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.plan.SplitMode = "tensor"
			test.plan.ContextTokens = 256 * test.plan.Slots
			p, g := rigged(t, rig, test.model, test.plan)
			if got := ids(plan.Check(p, g).Refusals); !slices.Equal(got, test.refusals) {
				t.Errorf("refused by %v", got)
			}
			r := start(t, p, "-t", "1")
			if test.refusals != nil {
				wantDeath(t, r, test.path, test.body, "offset == 0")
				return
			}
			if !r.healthy(t) {
				t.Fatalf("the engine did not start:\n%s", r.Log())
			}
			response, err := r.HTTP.Post("http://engine"+test.path, "application/json", strings.NewReader(test.body))
			if err != nil {
				t.Fatalf("%v\n%s", err, r.Log())
			}
			response.Body.Close()
			if response.StatusCode != http.StatusOK {
				t.Errorf("status %d", response.StatusCode)
			}
		})
	}
}

func TestEngineSplitsNoRowsOnVulkanAndRPC(t *testing.T) {
	model := gguftest.Llama(t)
	for _, rig := range []buildtest.Rig{buildtest.RPC(t, 2), buildtest.Vulkan(t, 2)} {
		p, g := rigged(t, rig, model, plan.Plan{SplitMode: "row"})
		wantVerdict(t, p, g, []string{"row-backend"}, nil)
		wantStartFails(t, p, "does not support split buffers")
	}
}

func TestEngineStillSplitsRows(t *testing.T) {
	out, err := buildtest.Engine(t).Command(t.Context(), "llama-server", "--help").CombinedOutput()
	if err != nil || !strings.Contains(string(out), "- row: ") {
		t.Errorf("%v, no such split in its help", err)
	}
}

func TestEngineSplitsNothingWithoutASecondDevice(t *testing.T) {
	model := gguftest.Llama(t)
	rig := buildtest.RPC(t, 1)
	p, g := rigged(t, rig, model, plan.Plan{SplitMode: "layer"})
	wantVerdict(t, p, g, []string{"split-one-device"}, nil)
	if r := wantAnswer(t, p); len(r.holds(rig)) != 1 {
		t.Errorf("not on the one device:\n%s", r.Log())
	}
	for _, mode := range []string{"layer", "row"} {
		p, g := rigged(t, rig, model, plan.Plan{SplitMode: mode, Devices: plan.CPU})
		wantVerdict(t, p, g, []string{"split-one-device"}, nil)
		wantAnswer(t, p)
	}
}

func TestEngineUsesTheFirstOfSeveralDevicesWithoutASplit(t *testing.T) {
	rig := buildtest.RPC(t, 2)
	p, g := rigged(t, rig, gguftest.Llama(t), plan.Plan{SplitMode: "none"})
	wantVerdict(t, p, g, []string{"split-none-several"}, nil)
	if r := wantAnswer(t, p); !slices.Equal(r.holds(rig), []string{"RPC0"}) {
		t.Errorf("on %v:\n%s", r.holds(rig), r.Log())
	}
}

func TestEngineIgnoresSharesOfNoDevice(t *testing.T) {
	rig := buildtest.RPC(t, 2)
	model := gguftest.Llama(t)
	for _, shares := range []string{"1,1,1", "1"} {
		p, g := rigged(t, rig, model, plan.Plan{TensorSplit: shares})
		wantVerdict(t, p, g, []string{"shares-count"}, nil)
		wantAnswer(t, p)
	}
	p, g := rigged(t, rig, model, plan.Plan{TensorSplit: "3,1"})
	wantVerdict(t, p, g, nil, nil)
	if r := wantAnswer(t, p); len(r.holds(rig)) != 2 {
		t.Errorf("not on both:\n%s", r.Log())
	}
}

func TestEngineLeavesADeviceWithoutAShareOut(t *testing.T) {
	rig := buildtest.RPC(t, 2)
	model := gguftest.Llama(t)
	for shares, want := range map[string][]string{"0,1": {"RPC1"}, "0,0": {"RPC0", "RPC1"}} {
		p, g := rigged(t, rig, model, plan.Plan{TensorSplit: shares})
		wantVerdict(t, p, g, []string{"shares-zero"}, nil)
		if r := wantAnswer(t, p); !slices.Equal(r.holds(rig), want) {
			t.Errorf("%s: on %v:\n%s", shares, r.holds(rig), r.Log())
		}
	}
}

func TestEngineWantsNumbersAsShares(t *testing.T) {
	p, g := rigged(t, buildtest.RPC(t, 2), gguftest.Llama(t), plan.Plan{TensorSplit: "a,b"})
	wantVerdict(t, p, g, []string{"shares-garbage"}, nil)
	wantStartFails(t, p, "stof")
}

func TestEngineKnowsNoRPCDeviceWithoutAServer(t *testing.T) {
	p, g := complete(t, gguftest.Llama(t), plan.Plan{Devices: "RPC0"})
	wantVerdict(t, p, g, []string{"rpc-no-server"}, nil)
	wantStartFails(t, p, "invalid device: RPC0")
}

func TestEnginePutsNothingOnAServerWhoseDeviceIsNotChosen(t *testing.T) {
	rig := buildtest.RPC(t, 1)
	p, g := complete(t, gguftest.Llama(t), plan.Plan{RPCServers: rig.RPCServers})
	wantVerdict(t, p, g, nil, []string{"rpc-no-device"})
	if r := wantAnswer(t, p); len(r.holds(rig)) != 0 {
		t.Errorf("on %v:\n%s", r.holds(rig), r.Log())
	}
}

// One of the devices is called the processor's own: what such a plan costs on real
// ones is not seen here, but that it is marked, and works.
func TestEngineTakesDevicesOfTwoKindsTogether(t *testing.T) {
	vulkan, rpc := buildtest.Vulkan(t, 1), buildtest.RPC(t, 1)
	both := buildtest.Rig{Devices: vulkan.Devices + "," + rpc.Devices, RPCServers: rpc.RPCServers, Seen: append(vulkan.Seen, rpc.Seen...)}
	p, g := rigged(t, both, gguftest.Llama(t), plan.Plan{RPCServers: rpc.RPCServers})
	g.Integrated = []string{"Vulkan0"}
	wantVerdict(t, p, g, nil, []string{"integrated-beside"})
	if r := wantAnswer(t, p); len(r.holds(both)) != 2 {
		t.Errorf("not on both:\n%s", r.Log())
	}
	instead, _, ok := plan.Fallback(p, g)
	if !ok || fmt.Sprint(instead.DeviceIDs()) != "[RPC0]" {
		t.Errorf("falls back to %v, %v", instead.DeviceIDs(), ok)
	}
}

func TestEngineDiesOfDFlashOnVulkan(t *testing.T) {
	draft := gguftest.DFlash(t)
	p, g := rigged(t, buildtest.Vulkan(t, 1), gguftest.Llama(t), plan.Plan{DraftPath: draft}, draft)
	wantVerdict(t, p, g, nil, []string{"dflash-vulkan"})
	wantDeath(t, start(t, p, "-t", "1"), "/v1/chat/completions", askHello, "misalign")
}

func TestEngineDiesOfEAGLE3OnTwoVulkanDevices(t *testing.T) {
	draft := gguftest.EAGLE3(t)
	p, g := rigged(t, buildtest.Vulkan(t, 2), gguftest.Llama(t), plan.Plan{DraftPath: draft}, draft)
	wantVerdict(t, p, g, nil, []string{"eagle3-vulkan"})
	wantDeath(t, start(t, p, "-t", "1"), "/v1/chat/completions", askHello, "")
}
