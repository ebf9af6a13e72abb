package gguf

import (
	"cmp"
	"slices"
	"strings"
)

// shares says how much of the weights is of each type, the most bytes first.
func shares(tensors []tensor) []TypeShare {
	byType := map[tensorType]*TypeShare{}
	for _, t := range tensors {
		s := byType[t.kind]
		if s == nil {
			s = &TypeShare{Type: t.kind.String()}
			byType[t.kind] = s
		}
		s.Bytes += t.bytes
		s.Tensors++
	}
	var all []TypeShare
	for _, s := range byType {
		all = append(all, *s)
	}
	slices.SortFunc(all, func(a, b TypeShare) int {
		return cmp.Or(cmp.Compare(b.Bytes, a.Bytes), cmp.Compare(a.Type, b.Type))
	})
	return all
}

// quantisation labels the weights by the type that holds most elements of the
// layers' matrices, which is what a file's name promises too: embeddings, output
// and norms often are of another type. The S, M and L of the K mixes follow from
// what llama-quantize gives the sensitive matrices. general.file_type is not
// asked; it lies for mixed files.
func quantisation(tensors []tensor) string {
	held := map[string]bool{}
	for _, t := range tensors {
		held[t.kind.String()] = true
	}
	elements := map[string]uint64{}
	for _, t := range tensors {
		if t.dimensions < 2 || !strings.Contains(t.name, "blk.") {
			continue
		}
		name := t.kind.String()
		if wanted := insteadOf[name]; held[wanted] && t.sizes[0]%256 != 0 {
			name = wanted
		}
		elements[name] += t.elements
	}
	if len(elements) == 0 {
		for _, t := range tensors {
			elements[t.kind.String()] += t.elements
		}
	}
	main := ""
	for name, n := range elements {
		if most := elements[main]; n > most || n == most && (main == "" || name < main) {
			main = name
		}
	}
	return main + mix(main, elements)
}

// insteadOf has what llama-quantize was asked for where it took another type,
// because a row is not a multiple of the K types' block.
var insteadOf = map[string]string{"Q5_0": "Q4_K", "Q5_1": "Q5_K", "Q8_0": "Q6_K"}

func mix(main string, elements map[string]uint64) string {
	switch main {
	case "Q2_K":
		if elements["Q3_K"] == 0 {
			return "_S"
		}
	case "Q3_K":
		switch {
		case elements["Q5_K"] > elements["Q4_K"]:
			return "_L"
		case elements["Q4_K"] > 0:
			return "_M"
		}
		return "_S"
	case "Q4_K", "Q5_K":
		if elements["Q6_K"] > 0 {
			return "_M"
		}
		return "_S"
	}
	return ""
}
