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
		yes := filepath.Join(t.TempDir(), "yes.json")
		for i, try := range []func(){
			func() { b.p.ExportJSON(b.p.State().Current, "/nowhere/a.json") },
			func() { b.p.Import(no) },
			func() { b.p.Import("/nowhere/a.json") },
		} {
			s := b.do(try)
			if s.Banner == nil || !s.Banner.Bad || !s.Banner.Dismiss || s.Banner.Text.Message == "" || s.Banner.Text.Remedy == "" {
				b.Fatalf("%d: the banner is %+v", i, s.Banner)
			}
			if i == 0 {
				s = b.do(func() { b.p.ExportJSON(s.Current, yes) })
				b.said = nil
			} else {
				s = b.do(b.p.DismissBanner)
			}
			if s.Banner != nil || len(s.Conversations) != 1 || len(b.said) > 0 {
				b.Errorf("%d: got %+v, said %q", i, s, b.said)
			}
		}
	})
}
