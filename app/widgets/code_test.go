package widgets

import (
	"strings"
	"testing"
)

func TestCodeIsColouredByMeaning(t *testing.T) {
	lines := lex("go", "func posts(n int) {\n\treturn 42 // all\n}")
	if len(lines) != 3 {
		t.Fatalf("%d lines, want 3", len(lines))
	}
	want := map[string]tint{"func": keywordTint, "posts": nameTint, "int": typeTint, "return": keywordTint, "42": literalTint, "// all": quietTint}
	for _, line := range lines {
		for _, r := range line {
			for text, tint := range want {
				if strings.TrimSpace(r.text) == text {
					if r.tint != tint {
						t.Errorf("%q has tint %d, want %d", text, r.tint, tint)
					}
					delete(want, text)
				}
			}
		}
	}
	if len(want) > 0 {
		t.Errorf("not found: %v in %v", want, lines)
	}
	if got := textOf(lines[1]); got != "    return 42 // all" {
		t.Errorf("the second line is %q", got)
	}
}

func TestAnUnknownLanguageHasNoColours(t *testing.T) {
	if got := lex("no such language", "x"); got != nil {
		t.Errorf("got %v", got)
	}
}

func TestCodeIsLexedWhileItGrows(t *testing.T) {
	var box *codeText
	lexed, source := 0, ""
	for range 400 {
		source += "x := 1\n"
		next := newCodeText("go", source+"x")
		next.adopt(box)
		box = next
		if box.wantsLexing(true) {
			lexed++
			box.take(box.text, lex("go", box.text))
		}
	}
	if lexed < 10 || lexed > 100 {
		t.Errorf("lexed %d times in 400 lines", lexed)
	}
	if len(box.lexed) < 300 {
		t.Errorf("only %d of 401 lines have colours", len(box.lexed))
	}
	if !box.wantsLexing(false) {
		t.Error("a finished box wants the rest of its colours")
	}
	box.take(box.text, lex("go", box.text))
	if box.wantsLexing(false) || len(box.lexed) != len(box.lines) {
		t.Errorf("%d of %d lines have colours", len(box.lexed), len(box.lines))
	}
}

func TestColoursOfAnOlderTextAreDroppedWhereItChanged(t *testing.T) {
	old := newCodeText("go", "a := 1\nb := ")
	old.take(old.text, lex("go", old.text))
	next := newCodeText("go", "a := 1\nb := 2\n")
	next.adopt(old)
	if len(next.lexed) != 1 {
		t.Errorf("%d lines kept their colours, want 1", len(next.lexed))
	}
	other := newCodeText("go", "c := 1\n")
	other.adopt(old)
	if other.lexed != nil {
		t.Error("another text took the colours over")
	}
}

func TestHugeCodeIsNotLexed(t *testing.T) {
	c := newCodeText("go", strings.Repeat("x := 1\n", maxLexedBytes/7+1))
	if c.wantsLexing(false) {
		t.Error("wants to be lexed")
	}
}
