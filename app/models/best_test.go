package models

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/engine/library"
)

func TestBestSettingsAreAButtonOfTheDetailPane(t *testing.T) {
	for _, size := range []fyne.Size{apptest.Wide, apptest.Narrow} {
		var best []string
		s := newScreen(t, size, newStore(t, "/m", "/n"), scripted(family()...), func(o *Options) {
			o.Best = func(m library.Model) { best = append(best, m.Facts.Path) }
		})
		s.SelectPath("/m/large.gguf")
		test.Tap(s.button(t, "Best settings"))
		if len(best) != 1 || best[0] != "/m/large.gguf" || len(s.setUp) > 0 {
			t.Errorf("it set up %v, %v", best, s.setUp)
		}
		if list := apptest.Squeezed(s.window.Content()); len(list) > 0 {
			t.Errorf("no room for %q", list)
		}
	}
}

func TestTheFilesBesideAModelAreHandedOn(t *testing.T) {
	s := familyScreen(t, apptest.Wide)
	want := library.Beside(pairFamily(family())["/m/large.gguf"])
	got := s.Beside("/m/large.gguf")
	if len(got) != len(want) {
		t.Fatalf("%d files, not %d", len(got), len(want))
	}
	for i := range want {
		if got[i].Path != want[i].Path {
			t.Errorf("file %d is %s, not %s", i, got[i].Path, want[i].Path)
		}
	}
	if other := s.Beside("/m/other.gguf"); other != nil {
		t.Errorf("an unknown model has %v", other)
	}
}
