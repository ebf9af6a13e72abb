package library

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
)

// small is a model's header with one tensor, enough to be read. Keys are changed
// by pairs of name and value.
func small(t *testing.T, path string, pairs ...any) {
	t.Helper()
	f := gguftest.File{Tensors: []gguftest.Tensor{
		{Name: "token_embd.weight", Dimensions: []uint64{8}, Type: gguftest.F32, Data: make([]byte, 32)},
	}}
	f.Set("general.architecture", "llama")
	f.Set("general.name", filepath.Base(path))
	for i := 0; i < len(pairs); i += 2 {
		f.Set(pairs[i].(string), pairs[i+1])
	}
	write(t, path, &f)
}

func write(t *testing.T, path string, f *gguftest.File) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := f.Write(path); err != nil {
		t.Fatal(err)
	}
}

// parts writes parts of a split set: numbers from 1.
func parts(t *testing.T, prefix string, count int, numbers ...int) {
	t.Helper()
	for _, n := range numbers {
		small(t, fmt.Sprintf("%s-%05d-of-%05d.gguf", prefix, n, count), "split.no", uint16(n-1), "split.count", uint16(count))
	}
}

func scanAll(t *testing.T, sources Sources) []Model {
	t.Helper()
	var all []Model
	if err := Scan(context.Background(), sources, func(m Model) { all = append(all, m) }); err != nil {
		t.Fatal(err)
	}
	return all
}

func problem(t *testing.T, m Model) gguf.Problem {
	t.Helper()
	if m.Problem == nil {
		return ""
	}
	var e *gguf.Error
	if !errors.As(m.Problem, &e) {
		t.Fatalf("the problem is a %T: %v", m.Problem, m.Problem)
	}
	return e.Problem
}

func TestScanFindsModelsAtAnyDepth(t *testing.T) {
	dir := t.TempDir()
	small(t, filepath.Join(dir, "a.gguf"))
	small(t, filepath.Join(dir, "deep", "er", "B.GGUF"))
	if err := os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("GGUF"), 0o644); err != nil {
		t.Fatal(err)
	}
	models := scanAll(t, Sources{Folders: []string{dir}})
	if len(models) != 2 {
		t.Fatalf("found %d models", len(models))
	}
	m := models[0]
	path := filepath.Join(dir, "a.gguf")
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if !slices.Equal(m.Files, []string{path}) || m.Folder != dir || m.Facts.Name != "a.gguf" ||
		m.SizeBytes != uint64(info.Size()) || m.Problem != nil {
		t.Errorf("%+v", m)
	}
}

func TestASplitSetIsOneRow(t *testing.T) {
	dir := t.TempDir()
	parts(t, filepath.Join(dir, "big"), 3, 1, 2, 3)
	parts(t, filepath.Join(dir, "big-q8"), 2, 1, 2)
	models := scanAll(t, Sources{Folders: []string{dir}})
	if len(models) != 2 {
		t.Fatalf("found %d rows", len(models))
	}
	for i, count := range []int{3, 2} {
		m := models[i]
		if len(m.Files) != count || len(m.Missing) != 0 || m.Problem != nil || m.Facts.TensorCount != count {
			t.Errorf("%+v", m)
		}
	}
}

func TestAnIncompleteSetNamesWhatIsMissing(t *testing.T) {
	tests := []struct {
		name    string
		there   []int
		missing []string
	}{
		{"a part in the middle", []int{1, 3}, []string{"big-00002-of-00003.gguf"}},
		{"the first part", []int{2, 3}, []string{"big-00001-of-00003.gguf"}},
		{"all but one", []int{3}, []string{"big-00001-of-00003.gguf", "big-00002-of-00003.gguf"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			dir := t.TempDir()
			parts(t, filepath.Join(dir, "big"), 3, test.there...)
			models := scanAll(t, Sources{Folders: []string{dir}})
			if len(models) != 1 {
				t.Fatalf("found %d rows", len(models))
			}
			m := models[0]
			if !slices.Equal(m.Missing, test.missing) || len(m.Files) != len(test.there) {
				t.Errorf("files %v, missing %v", m.Files, m.Missing)
			}
			if got := problem(t, m); got != gguf.MissingPart {
				t.Errorf("problem %q", got)
			}
			if len(m.Capabilities) != 0 {
				t.Errorf("still claims to do %v", m.Capabilities)
			}
		})
	}
}

func TestAFirstPartUnderAnotherNameCannotFindTheRest(t *testing.T) {
	path := filepath.Join(t.TempDir(), "renamed.gguf")
	small(t, path, "split.no", uint16(0), "split.count", uint16(2))
	if got := problem(t, One(path)); got != gguf.MissingPart {
		t.Errorf("problem %q", got)
	}
}

func TestOneFindsTheRestOfASet(t *testing.T) {
	dir := t.TempDir()
	parts(t, filepath.Join(dir, "big"), 3, 1, 2, 3)
	m := One(filepath.Join(dir, "big-00002-of-00003.gguf"))
	if len(m.Files) != 3 || m.Problem != nil || m.Facts.Kind != gguf.Model {
		t.Errorf("%+v", m)
	}
	gone := One(filepath.Join(dir, "other-00002-of-00003.gguf"))
	if got := problem(t, gone); got != gguf.Missing {
		t.Errorf("a part that isn't there: %q", got)
	}
}

