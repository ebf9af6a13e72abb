package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/gguf/gguftest"
)

// machineJSON is what other programs read of `devices --json`.
type machineJSON struct {
	Pools []struct {
		ID, Name, Kind, Source             string
		TotalBytes, UsedBytes, UsableBytes *uint64
	}
	GPUs []struct {
		Name, Vendor, PCI, Driver, Pool                            string
		Integrated                                                 bool
		VRAMTotalBytes, VRAMUsedBytes, GTTTotalBytes, GTTUsedBytes *uint64
		EngineDevices                                              []string
	}
	CPU           struct{ Name string }
	Advice        []string
	EngineDevices []struct{ ID string }
}

func recordedMachine(name string) string {
	return filepath.Join("../hardware/testdata/machines", name)
}

func TestDevicesOfARecordedMachineAsJSON(t *testing.T) {
	r := run(t, "devices", "--root", recordedMachine("strix-halo-512mb"), "--json")
	m := decode[machineJSON](t, r)
	if r.status != Done || len(m.Pools) != 2 || len(m.GPUs) != 1 || len(m.EngineDevices) != 2 {
		t.Fatalf("%+v", r)
	}
	pool, gpu := m.Pools[0], m.GPUs[0]
	if pool.Kind != "apu" || pool.ID != gpu.Pool || pool.Name != "Radeon 8060S" || *pool.TotalBytes != 96<<30+512<<20 || *pool.UsedBytes != 368111616+1503238144 ||
		*pool.UsableBytes != 512<<20-368111616+96<<30-1503238144 || pool.Source == "" {
		t.Errorf("pool %+v", pool)
	}
	if !gpu.Integrated || *gpu.VRAMTotalBytes != 512<<20 || *gpu.VRAMUsedBytes != 368111616 || *gpu.GTTTotalBytes != 96<<30 || *gpu.GTTUsedBytes != 1503238144 ||
		!slices.Equal(gpu.EngineDevices, []string{"Vulkan0", "ROCm0"}) {
		t.Errorf("gpu %+v", gpu)
	}
	if len(m.Advice) != 1 || !strings.Contains(m.Advice[0], "add ttm.pages_limit=28311552 to the kernel command line instead of ttm.pages_limit=25165824") {
		t.Errorf("advice %v", m.Advice)
	}
}

func TestWhatNobodyKnowsIsNullAndNotZero(t *testing.T) {
	r := run(t, "devices", "--root", recordedMachine("nonsense"), "--json")
	m := decode[machineJSON](t, r)
	if liar := m.GPUs[1]; *liar.VRAMTotalBytes == 0 || liar.VRAMUsedBytes != nil || liar.GTTTotalBytes != nil {
		t.Errorf("%+v", liar)
	}
	if m.Pools[1].UsedBytes != nil || *m.Pools[1].UsableBytes == 0 {
		t.Errorf("%+v", m.Pools[1])
	}
}

func TestDevicesOfEveryRecordedMachineInWords(t *testing.T) {
	for name, want := range map[string][]string{
		"strix-halo-512mb": {"is Vulkan0 = ROCm0", "gnome-shell (1201) uses 0.9 GiB", "Radeon 8060S: 96.5 GiB, 1.7 GiB used, 94.8 GiB for a model (from sysfs, /proc/meminfo)", "Paddock never changes your system."},
		"nvidia-two":       {"may be CUDA0, CUDA1, or a card just like it is", "GeForce RTX 3090: 24.0 GiB, 14.7 GiB used, 9.3 GiB for a model"},
		"nonsense":         {"Nothing tells how much memory it has.", "AMD GPU 73bf: 16.0 GiB, use not known, 16.0 GiB for a model"},
		"vm":               {"No graphics card was found.", "Engine device Vulkan0: llvmpipe"},
		"engine-list-only": {"Processor: not known\n"},
		"gb10":             {"Processor: 20 cores", "GB10: 121.7 GiB, 8.6 GiB used, 103.3 GiB for a model"},
	} {
		r := run(t, "devices", "--root", recordedMachine(name))
		for _, text := range want {
			if r.status != Done || !strings.Contains(r.stdout, text) {
				t.Errorf("%s does not say %q:\n%s%s", name, text, r.stdout, r.stderr)
			}
		}
		if strings.Contains(r.stdout, "<no value>") || strings.Contains(r.stdout, "NaN") {
			t.Errorf("%s:\n%s", name, r.stdout)
		}
	}
}

