package gguf

import "fmt"

// A tensorType is a ggml type as a file numbers it (enum ggml_type in ggml.h).
type tensorType uint32

// A layout is how a tensor type packs its elements.
type layout struct {
	name          string
	blockElements uint64 // elements packed together; a row holds whole blocks
	blockBytes    uint64
}

// Layouts are those of ggml's type table (ggml/src/ggml.c), read out of build
// b11669 by asking it.
var layouts = map[tensorType]layout{
	0: {"F32", 1, 4}, 1: {"F16", 1, 2}, 30: {"BF16", 1, 2}, 28: {"F64", 1, 8},
	24: {"I8", 1, 1}, 25: {"I16", 1, 2}, 26: {"I32", 1, 4}, 27: {"I64", 1, 8},
	2: {"Q4_0", 32, 18}, 3: {"Q4_1", 32, 20}, 6: {"Q5_0", 32, 22}, 7: {"Q5_1", 32, 24},
	8: {"Q8_0", 32, 34}, 9: {"Q8_1", 32, 36},
	10: {"Q2_K", 256, 84}, 11: {"Q3_K", 256, 110}, 12: {"Q4_K", 256, 144},
	13: {"Q5_K", 256, 176}, 14: {"Q6_K", 256, 210}, 15: {"Q8_K", 256, 292},
	16: {"IQ2_XXS", 256, 66}, 17: {"IQ2_XS", 256, 74}, 22: {"IQ2_S", 256, 82},
	18: {"IQ3_XXS", 256, 98}, 21: {"IQ3_S", 256, 110},
	19: {"IQ1_S", 256, 50}, 29: {"IQ1_M", 256, 56},
	20: {"IQ4_NL", 32, 18}, 23: {"IQ4_XS", 256, 136},
	34: {"TQ1_0", 256, 54}, 35: {"TQ2_0", 256, 66},
	39: {"MXFP4", 32, 17}, 40: {"NVFP4", 64, 36}, 41: {"Q1_0", 128, 18}, 42: {"Q2_0", 64, 18},
}

// Removed are the types old files may hold and no engine reads any more.
var removed = map[tensorType]string{
	4: "Q4_2", 5: "Q4_3",
	31: "Q4_0_4_4", 32: "Q4_0_4_8", 33: "Q4_0_8_8",
	36: "IQ4_NL_4_4", 37: "IQ4_NL_4_8", 38: "IQ4_NL_8_8",
}

func (t tensorType) String() string {
	if l, known := layouts[t]; known {
		return l.name
	}
	if name, old := removed[t]; old {
		return name
	}
	return fmt.Sprintf("type %d", uint32(t))
}
