package cli

import (
	"encoding/json"
	"fmt"
	"os"
	"path/filepath"
	"regexp"

	"paddock/engine/build"
)

// version is what --version prints: the program, the commit it was made from
// where that is known, and the engine that came with it.
func (h Hooks) version(asJSON bool) string {
	engine := bundledVersion(h.BundledEngine)
	if asJSON {
		text, err := json.Marshal(map[string]string{"version": h.Version, "commit": h.Commit, "engine": engine})
		if err != nil {
			panic("strings are no JSON: " + err.Error())
		}
		return string(text)
	}
	text := "paddock " + h.Version
	if h.Commit != "" {
		text += ", commit " + h.Commit
	}
	if engine == "" {
		return text + ", no engine beside it"
	}
	return text + ", engine llama.cpp " + engine
}

// The line of a bundle's manifest that has what llama-server said of itself.
var manifestVersion = regexp.MustCompile(`(?m)^version: (\S+) \(build (\d+)\b`)

// bundledVersion is which llama.cpp is in a bundle by its manifest, like "0.7.0
// (b11669)": nothing is started for it. It is empty where there is no bundle.
func bundledVersion(folder string) string {
	if folder == "" {
		return ""
	}
	manifest, err := os.ReadFile(filepath.Join(folder, build.Manifest))
	if err != nil {
		return ""
	}
	found := manifestVersion.FindSubmatch(manifest)
	if found == nil {
		return ""
	}
	return fmt.Sprintf("%s (b%s)", found[1], found[2])
}
