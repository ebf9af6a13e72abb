package cli

import (
	"net"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/build"
	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
)

// runWithoutEngine calls paddock where there is no engine at all: rules need
// none.
func runWithoutEngine(t *testing.T, args ...string) result {
	t.Helper()
	t.Setenv("PATH", t.TempDir())
	return runWith(t, t.Context(), Hooks{}, args...)
}

func TestASettingThatMakesNoSenseIsWrongUsage(t *testing.T) {
	model := gguftest.Llama(t)
	tests := map[string][]string{
		"a purpose that is none":                 {"--purpose", "poetry"},
		"a split that is none":                   {"--split", "diagonal"},
		"shares that are no numbers":             {"--tensor-split", "most,some"},
		"a share below zero":                     {"--tensor-split=-1,2"},
		"a share that is missing":                {"--tensor-split", "3,,1"},
		"a share that is infinite":               {"--tensor-split", "inf,1"},
		"no share for anybody":                   {"--tensor-split", "0,0"},
		"a way of guessing nobody knows":         {"--spec", "telepathy"},
		"a way of guessing by the engine's name": {"--spec", "draft-mtp"},
		"guessing and not guessing":              {"--spec", "none,mtp"},
		"not guessing after guessing":            {"--spec", "mtp,none"},
		"a way of guessing twice":                {"--spec", "mtp,mtp"},
		"a way of guessing that is empty":        {"--spec", "mtp,"},
		"no token guessed at a time":             {"--draft-max", "0"},
		"more tokens guessed than a batch has":   {"--draft-max", "100000"},
		"a draft's cache type that is none":      {"--draft-cache-k", "q3_0"},
		"another draft's cache type that is not": {"--draft-cache-v", "f12"},
		"a projector's place that is none":       {"--projector-device", "tpu"},
		"a pooling nobody knows":                 {"--pooling", "max"},
		"a prompt cache that is no number":       {"--prompt-cache", "some"},
		"a prompt cache below one":               {"--prompt-cache", "0"},
		"a device without a name":                {"--devices", ","},
		"the processor beside a device":          {"--devices", "CPU,Vulkan0"},
		"a reuse below zero":                     {"--cache-reuse=-1"},
		"a computer without a port":              {"--rpc", "otherhost"},
		"a port without a computer":              {"--rpc", ":50052"},
		"a port that is no number":               {"--rpc", "otherhost:http"},
		"a port that is none":                    {"--rpc", "otherhost:70000"},
		"an address with more than that":         {"--rpc", "http://otherhost:1"},
		"a computer twice":                       {"--rpc", "otherhost:1,otherhost:1"},
		"a computer that is empty":               {"--rpc", "otherhost:1,"},
	}
	for name, args := range tests {
		t.Run(name, func(t *testing.T) {
			r := runWithoutEngine(t, append([]string{"check", model, "--json", "--build", "11669"}, args...)...)
			wantFailure(t, r, WrongUsage, "cli.usage")
			if strings.Contains(r.stderr, `"",`) {
				t.Errorf("an empty value is offered: %q", r.stderr)
			}
		})
	}
	t.Run("a chat that is for something else", func(t *testing.T) {
		wantFailure(t, runWithoutEngine(t, "chat", model, "hello", "--json", "--purpose", "embeddings"), WrongUsage, "cli.usage")
	})
}

