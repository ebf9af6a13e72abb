package library_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/library"
)

// write puts generated models into folders, by name, and returns their root.
func writeInto(t *testing.T, folders map[string][]string) string {
	t.Helper()
	root := t.TempDir()
	for folder, names := range folders {
		path := filepath.Join(root, folder)
		if err := os.MkdirAll(path, 0o755); err != nil {
			t.Fatal(err)
		}
		for _, spec := range gguftest.All() {
			if slices.Contains(names, spec.Name) {
				if _, err := spec.Write(path); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	return root
}

// besideNames are the base names of what Beside has of a model and its
// neighbours.
func besideNames(t *testing.T, path string) []string {
	t.Helper()
	m := library.One(path)
	near, err := new(library.Scanner).Neighbours(t.Context(), m)
	if err != nil {
		t.Fatal(err)
	}
	return baseNames(library.Beside(library.Pair(near)[m.Files[0]]))
}

func baseNames(facts []gguf.Facts) []string {
	names := []string{}
	for _, f := range facts {
		names = append(names, filepath.Base(f.Path))
	}
	return names
}

func TestWhatWorksBesideAModelIsFoundNearIt(t *testing.T) {
	tests := map[string]struct {
		folders map[string][]string
		model   string
		want    []string
	}{
		"in its folder, by kind": {
			map[string][]string{"m": {"llama", "llama-draft", "llama-eagle3", "mmproj-llama", "llama-lora"}},
			"m/llama.gguf", []string{"mmproj-llama.gguf", "llama-eagle3.gguf", "llama-draft.gguf", "llama-lora.gguf"},
		},
		"layers for multi-token prediction before drafts": {
			map[string][]string{"m": {"qwen35-mtp-missing", "qwen35-mtp-head", "mmproj-qwen35"}},
			"m/qwen35-mtp-missing.gguf", []string{"mmproj-qwen35.gguf", "qwen35-mtp-head.gguf"},
		},
		"in a folder of its folder": {
			map[string][]string{"m": {"llama"}, "m/extras": {"mmproj-llama"}},
			"m/llama.gguf", []string{"mmproj-llama.gguf"},
		},
		"in the folder above": {
			map[string][]string{"m": {"mmproj-llama"}, "m/Q8_0": {"llama"}},
			"m/Q8_0/llama.gguf", []string{"mmproj-llama.gguf"},
		},
		"beside a model in parts": {
			map[string][]string{"m": {"llama-split", "llama-lora", "mmproj-llama"}},
			"m/llama-split-00001-of-00002.gguf", []string{"mmproj-llama.gguf", "llama-lora.gguf"},
		},
		"not in the folder beside its own": {
			map[string][]string{"m": {"llama"}, "other": {"mmproj-llama"}},
			"m/llama.gguf", []string{},
		},
		"not where nothing fits": {
			map[string][]string{"m": {"llama", "mmproj-wide", "qwen35-mtp-head"}},
			"m/llama.gguf", []string{},
		},
		"nothing beside what is no model that chats": {
			map[string][]string{"m": {"mmproj-llama", "llama"}},
			"m/mmproj-llama.gguf", []string{},
		},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			root := writeInto(t, test.folders)
			if got := besideNames(t, filepath.Join(root, test.model)); !slices.Equal(got, test.want) {
				t.Errorf("got %v, want %v", got, test.want)
			}
		})
	}
}

func TestFilesNearAModelThatCannotBeReadAreInNobodysWay(t *testing.T) {
	root := writeInto(t, map[string][]string{"m": {"llama", "llama-draft"}})
	if err := os.WriteFile(filepath.Join(root, "m", "mmproj.gguf"), []byte("no"), 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(root, filepath.Join(root, "m", "circle")); err != nil {
		t.Fatal(err)
	}
	if got := besideNames(t, filepath.Join(root, "m", "llama.gguf")); !slices.Equal(got, []string{"llama-draft.gguf"}) {
		t.Errorf("got %v", got)
	}
}

func TestTheNeighboursInAStoreAreThoseItNames(t *testing.T) {
	root := t.TempDir()
	blobs, manifests := filepath.Join(root, "blobs"), filepath.Join(root, "manifests", "registry.ollama.ai", "library", "sees")
	for _, folder := range []string{blobs, manifests} {
		if err := os.MkdirAll(folder, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	layer := func(digit, kind, path string) string {
		digest := fmt.Sprintf("%064s", digit)
		if err := os.Rename(path, filepath.Join(blobs, "sha256-"+digest)); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf(`{"mediaType":"application/vnd.ollama.image.%s","digest":"sha256:%s"}`, kind, digest)
	}
	manifest := `{"layers":[` + layer("1", "model", gguftest.Llama(t)) + "," + layer("2", "projector", gguftest.LlamaProjector(t)) + `]}`
	if err := os.WriteFile(filepath.Join(manifests, "latest"), []byte(manifest), 0o644); err != nil {
		t.Fatal(err)
	}
	got := besideNames(t, filepath.Join(blobs, "sha256-"+fmt.Sprintf("%064s", "1")))
	if want := "sha256-" + fmt.Sprintf("%064s", "2"); !slices.Equal(got, []string{want}) {
		t.Errorf("got %v", got)
	}
}

func TestLookingForNeighboursCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := new(library.Scanner).Neighbours(ctx, library.One(gguftest.Llama(t))); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}
