package images

import (
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/app/apptest"
	job "paddock/engine/images"
	"paddock/engine/picture/picturetest"
)

func TestPicturesOfTheSameNameAreToldApart(t *testing.T) {
	path := func(parts ...string) string { return string(filepath.Separator) + filepath.Join(parts...) }
	tests := []struct {
		name  string
		paths []string
		want  []string
	}{
		{"no two are the same", []string{path("a", "x.png"), path("b", "y.png")}, []string{"x.png", "y.png"}},
		{"one is in a folder of the other's", []string{path("p", "x.png"), path("p", "sub", "x.png"), path("p", "y.png")}, []string{"x.png (p)", "x.png (sub)", "y.png"}},
		{"the last folder is the same", []string{path("a", "s", "x.png"), path("b", "s", "x.png"), path("c", "x.png")},
			[]string{"x.png (" + filepath.Join("a", "s") + ")", "x.png (" + filepath.Join("b", "s") + ")", "x.png (c)"}},
		{"at the root", []string{path("x.png"), path("a", "x.png")}, []string{"x.png (" + path() + ")", "x.png (a)"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			var items []*job.Item
			for i, p := range test.paths {
				items = append(items, &job.Item{ID: job.ID(i + 1), Path: p, Name: filepath.Base(p)})
			}
			var n names
			n.update(items)
			var got []string
			for _, i := range items {
				got = append(got, nameOf(i, n.of))
			}
			if !slices.Equal(got, test.want) {
				t.Errorf("they are %q, not %q", got, test.want)
			}
			if n.update(items[:1]); nameOf(items[0], n.of) != items[0].Name {
				t.Error("the one that is left has a folder still")
			}
		})
	}
}

func TestCardsDetailAndQuestionsSayWhichOfTheSameName(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	dir := t.TempDir()
	for _, name := range []string{"one", "two"} {
		sub := filepath.Join(dir, name)
		mkdir(t, sub)
		put(t, filepath.Join(sub, "x.png"), picturetest.Encode(t, "png", picturetest.Quadrants(40, 40)))
	}
	s.add(dir, 2)
	s.wants("x.png (one)", "x.png (two)")
	s.Choose(1)
	if got := s.tab.detail.name.String(); got != "x.png (two)" {
		t.Errorf("beside it stands %q", got)
	}
	s.Edit(s.State().Items[1].ID, "mine")
	s.Again()
	if q := s.State().Question; q == nil || !strings.Contains(q.Title, "x.png (two)") {
		t.Errorf("it asks %+v", q)
	}
	s.Answer(-1)
	s.Remove()
	if q := s.State().Question; q == nil || !strings.Contains(q.Title, "x.png (two)") {
		t.Errorf("it asks %+v", q)
	}
	s.Answer(0)
	s.wants("x.png (two) is out of the list")
	if got := s.tab.detail.name.String(); got != "x.png" || strings.Contains(s.shown(), "x.png (one)") {
		t.Errorf("the other one is still called %q", got)
	}
}
