package build

import (
	"reflect"
	"slices"
	"strings"
	"testing"
)

func TestVersionsOfAllTimesAreRead(t *testing.T) {
	for name, test := range map[string]struct {
		text    string
		version string
		number  int
	}{
		"with a release":        {"version: 0.7.0 (build 11669, commit Debian)\nbuilt with GNU 16.2.0 for Linux x86_64\n", "0.7.0", 11669},
		"with a number":         {"version: 9219 (0123abc)\nbuilt with cc for x86_64-linux-gnu\n", "b9219", 9219},
		"after a device list":   {"ggml_cuda_init: found 1 CUDA devices:\n  Device 0: A card\nversion: 4589 (eb7cf15a)\n", "b4589", 4589},
		"from Windows":          {"version: 9219 (0123abc)\r\nbuilt with clang\r\n", "b9219", 9219},
		"without git":           {"version: 0 (unknown)\n", "b0", 0},
		"of another program":    {"version: 2.1\n", "", 0},
		"a number out of range": {"version: 99999999999999999999 (x)\n", "", 0},
		"nothing":               {"", "", 0},
	} {
		t.Run(name, func(t *testing.T) {
			version, number := parseVersion(test.text)
			if version != test.version || number != test.number {
				t.Errorf("got %q, %d", version, number)
			}
		})
	}
}

func TestDeviceListsAreRead(t *testing.T) {
	for name, test := range map[string]struct {
		text string
		want []Device
	}{
		"none": {"Available devices:\n  (none)\n", nil},
		"two cards": {
			"Available devices:\n  CUDA0: NVIDIA RTX A6000 (48567 MiB, 48300 MiB free)\n  Vulkan0: AMD Radeon Graphics (RADV GFX1151) (110000 MiB, 1 MiB free)\r\n",
			[]Device{
				{ID: "CUDA0", Name: "NVIDIA RTX A6000", TotalBytes: 48567 * mib, FreeBytes: 48300 * mib},
				{ID: "Vulkan0", Name: "AMD Radeon Graphics (RADV GFX1151)", TotalBytes: 110000 * mib, FreeBytes: mib},
			},
		},
		"software": {
			"  Vulkan0: llvmpipe (LLVM 15.0.6, 256 bits) (2048 MiB, 2048 MiB free)\n",
			[]Device{{ID: "Vulkan0", Name: "llvmpipe (LLVM 15.0.6, 256 bits)", TotalBytes: 2048 * mib, FreeBytes: 2048 * mib, Software: true}},
		},
		"another software": {
			"  Vulkan0: SwiftShader Device (Subzero) (4096 MiB, 4096 MiB free)\n",
			[]Device{{ID: "Vulkan0", Name: "SwiftShader Device (Subzero)", TotalBytes: 4096 * mib, FreeBytes: 4096 * mib, Software: true}},
		},
		"a remote one": {
			"  RPC0: 127.0.0.1:50052 (16000 MiB, 15000 MiB free)\n",
			[]Device{{ID: "RPC0", Name: "127.0.0.1:50052", TotalBytes: 16000 * mib, FreeBytes: 15000 * mib}},
		},
		"more free than there is": {
			"  Vulkan0: A card (8192 MiB, 9000 MiB free)\n",
			[]Device{{ID: "Vulkan0", Name: "A card", TotalBytes: 8192 * mib, FreeBytes: 8192 * mib}},
		},
		"a name that would colour a terminal": {
			"  Vulkan0: \x1b[31mA\u202e card\xff (1 MiB, 1 MiB free)\n",
			[]Device{{ID: "Vulkan0", Name: "[31mA card", TotalBytes: mib, FreeBytes: mib}},
		},
		"numbers out of range": {"  Vulkan0: A (99999999999999999999 MiB, 1 MiB free)\n  Vulkan1: A (1 MiB, 99999999999999999999 MiB free)\n", nil},
		"log lines":            {"0.00.020 D ggml_vulkan: 0 = A card (1 MiB)\nload_backend: loaded\n", nil},
	} {
		t.Run(name, func(t *testing.T) {
			if got := ParseDevices(test.text); !reflect.DeepEqual(got, test.want) {
				t.Errorf("got %+v, want %+v", got, test.want)
			}
		})
	}
}