func TestEveryPlanFlagIsInThePlanAndItsArguments(t *testing.T) {
	dir := shelve(t, "llama", "llama-draft", "mmproj-llama", "llama-lora")
	path := func(name string) string { return filepath.Join(dir, name+".gguf") }
	tests := map[string]struct {
		flags []string
		plan  func(checkDocument) bool
		args  []string // that stand one after the other
	}{
		"split":            {[]string{"--devices", "CUDA0,CUDA1", "--split", "layer"}, func(c checkDocument) bool { return c.Plan.SplitMode == "layer" }, []string{"-sm", "layer"}},
		"tensor split":     {[]string{"--devices", "CUDA0,CUDA1", "--tensor-split", "3,1"}, func(c checkDocument) bool { return c.Plan.TensorSplit == "3,1" }, []string{"-ts", "3,1"}},
		"draft":            {[]string{"--draft", path("llama-draft")}, func(c checkDocument) bool { return c.Plan.SpecTypes == "draft-simple" }, []string{"--spec-type", "draft-simple", "-md", path("llama-draft")}},
		"draft by type":    {[]string{"--spec", "draft"}, func(c checkDocument) bool { return c.Plan.DraftPath == path("llama-draft") }, []string{"-md", path("llama-draft")}},
		"draft switched":   {[]string{"--spec", "none", "--draft", path("llama-draft")}, func(c checkDocument) bool { return c.Plan.DraftPath == "" }, []string{"--spec-type", "none"}},
		"n-grams":          {[]string{"--spec", "ngram-simple,ngram-map-k4v"}, func(c checkDocument) bool { return c.Plan.SpecTypes == "ngram-simple,ngram-map-k4v" }, []string{"--spec-type", "ngram-simple,ngram-map-k4v"}},
		"draft max":        {[]string{"--spec", "draft", "--draft-max", "7"}, func(c checkDocument) bool { return c.Plan.DraftMax == 7 }, []string{"--spec-draft-n-max", "7"}},
		"draft cache":      {[]string{"--spec", "draft", "--draft-cache-k", "q8_0", "--draft-cache-v", "q4_0"}, func(c checkDocument) bool { return c.Plan.DraftCacheK == "q8_0" && c.Plan.DraftCacheV == "q4_0" }, []string{"-ctkd", "q8_0", "-ctvd", "q4_0"}},
		"projector":        {[]string{"--projector", path("mmproj-llama")}, func(c checkDocument) bool { return c.Plan.ProjectorPath == path("mmproj-llama") }, []string{"--mmproj", path("mmproj-llama")}},
		"projector beside": {nil, func(c checkDocument) bool { return c.Plan.ProjectorPath == path("mmproj-llama") }, []string{"--mmproj", path("mmproj-llama")}},
		"no projector":     {[]string{"--projector", "none"}, func(c checkDocument) bool { return c.Plan.ProjectorPath == "none" }, []string{"--no-mmproj"}},
		"projector's device": {[]string{"--devices", "CUDA0", "--projector-device", "cpu"},
			func(c checkDocument) bool { return c.Plan.ProjectorDevice == "cpu" }, []string{"--mmproj", path("mmproj-llama"), "--no-mmproj-offload"}},
		"purpose and pooling": {[]string{"--purpose", "embeddings", "--pooling", "mean"},
			func(c checkDocument) bool { return c.Plan.Purpose == "embeddings" && c.Plan.Pooling == "mean" }, []string{"--embeddings", "--pooling", "mean"}},
		"context shift":    {[]string{"--context-shift", "--projector", "none"}, func(c checkDocument) bool { return c.Plan.ContextShift }, []string{"--context-shift"}},
		"no context shift": {[]string{"--context-shift", "--no-context-shift"}, func(c checkDocument) bool { return !c.Plan.ContextShift }, []string{"--no-context-shift"}},
		"cache reuse":      {[]string{"--cache-reuse", "256", "--projector", "none"}, func(c checkDocument) bool { return c.Plan.CacheReuse == 256 }, []string{"--cache-reuse", "256"}},
		"adapter":          {[]string{"--lora", path("llama-lora")}, func(c checkDocument) bool { return c.Plan.LoRAPath == path("llama-lora") }, []string{"--lora", path("llama-lora")}},
		"other computers":  {[]string{"--rpc", "one:1,two:2"}, func(c checkDocument) bool { return c.Plan.RPCServers == "one:1,two:2" }, []string{"--rpc", "one:1,two:2"}},
		"empty ones":       {[]string{"--split", "", "--tensor-split", "", "--spec", "", "--draft", "", "--pooling", ""}, func(c checkDocument) bool { return c.Plan.SpecTypes == "none" }, nil},
	}
	root := recordedMachine("nvidia-three")
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			flags := test.flags
			if !slices.Contains(flags, "--devices") {
				flags = append(slices.Clone(flags), "--devices", "CPU")
			}
			r := runWithoutEngine(t, append([]string{"check", path("llama"), "--json", "--build", "11669", "--root", root}, flags...)...)
			c := decode[checkDocument](t, r)
			if r.status != Done || !test.plan(c) {
				t.Fatalf("%d, %+v, %s", r.status, c.Plan, r.stderr)
			}
			if !strings.Contains(strings.Join(c.Arguments, "\x00")+"\x00", strings.Join(test.args, "\x00")) {
				t.Errorf("%q are not in %q", test.args, c.Arguments)
			}
		})
	}
}

