package chat

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/engine/picture/picturetest"
)

func TestAChatIsExportedAndImported(t *testing.T) {
	inTime(t, seeing(), func(b *bench) {
		b.do(func() { b.p.AddPicture(picturetest.Encode(t, "png", picturetest.Photo(64, 64))) })
		b.settled()
		b.send("A fence: what/where?")
		b.last()
		b.do(func() { b.p.Regenerate(b.p.State().Turns[1].ID) })
		b.last()
		id, folder := b.state().Current, t.TempDir()
		if name := b.p.ExportName(id); name != "A fence- what-where-" {
			b.Errorf("the name is %q", name)
		}
		markdown, json := filepath.Join(folder, "a.md"), filepath.Join(folder, "a.json")
		b.do(func() {
			b.p.ExportMarkdown(id, markdown)
			b.p.ExportJSON(id, json)
		})
		text, err := os.ReadFile(markdown)
		if err != nil || !strings.Contains(string(text), "one two three.") || len(b.said) != 2 || b.said[1] != "Exported to a.json" {
			b.Fatalf("exported: %s, %v, said %q", text, err, b.said)
		}
		s := b.do(func() { b.p.Import(json) })
		if len(s.Conversations) != 2 || s.Current == id || len(s.Turns) != 2 || s.Turns[1].Branch.Of != 2 || len(s.Turns[0].Pictures) != 1 {
			b.Errorf("imported: %+v, said %q", s, b.said)
		}
	})
}

func TestWhatCantBeExportedOrImportedIsSaid(t *testing.T) {
	inTime(t, ready, func(b *bench) {
		b.send("hello")
		b.last()
		no := filepath.Join(t.TempDir(), "no.json")
		mustWrite(t, no, "[1, 2]")
		for i, try := range []func(){
			func() { b.p.ExportJSON(b.p.State().Current, "/nowhere/a.json") },
			func() { b.p.Import(no) },
			func() { b.p.Import("/nowhere/a.json") },
		} {
			b.do(try)
			if len(b.said) != i+1 || b.said[i] == "" {
				b.Fatalf("said %q", b.said)
			}
		}
		if s := b.state(); s.Banner != nil || len(s.Conversations) != 1 {
			b.Errorf("got %+v", s)
		}
	})
}
