package cli

import (
	"context"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/gguf/gguftest"
)

// An embedDocument is what paddock embed --json ends with.
type embedDocument struct {
	Files, Unread, Chunks, Vectors, Dimensions, Tokens int
	Seconds                                            float64
	Errors                                             []struct{ Path, Message, Remedy string }
	Alarms                                             []string
	Error                                              *struct{ Kind, Message, Remedy string }
}

// textFolder has files of several kinds and faults.
func textFolder(t *testing.T) string {
	t.Helper()
	dir := t.TempDir()
	for name, content := range map[string]string{
		"sea.txt":       "The sea is deep and cold.\n\nHello there, says the ship.\n",
		"apples.md":     "# Apples\n\nA letter about the harvest.\n\n# Walls\n\nWho keeps the wall in repair?\n",
		"people.csv":    "name,text\nana,\"hello, world\"\nben,deep water\n",
		"sub/page.html": "<html><body><h1>Page</h1><p>A page of the web.</p></body></html>",
		"sub/list.jsonl": `{"id":"x1","text":"first of a list"}
{"id":"x2","text":"second of a list"}
`,
		"empty.txt": "",
		"noise.bin": "\x00\x01\x02\xff\xfe\x00\x00\x9c\x00\x01",
	} {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

func TestAFolderBecomesVectorsThatAreSearched(t *testing.T) {
	dir, model := textFolder(t), gguftest.BERT(t)
	out := filepath.Join(dir, "out.sqlite") // which the next run does not take for an input
	for _, again := range []string{"--resume", "--overwrite"} {
		r := run(t, "embed", model, dir, "--out", out, "--chunk", "lines", "--devices", "CPU", "--json", again)
		if r.status != Failed || !strings.Contains(r.stderr, "2 files could not be read") {
			t.Fatalf("%+v", r) // two of the files can't be read
		}
		if _, err := os.Stat(embed.StatePath(out)); err == nil {
			t.Error("it is an unfinished run, although all is tried")
		}
		if again == "--overwrite" && !strings.Contains(r.stderr, "left out: Paddock wrote") {
			t.Errorf("nothing is said of what is left out: %s", r.stderr)
		}
		d := decode[embedDocument](t, r)
		if d.Files != 7 || d.Unread != 2 || d.Chunks < 10 || d.Vectors != d.Chunks || d.Dimensions != 128 || d.Tokens == 0 || d.Error != nil {
			t.Errorf("%+v", d)
		}
		var failed []string
		for _, e := range d.Errors {
			failed = append(failed, filepath.Base(e.Path))
			if !strings.Contains(e.Message, filepath.Base(e.Path)) || e.Remedy == "" || !strings.Contains(r.stderr, e.Message+" "+e.Remedy) {
				t.Errorf("%+v, said %q", e, r.stderr)
			}
		}
		if slices.Sort(failed); !slices.Equal(failed, []string{"empty.txt", "noise.bin"}) {
			t.Errorf("%v failed", failed)
		}
	}

	r := run(t, "search", out, "The sea is deep and cold.", "--top", "3", "--devices", "CPU", "--json")
	if r.status != Done {
		t.Fatalf("%+v", r)
	}
	hits := decode[[]found](t, r)
	if len(hits) != 3 || hits[0].Path != filepath.Join(dir, "sea.txt") || hits[0].Score < 0.99 || hits[0].Line != 1 || !strings.Contains(hits[0].Text, "deep and cold") {
		t.Errorf("%+v", hits)
	}
	r = run(t, "search", out, "first of a list", "--file", filepath.Join(dir, "sub", "list.jsonl"), "--devices", "CPU")
	if r.status != Done || !strings.Contains(r.stdout, "list.jsonl, row 1") || strings.Contains(r.stdout, "sea.txt") {
		t.Errorf("%+v", r)
	}
	r = run(t, "search", out, "hello", "--file", "nope.txt", "--devices", "CPU", "--json")
	wantFailure(t, r, Failed, "cli.search.not-in")
	if !strings.Contains(r.stderr, "nope.txt is not among the files of "+out) {
		t.Errorf("said %s", r.stderr)
	}
	// Another model would find anything.
	wantFailure(t, run(t, "search", out, "hello", "--model", gguftest.CausalEmbedder(t), "--devices", "CPU", "--json"), Failed, "embed.otherModel")
	if err := os.Remove(model); err != nil {
		t.Fatal(err)
	}
	wantFailure(t, run(t, "search", out, "hello", "--devices", "CPU", "--json"), Failed, "cli.search.model-gone")
}

func TestEveryFormatIsWritten(t *testing.T) {
	model, dir := gguftest.BERT(t), t.TempDir()
	text := filepath.Join(dir, "in.txt")
	if err := os.WriteFile(text, []byte("one text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	for i, format := range embed.Formats() {
		out := filepath.Join(dir, fmt.Sprintf("out%d.%s", i, format))
		args := []string{"embed", model, text, "--out", out, "--devices", "CPU", "--prefix", "search_document: "}
		if format == embed.JSONL {
			args = append(args, "--normalise", "none")
		}
		r := run(t, args...)
		if r.status != Done || !strings.Contains(r.stdout, "1 vector of 128 dimensions from 1 file, in ") {
			t.Fatalf("%s: %+v", format, r)
		}
		if info, err := os.Stat(out); err != nil || info.Size() == 0 {
			t.Errorf("%s: %v", format, err)
		}
	}
	content, err := os.ReadFile(filepath.Join(dir, "out0.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var row struct {
		ID, Path, Text string
		Tokens         int
		Vector         []float64
	}
	if err := json.Unmarshal(content, &row); err != nil {
		t.Fatal(err)
	}
	length := 0.0
	for _, x := range row.Vector {
		length += x * x
	}
	if row.Path != text || row.ID != text+"#0" || strings.TrimSpace(row.Text) != "one text" || len(row.Vector) != 128 || length > 0.98 && length < 1.02 {
		t.Errorf("%+v of length² %v", row, length)
	}
}

func TestAnEmbedThatCannotBeHasItsSentence(t *testing.T) {
	dir, model := textFolder(t), gguftest.BERT(t)
	out := filepath.Join(t.TempDir(), "out.sqlite")
	tests := []struct {
		name   string
		args   []string
		status int
		kind   string
	}{
		{"a reranker", []string{gguftest.Reranker(t), dir, "--out", out}, Failed, "embed.reranker"},
		{"dimensions the model was not trained for", []string{model, dir, "--out", out, "--dimensions", "64"}, Failed, "dimensions.notTrained"},
		{"more dimensions than there are", []string{model, dir, "--out", out, "--dimensions", "4096"}, Failed, "dimensions.tooMany"},
		{"an input that is not there", []string{model, filepath.Join(dir, "gone"), "--out", out}, Failed, "document.missing"},
		{"patterns that leave nothing", []string{model, dir, "--out", out, "--include", "*.xyz"}, Failed, "cli.embed.nothing"},
		{"a pattern that is none", []string{model, dir, "--out", out, "--include", "[a"}, WrongUsage, "cli.usage"},
		{"more overlap than half a chunk", []string{model, dir, "--out", out, "--chunk", "tokens:10:20"}, WrongUsage, "cli.usage"},
		{"a way of cutting that is none", []string{model, dir, "--out", out, "--chunk", "words"}, WrongUsage, "cli.usage"},
		{"an ending nobody knows", []string{model, dir, "--out", "out.xyz"}, WrongUsage, "cli.usage"},
		{"another purpose", []string{model, dir, "--out", out, "--purpose", "rerank"}, WrongUsage, "cli.usage"},
		{"no output", []string{model, dir}, WrongUsage, "cli.usage"},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			wantFailure(t, run(t, append([]string{"embed", "--json"}, test.args...)...), test.status, test.kind)
		})
	}
}

func TestASearchThatCannotBeHasItsSentence(t *testing.T) {
	notes := filepath.Join(t.TempDir(), "notes.sqlite")
	if err := os.WriteFile(notes, []byte("just some notes, longer than nothing"), 0o644); err != nil {
		t.Fatal(err)
	}
	wantFailure(t, run(t, "search", "--json", notes, "hello"), Failed, "embed.noIndex")
	wantFailure(t, run(t, "search", "--json", notes+"x", "hello"), Failed, "embed.notThere")
	wantFailure(t, run(t, "search", "--json", notes, " "), WrongUsage, "cli.usage")
	wantFailure(t, run(t, "search", "--json", notes, "hello", "--top", "0"), WrongUsage, "cli.usage")
}

func TestNoOutputAndNoUnfinishedRunIsWrittenOverUnasked(t *testing.T) {
	model, dir := gguftest.BERT(t), t.TempDir()
	text := filepath.Join(dir, "in.txt")
	if err := os.WriteFile(text, []byte("one text\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out", "notes.jsonl")
	if err := os.MkdirAll(filepath.Dir(out), 0o755); err != nil {
		t.Fatal(err)
	}
	args := []string{"embed", model, text, "--out", out, "--devices", "CPU", "--json"}
	beside := out + ".meta.json"
	if err := os.WriteFile(beside, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	r := run(t, args...)
	wantFailure(t, r, Failed, "embed.exists")
	if content, err := os.ReadFile(beside); err != nil || string(content) != "mine" || !strings.Contains(r.stderr, "--overwrite") {
		t.Errorf("%q, %v, said %s", content, err, r.stderr)
	}
	if r := run(t, append(args, "--overwrite")...); r.status != Done {
		t.Fatalf("%+v", r)
	}
	wantFailure(t, run(t, append(args, "--resume")...), Failed, "embed.exists") // that run is over
	// Something else is in the place of what a run wrote that can be gone on with.
	unfinished(t, out, model, text)
	if err := os.WriteFile(out, []byte("mine"), 0o644); err != nil {
		t.Fatal(err)
	}
	r = run(t, append(args, "--resume")...)
	wantFailure(t, r, Failed, "embed.exists")
	if content, err := os.ReadFile(out); err != nil || string(content) != "mine" || !strings.Contains(r.stderr, "--overwrite") {
		t.Errorf("%q, %v, said %s", content, err, r.stderr)
	}
	if err := embed.Discard(embed.StatePath(out)); err != nil {
		t.Fatal(err)
	}
	// A run that is not finished.
	if err := os.WriteFile(embed.StatePath(out), nil, 0o644); err != nil {
		t.Fatal(err)
	}
	r = run(t, args...)
	wantFailure(t, r, Failed, "embed.interrupted")
	if !strings.Contains(r.stderr, "--resume") || !strings.Contains(r.stderr, "--overwrite") {
		t.Errorf("said %s", r.stderr)
	}
	if r := run(t, append(args, "--overwrite")...); r.status != Done {
		t.Errorf("%+v", r)
	}
}

// unfinished leaves a run to an output of which a chunk has no vector yet.
func unfinished(t *testing.T, out, model, text string) {
	t.Helper()
	if err := os.WriteFile(text, []byte("one text\n\nand one without a vector\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	sum, err := embed.HashFile(t.Context(), model)
	if err != nil {
		t.Fatal(err)
	}
	cutter := embed.Documents{Strategy: chunk.Strategy{Method: chunk.Lines}, Limit: 512, Tokenizer: oneToken{}}
	s, err := embed.Start(t.Context(), embed.Options{
		Files: []string{text}, Cutter: cutter, Embedder: halfEmbedder{}, Settings: embed.Settings{Normalise: embed.L2},
		Meta: embed.Meta{Model: "half", ModelPath: model, ModelSHA256: sum, Chunker: cutter.Chunker()}, StatePath: embed.StatePath(out),
		Outputs: []embed.Output{{Format: embed.FormatOf(out), Path: out}}, Overwrite: true,
	}).Wait()
	if err != nil || s.ChunksFailed != 1 {
		t.Fatalf("%v, %+v", err, s)
	}
}

// A halfEmbedder has no vector for some texts.
type halfEmbedder struct{}

func (halfEmbedder) Embed(_ context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		vectors[i] = make([]float32, 128)
		if !strings.Contains(text, "without") {
			vectors[i][len(text)%128] = 1
		}
	}
	return vectors, nil
}

type oneToken struct{}

func (oneToken) CountTokens(_ context.Context, texts []string) ([]int, error) {
	return slices.Repeat([]int{1}, len(texts)), nil
}

func TestAMistakeLeavesNothingAndTheCorrectedCommandRuns(t *testing.T) {
	dir, model := t.TempDir(), gguftest.BERT(t)
	table, out := filepath.Join(dir, "people.csv"), filepath.Join(dir, "d.csv")
	text := "name,city,note\nAna,Bergen,reads books by the sea\nBen,Oslo,writes letters to Ana\n"
	if err := os.WriteFile(table, []byte(text), 0o644); err != nil {
		t.Fatal(err)
	}
	args := []string{"embed", model, table, "--out", out, "--devices", "CPU"}
	r := run(t, append(args, "--text-column", "nope")...)
	if r.status != Failed || !strings.Contains(r.stderr, "people.csv has no column nope") {
		t.Errorf("%+v", r)
	}
	if left, err := filepath.Glob(filepath.Join(dir, "*")); err != nil || len(left) != 1 {
		t.Errorf("it leaves %v", left)
	}
	r = run(t, args...)
	if r.status != Done || !strings.Contains(r.stderr, "people.csv: the text is column note of name, city, note. Choose another with --text-column.") {
		t.Errorf("%+v", r)
	}
	if r = run(t, append(args, "--overwrite", "--text-column", "city")...); r.status != Done || strings.Contains(r.stderr, "the text is column") {
		t.Errorf("%+v", r)
	}
	// What is read is never written over.
	args[4] = table
	r = run(t, append(args, "--overwrite", "--json")...)
	wantFailure(t, r, Failed, "embed.isInput")
	if content, err := os.ReadFile(table); err != nil || string(content) != text {
		t.Errorf("the table is %q now, %v", content, err)
	}
	args[4] = filepath.Join(dir, "gone", "out.csv")
	wantFailure(t, run(t, append(args, "--json")...), Failed, "cli.embed.noFolder")
}

func TestVectorsOfARelativePathAreFoundFromEveryFolder(t *testing.T) {
	dir, model := t.TempDir(), gguftest.BERT(t)
	here, err := os.Getwd()
	if err != nil {
		t.Fatal(err)
	}
	text, err := filepath.Rel(here, filepath.Join(dir, "sea.txt"))
	if err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(text, []byte("The sea is deep and cold.\n"), 0o644); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(dir, "out.sqlite")
	if r := run(t, "embed", model, text, "--out", out, "--devices", "CPU"); r.status != Done {
		t.Fatalf("%+v", r)
	}
	r := run(t, "search", out, "cold", "--file", text, "--devices", "CPU", "--json")
	if hits := decode[[]found](t, r); r.status != Done || len(hits) != 1 || hits[0].Path != filepath.Join(dir, "sea.txt") {
		t.Errorf("%+v", r)
	}
}

func TestAnEmbedSaysWhatItDoesOtherwise(t *testing.T) {
	dir, model := textFolder(t), gguftest.BERT(t)
	if err := os.Symlink("..", filepath.Join(dir, "sub", "round")); err != nil {
		t.Fatal(err)
	}
	out := filepath.Join(t.TempDir(), "out.jsonl")
	// A folder that contains itself is no failure, and a chunk can't be longer than the
	// model takes.
	args := []string{"embed", model, dir, "--out", out, "--devices", "CPU", "--exclude", "empty.txt", "--exclude", "noise.bin"}
	r := run(t, append(args, "--chunk", "tokens:99999:1")...)
	if r.status != Done || !strings.Contains(r.stderr, "contains itself by a link") || !strings.Contains(r.stderr, "Chunks have at most 512 tokens with this model, not 99,999.") ||
		strings.Contains(r.stderr, "could not be read") || strings.Contains(r.stdout, "can't be read") {
		t.Errorf("%+v", r)
	}
	if _, err := os.Stat(embed.StatePath(out)); err == nil {
		t.Error("the state is kept although nothing is missing")
	}
	// Files that can't be read do not count as done.
	args = append(args[:7:7], "--overwrite")
	r = run(t, args...)
	if r.status != Failed || !strings.Contains(r.stdout, "from 5 files, 2 can't be read, in ") || strings.Contains(r.stderr, "Chunks have at most") {
		t.Errorf("%+v", r)
	}
	// With another model an unfinished one can't, and the model is named.
	unfinished(t, out, model, filepath.Join(dir, "sea.txt"))
	if err := os.Remove(filepath.Join(dir, "sub", "round")); err != nil {
		t.Fatal(err)
	}
	args[1], args[7] = gguftest.CausalEmbedder(t), "--resume"
	r = run(t, append(args, "--json")...)
	wantFailure(t, r, Failed, "embed.otherRun")
	if !strings.Contains(r.stderr, "is with another model, ") || !strings.Contains(r.stderr, "start over with --overwrite") {
		t.Errorf("said %s", r.stderr)
	}
	r = run(t, append(args, "--chunk", "tokens:10:20")...)
	if r.status != WrongUsage || !strings.Contains(r.stderr, "overlap of at most half") {
		t.Errorf("%+v", r)
	}
}
