package cli

import (
	"fmt"
	"path/filepath"
	"slices"
	"strings"
	"testing"
)

// The builds that reports came from, those next to where one was mended, and the
// bundled one.
var reportedBuilds = []int{9219, 9862, 10194, 11547, 11669}

// A reported combination is one people lost an evening to, and what is to be
// said of it.
type reported struct {
	name  string
	flags []string
	root  string // a recorded machine, empty for this one
	// allowedFrom is the first build that may run it; 0 for none.
	allowedFrom int
	about       []string // settings, one of which a refusal is about, or a caution where one must be
	caution     bool     // where allowed, it is marked
	plan        func(checkDocument) error
}

// TestWhatWasReportedIsSaidBefore holds the five reports the project started from
// against every build they are about.
func TestWhatWasReportedIsSaidBefore(t *testing.T) {
	dir := shelve(t, "qwen35-mtp", "qwen35moe-mtp", "qwen35-mtp-missing", "qwen35-mtp-head", "mmproj-qwen35",
		"llama-draft", "gemma4", "gemma4-assistant")
	path := func(name string) string { return filepath.Join(dir, name+".gguf") }
	three := recordedMachine("nvidia-three")
	reports := []reported{
		{
			name:  "embeddings with multi-token prediction",
			flags: []string{path("qwen35-mtp"), "--purpose", "embeddings", "--pooling", "last", "--spec", "mtp"},
			about: []string{"specTypes", "purpose"},
		},
		{
			name:  "embeddings alone guess nothing",
			flags: []string{path("qwen35-mtp"), "--purpose", "embeddings", "--pooling", "last"}, allowedFrom: 1,
			plan: func(c checkDocument) error {
				if !slices.Equal(c.Offers["spec"], []string{"none"}) || c.Plan.SpecTypes != "none" || !hasArguments(c, "--spec-type", "none") {
					return fmt.Errorf("offered %v, planned %q", c.Offers["spec"], c.Plan.SpecTypes)
				}
				return nil
			},
		},
		{
			name:  "tensor split with multi-token prediction",
			flags: []string{path("qwen35-mtp"), "--projector", "none", "--split", "tensor", "--spec", "mtp", "--devices", "CUDA0,CUDA1,CUDA2"},
			root:  three, allowedFrom: 11669, about: []string{"specTypes", "splitMode"}, caution: true,
		},
		{
			name:  "tensor split with multi-token prediction of a mixture of experts",
			flags: []string{path("qwen35moe-mtp"), "--projector", "none", "--split", "tensor", "--spec", "mtp", "--devices", "CUDA0,CUDA1,CUDA2"},
			root:  three, allowedFrom: 11669, about: []string{"specTypes", "splitMode"}, caution: true,
		},
		{
			name:  "pictures with multi-token prediction",
			flags: []string{path("qwen35-mtp"), "--projector", path("mmproj-qwen35"), "--spec", "mtp"}, allowedFrom: 11548,
			about: []string{"specTypes", "projectorPath"},
		},
		{
			name:  "multi-token prediction and a draft without its layers",
			flags: []string{path("qwen35-mtp"), "--projector", "none", "--spec", "mtp", "--draft", path("llama-draft")},
			about: []string{"specTypes", "draftPath"},
		},
		{
			name:  "multi-token prediction and n-grams",
			flags: []string{path("qwen35-mtp"), "--projector", "none", "--spec", "mtp,ngram-mod"}, allowedFrom: 1,
			plan: wantSpec("draft-mtp,ngram-mod"),
		},
		{
			name:  "multi-token prediction with its layers in a file",
			flags: []string{path("qwen35-mtp-missing"), "--projector", "none", "--draft", path("qwen35-mtp-head")}, allowedFrom: 1,
			plan: wantSpec("draft-mtp"),
		},
		{
			name:  "an assistant whose type nobody named",
			flags: []string{path("gemma4"), "--draft", path("gemma4-assistant")}, allowedFrom: 1,
			plan: wantSpec("draft-mtp"),
		},
	}
	for _, report := range reports {
		for _, number := range reportedBuilds {
			t.Run(fmt.Sprintf("%s on b%d", report.name, number), func(t *testing.T) {
				args := append([]string{"check", "--json", "--build", fmt.Sprint(number)}, report.flags...)
				if report.root != "" {
					args = append(args, "--root", report.root)
				}
				report.judge(t, number, runWithoutEngine(t, args...))
			})
		}
	}
	for _, report := range reports {
		t.Run(report.name+" on the engine that is there", func(t *testing.T) {
			args := append([]string{"check", "--json"}, report.flags...)
			if report.root != "" {
				args = append(args, "--root", report.root)
			}
			report.judge(t, reportedBuilds[len(reportedBuilds)-1], run(t, args...))
		})
	}
}

