package embeddings

import (
	"errors"
	"path/filepath"
	"strings"
	"testing"

	"paddock/app/apptest"
	"paddock/app/widgets"
	"paddock/engine/embed"
)

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
