package librarytest

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/library"
)

// models is the folder a user adds first.
func (t *tree) models(root string) {
	t.source = root
	t.expected.Sources.Folders = append(t.expected.Sources.Folders, root)
	for _, spec := range gguftest.All() {
		t.spec(spec, filepath.Join(root, "kinds"))
	}
	for i := range 200 {
		name := fmt.Sprintf("model-%03d.gguf", i)
		t.model(filepath.Join(root, "many", fmt.Sprintf("publisher-%02d", i/10), name), "general.name", fmt.Sprintf("Model %d", i))
	}
	t.sets(filepath.Join(root, "sets"))
	t.companions(filepath.Join(root, "companions"))
	t.broken(filepath.Join(root, "broken"))
	t.names(filepath.Join(root, "names"))
	t.links(filepath.Join(root, "links"))

	deep := filepath.Join(root, "deep")
	for level := range 60 {
		deep = filepath.Join(deep, fmt.Sprintf("level-%02d", level))
	}
	t.model(filepath.Join(deep, "bottom.gguf"))

	original := t.model(filepath.Join(root, "copies", "original.gguf"))
	if content, err := os.ReadFile(original); err == nil {
		copied := t.write(filepath.Join(root, "copies", "copy of original.gguf"), content)
		t.expect(Row{Path: copied, Kind: gguf.Model}) // another file, as far as a header tells
	} else {
		t.fail(err)
	}

	// What is no model and has another name is no row.
	for _, name := range []string{"notes.txt", "model.safetensors", "model.gguf.part", "model.gguf.txt", "gguf", "config.json", "README.md"} {
		t.write(filepath.Join(root, "other", name), []byte("GGUF it is not"))
	}
	t.header(filepath.Join(root, "locked", "file.gguf")) // see lock
	t.header(filepath.Join(root, "locked", "folder", "inside.gguf"))
}

// part writes one part of a split set, from 1.
func (t *tree) part(prefix string, number, count int) string {
	return t.header(fmt.Sprintf("%s-%05d-of-%05d.gguf", prefix, number, count),
		"split.no", uint16(number-1), "split.count", uint16(count))
}

// set writes the parts of a split set that are there, and expects the set.
func (t *tree) set(prefix string, count int, there ...int) {
	row := Row{Kind: gguf.Model, Files: len(there)}
	at := 0
	for number := 1; number <= count; number++ {
		if at < len(there) && there[at] == number {
			path := t.part(prefix, number, count)
			if at == 0 {
				row.Path = path
			}
			at++
			continue
		}
		row.Missing = append(row.Missing, fmt.Sprintf("%s-%05d-of-%05d.gguf", filepath.Base(prefix), number, count))
	}
	if len(row.Missing) > 0 {
		row.Kind, row.Problem = "", string(gguf.MissingPart)
	}
	t.expect(row)
}

func (t *tree) sets(root string) {
	t.set(filepath.Join(root, "whole"), 2, 1, 2)
	t.set(filepath.Join(root, "whole-q8"), 12, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12)
	t.set(filepath.Join(root, "last missing"), 3, 1, 2)
	t.set(filepath.Join(root, "first missing"), 3, 2, 3)
	t.set(filepath.Join(root, "one of many"), 9, 5)

	renamed := t.part(filepath.Join(root, "renamed", "part"), 1, 2)
	other := filepath.Join(root, "renamed", "another name.gguf")
	if t.err == nil {
		t.fail(os.Rename(renamed, other))
	}
	t.expect(Row{Path: other, Problem: string(gguf.MissingPart)})

	// Named as one set, but each says it is another part.
	first := t.header(filepath.Join(root, "mixed-00001-of-00002.gguf"), "split.no", uint16(0), "split.count", uint16(2))
	t.header(filepath.Join(root, "mixed-00002-of-00002.gguf"), "split.no", uint16(0), "split.count", uint16(2))
	t.expect(Row{Path: first, Problem: string(gguf.MissingPart), Files: 2})
}

// companions are beside their model, beside none, and beside the wrong one.
func (t *tree) companions(root string) {
	specs := map[string]gguftest.Spec{}
	for _, spec := range gguftest.All() {
		specs[spec.Name] = spec
	}
	for folder, names := range map[string][]string{
		"vision":            {"llama", "mmproj"},
		"stray projector":   {"mmproj"},
		"wrong projector":   {"llama-head80", "mmproj"},
		"draft":             {"llama", "llama-draft"},
		"wrong draft":       {"llama-bpe", "llama-draft"},
		"eagle3":            {"llama", "llama-eagle3"},
		"mtp inside":        {"qwen35-mtp"},
		"mtp beside":        {"qwen35-mtp", "qwen35-mtp-head"},
		"mtp without model": {"qwen35-mtp-head"},
		"adapter":           {"llama", "llama-lora"},
		"imatrix":           {"llama", "llama-imatrix"},
	} {
		for _, name := range names {
			t.spec(specs[name], filepath.Join(root, folder))
		}
	}
}

