package cli

import (
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
)

func TestModelsListsWhatIsThereAndWhatIsWrong(t *testing.T) {
	path := gguftest.Llama(t)
	dir := filepath.Dir(path)
	if err := os.WriteFile(filepath.Join(dir, "bad.gguf"), []byte("no"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := run(t, "models", dir, "--json")
	rows := decode[[]modelRow](t, r)
	if r.status != Done || len(rows) != 2 {
		t.Fatalf("%+v", r)
	}
	bad, good := rows[0], rows[1]
	if bad.Problem == "" || len(bad.Capabilities) != 0 {
		t.Errorf("%+v", bad)
	}
	if good.Path != path || good.Architecture != "llama" || good.Name == "" || good.Parameters == 0 || good.SizeBytes == 0 ||
		good.ContextTokens == 0 || good.Quantisation == "" || good.Problem != "" ||
		!slices.Equal(good.Capabilities, []string{"chat"}) || !slices.Equal(good.Files, []string{path}) {
		t.Errorf("%+v", good)
	}
	for _, key := range []string{`"missing":[]`, `"companions":{"projectors":[],"drafts":[],"mtp":[],"lora":[]}`} {
		if !strings.Contains(r.stdout, key) {
			t.Errorf("%s is not in %s", key, r.stdout)
		}
	}

	if text := run(t, "models", dir); text.status != Done || strings.Count(text.stdout, "\n") != 3 || !strings.Contains(text.stdout, good.Name) {
		t.Errorf("%+v", text)
	}
}

func TestModelsWithoutAPathAreThoseOfTheSettings(t *testing.T) {
	path := gguftest.Llama(t)
	dir := configDir(t)
	config := "model_folders = ['" + filepath.Dir(path) + "', '" + filepath.Join(dir, "gone") + "']\n"
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte(config), 0o600); err != nil {
		t.Fatal(err)
	}
	r := run(t, "--config", dir, "models", "--json")
	if rows := decode[[]modelRow](t, r); len(rows) != 1 || rows[0].Path != path {
		t.Errorf("%+v", r)
	}
	if r.status != Failed || !strings.Contains(r.stderr, "gone") {
		t.Errorf("a folder that is gone is not told: %+v", r)
	}

	name := decode[[]modelRow](t, r)[0].Name
	if byName := run(t, "--config", dir, "check", strings.ToUpper(name), "--json"); byName.status != Done {
		t.Errorf("by its name: %+v", byName)
	}
	if byFile := run(t, "--config", dir, "check", "llama", "--json"); byFile.status != Done {
		t.Errorf("by its file's name: %+v", byFile)
	}
}

func TestModelsOfNoFolderFails(t *testing.T) {
	dir := configDir(t)
	if err := os.WriteFile(filepath.Join(dir, "config.toml"), []byte("model_folders = ['/no/such/folder']\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	wantFailure(t, run(t, "--config", dir, "models", "--json"), Failed, "folder.missing")
}

func TestEnginesNamesTheBundledOne(t *testing.T) {
	r := run(t, "engines", "--json")
	list := decode[[]struct {
		ID, Path, Version, Source, Problem string
		Build                              int
		Backends                           []string
		Proven                             bool
	}](t, r)
	if r.status != Done || len(list) == 0 {
		t.Fatalf("%+v", r)
	}
	e := list[0]
	if e.Source != "bundled" || e.Build == 0 || e.Version == "" || e.ID == "" || e.Problem != "" || !e.Proven || len(e.Backends) == 0 {
		t.Errorf("%+v", e)
	}
	if text := run(t, "engines"); text.status != Done || !strings.Contains(text.stdout, e.ID) {
		t.Errorf("%+v", text)
	}
}

func TestAnEngineThatIsGoneIsInTheListWithTheReason(t *testing.T) {
	r := runWith(t, t.Context(), Hooks{BundledEngine: filepath.Join(t.TempDir(), "gone")}, "engines", "--json")
	list := decode[[]struct{ Problem string }](t, r)
	if r.status != Done || len(list) == 0 || list[0].Problem == "" || strings.HasPrefix(list[0].Problem, "build.") {
		t.Errorf("%+v", r)
	}
}

func TestDevicesOfThisMachine(t *testing.T) {
	r := run(t, "devices", "--json")
	m := decode[struct {
		Pools []struct {
			ID, Kind   string
			TotalBytes uint64
		}
		GPUs   []any
		CPU    struct{ Threads int }
		Advice []string
	}](t, r)
	if r.status != Done || m.CPU.Threads == 0 || m.GPUs == nil || m.Advice == nil {
		t.Errorf("%+v", r)
	}
	if i := len(m.Pools) - 1; i < 0 || m.Pools[i].ID != "ram" || m.Pools[i].TotalBytes == 0 {
		t.Errorf("pools %+v", m.Pools)
	}
	if text := run(t, "devices"); text.status != Done || !strings.Contains(text.stdout, "RAM") {
		t.Errorf("%+v", text)
	}
}

// record writes a recorded machine.
func record(t *testing.T, files map[string]string) string {
	t.Helper()
	root := t.TempDir()
	for name, content := range files {
		path := filepath.Join(root, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return root
}

func TestDevicesOfARecordedMachine(t *testing.T) {
	root := record(t, map[string]string{
		"proc/meminfo":                                   "MemTotal: 65536000 kB\nMemAvailable: 60000000 kB\n",
		"sys/class/drm/card1/device/uevent":              "DRIVER=amdgpu\nPCI_ID=1002:1586\nPCI_SLOT_NAME=0000:c5:00.0\n",
		"sys/class/drm/card1/device/mem_info_vram_total": "536870912\n",
		"sys/class/drm/card1/device/mem_info_gtt_total":  "34359738368\n",
		"list-devices.txt":                               "Available devices:\n  Vulkan0: AMD Radeon Graphics (RADV GFX1151) (33000 MiB, 32000 MiB free)\n",
	})
	r := run(t, "devices", "--root", root, "--json")
	m := decode[struct {
		Pools []struct{ ID, Kind string }
		GPUs  []struct {
			Pool          string
			Integrated    bool
			EngineDevices []string
		}
	}](t, r)
	if r.status != Done || len(m.Pools) != 2 || m.Pools[0].Kind != "apu" || len(m.GPUs) != 1 {
		t.Fatalf("%+v", r)
	}
	if gpu := m.GPUs[0]; !gpu.Integrated || gpu.Pool != m.Pools[0].ID || !slices.Equal(gpu.EngineDevices, []string{"Vulkan0"}) {
		t.Errorf("%+v", gpu)
	}
}

// A checkDocument is what check prints with --json.
type checkDocument struct {
	Valid    bool
	Refusals []finding
	Cautions []finding
	Offers   map[string][]string
	Plan     struct {
		Devices, GPULayers, CacheK, CacheV, FlashAttn, SplitMode, TensorSplit string
		SpecTypes, DraftPath, DraftCacheK, DraftCacheV                        string
		ProjectorPath, ProjectorDevice, LoRAPath, Purpose, Pooling            string
		RPCServers                                                            string
		ContextTokens, Slots, DraftMax, CacheReuse                            int
		ContextShift                                                          bool
	}
	Arguments []string
	Memory    struct {
		Source string
		Pools  []struct {
			ID                       string
			UsableBytes, NeededBytes uint64
			Slices                   map[string]uint64
		}
	}
	Fits     *bool
	Remedies []remedy
}

func TestCheckSaysEverythingOfAPlan(t *testing.T) {
	path := gguftest.Llama(t)
	r := run(t, "check", path, "--json", "--context", "1024", "--cache-k", "q8_0", "--devices", "cpu")
	c := decode[checkDocument](t, r)
	if r.status != Done || !c.Valid || len(c.Refusals) != 0 || c.Refusals == nil || c.Cautions == nil || c.Remedies == nil {
		t.Fatalf("%+v", r)
	}
	if c.Plan.ContextTokens != 1024 || c.Plan.CacheK != "q8_0" || c.Plan.CacheV != "f16" || c.Plan.Devices != "CPU" || c.Plan.Slots != 1 {
		t.Errorf("plan %+v", c.Plan)
	}
	if i := slices.Index(c.Arguments, "-m"); i < 0 || c.Arguments[i+1] != path {
		t.Errorf("arguments %q", c.Arguments)
	}
	if len(c.Memory.Pools) != 1 || c.Memory.Source != "measured" || c.Fits == nil || !*c.Fits {
		t.Fatalf("memory %+v, fits %v", c.Memory, c.Fits)
	}
	p := c.Memory.Pools[0]
	if p.ID != "ram" || p.NeededBytes == 0 || p.UsableBytes == 0 || len(p.Slices) != 8 {
		t.Errorf("%+v", p)
	}
	if !slices.Contains(c.Offers["cacheV"], "q8_0") || !slices.Equal(c.Offers["flashAttn"], []string{"auto", "on", "off"}) ||
		!slices.Contains(c.Offers["split"], "none") || !slices.Contains(c.Offers["spec"], "none") || c.Offers["projectorDevice"] == nil {
		t.Errorf("offers %v", c.Offers)
	}

	text := run(t, "check", path)
	if text.status != Done || !strings.Contains(text.stdout, "llama-server -m "+path) || !strings.Contains(text.stdout, "fits") {
		t.Errorf("%+v", text)
	}
}

func TestCheckRefusesWithTheReason(t *testing.T) {
	path := gguftest.Llama(t)
	r := run(t, "check", path, "--json", "--cache-v", "q4_0", "--flash-attn", "off")
	c := decode[checkDocument](t, r)
	if r.status != Refused || c.Valid || len(c.Refusals) != 1 || len(c.Arguments) != 0 {
		t.Fatalf("%+v", r)
	}
	if f := c.Refusals[0]; f.Rule != "cache-v-flash-off" || f.Setting != "cacheV" || !strings.Contains(f.Message, "q4_0") || f.Remedy == "" || f.Source == "" {
		t.Errorf("%+v", f)
	}
	if slices.Contains(c.Offers["cacheV"], "q4_0") || !slices.Contains(c.Offers["cacheV"], "f16") || slices.Contains(c.Offers["flashAttn"], "off") {
		t.Errorf("offers %v", c.Offers)
	}
	wantFailure(t, run(t, "chat", path, "hello", "--json", "--cache-v", "q4_0", "--flash-attn", "off"), Refused, "rule.cache-v-flash-off")
	if text := run(t, "check", path, "--cache-v", "q4_0", "--flash-attn", "off"); text.status != Refused || !strings.Contains(text.stdout, c.Refusals[0].Message) {
		t.Errorf("%+v", text)
	}
}

func TestCheckRefusesAContextAboveTheTrainedOne(t *testing.T) {
	r := run(t, "check", gguftest.Llama(t), "--json", "--context", "200000", "--build", "11669")
	c := decode[checkDocument](t, r)
	if r.status != Refused || c.Valid || len(c.Refusals) != 1 || c.Refusals[0].Rule != "context-above-trained" {
		t.Fatalf("%+v", r)
	}
	// The sentence is for people: the model's trained length is in it.
	if !strings.ContainsAny(c.Refusals[0].Message, "0123456789") || strings.Contains(c.Refusals[0].Message, "{{") {
		t.Errorf("%q", c.Refusals[0].Message)
	}
}

func TestWhatDoesNotFitHasItsStatus(t *testing.T) {
	root := record(t, map[string]string{"proc/meminfo": "MemTotal: 4194304 kB\nMemAvailable: 524288 kB\n"})
	path := gguftest.Llama(t)
	r := run(t, "check", path, "--json", "--root", root)
	c := decode[checkDocument](t, r)
	if r.status != DoesNotFit || !c.Valid || c.Fits == nil || *c.Fits {
		t.Errorf("%+v", r)
	}
}

func TestARecordedMachinesDevicesAreNotMeasuredHere(t *testing.T) {
	root := record(t, map[string]string{
		"proc/meminfo":     "MemTotal: 65536000 kB\nMemAvailable: 60000000 kB\n",
		"list-devices.txt": "Available devices:\n  CUDA0: NVIDIA GeForce RTX 4090 (24564 MiB, 24000 MiB free)\n",
	})
	r := run(t, "check", gguftest.Llama(t), "--json", "--root", root)
	c := decode[checkDocument](t, r)
	if r.status != Done || c.Plan.Devices != "CUDA0" || c.Plan.GPULayers != "all" || c.Fits == nil || !*c.Fits ||
		c.Memory.Source != "estimate" || len(c.Memory.Pools) != 2 {
		t.Fatalf("%+v", r)
	}
	if card := c.Memory.Pools[0]; card.ID != "vram-cuda0" || card.UsableBytes != 24000<<20 || card.Slices["weights"] == 0 || card.Slices["kv"] == 0 {
		t.Errorf("%+v", card)
	}
}

func TestAPlanThatDoesNotFitComesWithWhatWould(t *testing.T) {
	root := record(t, map[string]string{
		"proc/meminfo":     "MemTotal: 65536000 kB\nMemAvailable: 60000000 kB\n",
		"list-devices.txt": "Available devices:\n  CUDA0: Tiny (1024 MiB, 300 MiB free)\n",
	})
	r := run(t, "check", gguftest.Llama(t), "--json", "--root", root)
	c := decode[checkDocument](t, r)
	if r.status != DoesNotFit || c.Fits == nil || *c.Fits || len(c.Remedies) == 0 {
		t.Fatalf("%+v", r)
	}
	for _, remedy := range c.Remedies {
		if remedy.Message == "" || strings.Contains(remedy.Message, "{{") || len(remedy.Flags) == 0 || remedy.NeededBytes == 0 {
			t.Errorf("%+v", remedy)
		}
	}
	if text := run(t, "check", gguftest.Llama(t), "--root", root); !strings.Contains(text.stdout, c.Remedies[0].Message) {
		t.Errorf("%+v", text)
	}
}

func TestRulesCanBeHeldForABuildWithoutAnEngine(t *testing.T) {
	t.Setenv("PATH", t.TempDir())
	model := gguftest.Llama(t)
	r := runWith(t, t.Context(), Hooks{}, "check", model, "--json", "--build", "99999")
	c := decode[checkDocument](t, r)
	if r.status != Done || !c.Valid || len(c.Cautions) != 1 || c.Cautions[0].Rule != "build-newer" {
		t.Errorf("%+v", r)
	}
	wantFailure(t, runWith(t, t.Context(), Hooks{}, "check", model, "--json"), Failed, "build.nothingToChoose")
	if r := runWith(t, t.Context(), Hooks{}, "engines", "--json"); r.status != Done || strings.TrimSpace(r.stdout) != "[]" {
		t.Errorf("%+v", r)
	}
}

func TestAnEngineIsChosenByPathAndByID(t *testing.T) {
	model := gguftest.Llama(t)
	if r := run(t, "--engine", buildtest.Path(t), "check", model, "--json"); r.status != Done {
		t.Errorf("by path: %+v", r)
	}
	id := decode[[]struct{ ID string }](t, run(t, "engines", "--json"))[0].ID
	if r := run(t, "--engine", id, "check", model, "--json"); r.status != Done {
		t.Errorf("by id %q: %+v", id, r)
	}
}