func TestABadFileIsARowAndStopsNothing(t *testing.T) {
	dir := t.TempDir()
	for name, content := range map[string]string{"a.gguf": "", "b.gguf": "plain text, no model", "c.gguf": "GGUF"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	small(t, filepath.Join(dir, "d.gguf"))
	models := scanAll(t, Sources{Folders: []string{dir}, Files: []string{filepath.Join(dir, "gone.gguf"), dir}})
	var got []gguf.Problem
	for _, m := range models {
		got = append(got, problem(t, m))
	}
	want := []gguf.Problem{gguf.Missing, gguf.Directory, gguf.Empty, gguf.NotGGUF, gguf.Truncated, ""}
	if !slices.Equal(got, want) {
		t.Errorf("problems %q, want %q", got, want)
	}
}

func TestAFileReachedTwiceIsFoundOnce(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making symbolic links takes rights on Windows; the test runs on Linux and macOS")
	}
	dir := t.TempDir()
	blob := filepath.Join(dir, "blobs", "0123")
	small(t, blob)
	for _, link := range []string{"snap/model.gguf", "other/model.gguf"} {
		path := filepath.Join(dir, link)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.Symlink(blob, path); err != nil {
			t.Fatal(err)
		}
	}
	models := scanAll(t, Sources{Folders: []string{dir, dir}, Files: []string{filepath.Join(dir, "snap/model.gguf")}})
	if len(models) != 1 {
		t.Errorf("found %d rows", len(models))
	}
}

func TestLinksInACircleEnd(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("making symbolic links takes rights on Windows; the test runs on Linux and macOS")
	}
	dir := t.TempDir()
	small(t, filepath.Join(dir, "a", "m.gguf"))
	for from, to := range map[string]string{"a/up": dir, "a/self": filepath.Join(dir, "a"), "a/broken.gguf": filepath.Join(dir, "nowhere")} {
		if err := os.Symlink(to, filepath.Join(dir, from)); err != nil {
			t.Fatal(err)
		}
	}
	models := scanAll(t, Sources{Folders: []string{dir}})
	if len(models) != 2 {
		t.Fatalf("found %d rows", len(models))
	}
	if problem(t, models[0]) != gguf.Missing || models[1].Problem != nil {
		t.Errorf("%+v", models)
	}
}

func TestAFolderThatCannotBeReadIsTold(t *testing.T) {
	dir := t.TempDir()
	small(t, filepath.Join(dir, "m.gguf"))
	gone := filepath.Join(dir, "gone")
	file := filepath.Join(dir, "m.gguf")
	found := 0
	err := Scan(context.Background(), Sources{Folders: []string{gone, file, dir}}, func(Model) { found++ })
	var folder *FolderError
	if !errors.As(err, &folder) || folder.Path != gone || !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("error %v", err)
	}
	if found != 1 {
		t.Errorf("found %d models beside it", found)
	}
}

func TestAScanEndsWhenItIsCancelled(t *testing.T) {
	dir := t.TempDir()
	for i := range 20 {
		small(t, filepath.Join(dir, fmt.Sprint(i), "m.gguf"))
	}
	ctx, cancel := context.WithCancel(context.Background())
	found := 0
	err := Scan(ctx, Sources{Folders: []string{dir}}, func(Model) {
		if found++; found == 3 {
			cancel()
		}
	})
	if !errors.Is(err, context.Canceled) || found != 3 {
		t.Errorf("error %v after %d models", err, found)
	}
}

func TestCapabilitiesFollowFromTheFacts(t *testing.T) {
	tests := []struct {
		name  string
		facts gguf.Facts
		want  []string
	}{
		{"a chat model", gguf.Facts{Kind: gguf.Model, Architecture: "llama"}, []string{"chat"}},
		{"one that says it does not pool", gguf.Facts{Kind: gguf.Model, Architecture: "llama", Pooling: "none"}, []string{"chat"}},
		{"one with MTP layers", gguf.Facts{Kind: gguf.Model, Architecture: "qwen35", NextNLayers: 1}, []string{"chat", "mtp"}},
		{"a BERT", gguf.Facts{Kind: gguf.Model, Architecture: "bert"}, []string{"embeddings"}},
		{"a causal embedding model", gguf.Facts{Kind: gguf.Model, Architecture: "qwen3", Pooling: "last"}, []string{"embeddings"}},
		{"a reranker", gguf.Facts{Kind: gguf.Model, Architecture: "qwen3", Pooling: "rank"}, []string{"rerank"}},
		{"a reranker by its head", gguf.Facts{Kind: gguf.Model, Architecture: "bert", HasClassifier: true}, []string{"rerank"}},
		{"a projector", gguf.Facts{Kind: gguf.Projector}, []string{"projector"}},
		{"an MTP head", gguf.Facts{Kind: gguf.MTPHead}, []string{"mtp"}},
		{"a draft", gguf.Facts{Kind: gguf.Draft}, []string{"draft"}},
		{"a LoRA", gguf.Facts{Kind: gguf.LoRA}, []string{"lora"}},
		{"a vocabulary", gguf.Facts{Kind: gguf.Vocabulary}, []string{}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			if got := capabilities(test.facts, nil); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}
