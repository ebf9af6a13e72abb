package gguf

import (
	"fmt"
	"strings"
)

// maxParts is the most the five digits of a part's name can count.
const maxParts = 99999

// PartPaths are the paths of all parts of a split set, given one of them and
// what its header says. False means the file is not called as llama.cpp calls
// parts ("name-00001-of-00003.gguf"), so the engine would not find the others.
func PartPaths(path string, s Split) ([]string, bool) {
	if s.Count < 2 || s.Count > maxParts || s.Index < 0 || s.Index >= s.Count {
		return nil, false
	}
	name := func(index int) string { return fmt.Sprintf("-%05d-of-%05d.gguf", index+1, s.Count) }
	prefix, ok := strings.CutSuffix(path, name(s.Index))
	if !ok {
		return nil, false
	}
	paths := make([]string, s.Count)
	for i := range paths {
		paths[i] = prefix + name(i)
	}
	return paths, true
}
