package chat

import (
	"fmt"
	"strings"
	"testing"
	"time"
)

func TestLongTextsArePastedBesideTheDraft(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		long := strings.Repeat("all work ", 2_000)
		b.ui(func() {
			if b.p.Paste("short") {
				b.Error("a short text was taken")
			}
			if !b.p.Paste(long) || !b.p.Paste("x"+long) {
				b.Error("a long text was not taken")
			}
			b.p.RemoveAttachment(b.p.State().Attachments[1].ID)
			b.p.SetDraft("Summarise this:")
		})
		s := b.state()
		if len(s.Attachments) != 1 || s.Attachments[0].Runes != 18_000 || !strings.HasPrefix(s.Attachments[0].First, "all work") || s.Draft != "Summarise this:" {
			b.Errorf("got %+v", s)
		}
		ready := ready
		ready.Plan.ContextTokens = 100_000
		b.engine.Become(ready)
		time.Sleep(time.Second)
		s = b.do(b.p.Send)
		if len(s.Attachments) != 0 || s.Turns[0].Text != "Summarise this:" || len(s.Turns[0].Files) != 1 || s.Turns[0].Files[0].Bytes != 18_000 {
			b.Errorf("sent: %+v", s.Turns)
		}
		want := "user: Summarise this:\n\n<file name=\"Pasted text\" bytes=\"18000\">\n" + long + "\n</file>"
		if got := messages(b.engine.asked()[0]); got != want {
			b.Errorf("the engine was told %.200s", got)
		}
		if got := b.p.Message(s.Turns[0].ID); got != want[len("user: "):] {
			b.Errorf("copied: %.200s", got)
		}
	})
}

func TestADraftIsThereAtTheNextStart(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		long := strings.Repeat("all work ", 10_000)
		b.do(func() {
			b.p.SetDraft("half a thou")
			b.p.Paste(long)
			b.p.SetDraft("half a thought")
		})
		b.again()
		s := b.state()
		if s.Current != 0 || s.Draft != "" || len(s.Conversations) != 1 {
			b.Fatalf("at the start: %+v", s)
		}
		s = b.do(func() { b.p.Select(s.Conversations[0].ID) })
		if s.Draft != "half a thought" || len(s.Attachments) != 1 || s.Attachments[0].Runes != len(long) {
			b.Errorf("got %+v", s)
		}
	})
}

func TestADraftOfTwoMegabytesIsNoneOfTheEntry(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.do(func() { b.p.SetDraft(strings.Repeat("x", 2<<20)) })
		time.Sleep(time.Second)
		b.again()
		s := b.do(func() { b.p.Select(b.p.State().Conversations[0].ID) })
		if s.Draft != "" || len(s.Attachments) != 1 || s.Attachments[0].Bytes != 2<<20 {
			b.Errorf("the draft has %d bytes, beside it are %+v", len(s.Draft), s.Attachments)
		}
	})
}

func TestWhatIsSentIsNoDraftAnyMore(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.do(func() { b.p.SetDraft("hello") })
		time.Sleep(time.Second)
		b.do(b.p.Send)
		b.last()
		b.again()
		if s := b.do(func() { b.p.Select(b.p.State().Conversations[0].ID) }); s.Draft != "" || len(s.Turns) != 2 {
			b.Errorf("got %+v", s)
		}
	})
}

func TestAnEditMakesAVersion(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		b.send("second")
		b.last()
		b.do(func() { b.p.SetDraft("my draft") })
		s := b.do(func() { b.p.Edit(b.p.State().Turns[0].ID) })
		if s.Draft != "first" || s.Editing != s.Turns[0].ID {
			b.Fatalf("editing: %+v", s)
		}
		if s = b.do(b.p.CancelEdit); s.Draft != "my draft" || s.Editing != 0 {
			b.Errorf("cancelled: %+v", s)
		}
		b.do(func() { b.p.Edit(b.p.State().Turns[0].ID) })
		b.send("changed")
		b.last()
		s = b.state()
		if got := b.texts(); got != "changed|one two three." || s.Draft != "my draft" {
			b.Errorf("got %s, the draft is %q", got, s.Draft)
		}
		if s.Turns[0].Branch != (Branch{2, 2}) || s.Turns[1].Branch != (Branch{1, 1}) {
			b.Errorf("the versions are %+v and %+v", s.Turns[0].Branch, s.Turns[1].Branch)
		}
		if got := messages(b.engine.asked()[2]); got != "user: changed" {
			b.Errorf("the engine was told %s", got)
		}
		b.do(func() { b.p.SwitchBranch(b.p.State().Turns[0].ID, -1) })
		if got := b.texts(); got != "first|one two three.|second|one two three." {
			b.Errorf("the version before is %s", got)
		}
		b.do(func() { b.p.SwitchBranch(b.p.State().Turns[0].ID, -1) })
		b.do(func() { b.p.SwitchBranch(b.p.State().Turns[0].ID, 1) })
		if got := b.texts(); got != "changed|one two three." {
			b.Errorf("back again it is %s", got)
		}
	})
}

func TestAnEditIsThereAtTheNextStart(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		b.do(func() {
			b.p.SetDraft("my draft")
			b.p.Edit(b.p.State().Turns[0].ID)
			b.p.SetDraft("first, chan")
		})
		b.again()
		s := b.do(func() { b.p.Select(b.p.State().Conversations[0].ID) })
		if s.Draft != "first, chan" || s.Editing != s.Turns[0].ID {
			b.Errorf("got %+v", s)
		}
		if s = b.do(b.p.CancelEdit); s.Draft != "my draft" {
			b.Errorf("cancelled: %q", s.Draft)
		}
	})
}

func TestEarlierMessagesComeBackIntoAnEmptyComposer(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("first")
		b.last()
		b.send("second")
		b.last()
		var got []string
		for _, places := range []int{1, -1, -1, -1, 1, 1} {
			b.ui(func() { got = append(got, fmt.Sprint(b.p.Recall(places), " ", b.p.State().Draft)) })
		}
		want := "[false  true second true first false first true second true ]"
		if fmt.Sprint(got) != want {
			b.Errorf("got %v, want %s", got, want)
		}
		b.ui(func() {
			b.p.SetDraft("something")
			if b.p.Recall(-1) {
				b.Error("a draft was replaced")
			}
		})
	})
}