func TestAFolderThatIsNoRecordingIsRefused(t *testing.T) {
	r := run(t, "devices", "--root", t.TempDir(), "--json")
	wantFailure(t, r, Failed, "cli.recording.empty")
	if !strings.Contains(r.stdout+r.stderr, "nvidia-smi.csv") {
		t.Errorf("it does not say what a recording is: %+v", r)
	}
}

func TestACheckForAFolderThatIsNoRecordingIsRefused(t *testing.T) {
	r := run(t, "check", "guide", "--root", t.TempDir(), "--json")
	wantFailure(t, r, Failed, "cli.recording.empty")
}

func TestTheGuideIsCheckedForARecordedMachine(t *testing.T) {
	r := run(t, "check", "guide", "--root", recordedMachine("strix-halo-512mb"), "--build", "11669")
	if r.status != Done || !strings.Contains(r.stdout, "Paddock Guide") || !strings.Contains(r.stdout, "of 94.8 GiB: fits") {
		t.Errorf("%+v", r)
	}
}

func TestACheckShowsNoZeroForMemoryNobodyKnows(t *testing.T) {
	r := run(t, "check", "guide", "--root", recordedMachine("engine-list-only"), "--build", "11669")
	if r.status != Done || !strings.Contains(r.stdout, "GiB: nothing tells how much there is\n") || strings.Contains(r.stdout, "of 0.0 GiB") {
		t.Errorf("%+v", r)
	}
}

func TestACheckNamesTheRAMThatAnIntegratedCardTakes(t *testing.T) {
	path := ghost(t, "ghost-llama-70b")
	r := run(t, "check", path, "--root", recordedMachine("gb10"), "--build", "11669", "--context", "262144", "--slots", "2", "--gpu-layers", "40")
	if r.status != DoesNotFit || !strings.Contains(r.stdout, "GiB of the same memory, of 103.3 GiB: does not fit\n") {
		t.Errorf("%+v", r)
	}
}

func TestACheckSaysSoWhenNoSingleChangeHelps(t *testing.T) {
	r := run(t, "check", ghost(t, "ghost-qwen3.5-122b-a10b"), "--root", recordedMachine("no-gpu"), "--build", "11669", "--context", "8192")
	if r.status != DoesNotFit || !strings.Contains(r.stdout, "No single change makes it fit.\n") {
		t.Errorf("%+v", r)
	}
}

func ghost(t *testing.T, name string) string {
	t.Helper()
	for _, g := range gguftest.Ghosts() {
		if g.Name == name {
			path, err := g.Write(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			return path
		}
	}
	t.Fatalf("no ghost is named %q", name)
	return ""
}

func TestCheckForARecordedMachineTakesEachCardOnce(t *testing.T) {
	for name, want := range map[string]string{
		"strix-halo-512mb":            "Vulkan0", // which ROCm0 is too
		"amd-discrete-and-integrated": "Vulkan0", // the processor's own graphics would slow the card down
	} {
		r := run(t, "check", gguftest.Llama(t), "--json", "--root", recordedMachine(name))
		if got := decode[checkDocument](t, r).Plan.Devices; got != want {
			t.Errorf("%s: %s, want %s", name, got, want)
		}
	}
}

func TestCheckSaysThatARecordingHasNoDeviceList(t *testing.T) {
	r := run(t, "check", gguftest.Llama(t), "--root", recordedMachine("strix-halo-96-32"))
	if !strings.Contains(r.stderr, "has no list of engine devices, so this is planned for its processor alone") {
		t.Errorf("it says %q", r.stderr)
	}
}

func TestACardThatTheEngineDoesNotSeeSaysWhatItNeeds(t *testing.T) {
	root := t.TempDir()
	if err := os.CopyFS(root, os.DirFS(recordedMachine("strix-halo-512mb"))); err != nil {
		t.Fatal(err)
	}
	const sentence = "It needs a Vulkan driver"
	if r := run(t, "devices", "--root", root); r.status != Done || strings.Contains(r.stdout, sentence) {
		t.Errorf("a card that is seen: %+v", r)
	}
	lists, err := filepath.Glob(filepath.Join(root, "*devices*"))
	if err != nil || len(lists) != 1 {
		t.Fatalf("the recorded list of devices is one of %v, %v", lists, err)
	}
	if err := os.WriteFile(lists[0], []byte("Available devices:\n  Vulkan0: llvmpipe (LLVM 15.0.6, 256 bits) (2048 MiB, 2048 MiB free)\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if r := run(t, "devices", "--root", root); r.status != Done || !strings.Contains(r.stdout, sentence) {
		t.Errorf("a card that is not: %+v", r)
	}
}
