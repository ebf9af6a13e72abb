package gguf_test

import (
	"fmt"
	"strings"
	"testing"

	parser "github.com/gpustack/gguf-parser-go"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
)

// parse is the other reader, which panics on some files.
func parse(path string) (f *parser.GGUFFile, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("panic: %v", r)
		}
	}()
	return parser.ParseGGUFFile(path, parser.UseMMap(), parser.SkipLargeMetadata())
}

func TestAnotherReaderSaysTheSame(t *testing.T) {
	check := func(t *testing.T, path string) {
		t.Helper()
		other, err := parse(path)
		if err != nil {
			t.Fatalf("gguf-parser-go: %v", err)
		}
		f := read(t, path)
		if f.Split.Count > 1 && f.Split.Index == 0 {
			// It reads the other parts by itself.
			if f, err = gguf.ReadSet(partsOf(t, path)); err != nil {
				t.Fatal(err)
			}
		}
		// It makes up an architecture for a file that names none.
		m := other.Metadata()
		if f.Architecture != m.Architecture && f.Architecture != "" {
			t.Errorf("architecture %s, theirs %s", f.Architecture, m.Architecture)
		}
		if f.Parameters != uint64(m.Parameters) {
			t.Errorf("%d parameters, theirs %d", f.Parameters, m.Parameters)
		}
		// It counts the padding between tensors as weights.
		theirs, padding := uint64(other.ModelSize), uint64(32*f.TensorCount)
		if theirs < f.WeightsBytes || theirs > f.WeightsBytes+padding {
			t.Errorf("%d bytes of weights, theirs %d", f.WeightsBytes, theirs)
		}
	}
	for _, s := range gguftest.All() {
		t.Run(s.Name, func(t *testing.T) {
			path, err := s.Write(t.TempDir())
			if err != nil {
				t.Fatal(err)
			}
			check(t, path)
		})
	}
	t.Run("large", func(t *testing.T) { check(t, write(t, gguftest.Large(5_000, 8))) })
}

func TestTensorTypesAreLaidOutAsAnotherReaderKnowsThem(t *testing.T) {
	checked := 0
	gguf.Layouts(func(number uint32, name string, elements, bytes uint64) {
		trait, known := parser.GGMLType(number).Trait()
		if !known {
			t.Logf("%s (%d) is unknown to gguf-parser-go", name, number)
			return
		}
		checked++
		if trait.BlockSize != elements || trait.TypeSize != bytes {
			t.Errorf("%s: %d elements in %d bytes, gguf-parser-go has %d in %d", name, elements, bytes, trait.BlockSize, trait.TypeSize)
		}
		if theirs := parser.GGMLType(number).String(); !strings.EqualFold(theirs, name) {
			t.Errorf("type %d is %s, gguf-parser-go calls it %s", number, name, theirs)
		}
	})
	if checked < 30 {
		t.Errorf("only %d types could be checked", checked)
	}
}
