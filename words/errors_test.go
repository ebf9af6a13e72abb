package words

import (
	"context"
	"errors"
	"fmt"
	"go/ast"
	"go/parser"
	"go/token"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"paddock/config"
	"paddock/engine"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/client"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/engine/plan"
	"paddock/engine/server"
)

// kinds are the constants of a type in a package of this module, by name. They
// are read from the source, so that a new one can't be forgotten here.
func kinds(t *testing.T, folder, typeName string) map[string]string {
	t.Helper()
	files, err := filepath.Glob(filepath.Join("..", folder, "*.go"))
	if err != nil {
		t.Fatal(err)
	}
	found := map[string]string{}
	for _, name := range files {
		if strings.HasSuffix(name, "_test.go") {
			continue
		}
		file, err := parser.ParseFile(token.NewFileSet(), name, nil, 0)
		if err != nil {
			t.Fatal(err)
		}
		ast.Inspect(file, func(n ast.Node) bool {
			spec, ok := n.(*ast.ValueSpec)
			if !ok {
				return true
			}
			if of, ok := spec.Type.(*ast.Ident); ok && of.Name == typeName && len(spec.Values) == 1 {
				value, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value)
				if err != nil {
					t.Fatal(err)
				}
				found[spec.Names[0].Name] = value
			}
			return true
		})
	}
	if len(found) == 0 {
		t.Fatalf("%s has no constants of type %s", folder, typeName)
	}
	return found
}

// wantSentence asserts a whole sentence of the error's own.
func wantSentence(t *testing.T, name string, s Sentence, mentions ...string) {
	t.Helper()
	if s.Key == "" || strings.HasPrefix(s.Key, "error.") {
		t.Errorf("%s has no sentence of its own: %+v", name, s)
	}
	for _, text := range []string{s.Message, s.Remedy} {
		if text == "" || strings.HasPrefix(text, s.Key) || strings.Contains(text, "{{") || strings.Contains(text, "<no value>") ||
			strings.Contains(text, "—") || !strings.HasSuffix(text, ".") || strings.HasSuffix(text, "..") {
			t.Errorf("%s: %q is no sentence", name, text)
		}
	}
	for _, mention := range mentions {
		if !strings.Contains(s.Message, mention) {
			t.Errorf("%s: %q does not mention %q", name, s.Message, mention)
		}
	}
	if strings.Contains(s.Message, "/models/") {
		t.Errorf("%s: %q has the whole path", name, s.Message)
	}
}

func TestEveryKindOfErrorHasItsOwnSentence(t *testing.T) {
	seen := map[string]string{}
	once := func(name string, s Sentence) {
		if other, taken := seen[s.Message]; taken {
			t.Errorf("%s and %s share a sentence: %q", name, other, s.Message)
		}
		seen[s.Message] = name
	}
	const model = "/models/deep/Qwen3-8B.gguf"
	for name, value := range kinds(t, "engine/gguf", "Problem") {
		s := Error(&gguf.Error{Path: model, Problem: gguf.Problem(value), Err: fs.ErrInvalid})
		wantSentence(t, "gguf."+name, s, "Qwen3-8B.gguf")
		once("gguf."+name, s)
		wantSentence(t, "gguf."+name, Error(&gguf.Error{Path: model, Problem: gguf.Problem(value), Detail: "what was found.", MissingBytes: 5 << 30}))
	}
	for name, value := range kinds(t, "engine/build", "Problem") {
		s := Error(&build.Error{Problem: build.Problem(value), Path: "/opt/llama-server", Detail: "its own words."})
		wantSentence(t, "build."+name, s)
		once("build."+name, s)
	}
	for name, value := range kinds(t, "engine/budget", "Problem") {
		s := Error(&budget.Error{Problem: budget.Problem(value), ModelPath: model, Detail: "its own words."})
		wantSentence(t, "budget."+name, s)
		once("budget."+name, s)
	}
	for name, value := range kinds(t, "engine/client", "ErrorKind") {
		s := Error(&client.Error{Kind: client.ErrorKind(value), Message: "its own words.", PromptTokens: 9000, ContextTokens: 8192})
		wantSentence(t, "client."+name, s)
		once("client."+name, s)
	}
	for name, value := range kinds(t, "engine/server", "FailureKind") {
		s := Error(&server.Failure{Kind: server.FailureKind(value), ModelPath: model, EnginePath: "/opt/llama-server", Err: context.Canceled})
		wantSentence(t, "server."+name, s)
		once("server."+name, s)
		wantSentence(t, "server."+name, Error(&server.Failure{
			Kind: server.FailureKind(value), ModelPath: model, EnginePath: "/opt/llama-server", Path: "/run/paddock",
			Reason: "its own words.", Signal: "aborted", AskedTokens: 9000, GotTokens: 8192,
		}))
	}
	for name, err := range map[string]error{
		"ErrNotReady": engine.ErrNotReady, "ErrClosed": engine.ErrClosed, "ErrStuck": engine.ErrStuck,
		"RefusedError": &engine.RefusedError{Findings: []plan.Finding{{
			Message: "rule.file-projector", Remedy: "remedy.pick-its-model", Data: map[string]any{"file": "mmproj.gguf"},
		}}},
	} {
		s := Error(err)
		wantSentence(t, "engine."+name, s)
		once("engine."+name, s)
	}
	log := Error(&server.LogError{Path: "/data/log/engine.log", Err: errors.New("no space left on device")})
	wantSentence(t, "server.LogError", log, "engine.log", "no space left")
	for name, value := range kinds(t, "config", "Problem") {
		s := Error(&config.Error{Problem: config.Problem(value), Path: "/home/ana/.config/paddock", Settings: []string{"colour"}, Err: errors.New("why.")})
		wantSentence(t, "config."+name, s)
		once("config."+name, s)
	}
	for name, value := range kinds(t, "engine/library", "FolderKind") {
		s := Error(&library.FolderError{Path: "/data", Kind: library.FolderKind(value), Err: &fs.PathError{Op: "open", Path: "/data", Err: fs.ErrInvalid}})
		wantSentence(t, "library."+name, s, "/data")
		once("library."+name, s)
	}
	for name, value := range kinds(t, "engine/library", "FileProblem") {
		s := Error(&library.FileError{Path: model, Problem: library.FileProblem(value), Name: "llama3.2:1b", Err: fs.ErrInvalid})
		wantSentence(t, "library."+name, s)
		once("library."+name, s)
	}
}

