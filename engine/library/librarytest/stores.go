package librarytest

import (
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"

	"paddock/engine/gguf"
	"paddock/engine/library"
)

// apps are the stores of other apps, in a made-up home.
func (t *tree) apps(home string) {
	env := library.Here()
	env.Home, env.Get = home, func(string) string { return "" }
	if runtime.GOOS == "windows" {
		env.Get = func(name string) string {
			return map[string]string{"APPDATA": filepath.Join(home, "AppData", "Roaming"), "LOCALAPPDATA": filepath.Join(home, "AppData", "Local")}[name]
		}
	}
	t.expected.Environment = env

	// LM Studio was told to keep its models elsewhere.
	elsewhere := filepath.Join(home, "Big Disk", "LM Models")
	settings, err := json.Marshal(map[string]string{"downloadsFolder": elsewhere})
	t.fail(err)
	t.write(filepath.Join(home, ".lmstudio", "settings.json"), settings)

	for _, app := range library.Apps(env) {
		t.source = app.ID
		// Only those in the made-up home: the others are the machine's.
		folders := app.Folders[:0]
		for _, folder := range app.Folders {
			if strings.HasPrefix(folder, home) {
				folders = append(folders, folder)
			}
		}
		app.Folders = folders
		t.expected.Sources.Apps = append(t.expected.Sources.Apps, app)
		switch app.ID {
		case library.HuggingFace:
			t.hub(folders[0])
		case library.LMStudio:
			t.model(filepath.Join(elsewhere, "acme", "Tiny-GGUF", "tiny-Q4_K_M.gguf"))
			t.set(filepath.Join(elsewhere, "acme", "Big-GGUF", "big"), 3, 1, 2, 3)
			t.model(filepath.Join(folders[1], "nomic", "embed.gguf"))
			t.model(filepath.Join(home, ".cache", "lm-studio", "models", "old", "Old-GGUF", "old.gguf"))
		case library.Ollama:
			t.ollama(folders[0])
		case library.Jan:
			t.model(filepath.Join(folders[0], "jan-v1-4b", "model.gguf"))
			t.write(filepath.Join(folders[0], "jan-v1-4b", "model.yml"), []byte("name: Jan v1\n"))
			t.model(filepath.Join(folders[1], "older", "older.gguf"))
		case library.LlamaCpp:
			t.model(filepath.Join(folders[0], "acme_Tiny-GGUF_tiny-Q8_0.gguf"))
			t.write(filepath.Join(folders[0], "acme_Tiny-GGUF_tiny-Q8_0.gguf.json"), []byte("{}"))
		case library.GPT4All:
			t.model(filepath.Join(folders[0], "Meta-Llama-3-8B-Instruct.Q4_0.gguf"))
			t.write(filepath.Join(folders[0], "incomplete-Phi-3.gguf.part"), []byte("GGUF"))
		case library.TextGen:
			t.model(filepath.Join(folders[0], "mistral-7b.Q5_K_M.gguf"))
			t.model(filepath.Join(folders[1], "ancient.Q4_0.gguf"))
		}
	}
}

// hub is a cache of the Hugging Face hub: files by checksum, and links to them by
// name for each revision.
func (t *tree) hub(root string) {
	repo := filepath.Join(root, "models--acme--Tiny-GGUF")
	older, newer := strings.Repeat("1", 40), strings.Repeat("2", 40)
	t.write(filepath.Join(repo, "refs", "main"), []byte(newer))
	blob := func(name string, pairs ...any) string {
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
		t.header(filepath.Join(repo, "blobs", sum), append(pairs, "general.name", name)...)
		return sum
	}
	at := func(revision string, names ...string) string {
		return filepath.Join(append([]string{repo, "snapshots", revision}, names...)...)
	}
	both := blob("tiny Q4")
	t.expect(Row{Path: t.link("../../blobs/"+both, at(older, "tiny-Q4_K_M.gguf")), Kind: gguf.Model})
	t.link("../../blobs/"+both, at(newer, "tiny-Q4_K_M.gguf"))
	t.expect(Row{Path: t.link("../../blobs/"+blob("tiny Q8"), at(newer, "tiny-Q8_0.gguf")), Kind: gguf.Model})
	var first string
	for i := range 2 {
		part := blob(fmt.Sprint("tiny F16 ", i), "split.no", uint16(i), "split.count", uint16(2))
		path := t.link("../../../blobs/"+part, at(newer, "F16", fmt.Sprintf("tiny-F16-%05d-of-00002.gguf", i+1)))
		if i == 0 {
			first = path
		}
	}
	t.expect(Row{Path: first, Kind: gguf.Model, Files: 2})
	// A download that broke off, and a file whose blob was cleaned away.
	t.write(filepath.Join(repo, "blobs", strings.Repeat("3", 64)+".incomplete"), []byte("GGUF"))
	t.expect(Row{Path: t.link("../../blobs/"+strings.Repeat("4", 64), at(newer, "tiny-gone.gguf")), Problem: string(gguf.Missing)})
	t.write(filepath.Join(root, "version.txt"), []byte("1"))
}