func (t *tree) broken(root string) {
	file := gguftest.All()[0].File()
	header := file.Header()
	at := func(name string) string { return filepath.Join(root, name) }
	t.bad(at("empty.gguf"), gguf.Empty, nil)
	t.bad(at("notes.gguf"), gguf.NotGGUF, []byte("these are notes, and more notes"))
	t.bad(at("lfs pointer.gguf"), gguf.NotGGUF, []byte("version https://git-lfs.github.com/spec/v1\noid sha256:00"))
	t.bad(at("login.gguf"), gguf.NotGGUF, []byte("<!DOCTYPE html><title>Sign in</title>"))
	t.bad(at("archive.gguf"), gguf.NotGGUF, []byte("PK\x03\x04 and so on and so forth"))
	t.bad(at("picture.gguf"), gguf.NotGGUF, []byte("\x89PNG\r\n\x1a\n and so on and so forth"))
	t.bad(at("big endian.gguf"), gguf.WrongEndian, append([]byte("GGUF\x00\x00\x00\x03"), make([]byte, 32)...))
	t.bad(at("version 1.gguf"), gguf.OldVersion, append([]byte("GGUF\x01\x00\x00\x00"), make([]byte, 32)...))
	t.bad(at("version 9.gguf"), gguf.NewVersion, append([]byte("GGUF\x09\x00\x00\x00"), make([]byte, 32)...))
	for i, cut := range []int{3, 7, 20, 40, len(header) / 4, len(header) / 2, len(header) - 100, len(header)} {
		t.bad(at(fmt.Sprintf("cut %d.gguf", i)), gguf.Truncated, header[:cut])
	}
	t.bad(at("endless.gguf"), gguf.Absurd, append([]byte("GGUF\x03\x00\x00\x00"), []byte(strings.Repeat("\xff\xff\xff\x7f\x00\x00\x00\x00", 4))...))
	if made, err := makePipe(t.folder(root), "pipe.gguf"); made {
		t.expect(Row{Path: at("pipe.gguf"), Problem: string(gguf.Unreadable)})
	} else {
		t.fail(err)
	}
	// A folder with a model's name is a folder.
	t.model(filepath.Join(root, "folder.gguf", "inside.gguf"))
}

func (t *tree) names(root string) {
	names := []string{
		"a model  with spaces.gguf", "模型-ñandú-🦙.gguf", "SHOUTED.GGUF", ".hidden.gguf", "-rf.gguf",
		"100%s {{.File}} $HOME.gguf", "it's.gguf", strings.Repeat("long-", 50) + ".gguf", ".gguf.gguf",
		"two.dots..gguf", "00001-of-00002.gguf", "not-a-part-00001-of-00000.gguf",
	}
	if linux() {
		names = append(names, "two\nlines.gguf", "\u202Efugg.gguf", "bell\a.gguf", "back\\slash.gguf", "no\xffutf8.gguf", `"quoted".gguf`)
	}
	for _, name := range names {
		t.model(filepath.Join(root, name))
	}
}

func (t *tree) links(root string) {
	target := t.model(filepath.Join(root, "a", "model.gguf"))
	// The same file again is no row of its own.
	t.link(target, filepath.Join(root, "b", "again.gguf"))
	t.link("again.gguf", filepath.Join(root, "b", "and again.gguf"))
	if t.err == nil {
		t.fail(os.Link(target, filepath.Join(root, "b", "hard.gguf")))
	}
	// Folders in circles.
	t.link(root, filepath.Join(root, "a", "up"))
	t.link(".", filepath.Join(root, "a", "here"))
	t.link(filepath.Join(root, "d"), filepath.Join(root, "c", "to d"))
	t.link(filepath.Join(root, "c"), filepath.Join(root, "d", "to c"))
	// Links to nothing. What is no model's is no row.
	t.link(filepath.Join(root, "nowhere"), filepath.Join(root, "gone.gguf"))
	t.expect(Row{Path: filepath.Join(root, "gone.gguf"), Problem: string(gguf.Missing)})
	t.link("self.gguf", filepath.Join(root, "self.gguf"))
	t.expect(Row{Path: filepath.Join(root, "self.gguf"), Problem: string(gguf.Unreadable)})
	t.link(filepath.Join(root, "nowhere"), filepath.Join(root, "gone"))
	// A link to a folder elsewhere is followed.
	outside := filepath.Join(t.dir, "outside")
	t.header(filepath.Join(outside, "model.gguf"))
	t.link(outside, filepath.Join(root, "z outside"))
	t.expect(Row{Path: filepath.Join(root, "z outside", "model.gguf"), Kind: gguf.Model})
}

// second is the folder a user adds next: part of it is in the first.
func (t *tree) second(root string) {
	t.source = root
	t.expected.Sources.Folders = append(t.expected.Sources.Folders, root)
	t.model(filepath.Join(root, "own.gguf"))
	t.link(filepath.Join(t.dir, "models", "many"), filepath.Join(root, "many"))
	t.link(filepath.Join(t.dir, "models", "copies", "original.gguf"), filepath.Join(root, "original.gguf"))
	gone := filepath.Join(t.dir, "no such folder")
	t.expected.Sources.Folders = append(t.expected.Sources.Folders, gone, filepath.Join(root, "own.gguf"))
	t.expected.Folders = append(t.expected.Folders,
		Folder{gone, library.FolderMissing}, Folder{filepath.Join(root, "own.gguf"), library.FolderNotFolder})
}

// single are files a user opened one by one.
func (t *tree) single(root string) {
	t.source = ""
	named := t.model(filepath.Join(root, "without a suffix"))
	gone := filepath.Join(root, "gone.gguf")
	t.expect(Row{Path: gone, Problem: string(gguf.Missing)})
	part := filepath.Join(root, "set-00002-of-00002.gguf")
	t.set(filepath.Join(root, "set"), 2, 1, 2)
	t.expected.Sources.Files = []string{named, gone, part}
}
