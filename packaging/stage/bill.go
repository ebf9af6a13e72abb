package main

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"os"
	"path/filepath"
	"strings"
)

// bill writes the bill of materials, in CycloneDX's form: the Go modules, as
// cyclonedx-gomod found them in the program, and the engine's packages.
func bill(in inputs, app tree) error {
	data, err := os.ReadFile(in.modules)
	if err != nil {
		return err
	}
	manifest, err := os.ReadFile(filepath.Join(in.engine, "manifest"))
	if err != nil {
		return err
	}
	data, err = withEngine(data, manifest)
	if err != nil {
		return fmt.Errorf("%s: %w", in.modules, err)
	}
	return app.write(docs+"paddock/paddock.cdx.json", data)
}

// A part is a component of the bill, as far as we write any.
type part struct {
	Ref     string `json:"bom-ref"`
	Type    string `json:"type"`
	Name    string `json:"name"`
	Version string `json:"version"`
	PURL    string `json:"purl"`
	Hashes  []hash `json:"hashes"`
}

type hash struct {
	Algorithm string `json:"alg"`
	Content   string `json:"content"`
}

// withEngine adds the engine's packages to a bill. The program depends on each.
func withEngine(bill, manifest []byte) ([]byte, error) {
	var whole map[string]any
	if err := json.Unmarshal(bill, &whole); err != nil {
		return nil, err
	}
	components, ok := whole["components"].([]any)
	if !ok {
		return nil, fmt.Errorf("it lists no components")
	}
	parts := engineParts(manifest)
	if len(parts) == 0 {
		return nil, fmt.Errorf("the engine's manifest names no packages")
	}
	var refs []any
	for _, p := range parts {
		components = append(components, p)
		refs = append(refs, p.Ref)
	}
	whole["components"] = components

	root, err := rootOf(whole)
	if err != nil {
		return nil, err
	}
	on, _ := root["dependsOn"].([]any) // none where it has no modules
	root["dependsOn"] = append(on, refs...)
	var out bytes.Buffer
	encoder := json.NewEncoder(&out)
	encoder.SetEscapeHTML(false)
	encoder.SetIndent("", "  ")
	err = encoder.Encode(whole)
	return out.Bytes(), err
}

// rootOf is the entry that says what the program depends on.
func rootOf(bill map[string]any) (map[string]any, error) {
	metadata, _ := bill["metadata"].(map[string]any)
	program, _ := metadata["component"].(map[string]any)
	dependencies, _ := bill["dependencies"].([]any)
	for _, d := range dependencies {
		if entry, ok := d.(map[string]any); ok && program != nil && entry["ref"] == program["bom-ref"] {
			return entry, nil
		}
	}
	return nil, fmt.Errorf("it does not say what the program depends on")
}

// engineParts are the lines of a manifest that name packages: architecture,
// name, version, SHA-256.
func engineParts(manifest []byte) []part {
	var parts []part
	for line := range strings.Lines(string(manifest)) {
		fields := strings.Fields(line)
		if len(fields) != 4 || len(fields[3]) != 64 {
			continue
		}
		arch, name, version, sum := fields[0], fields[1], fields[2], fields[3]
		purl := "pkg:deb/debian/" + url.PathEscape(name) + "@" + url.QueryEscape(version) + "?arch=" + arch
		parts = append(parts, part{purl, "library", name, version, purl, []hash{{"SHA-256", sum}}})
	}
	return parts
}
