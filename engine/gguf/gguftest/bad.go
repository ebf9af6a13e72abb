package gguftest

import (
	"encoding/binary"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/engine/gguf"
)

// A BadFile is something a person may take for a model.
type BadFile struct {
	Name    string // what it is
	Path    string
	Problem gguf.Problem
}

// BadFiles are one of every kind, in a folder of the test's own.
func BadFiles(t testing.TB) []BadFile {
	t.Helper()
	folder := t.TempDir()
	whole, err := os.ReadFile(Llama(t))
	if err != nil {
		t.Fatal(err)
	}
	header := len(llama.File().Header())
	var bad []BadFile
	add := func(name, file string, problem gguf.Problem, content []byte) {
		t.Helper()
		path := filepath.Join(folder, file)
		if err := os.WriteFile(path, content, 0o644); err != nil {
			t.Fatal(err)
		}
		bad = append(bad, BadFile{name, path, problem})
	}
	add("notes", "notes.gguf", gguf.NotGGUF, []byte("these are notes"))
	add("a Git LFS pointer", "pointer.gguf", gguf.NotGGUF, []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00"))
	add("a web page", "page.gguf", gguf.NotGGUF, []byte("<!DOCTYPE html><title>404</title>"))
	add("a zip archive", "archive.gguf", gguf.NotGGUF, []byte("PK\x03\x04 and so on"))
	add("an empty file", "empty.gguf", gguf.Empty, nil)
	for _, cut := range []struct {
		name, file string
		bytes      int
	}{
		{"cut in its magic", "cut-magic.gguf", 3},
		{"cut in its counts", "cut-counts.gguf", 20},
		{"cut in a key", "cut-key.gguf", 40},
		{"cut in its vocabulary", "cut-vocabulary.gguf", header / 2},
		{"cut in its list of tensors", "cut-tensors.gguf", header - 100},
		{"cut after its header", "cut-header.gguf", header},
		{"cut in its weights", "cut-weights.gguf", len(whole) / 2},
		{"cut just before its end", "cut-end.gguf", len(whole) - 1000},
	} {
		add(cut.name, cut.file, gguf.Truncated, whole[:cut.bytes])
	}
	start := func(tensors, keys uint64) []byte {
		b := binary.LittleEndian.AppendUint32([]byte("GGUF"), 3)
		return binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint64(b, tensors), keys)
	}
	name := func(b []byte, text string) []byte {
		return append(binary.LittleEndian.AppendUint64(b, uint64(len(text))), text...)
	}
	add("a header that claims terabytes of keys", "many-keys.gguf", gguf.Absurd, start(0, 1<<40))
	text := binary.LittleEndian.AppendUint32(name(start(0, 1), "a"), 8)
	add("a header that claims a text of terabytes", "long-text.gguf", gguf.Absurd, binary.LittleEndian.AppendUint64(text, 5<<40))
	tensor := binary.LittleEndian.AppendUint32(name(start(1, 0), "t"), 2)
	for range 2 {
		tensor = binary.LittleEndian.AppendUint64(tensor, 1<<20)
	}
	tensor = append(tensor, 1, 0, 0, 0) // F16
	add("a header that claims a tensor of terabytes", "huge-tensor.gguf", gguf.Absurd, append(tensor, make([]byte, 64)...))
	add("a big-endian file", "big-endian.gguf", gguf.WrongEndian, append([]byte("GGUF\x00\x00\x00\x03"), make([]byte, 32)...))

	for _, part := range []string{"00001", "00002"} {
		path := strings.Replace(Split(t), "00001-of", part+"-of", 1)
		alone := filepath.Join(folder, "part "+part)
		if err := os.Mkdir(alone, 0o755); err != nil {
			t.Fatal(err)
		}
		alone = filepath.Join(alone, filepath.Base(path))
		if err := os.Rename(path, alone); err != nil {
			t.Fatal(err)
		}
		bad = append(bad, BadFile{"part " + part + " without the other", alone, gguf.MissingPart})
	}
	directory := filepath.Join(folder, "folder.gguf")
	if err := os.Mkdir(directory, 0o755); err != nil {
		t.Fatal(err)
	}
	return append(bad,
		BadFile{"a folder", directory, gguf.Directory},
		BadFile{"nothing", filepath.Join(folder, "gone.gguf"), gguf.Missing})
}
