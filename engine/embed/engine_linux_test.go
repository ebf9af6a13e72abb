package embed_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"paddock/engine/build/buildtest"
	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
	"paddock/engine/embed/embedtest"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
	"paddock/engine/server"
)

// An engineRun is a real engine with a tiny model, and the cutter that goes with it.
type engineRun struct {
	*server.Instance
	cutter embed.Documents
}

func startVectors(t *testing.T) engineRun {
	t.Helper()
	facts, err := gguf.Read(gguftest.BERT(t))
	if err != nil {
		t.Fatal(err)
	}
	strategy := chunk.Strategy{Method: chunk.Tokens, Tokens: 60, OverlapTokens: 6}
	p, _ := plan.Complete(embed.PlanFor(facts, embed.FamilyOf(facts), embed.LargestTokens(strategy, 9), 2), plan.Given{Model: facts})
	dir, err := os.MkdirTemp("", "emb") // t.TempDir is too long for a socket
	if err != nil {
		t.Fatal(err)
	}
	instance, err := server.Start(t.Context(), server.Options{Build: buildtest.Engine(t), Plan: p, RuntimeDir: filepath.Join(dir, "r"), LogDir: dir})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		ctx, cancel := context.WithTimeout(context.Background(), 10*time.Second)
		defer cancel()
		instance.Stop(ctx) // one that was killed has stopped
		os.RemoveAll(dir)
	})
	return engineRun{instance, embed.Documents{Strategy: strategy, Prefix: "passage: ", Limit: embed.ChunkLimit(p, facts), Tokenizer: instance}}
}

// A slowEngine takes its time, so that a run is interrupted in its middle.
type slowEngine struct {
	engineRun
	before func() // each request
}

func (e slowEngine) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.before()
	return e.engineRun.Embed(ctx, texts)
}

