package cli

import (
	"bytes"
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/library"
)

// shelve writes generated models into one folder.
func shelve(t *testing.T, names ...string) string {
	t.Helper()
	dir := t.TempDir()
	for _, spec := range gguftest.All() {
		if slices.Contains(names, spec.Name) {
			if _, err := spec.Write(dir); err != nil {
				t.Fatal(err)
			}
		}
	}
	return dir
}

func TestModelsNamesWhatWorksBesideAModel(t *testing.T) {
	dir := shelve(t, "llama", "llama-draft", "gemma3", "mmproj", "mmproj-wide", "qwen35-mtp-missing", "qwen35-mtp-head", "llama-lora")
	path := func(name string) string { return filepath.Join(dir, name+".gguf") }
	byPath := map[string]modelRow{}
	for _, row := range decode[[]modelRow](t, run(t, "models", dir, "--json")) {
		byPath[row.Path] = row
	}
	if len(byPath) != 8 {
		t.Fatalf("%d rows", len(byPath))
	}
	if got := byPath[path("gemma3")]; !slices.Equal(got.Capabilities, []string{"chat", "vision"}) ||
		!slices.Equal(got.Companions.Projectors, []string{path("mmproj")}) {
		t.Errorf("%+v", got)
	}
	if got := byPath[path("llama")]; !slices.Equal(got.Capabilities, []string{"chat"}) || len(got.Companions.Projectors) != 0 ||
		!slices.Equal(got.Companions.Drafts, []string{path("llama-draft")}) || !slices.Equal(got.Companions.LoRA, []string{path("llama-lora")}) {
		t.Errorf("%+v", got)
	}
	if got := byPath[path("qwen35-mtp-missing")]; !slices.Equal(got.Companions.MTP, []string{path("qwen35-mtp-head")}) {
		t.Errorf("%+v", got)
	}

	text := run(t, "models", dir).stdout
	lines := strings.Split(strings.TrimSpace(text), "\n")
	at := func(start string) int {
		return slices.IndexFunc(lines, func(line string) bool { return strings.HasPrefix(line, start) })
	}
	if model, eyes := at("Test Gemma 3 "), at("  Test Projector "); model < 0 || eyes != model+1 ||
		!strings.Contains(lines[model], "chat, vision") || !strings.Contains(lines[eyes], "projector, ") {
		t.Errorf("the projector is not under its model:\n%s", text)
	}
	if at("Test Wide Projector") < 0 || at("Test Llama Draft") < 0 || at("Test Projector") >= 0 {
		t.Errorf("what stands alone has a row, what does not has none:\n%s", text)
	}
}

func TestTheTableStaysNarrow(t *testing.T) {
	var models []library.Model
	lora := library.Model{Files: []string{"/m/sha256-aa"}, Alias: "style:v1", Capabilities: []string{"lora"}, Facts: gguf.Facts{
		Path: "/m/sha256-aa", Name: "sha256-aa", Kind: gguf.LoRA,
	}}
	eyes := library.Model{Files: []string{"/m/sha256-bb"}, Alias: "vision:7b", Capabilities: []string{"projector"}, Facts: gguf.Facts{
		Path: "/m/sha256-bb", Name: "sha256-bb", Kind: gguf.Projector,
	}}
	pairs := map[string]library.Companions{}
	for i := range library.HostsShown + 1 {
		path := fmt.Sprintf("/m/%02d.gguf", i)
		m := library.Model{Files: []string{path}, SizeBytes: 123 << 30, Capabilities: []string{"chat", "vision", "reasoning"}, Facts: gguf.Facts{
			Path: path, Name: strings.Repeat("Long", 30) + fmt.Sprint(i), Kind: gguf.Model, Architecture: strings.Repeat("arch", 9),
			Quantisation: "UD-Q4_K_XL", ContextTokens: 10_485_760, Origin: gguf.Origin{Name: "Long"},
		}}
		models = append(models, m)
		c := library.Companions{LoRA: []library.Companion{{Path: "/m/sha256-aa", Model: lora, Reason: library.AdapterOf}}}
		if i == 0 {
			c.Projectors = []library.Companion{{Path: "/m/sha256-bb", Model: eyes, Reason: library.Fits}}
		}
		pairs[path] = c
	}
	var out bytes.Buffer
	s := &session{stdout: &output{to: &out}}
	s.printModels(append(models, lora, eyes), pairs)
	text := out.String()
	if strings.Count(text, "style:v1") != 1 || !strings.Contains(text, "for 13 models here") || strings.Count(text, "\n  vision:7b") != 1 {
		t.Errorf("companions are not once and by name:\n%s", text)
	}
	for line := range strings.Lines(text) {
		before, _, _ := strings.Cut(strings.TrimSuffix(line, "PATH\n"), "/m/")
		if n := len([]rune(before)); n > 120 || strings.Contains(before, "sha256") || strings.Contains(before, " 0 ") {
			t.Errorf("%d letters before the path: %q", n, line)
		}
	}
}

func TestAProjectorOfAnotherModelHasACaution(t *testing.T) {
	dir := shelve(t, "gemma3", "mmproj", "mmproj-qwen35")
	for projector, want := range map[string]bool{"mmproj": false, "mmproj-qwen35": true} {
		c := decode[struct{ Cautions []finding }](t, runWithoutEngine(t, "check", filepath.Join(dir, "gemma3.gguf"), "--json", "--build", "11669",
			"--projector", filepath.Join(dir, projector+".gguf")))
		if got := slices.ContainsFunc(c.Cautions, func(f finding) bool { return f.Rule == "projector-foreign" }); got != want {
			t.Errorf("%s: %+v", projector, c.Cautions)
		}
	}
	elsewhere := filepath.Join(shelve(t, "mmproj"), "mmproj.gguf")
	c := decode[struct{ Cautions []finding }](t, runWithoutEngine(t, "check", filepath.Join(dir, "gemma3.gguf"), "--json", "--build", "11669", "--projector", elsewhere))
	if len(c.Cautions) != 0 {
		t.Errorf("its own in another folder: %+v", c.Cautions)
	}
}
