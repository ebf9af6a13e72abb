package chat

import (
	"strings"
	"testing"
)

func TestATitleIsTheFirstWords(t *testing.T) {
	for text, want := range map[string]string{
		"":                       "",
		"Hello":                  "Hello",
		"  # Two\n\nlines\there": "Two lines here",
		"**Bold** and `code`":    "Bold and code",
		"- [ ] a task":           "[ ] a task",
		"How do I keep a horse in a small field without ruining the grass?": "How do I keep a horse in a small field without…",
		"A sentence that ends just where the title ends, then goes on":      "A sentence that ends just where the title ends…",
		strings.Repeat("x", 100):     strings.Repeat("x", 48) + "…",
		strings.Repeat("今天天气很好", 10): strings.Repeat("今天天气很好", 4) + "…",
		"今天天气很好，我们想去公园里散步看花，顺便买一些水果和蔬菜回家":                         "今天天气很好，我们想去公园里散步看花…",
		"evil\u202egnp.exe \u2066x\u2069\x1b[31m\x00\u200b\ufeff": "evilgnp.exe x[31m",
		"می\u200cخواهم":                         "می\u200cخواهم",
		strings.Repeat("👩\u200d👩\u200d👧", 40):   strings.Repeat("👩\u200d👩\u200d👧", 24) + "…",
		"e" + strings.Repeat("\u0301", 100_000): "",
		"\xff\xfebroken":                        "broken",
	} {
		got := titleOf(text)
		if want == "" && text != "" {
			if len(got) > 64*titleCells+len("…") {
				t.Errorf("%.20q makes a title of %d bytes", text, len(got))
			}
			continue
		}
		if got != want {
			t.Errorf("%.40q makes %q, want %q", text, got, want)
		}
	}
}