// everyKind writes a folder of 66 files of all kinds, some of them faulty, and says
// how many are.
func everyKind(t *testing.T) (dir string, faulty int) {
	t.Helper()
	dir = t.TempDir()
	write := func(name string, content []byte) {
		path := filepath.Join(dir, name)
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 10 {
		prose := strings.Repeat(fmt.Sprintf("The sea of file %d is deep and cold. ", i), 12)
		write(fmt.Sprintf("text/%d.txt", i), []byte(prose+"\n\n"+prose))
		write(fmt.Sprintf("text/%d.md", i), fmt.Appendf(nil, "# Chapter %d\n\n%s\n\n## Part\n\n%s\n", i, prose, prose))
		write(fmt.Sprintf("web/%d.html", i), fmt.Appendf(nil, "<html><body><h1>Page %d</h1><p>%s</p></body></html>", i, prose))
		write(fmt.Sprintf("rows/%d.csv", i), fmt.Appendf(nil, "id,text\na%d,\"hello, number %d\"\nb%d,deep water %d\n", i, i, i, i))
		write(fmt.Sprintf("rows/%d.jsonl", i), fmt.Appendf(nil, "{\"text\":\"line one of %d\"}\n{\"text\":\"line two of %d\"}\n", i, i))
		write(fmt.Sprintf("code/%d.go", i), fmt.Appendf(nil, "package main\n\n// %s\nfunc f%d() int { return %d }\n", prose, i, i))
	}
	write("broken/row.csv", []byte("id,text\n1,fine\n2,\"never closed\n3,fine\n"))
	write("letter.docx", docx(t, "A letter of one paragraph."))
	for name, content := range map[string]string{
		"broken/empty.txt": "", "broken/noise.bin": "\x00\x01\xff\xfe\x00\x9c", "broken/cut.pdf": "%PDF-1.7\n1 0 obj\n<<", "broken/cut.docx": "PK\x03\x04 and no more",
	} {
		write(name, []byte(content))
		faulty++
	}
	return dir, faulty
}

func docx(t *testing.T, text string) []byte {
	t.Helper()
	var b bytes.Buffer
	archive := zip.NewWriter(&b)
	for name, content := range map[string]string{
		"[Content_Types].xml": `<?xml version="1.0"?><Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"><Override PartName="/word/document.xml" ContentType="application/vnd.openxmlformats-officedocument.wordprocessingml.document.main+xml"/></Types>`,
		"word/document.xml":   `<?xml version="1.0"?><w:document xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><w:body><w:p><w:r><w:t>` + text + `</w:t></w:r></w:p></w:body></w:document>`,
	} {
		part, err := archive.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := part.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := archive.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// TestAFolderOfAllKindsInterruptedThreeWaysGivesTheRowsOfOneRun is with a real
// engine: it is killed, then the job is paused and cancelled, then the state is what
// a killed program leaves. Vectors are equal but for the rounding that comes of what
// is computed together.
func TestAFolderOfAllKindsInterruptedThreeWaysGivesTheRowsOfOneRun(t *testing.T) {
	dir, faulty := everyKind(t)
	var files []string
	for file, err := range document.List(t.Context(), []string{dir}, document.Patterns{}) {
		if err != nil {
			t.Fatal(err)
		}
		files = append(files, file.Path)
	}
	if len(files) != 66 {
		t.Fatalf("%d files", len(files))
	}
	engine := startVectors(t)
	options := func(e engineRun, out string, before func()) embed.Options {
		return embed.Options{
			Files: files, Cutter: e.cutter, Embedder: slowEngine{e, before}, Settings: embed.Settings{Prefix: "passage: ", Normalise: embed.L2},
			Meta: embed.Meta{ModelSHA256: "abc", Chunker: e.cutter.Chunker()}, StatePath: embed.StatePath(out), Resume: true, Keep: true,
			Outputs: []embed.Output{{Format: embed.JSONL, Path: out}},
		}
	}
	whole := filepath.Join(t.TempDir(), "whole.jsonl")
	s, err := embed.Start(t.Context(), options(engine, whole, func() {})).Wait()
	if err != nil {
		t.Fatal(err)
	}
	failed := 0
	for _, f := range s.Files {
		if f.Phase == embed.FileFailed {
			failed++
		}
	}
	if failed < faulty || failed > faulty+1 || s.ChunksFailed != 0 || s.ChunksDone < 100 {
		t.Fatalf("%d files failed, %d chunks of %d", failed, s.ChunksDone, s.Chunks)
	}
	want := embedtest.Rows(t, whole)

	out := filepath.Join(t.TempDir(), "out.jsonl")
	// The engine is killed.
	victim := startVectors(t)
	asked := 0
	o := options(victim, out, func() {
		if asked++; asked == 6 {
			syscall.Kill(victim.PID(), syscall.SIGKILL)
			<-victim.Done()
		}
	})
	o.InFlight = 1
	s, err = embed.Start(t.Context(), o).Wait()
	var ended *server.Failure
	if !errors.As(err, &ended) || s.Phase != embed.Failed || s.ChunksDone == 0 || s.ChunksDone >= len(want) {
		t.Fatalf("%v, %d chunks", err, s.ChunksDone)
	}
	// Paused, then cancelled.
	gone := s.ChunksDone
	hold, held := make(chan struct{}), make(chan struct{}, 1000)
	asked = 0
	o = options(engine, out, func() {
		if asked++; asked == 4 {
			held <- struct{}{}
			<-hold
		}
	})
	o.InFlight = 1
	j := embed.Start(t.Context(), o)
	<-held
	j.Pause()
	if phase := j.State().Phase; phase != embed.Pausing {
		t.Errorf("%s while a request is under way", phase)
	}
	// What a killed program leaves is what the disk has now.
	crashed := filepath.Join(t.TempDir(), "out.jsonl")
	for _, suffix := range []string{"", "-wal"} {
		content, err := os.ReadFile(embed.StatePath(out) + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(embed.StatePath(crashed)+suffix, content, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	close(hold)
	j.Cancel()
	if s, err = j.Wait(); !errors.Is(err, context.Canceled) || s.ChunksDone < gone {
		t.Fatalf("%v, %d chunks", err, s.ChunksDone)
	}

	for name, path := range map[string]string{"cancelled": out, "killed": crashed} {
		s, err = embed.Start(t.Context(), options(engine, path, func() {})).Wait()
		if err != nil || s.ChunksDone != len(want) {
			t.Fatalf("%s: %v, %d chunks of %d", name, err, s.ChunksDone, len(want))
		}
		embedtest.Same(t, embedtest.Rows(t, path), want)
	}
}
