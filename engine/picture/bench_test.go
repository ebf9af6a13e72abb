package picture_test

import (
	"os"
	"path/filepath"
	"testing"

	"paddock/engine/picture"
	"paddock/engine/picture/picturetest"
)

// The benchmarks are what a picture costs before the engine sees it.

func benchmarkPrepare(b *testing.B, kind string, width, height int) {
	path := filepath.Join(b.TempDir(), "picture")
	if err := os.WriteFile(path, picturetest.Encode(b, kind, picturetest.Photo(width, height)), 0o600); err != nil {
		b.Fatal(err)
	}
	source := picture.Source{Path: path}
	b.Run("prepare", func(b *testing.B) {
		for b.Loop() {
			if _, err := picture.Prepare(b.Context(), source, picture.Options{}); err != nil {
				b.Fatal(err)
			}
		}
	})
	b.Run("thumbnail", func(b *testing.B) {
		for b.Loop() {
			if _, err := picture.Thumbnail(b.Context(), source, 256); err != nil {
				b.Fatal(err)
			}
		}
	})
}

func BenchmarkJPEGOf2MP(b *testing.B)   { benchmarkPrepare(b, "jpeg", 1632, 1224) }
func BenchmarkJPEGOf12MP(b *testing.B)  { benchmarkPrepare(b, "jpeg", 4000, 3000) }
func BenchmarkJPEGOf100MP(b *testing.B) { benchmarkPrepare(b, "jpeg", 11600, 8700) }
func BenchmarkPNGOf12MP(b *testing.B)   { benchmarkPrepare(b, "png", 4000, 3000) }
func BenchmarkPNGOf100MP(b *testing.B)  { benchmarkPrepare(b, "png", 11600, 8700) }
