package app

import (
	"os"
	"path/filepath"
	"slices"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	"fyne.io/fyne/v2/widget"

	"paddock/engine/gguf/gguftest"
)

// A picking is what can be pressed and chosen in the dialog on top.
type picking struct {
	buttons map[string]*widget.Button
	lists   []*widget.List
}

func (b *bench) picking() picking {
	b.t.Helper()
	top := b.fyne.Canvas().Overlays().Top()
	if top == nil {
		b.t.Fatal("no dialog is open")
	}
	p := picking{buttons: map[string]*widget.Button{}}
	var look func(fyne.CanvasObject)
	look = func(o fyne.CanvasObject) {
		switch o := o.(type) {
		case *widget.Button:
			p.buttons[o.Text] = o
		case *widget.List:
			p.lists = append(p.lists, o)
		}
		switch o := o.(type) {
		case *fyne.Container:
			for _, child := range o.Objects {
				look(child)
			}
		case fyne.Widget:
			for _, child := range test.WidgetRenderer(o).Objects() {
				look(child)
			}
		}
	}
	look(top)
	return p
}

// wantIn asserts which folder the dialog on top shows, and gives it up.
func (b *bench) wantIn(folder string) {
	b.t.Helper()
	p := b.picking()
	if p.buttons[filepath.Base(folder)] == nil || p.buttons["below"] != nil {
		b.t.Errorf("it does not begin in %s", folder)
	}
	b.fyne.Canvas().OnTypedKey()(&fyne.KeyEvent{Name: fyne.KeyEscape})
}

func TestAPickerBeginsWhereTheLastOneOfItsKindEnded(t *testing.T) {
	b := newBench(t, nil)
	root := t.TempDir()
	below := filepath.Join(root, "below")
	if err := os.Mkdir(below, 0o700); err != nil {
		t.Fatal(err)
	}
	var picked []string
	done := func(path string, err error) {
		if err != nil {
			t.Error(err)
		}
		picked = append(picked, path)
	}
	elsewhere := t.TempDir()
	path := write(t, filepath.Join(elsewhere, "notes.txt"), "hello")
	b.GoTo(pageChat)
	b.picks[pickKind{pageChat, "chat.pick.attach"}] = elsewhere
	b.pickFile("chat.pick.attach", nil, done)
	clear(b.picks)
	p := b.picking()
	p.lists[len(p.lists)-1].Select(1) // after the way up
	test.Tap(p.buttons["Open"])

	b.GoTo(pageModels)
	b.pickFolderFrom(below, "shell.pick.folder.title", done)
	test.Tap(b.picking().buttons["Use this folder"])
	if !slices.Equal(picked, []string{path, below}) {
		t.Fatalf("picked %q", picked)
	}
	b.pickFolder(done)
	b.wantIn(root) // where what was picked lies, beside which the next may be
	b.GoTo(pageChat)
	b.pickFile("chat.pick.attach", nil, done)
	b.wantIn(elsewhere)
}

func TestAModelIsPickedBesideTheOneThatWasOpenedLast(t *testing.T) {
	b := newBench(t, nil)
	path := gguftest.Llama(t)
	b.Open([]string{path})
	b.until("it is selected", func() bool { return b.modelsTab().State().Selected.Path == path })
	b.pickGGUF(func(string, error) { t.Error("a path was picked") })
	b.wantIn(filepath.Dir(path))
}
