package models

import (
	"context"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/engine/library"
)

func TestTheFirstPageOffersFoldersThatHaveModels(t *testing.T) {
	for _, size := range []fyne.Size{apptest.Wide, apptest.Narrow} {
		dir := t.TempDir()
		found := []library.Usual{{Folder: dir, Files: 3}, {Folder: "/home/ana/" + strings.Repeat("a long way down/", 12), Files: 1}}
		looks := 0
		s := newScreen(t, size, newStore(t), scripted(model(filepath.Join(dir, "a.gguf"), 1)), func(o *Options) {
			o.Usual = func(context.Context) []library.Usual {
				looks++
				return found
			}
		})
		s.loop.Until(t, "the folders are offered", func() bool { return len(s.State().Usual) == 2 })
		text := s.shown()
		for _, want := range []string{"3 files", "1 file", dir, "Add"} {
			if !strings.Contains(text, want) {
				t.Errorf("the first page does not say %q:\n%s", want, text)
			}
		}
		if list := s.squeezed(); len(list) > 0 {
			t.Errorf("no room for %q", list)
		}
		found = found[:1]
		s.Rescan()
		s.loop.Until(t, "the folder that is gone is offered no more", func() bool { return len(s.State().Usual) == 1 })
		if looks != 2 {
			t.Errorf("two scans looked %d times", looks)
		}
		test.Tap(s.button(t, "Add"))
		s.loop.Until(t, "the folder's model is there", func() bool { return len(s.State().Rows) == 1 })
		if strings.Contains(s.shown(), "No models yet") {
			t.Error("the first page stays")
		}
	}
}

func TestWhoHasModelsIsOfferedNoFolders(t *testing.T) {
	dir := t.TempDir()
	s := newScreen(t, apptest.Wide, newStore(t, dir), scripted(model(filepath.Join(dir, "a.gguf"), 1)), func(o *Options) {
		o.Usual = func(context.Context) []library.Usual {
			t.Error("the user's folders are looked through")
			return nil
		}
	})
	s.loop.Until(t, "it has settled", s.Settled)
}

func TestTheFirstLookHasSettledOnceItIsKnownWhatGoesTogether(t *testing.T) {
	p, l := newPresenter(t, newStore(t, "/m"), scripted(model("/m/a.gguf", 1)))
	if p.Settled() {
		t.Error("before anything was looked for")
	}
	p.Rescan()
	if p.Settled() {
		t.Error("while the scan runs")
	}
	l.Until(t, "it settles", p.Settled)
	if len(p.State().Rows) != 1 || p.State().Scanning {
		t.Errorf("settled with %d rows, scanning %v", len(p.State().Rows), p.State().Scanning)
	}
}
