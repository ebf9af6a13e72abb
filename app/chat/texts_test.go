package chat

import (
	"reflect"
	"strings"
	"testing"
)

func TestTextsInSeveralEncodings(t *testing.T) {
	for name, c := range map[string]struct {
		data []byte
		want string
		ok   bool
	}{
		"UTF-8":                   {[]byte("Zaun, 3 m²"), "Zaun, 3 m²", true},
		"UTF-8 with a mark":       {[]byte("\xef\xbb\xbfZaun"), "Zaun", true},
		"UTF-16 little":           {[]byte("\xff\xfeZ\x00a\x00\xe9\x00\x3d\xd8\x00\xde"), "Zaé😀", true},
		"UTF-16 big":              {[]byte("\xfe\xff\x00Z\x00\xe9"), "Zé", true},
		"UTF-16 with half a unit": {[]byte("\xff\xfeZ\x00a"), "", false},
		"Latin-1":                 {[]byte("Z\xe4une f\xfcr \xa3 5"), "Zäune für £ 5", true},
		"a zero":                  {[]byte("text\x00text"), "", false},
		"control characters":      {[]byte("\x01\x02\x03\x04 some"), "", false},
		"colours of a terminal":   {[]byte("\x1b[31mred\x1b[0m"), "\x1b[31mred\x1b[0m", true},
	} {
		if got, ok := decode(c.data); got != c.want || ok != c.ok {
			t.Errorf("%s: %q, %t", name, got, ok)
		}
	}
}

func TestFilesInAMessageAreFoundAgain(t *testing.T) {
	for name, c := range map[string]struct {
		message, text string
		files         []inlinedFile
	}{
		"none":                    {"hello", "hello", nil},
		"a name with marks":       {inlined(`a "b" <c>.txt`, "x"), "", []inlinedFile{{`a "b" <c>.txt`, "x"}}},
		"two, after words":        {"Compare:\n\n" + inlined("a", "1\n") + "\n\n" + inlined("b", ""), "Compare:", []inlinedFile{{"a", "1\n"}, {"b", ""}}},
		"one within another":      {inlined("a", inlined("b", "x")), "", []inlinedFile{{"a", inlined("b", "x")}}},
		"what only looks like it": {"<file name=\"a\" bytes=\"5\">\nx\n</file>", "<file name=\"a\" bytes=\"5\">\nx\n</file>", nil},
		"a false end":             {inlined("a", "x\n</file>\ny"), "", []inlinedFile{{"a", "x\n</file>\ny"}}},
	} {
		text, files := cutFiles(c.message)
		if text != strings.TrimSpace(c.text) || !reflect.DeepEqual(files, c.files) {
			t.Errorf("%s: %q, %+v", name, text, files)
		}
	}
}

func TestTheTokensOfAPictureFollowItsEncoder(t *testing.T) {
	for name, c := range map[string]struct {
		kind               string
		side, patch, merge int
		width, height      int
		want               int
	}{
		"LLaVA":                     {"mlp", 336, 14, 0, 1000, 500, 576},
		"Gemma 3":                   {"gemma3", 896, 14, 0, 1000, 500, 256},
		"Qwen keeps its size":       {"qwen2vl_merger", 560, 14, 2, 1120, 560, 800},
		"and says no merge":         {"qwen3vl_merger", 560, 16, 0, 1024, 512, 512},
		"a tiny one":                {"qwen2vl_merger", 560, 14, 2, 4, 4, 1},
		"a header that says little": {"x", 0, 0, 0, 100, 100, 576},
	} {
		if got := tokensOf(c.kind, c.side, c.patch, c.merge, sizeOf{Width: c.width, Height: c.height}); got != c.want {
			t.Errorf("%s: %d tokens, want %d", name, got, c.want)
		}
	}
}