// ollama is a store of Ollama's: files by checksum, and what they are in
// manifests.
func (t *tree) ollama(root string) {
	blob := func(name string, pairs ...any) (digest, path string) {
		sum := fmt.Sprintf("%x", sha256.Sum256([]byte(name)))
		path = t.header(filepath.Join(root, "blobs", "sha256-"+sum), pairs...)
		return "sha256:" + sum, path
	}
	type layer struct {
		MediaType string `json:"mediaType"`
		Digest    string `json:"digest"`
	}
	const kind = "application/vnd.ollama.image."
	note := func(name string, layers ...layer) string {
		content, err := json.Marshal(map[string]any{
			"schemaVersion": 2, "mediaType": "application/vnd.docker.distribution.manifest.v2+json", "layers": layers,
		})
		t.fail(err)
		return t.write(filepath.Join(root, "manifests", filepath.FromSlash(name)), content)
	}
	expect := func(path, alias string, of gguf.Kind) {
		t.expect(Row{Path: path, Alias: alias, Kind: of})
	}

	digest, path := blob("llama3.2")
	template, _ := blob("a template")
	note("registry.ollama.ai/library/llama3.2/1b", layer{kind + "model", digest}, layer{kind + "template", template})
	expect(path, "llama3.2:1b", gguf.Model)
	note("registry.ollama.ai/library/llama3.2/latest", layer{kind + "model", digest}) // the same file

	digest, path = blob("vision")
	projector, projectorPath := blob("projector", "general.architecture", "clip", "general.type", "mmproj")
	note("registry.ollama.ai/library/vision/7b", layer{kind + "model", digest}, layer{kind + "projector", projector})
	expect(path, "vision:7b", gguf.Model)
	expect(projectorPath, "vision:7b", gguf.Projector)

	digest, path = blob("mine")
	adapter, adapterPath := blob("adapter", "general.type", "adapter", "adapter.type", "lora")
	note("registry.ollama.ai/ana/mine/v2", layer{kind + "model", digest}, layer{kind + "adapter", adapter})
	expect(path, "ana/mine:v2", gguf.Model)
	expect(adapterPath, "ana/mine:v2", gguf.LoRA)

	digest, path = blob("from the hub")
	note("hf.co/acme/Tiny-GGUF/Q4_K_M", layer{kind + "model", digest})
	expect(path, "hf.co/acme/Tiny-GGUF:Q4_K_M", gguf.Model)

	// One that is given as a list, its manifest among the blobs.
	digest, path = blob("listed")
	child, err := json.Marshal(map[string]any{"layers": []layer{{kind + "model", digest}}})
	t.fail(err)
	sum := fmt.Sprintf("%x", sha256.Sum256(child))
	t.write(filepath.Join(root, "blobs", "sha256-"+sum), child)
	t.write(filepath.Join(root, "manifests-v2", "registry.ollama.ai", "library", "listed", "latest"),
		fmt.Appendf(nil, `{"mediaType": "application/vnd.ollama.manifest.list.v2+json", "manifests": [{"digest": "sha256:%s"}]}`, sum))
	expect(path, "listed:latest", gguf.Model)

	// One in the cloud, one in another format, and a file that is none of Ollama's.
	note("registry.ollama.ai/library/gpt-oss/120b-cloud")
	note("registry.ollama.ai/library/mlx/latest", layer{kind + "tensor", digest})
	t.write(filepath.Join(root, "manifests", ".DS_Store"), []byte("Bud1"))

	// What can be wrong.
	gone := strings.Repeat("5", 64)
	note("registry.ollama.ai/library/gone/latest", layer{kind + "model", "sha256:" + gone})
	t.expect(Row{Path: filepath.Join(root, "blobs", "sha256-"+gone), Alias: "gone:latest", Problem: string(library.BlobMissing)})
	outside := note("registry.ollama.ai/library/outside/latest", layer{kind + "model", "sha256:../../../../models/kinds/llama.gguf"})
	t.expect(Row{Path: outside, Alias: "outside:latest", Problem: string(library.ManifestBroken)})
	broken := t.write(filepath.Join(root, "manifests", "registry.ollama.ai", "library", "broken", "latest"), []byte(`{"layers": [`))
	t.expect(Row{Path: broken, Alias: "broken:latest", Problem: string(library.ManifestBroken)})
	sumOfNotes := strings.Repeat("6", 64)
	notes := t.write(filepath.Join(root, "blobs", "sha256-"+sumOfNotes), []byte("no model at all, but notes"))
	note("registry.ollama.ai/library/notes/latest", layer{kind + "model", "sha256:" + sumOfNotes})
	t.expect(Row{Path: notes, Alias: "notes:latest", Problem: string(gguf.NotGGUF)})
	if linux() {
		t.fail(os.MkdirAll(filepath.Join(root, "manifests", "registry.ollama.ai", "library", "empty"), 0o755))
	}
}
