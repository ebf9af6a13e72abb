package words

import (
	"fmt"
	"image/png"
	"io/fs"
	"strings"
	"syscall"
	"testing"

	"paddock/engine/picture"
)

func TestEveryProblemOfAPictureHasItsOwnSentence(t *testing.T) {
	seen := map[string]string{}
	for name, value := range kinds(t, "engine/picture", "Problem") {
		s := Error(fmt.Errorf("adding: %w", &picture.Error{Problem: picture.Problem(value), Path: "/models/deep/cat.png", Kind: picture.JPEG, Width: 3, Height: 2}))
		wantSentence(t, name, s, "cat.png")
		if other, taken := seen[s.Message]; taken {
			t.Errorf("%s and %s share a sentence", name, other)
		}
		seen[s.Message] = name
		wantSentence(t, name+", pasted", Error(&picture.Error{Problem: picture.Problem(value)}), "The picture")
	}
	for name, value := range kinds(t, "engine/picture", "Likeness") {
		s := Error(&picture.Error{Problem: picture.NotAPicture, Path: "cat.png", Looks: picture.Likeness(value)})
		wantSentence(t, name, s, "cat.png is not a picture, but a")
	}
	for name, value := range kinds(t, "engine/picture", "Note") {
		if note := PictureNote(picture.Note(value)); note == "" || strings.HasPrefix(note, "picture.") || len(note) > 40 {
			t.Errorf("%s: %q", name, note)
		}
	}
}

func TestWhatAPictureErrorSays(t *testing.T) {
	for name, test := range map[string]struct {
		err             picture.Error
		message, remedy string
	}{
		"a text": {picture.Error{Problem: picture.NotAPicture, Path: "/p/cat.png", Looks: picture.LooksText},
			"cat.png is not a picture, but a text.", "Give it a name that ends in .txt to add it as a text."},
		"a format": {picture.Error{Problem: picture.Unsupported, Path: "cat.avif", Kind: picture.AVIF},
			"cat.avif is an AVIF picture, a format Paddock can't read.", "Save it as PNG or JPEG in another program, then add that."},
		"a feature": {picture.Error{Problem: picture.Unsupported, Path: "cat.png", Kind: picture.PNG, Err: png.UnsupportedError("x")},
			"cat.png is a PNG picture with something in it that Paddock can't read.", "Save it as PNG or JPEG in another program, then add that."},
		"too many pixels": {picture.Error{Problem: picture.TooLarge, Path: "cat.png", Width: 20000, Height: 15000, Pixels: 300e6, LimitPixels: picture.MaxPixels},
			"cat.png is too large: 20,000 × 15,000 pixels are 300 million, and 268 million can be opened.", "Make it smaller in another program, then add that."},
		"too much memory": {picture.Error{Problem: picture.TooLarge, Path: "cat.png", Width: 9000, Height: 8000, Memory: true, Bytes: 600 << 20, LimitBytes: 512 << 20},
			"cat.png is too large: its 9,000 × 8,000 pixels would take 0.6 GiB of memory, and 0.5 GiB are for it.", "Make it smaller in another program, then add that."},
		"a long file": {picture.Error{Problem: picture.TooLarge, Path: "cat.png", Bytes: 2 << 30, LimitBytes: 256 << 20},
			"cat.png is too large: the file has 2.0 GiB, and 0.2 GiB is the most.", "Make it smaller in another program, then add that."},
		"too small": {picture.Error{Problem: picture.TooSmall, Path: "dot.gif", Width: 1, Height: 1},
			"dot.gif is too small: it has 1 × 1 pixels, and no side may have fewer than 4.", "Choose a larger picture."},
		"a lost right": {picture.Error{Problem: picture.Unreadable, Path: "/p/cat.png", Err: &fs.PathError{Op: "open", Path: "/p/cat.png", Err: syscall.EACCES}},
			"cat.png can't be read: permission denied.", "Check your rights to the file, or choose another."},
	} {
		if s := Error(&test.err); s.Message != test.message || s.Remedy != test.remedy {
			t.Errorf("%s: %q, %q", name, s.Message, s.Remedy)
		}
	}
}