func TestOtherErrorsStillHaveASentence(t *testing.T) {
	for _, err := range []error{context.Canceled, context.DeadlineExceeded, errors.New("what it was"), os.ErrClosed} {
		s := Error(fmt.Errorf("while trying: %w", err))
		if !strings.HasPrefix(s.Key, "error.") || strings.HasPrefix(s.Message, "error.") || s.Remedy == "" {
			t.Errorf("%v: %+v", err, s)
		}
	}
	if s := Error(errors.New("what it was")); !strings.Contains(s.Message, "what it was") {
		t.Errorf("%+v", s)
	}
}

func TestWhatIsMissingOfATruncatedFileIsSaid(t *testing.T) {
	s := Error(&gguf.Error{Path: "m.gguf", Problem: gguf.Truncated, MissingBytes: 13 << 30})
	if !strings.Contains(s.Message, "13.0 GiB") {
		t.Errorf("%q", s.Message)
	}
	s = Error(&gguf.Error{Path: "m.gguf", Problem: gguf.Truncated, MissingBytes: 100})
	if !strings.Contains(s.Message, "less than 0.1 GiB") {
		t.Errorf("%q", s.Message)
	}
}

func TestWhatAFileSaysCannotActOnATerminal(t *testing.T) {
	const red = "\x1b[31mred\n"
	facts := gguf.Facts{Path: "/m/" + red + ".gguf", Kind: gguf.Model, Architecture: "bert" + red}
	for name, s := range map[string]Sentence{
		"a file's name":   Error(&gguf.Error{Path: facts.Path, Problem: gguf.Empty}),
		"a folder's name": Error(&library.FolderError{Path: "/m/" + red, Kind: library.FolderMissing, Err: fs.ErrNotExist}),
		"a setting":       Error(&config.Error{Problem: config.Unknown, Path: "/c", Settings: []string{red}}),
		"a rule's data": Finding(plan.Finding{
			Message: "rule.chat-embedding-architecture", Remedy: "remedy.pick-a-chat-model",
			Data: map[string]any{"file": filepath.Base(facts.Path), "architecture": facts.Architecture},
		}),
	} {
		if !strings.Contains(s.Message, "red") || strings.ContainsAny(s.Message, "\x1b\n") {
			t.Errorf("%s: %q", name, s.Message)
		}
	}
}

func TestEveryRuleHasItsSentences(t *testing.T) {
	facts := gguf.Facts{Path: "/models/m.gguf", Kind: gguf.Model, Architecture: "llama", ContextTokens: 4096, HeadSizeK: 80, HeadSizeV: 80}
	facts.EmbeddingLength, facts.Layers = 4096, 32
	g := plan.Given{Model: facts, Beside: []gguf.Facts{
		{Path: "/models/draft.gguf", Kind: gguf.MTPHead, Architecture: "gemma4-assistant", HeadSizeK: 80, HeadSizeV: 80,
			Target: gguf.Target{Architecture: "gemma4", Width: 512, LeastLayers: 40}},
		{Path: "/models/eyes.gguf", Kind: gguf.Projector, Projection: gguf.Projection{Vision: "mlp", Width: 512, Parts: 1}},
		{Path: "/models/lora.gguf", Kind: gguf.LoRA, Architecture: "gemma3"},
	}}
	p, _ := plan.Complete(plan.Plan{
		CacheK: "q8_0", CacheV: "q4_0", FlashAttn: "off", ContextTokens: 131072, Slots: 2, DraftPath: "/models/draft.gguf", DraftCacheK: "q8_0", DraftCacheV: "q8_0",
		ProjectorPath: "/models/eyes.gguf", LoRAPath: "/models/lora.gguf", TensorSplit: "3,1",
	}, g)
	v := plan.Check(p, g)
	if len(v.Refusals) == 0 {
		t.Fatalf("%+v", v)
	}
	data := v.Refusals[0].Data
	data["pooling"], data["build"], data["newestKnownBuild"], data["declaredContext"] = "last", 12000, 11669, 7
	for _, rule := range plan.Rules() {
		s := Finding(plan.Finding{Rule: rule.ID, Message: rule.Message, Remedy: rule.Remedy, Data: data})
		wantSentence(t, rule.ID, s)
	}
	i := slices.IndexFunc(v.Refusals, func(f plan.Finding) bool { return f.Rule == "context-above-trained" })
	if i < 0 {
		t.Fatalf("%+v", v)
	}
	long := Finding(v.Refusals[i])
	if !strings.Contains(long.Message+long.Remedy, "4,096") {
		t.Errorf("%+v", long)
	}
}