func TestAPathOfHereIsThatOfTheFileFound(t *testing.T) {
	dir := shelve(t, "llama", "llama-draft")
	t.Chdir(dir)
	r := runWithoutEngine(t, "check", "llama.gguf", "--json", "--build", "11669", "--draft", "llama-draft.gguf")
	c := decode[checkDocument](t, r)
	if r.status != Done || c.Plan.DraftPath != filepath.Join(dir, "llama-draft.gguf") || c.Plan.SpecTypes != "draft-simple" {
		t.Errorf("%d, %+v, %s", r.status, c.Plan, r.stderr)
	}
}

func TestAFileThatIsNamedAndCannotBeReadHasItsSentence(t *testing.T) {
	model := gguftest.Llama(t)
	broken := filepath.Join(t.TempDir(), "broken.gguf")
	if err := os.WriteFile(broken, []byte("GGUF"), 0o644); err != nil {
		t.Fatal(err)
	}
	for _, flag := range []string{"--draft", "--projector", "--lora"} {
		t.Run(flag+" that is not there", func(t *testing.T) {
			r := runWithoutEngine(t, "check", model, "--json", "--build", "11669", flag, filepath.Join(t.TempDir(), "gone.gguf"))
			wantFailure(t, r, Failed, "file.missing")
		})
		t.Run(flag+" that is cut off", func(t *testing.T) {
			r := runWithoutEngine(t, "check", model, "--json", "--build", "11669", flag, broken)
			wantFailure(t, r, Failed, "file.truncated")
		})
	}
}

func TestACardInTheProcessorIsKnownAsOne(t *testing.T) {
	dir := shelve(t, "llama")
	c := checkup{}
	machine, devices, err := recorded(recordedMachine("strix-halo-512mb"))
	if err != nil {
		t.Fatal(err)
	}
	s := &session{ctx: t.Context()}
	m, err := s.model(filepath.Join(dir, "llama.gguf"))
	if err != nil {
		t.Fatal(err)
	}
	if c, err = s.newCheckup(m, c.plan, machine, devices, build.Build{Number: 11669}, false); err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(c.given.Integrated, []string{"Vulkan0", "ROCm0"}) {
		t.Errorf("%v", c.given.Integrated)
	}
}

func TestAComputerThatDoesNotAnswerIsSaidBeforeTheEngineCrashes(t *testing.T) {
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	address := listener.Addr().String()
	listener.Close()
	model := gguftest.Llama(t)
	r := run(t, "check", model, "--json", "--rpc", address)
	wantFailure(t, r, Failed, "build.serverSilent")
	if !strings.Contains(r.stderr, address) {
		t.Errorf("%q does not name %s", r.stderr, address)
	}
	wantFailure(t, run(t, "chat", model, "hello", "--json", "--rpc", address), Failed, "build.serverSilent")
}

// rpcServers starts so many devices of another computer, on this one.
func rpcServers(t *testing.T, count int) string {
	t.Helper()
	return buildtest.RPC(t, count).RPCServers
}

func TestDevicesOfOtherComputersCanBeChosen(t *testing.T) {
	model := gguftest.Llama(t)
	servers := rpcServers(t, 2)
	r := run(t, "check", model, "--json", "--rpc", servers, "--devices", "RPC0,RPC1", "--tensor-split", "3,1")
	c := decode[checkDocument](t, r)
	if !c.Valid || c.Plan.Devices != "RPC0,RPC1" || c.Plan.RPCServers != servers || r.status != Done {
		t.Fatalf("%+v", r)
	}
	if c.Memory.Source != "measured" {
		t.Errorf("memory is %s", c.Memory.Source)
	}
	if i := slices.Index(c.Arguments, "--rpc"); i < 0 || i > slices.Index(c.Arguments, "-dev") {
		t.Errorf("arguments %q", c.Arguments)
	}
	answer := run(t, "chat", model, "hello", "--temperature", "0", "--rpc", servers, "--devices", "RPC0")
	if answer.status != Done || !strings.HasPrefix(answer.stdout, "Hello! I am") {
		t.Errorf("%+v", answer)
	}
	wantFailure(t, run(t, "check", model, "--json", "--devices", "RPC0"), WrongUsage, "cli.usage")
}
