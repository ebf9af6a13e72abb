package images

import (
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2"

	"paddock/app/apptest"
	job "paddock/engine/images"
)

// typing is a screen whose first picture's text is the user's and is typed into.
func typing(t *testing.T) *screen {
	t.Helper()
	s := newScreen(t, apptest.Wide)
	s.add(folder(t, 2), 2)
	s.runAll()
	s.Choose(0)
	s.write("mine")
	if s.State().Items[0].Phase != job.Edited {
		t.Fatal("the first letter does not make the text the user's at once")
	}
	return s
}

// write types a text letter by letter, with no time in between.
func (s *screen) write(text string) {
	s.t.Helper()
	for i := range text {
		s.tab.detail.text.SetText(text[:i+1])
	}
}

func TestTypingIsKeptWhenItRestsAndLostNeverWhenTheWindowCloses(t *testing.T) {
	s := typing(t)
	long := strings.Repeat("a cat ", 300)
	s.write(long)
	shut(t, s.Presenter)
	// The first letter has a line, and the text it has become.
	if lines := strings.Count(text(t, filepath.Join(s.seams.Folder, "images.jsonl")), `"edited":true`); lines != 2 {
		t.Errorf("typing was written down %d times", lines)
	}
	set, err := job.Open(s.seams.Folder)
	if err != nil {
		t.Fatal(err)
	}
	defer set.Close()
	if got := set.State().Items[0].Text; got != long {
		t.Errorf("of %d letters %d are kept", len(long), len(got))
	}
}

func TestTypingThatRestsIsKept(t *testing.T) {
	s := typing(t)
	s.write("mine and more")
	if got := s.State().Items[0].Text; got == "mine and more" {
		t.Error("it is kept with every letter")
	}
	s.until("it is kept", func() bool { return s.State().Items[0].Text == "mine and more" })
	if got := s.tab.detail.text.Text; got != "mine and more" {
		t.Errorf("the text is %q", got)
	}
}

func TestWhatIsTypedCountsAtOnceWhereItIsNeeded(t *testing.T) {
	const more = "mine and more"
	for name, needs := range map[string]func(*screen){
		"another picture is chosen": func(s *screen) { s.Choose(1) },
		"another tab is on view":    func(s *screen) { s.tab.Hide() },
		"a run begins":              func(s *screen) { s.start(s.run()) },
		"a run is resumed":          func(s *screen) { s.goOn() },
		"it is exported":            func(s *screen) { s.Export(job.CSV, filepath.Join(s.t.TempDir(), "out.csv")) },
		"it is written beside":      func(s *screen) { s.ExportBeside() },
		"it is removed":             func(s *screen) { s.Remove() },
		"it is copied": func(s *screen) {
			if s.CopyOne(); s.copied != more {
				s.t.Errorf("it copies %q", s.copied)
			}
		},
		"all are copied": func(s *screen) {
			if s.CopyAll(); !strings.HasPrefix(s.copied, more) {
				s.t.Errorf("it copies %q", s.copied)
			}
		},
	} {
		t.Run(name, func(t *testing.T) {
			s := typing(t)
			s.write(more)
			needs(s)
			if got := s.State().Items[0].Text; got != more {
				t.Errorf("the text is %q", got)
			}
			s.until("nothing is under way", func() bool { return s.State().Busy == "" })
		})
	}
}

// What is typed stays when the picture is looked at again meanwhile, and when its
// picture is left and chosen again.
func TestWhatIsTypedStaysInItsPlace(t *testing.T) {
	s := typing(t)
	s.write("mine and more")
	s.tab.show(s.State())
	s.Choose(1)
	s.Choose(0)
	if got := s.tab.detail.text.Text; got != "mine and more" {
		t.Errorf("the text is %q", got)
	}
	if got := s.State().Items[1].Text; got != "A cat." {
		t.Errorf("the other one is %q", got)
	}
}

// A picture that waits in a run leaves it with the first letter, so that its text is not
// taken away under the user.
func TestTypingTakesAPictureOutOfARunAtOnce(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.engine.gate = make(chan struct{})
	s.add(folder(t, 3), 3)
	s.Press()
	s.until("it is asked", func() bool { return s.State().Counts.Running == 1 && s.engine.requests() == 1 })
	s.Choose(2)
	s.window.Canvas().Focus(s.tab.detail.text)
	s.tab.detail.text.TypedRune('m')
	if item := s.State().Items[2]; item.Phase != job.Edited || item.Text != "m" {
		t.Errorf("%+v", item)
	}
	s.tab.detail.text.TypedKey(&fyne.KeyEvent{Name: fyne.KeyEscape})
}
