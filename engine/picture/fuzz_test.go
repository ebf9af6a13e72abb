package picture_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"testing"

	"paddock/engine/picture"
	"paddock/engine/picture/picturetest"
)

// seeds are small pictures of every kind.
func seeds(t testing.TB) map[string][]byte {
	photo := picturetest.Photo(40, 30)
	all := map[string][]byte{"animated.gif": picturetest.Animation(t), "a text": []byte("BM text")}
	for _, kind := range []string{"png", "jpeg", "gif", "bmp", "tiff"} {
		all[kind] = picturetest.Encode(t, kind, photo)
	}
	for _, kind := range []string{"png", "jpeg"} {
		all[kind+" with EXIF"] = picturetest.WithEXIF(t, all[kind], picturetest.EXIF(6, "here"))
	}
	for _, name := range []string{"alpha.webp", "animated.webp", "lossless.webp", "lossy.webp", "progressive.jpg", "ycck.jpg"} {
		all[name] = picturetest.File(t, name)
	}
	return all
}

// readOrRefused asserts that there is a picture or a typed error, whatever the
// bytes are.
func readOrRefused(t *testing.T, name string, data []byte) {
	t.Helper()
	p, err := picture.Prepare(context.Background(), picture.Source{Bytes: data}, picture.Options{MaxSide: 64})
	var failed *picture.Error
	switch {
	case errors.As(err, &failed):
		if failed.Problem == "" {
			t.Errorf("%s: an error without a problem: %+v", name, failed)
		}
	case err != nil:
		t.Errorf("%s: %T %v", name, err, err)
	case len(p.Bytes) == 0 || min(p.Width, p.Height) < picture.PaddedSide || max(p.Width, p.Height) > 64:
		t.Errorf("%s: prepared %d bytes, %d x %d", name, len(p.Bytes), p.Width, p.Height)
	}
}

func TestADamagedPictureIsReadOrRefused(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	damage := func(name string, data []byte, times int) {
		for range times {
			damaged := bytes.Clone(data)
			for range 1 + random.IntN(4) {
				damaged[random.IntN(len(damaged))] = byte(random.Uint32())
			}
			readOrRefused(t, name, damaged)
		}
	}
	for name, data := range seeds(t) {
		damage(name, data, 100)
	}
	damage("turned.heic", picturetest.File(t, "turned.heic"), 10)
}

// FuzzPrepare leaves HEIC out: with the fuzzer's counters its box is far too slow.
func FuzzPrepare(f *testing.F) {
	for _, data := range seeds(f) {
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if !bytes.Contains(data[:min(len(data), 12)], []byte("ftyp")) {
			readOrRefused(t, "fuzzed", data)
		}
	})
}