func TestBackendsAreThoseThatWereLoaded(t *testing.T) {
	for name, test := range map[string]struct {
		listing answer
		want    string
	}{
		"as they log it": {answer{stderr: "I load_backend: loaded RPC backend from /x\nload_backend: loaded Vulkan backend from /y\nload_backend: loaded CPU backend from /z\n"}, "RPC Vulkan CPU"},
		"built in":       {answer{stdout: "Available devices:\n  CUDA0: A (1 MiB, 1 MiB free)\n  CUDA1: A (1 MiB, 1 MiB free)\n"}, "CUDA CPU"},
		"nothing said":   {answer{}, "CPU"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := strings.Join(backends(test.listing), " "); got != test.want {
				t.Errorf("got %q, want %q", got, test.want)
			}
		})
	}
}

func TestTheEngineGetsACleanEnvironment(t *testing.T) {
	got := environment([]string{
		"PATH=/bin", "LLAMA_ARG_CTX_SIZE=5", "LLAMA_API_KEY=x", "LLAMA_SERVER_ROUTER_PORT=1", "MTMD_BACKEND_DEVICE=CPU",
		"XDG_CONFIG_HOME=/home/a/.config", "GGML_NO_BACKTRACE=0", "GGML_VK_VISIBLE_DEVICES=1", "VK_DRIVER_FILES=/a=b", "EMPTY=",
	})
	want := []string{
		"PATH=/bin", "GGML_VK_VISIBLE_DEVICES=1", "VK_DRIVER_FILES=/a=b", "EMPTY=",
		"XDG_CONFIG_HOME=/dev/null", "GGML_NO_BACKTRACE=1",
	}
	if !slices.Equal(got, want) {
		t.Errorf("got %q", got)
	}
}

func TestTheFirstErrorLineIsTheReason(t *testing.T) {
	for name, test := range map[string]struct{ text, want string }{
		"an error among others":   {"loading\nerror: no such thing\nfailed to free\n", "error: no such thing"},
		"no error":                {"\n\nhello\nworld\n", "hello"},
		"nothing":                 {"", ""},
		"a long line is cut":      {strings.Repeat("x", 1000), strings.Repeat("x", detailLimit) + "…"},
		"control characters gone": {"\x1b[1mFAILED\x07\n", "[1mFAILED"},
	} {
		t.Run(name, func(t *testing.T) {
			if got := firstError(test.text); got != test.want {
				t.Errorf("got %q", got)
			}
		})
	}
}

func TestOutputWithoutEndIsCut(t *testing.T) {
	var h head
	chunk := make([]byte, 700_000)
	for range 3 {
		if n, err := h.Write(chunk); n != len(chunk) || err != nil {
			t.Fatalf("got %d, %v", n, err)
		}
	}
	if h.kept.Len() != headLimit {
		t.Errorf("kept %d", h.kept.Len())
	}
}

func TestAnEngineWithoutAProcessorsPartIsToldByItsOwnWords(t *testing.T) {
	for name, test := range map[string]struct {
		log  string
		want bool
	}{
		"no backend at all":        {"0.00.028 I cmn  common_param: system_info: n_threads = 2 (n_threads_batch = 2) / 2 | \n", true},
		"cards only":               {"system_info: n_threads = 8 / 16 | CUDA : ARCHS = 890 | USE_GRAPHS = 1 | \r\n", true},
		"the processor":            {"system_info: n_threads = 2 / 2 | CPU : SSE3 = 1 | OPENMP = 1 | \n", false},
		"a card and the processor": {"system_info: n_threads = 2 / 2 | CUDA : ARCHS = 890 | CPU : SSE3 = 1 | \n", false},
		"a build of 2024":          {"system_info: n_threads = 2 / 2 | AVX = 1 | FMA = 1 | \n", false},
		"a log that was cut":       {"I load_backend: loaded RPC backend from /lib/libggml-rpc.so\n", false},
		"nothing":                  {"", false},
	} {
		if got := lacksCPU(test.log); got != test.want {
			t.Errorf("%s: %v", name, got)
		}
	}
}
