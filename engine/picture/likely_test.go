package picture_test

import (
	"os"
	"path/filepath"
	"testing"

	"paddock/engine/picture"
	"paddock/engine/picture/picturetest"
)

func TestWhatBeginsAsAPictureIsLikelyOne(t *testing.T) {
	png := picturetest.Encode(t, "png", picturetest.Quadrants(8, 8))
	for name, c := range map[string]struct {
		data []byte
		want bool
	}{
		"a PNG":                  {png, true},
		"the beginning of a PNG": {png[:20], true},
		"a text called .png":     {[]byte("hello there"), false},
		"an empty file":          {nil, false},
		"a model":                {[]byte("GGUF\x03\x00\x00\x00"), false},
	} {
		path := filepath.Join(t.TempDir(), "x.png")
		if err := os.WriteFile(path, c.data, 0o600); err != nil {
			t.Fatal(err)
		}
		if got := picture.Likely(path); got != c.want {
			t.Errorf("%s: %t", name, got)
		}
	}
	if picture.Likely(filepath.Join(t.TempDir(), "none.png")) {
		t.Error("a file that isn't there")
	}
}
