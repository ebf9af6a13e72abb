package gguf_test

import (
	"fmt"
	"os"
	"path/filepath"
	"testing"

	parser "github.com/gpustack/gguf-parser-go"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
)

// The vocabulary of Qwen 2.5 and 3: a header of about 7 MB.
const largeVocabulary = 151_936

// BenchmarkReadThousandHeaders reads 1,000 model files of real shape, each with
// a vocabulary of 152k tokens. Eight are distinct, the others are hard links to
// them, so all are in the page cache: it measures the reading, not the disk.
func BenchmarkReadThousandHeaders(b *testing.B) {
	const files, distinct = 1000, 8
	dir := b.TempDir()
	var paths []string
	for i := range files {
		path := filepath.Join(dir, fmt.Sprintf("%04d.gguf", i))
		var err error
		if i < distinct {
			err = gguftest.Large(largeVocabulary+i, 24+4*i).Write(path)
		} else {
			err = os.Link(paths[i%distinct], path)
		}
		if err != nil {
			b.Fatal(err)
		}
		paths = append(paths, path)
	}
	for b.Loop() {
		for _, path := range paths {
			if _, err := gguf.Read(path); err != nil {
				b.Fatal(err)
			}
		}
	}
}

// BenchmarkReadLargeHeader reads one such header, of a model of gigabytes.
func BenchmarkReadLargeHeader(b *testing.B) {
	path, headerBytes := largeModel(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := gguf.Read(path); err != nil {
			b.Fatal(err)
		}
	}
	b.ReportMetric(headerBytes/1e6, "MB/header")
}

// BenchmarkParserLargeHeader is gguf-parser-go on the same file, at its fastest.
func BenchmarkParserLargeHeader(b *testing.B) {
	path, _ := largeModel(b)
	b.ReportAllocs()
	for b.Loop() {
		if _, err := parser.ParseGGUFFile(path, parser.UseMMap(), parser.SkipLargeMetadata()); err != nil {
			b.Fatal(err)
		}
	}
}

func largeModel(b *testing.B) (path string, headerBytes float64) {
	file := gguftest.Large(largeVocabulary, 36)
	return write(b, file), float64(len(file.Header()))
}