func TestForeignWordsAreMadePartOfTheSentence(t *testing.T) {
	s := Error(errors.New("first line\n\x1b[1msecond " + strings.Repeat("and on ", 500) + "."))
	if strings.ContainsAny(s.Message, "\n\x1b") || len(s.Message) > 400 || strings.HasSuffix(s.Message, "..") {
		t.Errorf("%q", s.Message)
	}
}

func TestTheEnginesWordsComeWithoutWhoSaysThem(t *testing.T) {
	for line, want := range map[string]string{
		"llama_model_load: error loading model: unknown model architecture: 'xxxxx'": "unknown model architecture: 'xxxxx'",
		"cmn  common_init_: failed to load model 'm.gguf'":                           "failed to load model 'm.gguf'",
		"V cache quantization requires flash_attn":                                   "V cache quantization requires flash_attn",
		"ggml-vulkan.cpp:12: GGML_ASSERT(x) failed":                                  "ggml-vulkan.cpp:12: GGML_ASSERT(x) failed",
	} {
		if got := engineWords(line); got != want {
			t.Errorf("%q is %q, want %q", line, got, want)
		}
	}
}

func TestEveryChoiceHasItsReason(t *testing.T) {
	reasons := map[string]bool{}
	for _, trained := range []int{0, 2048, 131072} {
		for _, devices := range [][]build.Device{nil, {{ID: "Vulkan0"}}, {{ID: "Vulkan0", Software: true}}} {
			_, choices := plan.Complete(plan.Plan{}, plan.Given{Model: gguf.Facts{ContextTokens: trained}, Devices: devices})
			for _, choice := range choices {
				reasons[choice.Reason] = true
			}
		}
	}
	for _, f := range []gguf.Facts{{Pooling: "rank"}, {Pooling: "mean", ContextTokens: 8192}, {Kind: gguf.Model}} {
		g := plan.Given{Model: f, Beside: []gguf.Facts{{Path: "v", Kind: gguf.Projector}, {Path: "d", Kind: gguf.MTPHead}}}
		for _, p := range []plan.Plan{{}, {DraftPath: "d"}, {SpecTypes: plan.SpecMTP}} {
			_, choices := plan.Complete(p, g)
			for _, choice := range choices {
				reasons[choice.Reason] = true
			}
		}
	}
	for reason := range reasons {
		if T(reason) == reason {
			t.Errorf("%s has no text", reason)
		}
	}
	if len(reasons) < 21 {
		t.Errorf("only %d reasons", len(reasons))
	}
}

func TestAReasonDoesNotRepeatTheFilesItIsAbout(t *testing.T) {
	cause := errors.New("file exists")
	for _, err := range []error{
		&fs.PathError{Op: "open", Path: "/cache/a", Err: cause},
		&os.LinkError{Op: "rename", Old: "/cache/1.part", New: "/cache/guide.gguf", Err: cause},
	} {
		if got := Reason(err); got != "file exists" {
			t.Errorf("%v: %q", err, got)
		}
	}
}

func TestTheEnginesOwnWordsLoseOnlyWhoSaysThem(t *testing.T) {
	for reason, want := range map[string]string{
		"llama_model_load: error loading model: error loading model hyperparameters: invalid n_rot: 7, expected 32": "damaged: invalid n_rot: 7, expected 32.",
		"llama_model_load: error loading model: check_tensor_dims: tensor 'a.weight' not found":                     "damaged: tensor 'a.weight' not found.",
		"srv  llama_server: exiting due to model loading error":                                                     "damaged: exiting due to model loading error.",
	} {
		if got := Error(&server.Failure{Kind: server.ModelCorrupt, ModelPath: "/m/a.gguf", Reason: reason}).Message; !strings.HasSuffix(got, want) {
			t.Errorf("%q, want %q", got, want)
		}
	}
	template := &server.Failure{Kind: server.TemplateBroken, ModelPath: "/m/a.gguf", Reason: "common_chat_templates_init: error: Unknown statement: endfor"}
	if got := Error(template).Message; got != "The chat template in a.gguf is broken: Unknown statement: endfor." {
		t.Errorf("%q", got)
	}
	template.Reason = "common_chat_templates_init: failed to initialize chat template"
	if got := Error(template).Message; got != "The chat template in a.gguf is broken." {
		t.Errorf("%q", got)
	}
}
