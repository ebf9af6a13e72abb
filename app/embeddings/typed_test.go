package embeddings

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/embed"
)

// ctrlEnter is what the tab is given while a field has the focus.
func (s *screen) ctrlEnter(t *testing.T) {
	t.Helper()
	if !s.tab.Shortcut(&desktop.CustomShortcut{KeyName: fyne.KeyReturn, Modifier: fyne.KeyModifierShortcutDefault}) {
		t.Error("the tab does not take it")
	}
}

func TestCtrlEnterRunsWithWhatIsOnTheScreen(t *testing.T) {
	for name, c := range map[string]struct {
		field func(p *settingsPane) *widgets.Entry
		box   func(p *settingsPane) *widgets.NumberBox
		typed string
		want  func(s State) bool
	}{
		"the name":    {field: func(p *settingsPane) *widgets.Entry { return p.name }, typed: "mine", want: func(s State) bool { return strings.HasSuffix(s.Job.Outputs[0].Path, "mine.jsonl") }},
		"a prefix":    {field: func(p *settingsPane) *widgets.Entry { return p.prefix }, typed: "text: ", want: func(s State) bool { return s.Job.Meta.Prefix == "text: " }},
		"a column":    {field: func(p *settingsPane) *widgets.Entry { return p.text }, typed: "note", want: func(s State) bool { return strings.Contains(s.Job.Meta.Chunker, "text-column=note") }},
		"a pattern":   {field: func(p *settingsPane) *widgets.Entry { return p.include }, typed: "*.md", want: func(s State) bool { return len(s.Job.Files) == 1 }},
		"the tokens":  {box: func(p *settingsPane) *widgets.NumberBox { return p.tokens }, typed: "128", want: func(s State) bool { return s.Job.Meta.Chunker == "tokens:128:64" }},
		"the overlap": {box: func(p *settingsPane) *widgets.NumberBox { return p.overlap }, typed: "32", want: func(s State) bool { return s.Job.Meta.Chunker == "tokens:512:32" }},
	} {
		t.Run(name, func(t *testing.T) {
			s := newScreen(t, apptest.Wide)
			s.SetEngine(s.ready())
			s.notes()
			if c.box != nil {
				box := c.box(s.tab.settings)
				s.window.Canvas().Focus(box)
				box.SetText(c.typed)
			} else {
				field := c.field(s.tab.settings)
				s.window.Canvas().Focus(field)
				field.SetText(c.typed)
			}
			s.ctrlEnter(t)
			s.until("the run has ended", func() bool { return s.State().Run == Ended })
			if !c.want(s.State()) {
				t.Errorf("the run was with %+v", s.State().Job.Meta)
			}
		})
	}
}

func TestCtrlEnterRunsNothingWithANameThatIsNone(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.SetEngine(s.ready())
	s.notes()
	s.window.Canvas().Focus(s.tab.settings.name)
	s.tab.settings.name.SetText("a/b")
	s.ctrlEnter(t)
	if s.State().Runs() || s.State().NameProblem == "" {
		t.Errorf("it runs: %v, says %q", s.State().Runs(), s.State().NameProblem)
	}
}

func TestPatternsAndColumnsAreSeenAgainAfterARestart(t *testing.T) {
	d := newDesk(t)
	d.SetPatterns("*.md, *.txt", "drafts")
	d.SetColumns("note", "number")
	d.again()
	s := newScreenOf(t, d, apptest.Wide)
	s.until("the choices are back", func() bool { return s.State().Choices.Reading.TextColumn == "note" })
	p := s.tab.settings
	if p.include.Text != "*.md, *.txt" || p.exclude.Text != "drafts" || p.text.Text != "note" || p.id.Text != "number" {
		t.Errorf("shown are %q, %q, %q and %q", p.include.Text, p.exclude.Text, p.text.Text, p.id.Text)
	}
	for _, e := range []*widgets.Entry{p.include, p.text} { // looked at, and left
		s.window.Canvas().Focus(e)
		s.window.Canvas().Unfocus()
	}
	if c := s.State().Choices; len(c.Patterns.Include) != 2 || len(c.Patterns.Exclude) != 1 || c.Reading.TextColumn != "note" || c.Reading.IDColumn != "number" {
		t.Errorf("they are %+v, %+v now", c.Patterns, c.Reading)
	}
}