// judge holds what check said of a report against what it should on a build.
func (r reported) judge(t *testing.T, number int, got result) {
	t.Helper()
	c := decode[checkDocument](t, got)
	about := func(list []finding) bool {
		return slices.ContainsFunc(list, func(f finding) bool {
			return slices.Contains(r.about, f.Setting) && f.Message != "" && f.Remedy != "" && f.Source != ""
		})
	}
	if r.allowedFrom == 0 || number < r.allowedFrom {
		if got.status != Refused || c.Valid || !about(c.Refusals) || len(c.Arguments) != 0 {
			t.Errorf("not refused: exit status %d, valid %v, refusals %v", got.status, c.Valid, c.Refusals)
		}
		return
	}
	if got.status != Done || !c.Valid {
		t.Fatalf("not allowed: exit status %d, refusals %v, %s", got.status, c.Refusals, got.stderr)
	}
	if r.caution {
		marked := slices.DeleteFunc(slices.Clone(c.Cautions), func(f finding) bool { return f.Fallback["splitMode"] != "layer" })
		if !about(marked) {
			t.Errorf("not marked with a way back to layers: cautions %v", c.Cautions)
		}
	}
	if r.plan != nil {
		if err := r.plan(c); err != nil {
			t.Error(err)
		}
	}
}

func TestACautionSaysWhatItFallsBackTo(t *testing.T) {
	dir := shelve(t, "qwen35-mtp")
	r := runWithoutEngine(t, "check", filepath.Join(dir, "qwen35-mtp.gguf"), "--build", "11669", "--root", recordedMachine("nvidia-three"),
		"--split", "tensor", "--spec", "mtp", "--devices", "CUDA0,CUDA1,CUDA2")
	if r.status != Done || !strings.Contains(r.stdout, "--split layer is used instead") {
		t.Errorf("%+v", r)
	}
}

func TestAFileOfTheWrongKindIsRefused(t *testing.T) {
	dir := shelve(t, "llama", "mmproj-llama", "mmproj-wide", "llama-lora", "qwen35-mtp", "llama-eagle3")
	path := func(name string) string { return filepath.Join(dir, name+".gguf") }
	tests := map[string]struct {
		flag, file string
		about      []string
	}{
		"a projector as a draft":         {"--draft", "mmproj-llama", []string{"draftPath", "specTypes"}},
		"an adapter as a draft":          {"--draft", "llama-lora", []string{"draftPath", "specTypes"}},
		"a model as a projector":         {"--projector", "qwen35-mtp", []string{"projectorPath"}},
		"a projector of another width":   {"--projector", "mmproj-wide", []string{"projectorPath"}},
		"a model as an adapter":          {"--lora", "qwen35-mtp", []string{"loraPath"}},
		"a draft as an adapter":          {"--lora", "llama-eagle3", []string{"loraPath"}},
		"a draft of another vocabulary":  {"--draft", "qwen35-mtp", []string{"draftPath", "specTypes"}},
		"an adapter's file as projector": {"--projector", "llama-lora", []string{"projectorPath"}},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			r := runWithoutEngine(t, "check", path("llama"), "--json", "--build", "11669", test.flag, path(test.file))
			reported{about: test.about}.judge(t, 11669, r)
		})
	}
}

// wantSpec wants a way of guessing in the plan, and said to the engine.
func wantSpec(methods string) func(checkDocument) error {
	return func(c checkDocument) error {
		if c.Plan.SpecTypes != methods || !hasArguments(c, "--spec-type", methods) {
			return fmt.Errorf("planned %q, arguments %q", c.Plan.SpecTypes, c.Arguments)
		}
		return nil
	}
}

// hasArguments says whether arguments stand one after the other.
func hasArguments(c checkDocument, args ...string) bool {
	return strings.Contains("\x00"+strings.Join(c.Arguments, "\x00")+"\x00", "\x00"+strings.Join(args, "\x00")+"\x00")
}
