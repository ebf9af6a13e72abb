package budget

import (
	"reflect"
	"testing"
)

func TestParse(t *testing.T) {
	cache := uint64(1024 * mib)
	slices := func(weights, kv, compute, host uint64) Slices {
		return Slices{Weights: weights * mib, KV: kv * mib, Compute: compute * mib, Host: host,
			Recurrent: 0, Projector: 0, Draft: 0, Overhead: 0}
	}
	tests := []struct {
		name, text string
		want       []PoolNeed
	}{
		{
			name: "the processor alone", text: "Host 235 39 527 \n",
			want: []PoolNeed{{RAM, (235+39+527)*mib + cache, slices(235, 39, 527, cache)}},
		},
		{
			name: "a device and what stays on the host", text: "Vulkan0 36725 2560 240 \nHost 1385 0 282 \n",
			want: []PoolNeed{
				{"Vulkan0", (36725 + 2560 + 240) * mib, slices(36725, 2560, 240, 0)},
				{RAM, (1385+282)*mib + cache, slices(1385, 0, 282, cache)},
			},
		},
		{
			name: "the processor under several names is one pool", text: "CPU 10 1 2\nCPU_REPACK 20 0 0\nHost 1 1 1\n",
			want: []PoolNeed{{RAM, 36*mib + cache, slices(31, 2, 3, cache)}},
		},
		{
			name: "a device whose name has blanks", text: "Some Device 0 1 2 3\n",
			want: []PoolNeed{{"Some Device 0", 6 * mib, slices(1, 2, 3, 0)}, {RAM, cache, slices(0, 0, 0, cache)}},
		},
		{name: "nothing", text: "", want: []PoolNeed{}},
		{name: "other words", text: "usage: llama-fit-params\nHost 1 2\n", want: []PoolNeed{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			got := parse(test.text)
			if !reflect.DeepEqual(got.Pools, test.want) {
				t.Errorf("got  %+v\nwant %+v", got.Pools, test.want)
			}
		})
	}
	if got := parse("Host 99999999999999999999 1 1"); len(got.Pools) != 0 {
		t.Errorf("an absurd number is believed: %+v", got)
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