func TestDeleteTakesAClickedFileOffTheList(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.notes()
	at := fyne.CurrentApp().Driver().AbsolutePositionForObject(s.tab.files.list)
	test.TapCanvas(s.window.Canvas(), at.AddXY(60, theme.SubRowHeight*1.5))
	if s.State().At != 1 {
		t.Fatalf("row %d is chosen", s.State().At)
	}
	name := s.State().Rows[1].Name
	s.window.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyDelete})
	if slices.ContainsFunc(s.State().Rows, func(r Row) bool { return r.Name == name }) {
		t.Errorf("%s is still there", name)
	}
	s.window.Canvas().Focused().TypedKey(&fyne.KeyEvent{Name: fyne.KeyDown})
}

func TestAFileOfTheListIsNeverWrittenOver(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.SetEngine(s.ready())
	mine := s.write("vectors/people.csv", "name,note\nAna,reads\nBen,writes\n")
	s.Add([]string{mine})
	s.until("it is listed", func() bool { return !s.State().Listing })
	s.SetFormat(embed.CSV, true)
	s.press(t, "Make vectors")
	s.over()
	var file *embed.FileError
	if st := s.State(); !errors.As(st.Problem, &file) || file.Problem != embed.IsInput || st.Offer != NoOffer || st.Run != Idle {
		t.Errorf("%v, offered %q", st.Problem, st.Offer)
	}
	s.wants(t, "people.csv is one of the files to be read")
	if shown := apptest.Shown(s.window.Content()); strings.Contains(shown, "Write over") {
		t.Errorf("it offers\n%s", shown)
	}
	if text := s.read(filepath.Join(s.dir, "vectors", "people.csv")); !strings.HasPrefix(text, "name,note") {
		t.Errorf("the file is %q now", text)
	}
}

func TestAFileThatIsGoneIsSaidInsteadOfOpened(t *testing.T) {
	s := mapped(t, apptest.Wide)
	if err := os.Remove(filepath.Join(s.dir, "notes", "bees.md")); err != nil {
		t.Fatal(err)
	}
	s.tab.OpenSource(filepath.Join(s.dir, "notes", "bees.md"), s.tab.options.OpenPath)
	s.until("it is said", func() bool { return s.State().Note.Bad })
	s.wants(t, "bees.md is not there any more")
	beside := s.write("vectors/given.md", "a note")
	s.tab.OpenSource("given.md", s.tab.options.OpenPath) // as it was given in the folder of the vectors
	s.until("it is opened", func() bool { return len(s.opened) == 1 })
	if s.opened[0] != beside {
		t.Errorf("opened were %v", s.opened)
	}
}

func TestWhatIsLeftOutOfATableIsSeenBeforeARun(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.SetEngine(s.ready())
	s.Add([]string{s.write("people.csv", "name,city,note\nAna,Bergen,reads books by the sea\nBen,Oslo,writes letters to Ana\n")})
	s.until("it is cut", func() bool { return len(s.State().Preview.Chunks) > 0 })
	s.wants(t, "column note, without name, city")
}

func TestThePagerStaysWhereItIs(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.SetEngine(s.ready())
	s.Add([]string{s.write("a.md", "# A\n\nshort\n\n# B\n\n"+strings.Repeat("a long chunk of many words ", 30)+"\n")})
	s.SetMethod("headings")
	s.until("it is cut", func() bool { return len(s.State().Preview.Chunks) == 2 })
	at := func() fyne.Position {
		return fyne.CurrentApp().Driver().AbsolutePositionForObject(s.tab.files.preview.next)
	}
	before := at()
	s.StepPreview(1)
	if after := at(); s.State().Preview.At != 1 || after != before {
		t.Errorf("the button for the next chunk is at %v, and was at %v", after, before)
	}
}

func TestTheFilesWithTheMostPointsHaveColours(t *testing.T) {
	var points []embed.Point
	for i := range 9 {
		for range i + 1 {
			points = append(points, embed.Point{Number: int64(len(points)), Path: fmt.Sprintf("/f%d.txt", i)})
		}
	}
	test.NewTempApp(t)
	p := newPlot(nil, nil, nil)
	p.set(points, nil, nil)
	names := p.legend()
	if len(names) != 7 || names[0].name != "f8.txt" || names[5].name != "f3.txt" || names[6].name != "other files" {
		t.Errorf("%+v", names)
	}
	if p.colours["/f8.txt"] != plotColours[0] || p.colours["/f2.txt"] != theme.SliceOther {
		t.Errorf("%v", p.colours)
	}
}

func TestALongNameIsCutInItsMiddle(t *testing.T) {
	if name := cutMiddle(strings.Repeat("a", 300)+".txt", filterRunes); len([]rune(name)) != filterRunes || !strings.HasSuffix(name, "a.txt") || !strings.Contains(name, "…") {
		t.Errorf("%q", name)
	}
	if name := cutMiddle("short.txt", filterRunes); name != "short.txt" {
		t.Errorf("%q", name)
	}
}
