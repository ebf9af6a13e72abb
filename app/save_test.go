package app

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"paddock/app/widgets"
)

// A saving is the dialog that asks where to save, open in a window.
type saving struct {
	*bench
	folder string
	picked []string
}

func newSaving(t *testing.T, name string) *saving {
	t.Helper()
	s := &saving{bench: newBench(t, nil), folder: t.TempDir()}
	s.saved = s.folder
	s.pickSave(name, func(path string) { s.picked = append(s.picked, path) })
	return s
}

func (s *saving) top() fyne.CanvasObject { return s.fyne.Canvas().Overlays().Top() }

// says is all text of the dialog.
func (s *saving) says() string {
	var said []string
	eachText(s.top(), fyne.Position{}, func(text *canvas.Text, _ fyne.Position) { said = append(said, text.Text) })
	return strings.Join(said, " ")
}

// enter presses Enter in what has the focus.
func (s *saving) enter() {
	s.fyne.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyReturn})
}

func TestANewFileIsChosenAndNotMade(t *testing.T) {
	s := newSaving(t, "out.csv")
	s.enter()
	s.until("it is chosen", func() bool { return len(s.picked) == 1 })
	path := filepath.Join(s.folder, "out.csv")
	if s.picked[0] != path || s.top() != nil {
		t.Errorf("it chooses %q", s.picked)
	}
	if _, err := os.Stat(path); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("there is a file: %v", err)
	}
}

func TestAFileThatIsThereIsReplacedOnlyAfterAQuestionAndNotTouchedByIt(t *testing.T) {
	s := newSaving(t, "out.csv")
	path := write(t, filepath.Join(s.folder, "out.csv"), "before")
	untouched := func() {
		t.Helper()
		if data, err := os.ReadFile(path); err != nil || string(data) != "before" {
			t.Errorf("the file says %q, %v", data, err)
		}
	}
	s.enter()
	s.until("it asks", func() bool { return strings.Contains(s.says(), "out.csv is there already") })
	if len(s.picked) != 0 {
		t.Error("it is chosen without a word")
	}
	untouched()
	if s.fyne.Canvas().Focused() == fyne.Focusable(s.button("Replace")) {
		t.Error("Enter pressed twice replaces the file without having been read")
	}
	test.Tap(s.button("Replace"))
	s.until("it is chosen", func() bool { return len(s.picked) == 1 })
	untouched()
}

func TestANameThatIsNoneIsSaid(t *testing.T) {
	for name, want := range map[string]string{
		" ": "can't be called that", "a/b.csv": "no slash", "..": "more than dots", "folder": "folder is a folder",
	} {
		t.Run(name, func(t *testing.T) {
			s := newSaving(t, name)
			if err := os.Mkdir(filepath.Join(s.folder, "folder"), 0o700); err != nil {
				t.Fatal(err)
			}
			s.enter()
			s.until("it is said", func() bool { return strings.Contains(s.says(), want) })
			if len(s.picked) != 0 {
				t.Errorf("it chooses %q", s.picked)
			}
		})
	}
	t.Run("a folder that is gone", func(t *testing.T) {
		s := newSaving(t, "out.csv")
		if err := os.Remove(s.folder); err != nil {
			t.Fatal(err)
		}
		s.enter()
		s.until("it is said", func() bool { return strings.Contains(s.says(), "not there any more") })
	})
}

func TestEscapeClosesTheDialogOnTopWithItsVeil(t *testing.T) {
	s := newSaving(t, "out.csv")
	c := s.fyne.Canvas()
	below := len(c.Overlays().List())
	test.Tap(s.button("Folder…"))
	if len(c.Overlays().List()) <= below {
		t.Fatal("no other folder can be chosen")
	}
	s.typedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if n := len(c.Overlays().List()); n != below {
		t.Errorf("%d are open, not %d", n, below)
	}
	s.fyne.Canvas().Focus(s.button("Save"))
	s.fyne.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
	if s.top() != nil || len(s.picked) != 0 {
		t.Error("it stays open, or chooses")
	}
}

// button is one of the dialog.
func (s *saving) button(label string) *widgets.Button {
	s.t.Helper()
	var found *widgets.Button
	var look func(fyne.CanvasObject)
	look = func(o fyne.CanvasObject) {
		switch o := o.(type) {
		case *widgets.Button:
			if o.Text() == label {
				found = o
			}
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
	look(s.top())
	if found == nil {
		s.t.Fatalf("there is no %q", label)
	}
	return found
}
