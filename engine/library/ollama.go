package library

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
)

// Ollama's store. Sources: ollama, manifest/paths.go and manifest.go (layout and
// lists), server/images.go (media types of layers), types/model/name.go (names).
const (
	manifests   = "manifests"
	manifestsV2 = "manifests-v2" // links into blobs; newer versions write both
	blobs       = "blobs"

	mediaModel     = "application/vnd.ollama.image.model"
	mediaProjector = "application/vnd.ollama.image.projector"
	mediaAdapter   = "application/vnd.ollama.image.adapter"

	ollamaRegistry  = "registry.ollama.ai"
	ollamaNamespace = "library"

	// manifestLimit is how large a manifest may be, in bytes: one of a thousand
	// layers has 200 kB.
	manifestLimit = 4 << 20
)

// A manifest is what Ollama notes of a model: the files it is made of, by
// checksum, or for several ways to run it a manifest each.
type manifest struct {
	Layers []struct {
		MediaType string `json:"mediaType"`
		Digest    string `json:"digest"`
	} `json:"layers"`
	Manifests []manifest `json:"manifests"`
	Digest    string     `json:"digest"` // in a list, of the blob that holds the manifest itself
}

var digestPattern = regexp.MustCompile(`^sha256[:-]([0-9a-fA-F]{64})$`)

// isStore says whether a folder with these folders in it is a store of Ollama's.
func isStore(folders []string) bool {
	named := func(name string) bool {
		return slices.ContainsFunc(folders, func(f string) bool { return filepath.Base(f) == name })
	}
	return named(blobs) && (named(manifests) || named(manifestsV2))
}

func inStore(name string) bool {
	return name == blobs || name == manifests || name == manifestsV2
}

// store finds the models of a store by its manifests.
func (p *place) store(root string) {
	for _, folder := range []string{manifestsV2, manifests} {
		p.manifestsIn(root, filepath.Join(root, folder), nil)
	}
}

// manifestsIn walks the folders of a store: registry, namespace, model, and in it
// a file for each tag.
func (p *place) manifestsIn(root, path string, name []string) {
	if p.ended() {
		return
	}
	entries, err := p.disk.entries(path)
	if err != nil {
		if !errors.Is(err, os.ErrNotExist) {
			p.problem(path, err)
		}
		return
	}
	for _, entry := range entries {
		inside, names := filepath.Join(path, entry.Name()), append(slices.Clone(name), entry.Name())
		switch {
		case len(names) < 4 && entry.IsDir():
			p.manifestsIn(root, inside, names)
		case len(names) == 4 && !entry.IsDir() && !strings.HasPrefix(entry.Name(), "."):
			p.manifest(root, inside, ollamaName(names))
		}
	}
}

// ollamaName is what a person types for a model: what is the default is left out.
func ollamaName(names []string) string {
	registry, namespace, model, tag := names[0], names[1], names[2], names[3]
	name := model + ":" + tag
	if registry != ollamaRegistry || namespace != ollamaNamespace {
		name = namespace + "/" + name
	}
	if registry != ollamaRegistry {
		name = registry + "/" + name
	}
	return name
}

// manifest makes a row of each GGUF file a manifest names. One that names none is
// of a model in the cloud, or in another format.
func (p *place) manifest(root, path, name string) {
	layers, err := p.layers(root, path)
	if err != nil {
		problem := &FileError{Path: path, Problem: ManifestBroken, Name: name, Err: err}
		if errors.Is(err, errNoAnswer) {
			problem.Problem = FileNoAnswer
		}
		p.row(set{paths: []string{path}, alias: name, problem: problem})
		return
	}
	for _, blob := range layers {
		set := set{paths: []string{blob}, alias: name}
		if _, err := p.disk.file(blob); errors.Is(err, os.ErrNotExist) {
			set.problem = &FileError{Path: blob, Problem: BlobMissing, Name: name, Err: err}
		}
		p.row(set)
	}
}

// layers are the paths of the GGUF files a manifest names.
func (p *place) layers(root, path string) ([]string, error) {
	content, err := p.disk.small(path, manifestLimit)
	if err != nil {
		return nil, err
	}
	var whole manifest
	if err := json.Unmarshal(content, &whole); err != nil {
		return nil, err
	}
	var paths []string
	for _, m := range append([]manifest{whole}, whole.Manifests...) {
		if len(m.Layers) == 0 && m.Digest != "" {
			blob, err := blobPath(root, m.Digest)
			if err == nil {
				content, err = p.disk.small(blob, manifestLimit)
			}
			if err == nil {
				err = json.Unmarshal(content, &m)
			}
			if err != nil {
				return nil, err
			}
		}
		for _, layer := range m.Layers {
			switch layer.MediaType {
			case mediaModel, mediaProjector, mediaAdapter:
				blob, err := blobPath(root, layer.Digest)
				if err != nil {
					return nil, err
				}
				paths = append(paths, blob)
			}
		}
	}
	return paths, nil
}

// blobPath is where a file is kept. What is no checksum could lead anywhere.
func blobPath(root, digest string) (string, error) {
	found := digestPattern.FindStringSubmatch(digest)
	if found == nil {
		return "", fmt.Errorf("%.80q is no checksum", digest)
	}
	return filepath.Join(root, blobs, "sha256-"+found[1]), nil
}
