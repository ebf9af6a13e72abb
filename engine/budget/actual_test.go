package budget

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/engine/build/buildtest"
	"paddock/engine/plan"
)

// The logs are what build 11669 printed, cut down to the lines that matter.
func TestWhatAnEngineAllocatedIsInItsLog(t *testing.T) {
	tests := []struct {
		log  string
		want map[string]map[string]float64 // MiB by pool and slice
	}{
		{"mtp", map[string]map[string]float64{
			RAM: {Weights: 1.88, KV: 2.5, Recurrent: 0.45, Compute: 7.8, Draft: 7.79},
		}},
		{"draft-rpc", map[string]map[string]float64{
			"RPC0": {Weights: 0.85, KV: 3, Compute: 21.3, Draft: 0.15 + 1 + 20.05},
			"RPC1": {Weights: 0.43, KV: 1, Compute: 17.79, Draft: 0.08},
			RAM:    {Weights: 0.15, Compute: 18.57, Draft: 0.08 + 18.57},
		}},
		{"vulkan", map[string]map[string]float64{
			"Vulkan0": {Weights: 0.51, KV: 1.38, Compute: 7.26},
			RAM:       {Weights: 0.51, KV: 0.56, Compute: 5.78},
		}},
	}
	for _, test := range tests {
		t.Run(test.log, func(t *testing.T) {
			file, err := os.Open(filepath.Join("testdata", test.log+".log"))
			if err != nil {
				t.Fatal(err)
			}
			defer file.Close()
			m, err := FromLog(file)
			if err != nil || m.Source != Actual || len(m.Pools) != len(test.want) {
				t.Fatalf("%+v, %v", m, err)
			}
			for pool, slices := range test.want {
				for slice := range noSlices() {
					got := float64(m.pool(pool).Slices[slice]) / mib
					if abs(got-slices[slice]) > 0.011 {
						t.Errorf("%s on %s: %.3f MiB, want %.2f", slice, pool, got, slices[slice])
					}
				}
				if m.pool(pool).NeededBytes != m.pool(pool).Slices.Total() {
					t.Errorf("%s: %+v", pool, m.pool(pool))
				}
			}
		})
	}
}

func TestALogOfSomethingElseSaysNothing(t *testing.T) {
	for _, log := range []string{"", "usage: llama-server\n", "load_tensors: CPU model buffer size = lots MiB\n",
		"x: CPU model buffer size = 99999999999999999999.00 MiB\n", "\x00\xff\n"} {
		m, err := FromLog(strings.NewReader(log))
		if err != nil || len(m.Pools) != 0 {
			t.Errorf("%q: %+v, %v", log, m, err)
		}
	}
	if _, err := FromLog(strings.NewReader(strings.Repeat("x", 5<<20))); err == nil {
		t.Error("a line without end is read to its end")
	}
}

func TestTheOverheadIsLearned(t *testing.T) {
	need := func(id string, weights, overhead uint64) PoolNeed {
		s := noSlices()
		s[Weights], s[Overhead], s[Host] = weights, overhead, 1000
		return PoolNeed{ID: id, Slices: s, NeededBytes: s.Total()}
	}
	estimate := Memory{Pools: []PoolNeed{need("Vulkan0", 100, 20), need(RAM, 10, 7), need("Vulkan1", 50, 3)}}
	actual := Memory{Pools: []PoolNeed{{ID: "Vulkan0", NeededBytes: 104}, {ID: "Vulkan1", NeededBytes: 52}}}
	got := Learn(estimate, actual, map[string]uint64{"Vulkan0": 130})
	if got["Vulkan0"] != 30 || got[RAM] != 7 || got["Vulkan1"] != 5 {
		t.Errorf("%+v", got)
	}
	f := layers(1, nil)
	p := Request{Given: plan.Given{Model: f}, Overhead: got}
	p.Plan.Devices, p.Plan.ContextTokens, p.Plan.Slots = "Vulkan0", 256, 1
	if s := Estimate(p).Pools[0].Slices; s[Overhead] != 30 {
		t.Errorf("%+v", s)
	}
}

func TestABufferOfAllDevicesTogetherSaysNothing(t *testing.T) {
	m, err := FromLog(strings.NewReader("load_tensors: Meta() model buffer size = 5.00 MiB\nload_tensors: CPU model buffer size = 2.00 MiB\n" +
		"llama_kv_cache: Meta() KV buffer size = 3.00 MiB\n"))
	if err != nil || len(m.Pools) != 0 {
		t.Errorf("%+v, %v", m, err)
	}
}

func TestUnderTensorSplitThereIsAnEstimate(t *testing.T) {
	path, f := ghostNamed(t, "ghost-llama-8b")
	r := Request{Given: plan.Given{Model: f}}
	r.Plan, _ = plan.Complete(plan.Plan{ModelPath: path, Devices: "CUDA0,CUDA1", SplitMode: "tensor"}, r.Given)
	m, err := Measure(t.Context(), buildtest.Engine(t), r)
	if err != nil || m.Source != Estimated || len(m.Pools) != 3 {
		t.Fatalf("%+v, %v", m, err)
	}
	for i, id := range []string{"CUDA0", "CUDA1", RAM} {
		if m.Pools[i].ID != id || m.Pools[i].NeededBytes == 0 {
			t.Errorf("%+v", m.Pools[i])
		}
	}
}
