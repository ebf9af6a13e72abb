package images

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"reflect"
	"strings"
	"testing"

	"paddock/engine/client"
	"paddock/engine/picture"
)

func TestASetIsTheSameAfterARestart(t *testing.T) {
	folder := t.TempDir()
	dir := pictures(t, 4)
	write(t, filepath.Join(dir, "broken.png"), []byte("\x89PNG\r\n\x1a\nhello"))
	write(t, filepath.Join(dir, "latin-\xe9.png"), []byte(read(t, filepath.Join(dir, "000.png"))))
	s := open(t, folder)
	ids := s.Add(t.Context(), false, dir).Items
	finish(t, started(t, s, says("a flag"), 1, Run{Preset: Caption, MaxTokens: 7, Only: ids[1:]}))
	s.Edit(ids[2], "mine")
	s.Remove(ids[3])
	want := s.State()
	closeSet(t, s)
	again := open(t, folder)
	got := again.State()
	if got.Counts != want.Counts || got.Counts != (Counts{Waiting: 1, Done: 2, Edited: 1, Failed: 1}) {
		t.Errorf("%+v, was %+v", got.Counts, want.Counts)
	}
	for i, item := range got.Items {
		was := *want.Items[i]
		is := *item
		var a, b *picture.Error
		if errors.As(was.Err, &a) && errors.As(is.Err, &b) {
			if a.Problem != b.Problem || a.Kind != b.Kind || a.Path != b.Path || a.Error() != b.Error() {
				t.Errorf("%v, was %v", b, a)
			}
			was.Err, is.Err = nil, nil
		}
		if !was.file.Modified.Equal(is.file.Modified) {
			t.Errorf("%v, was %v", is.file, was.file)
		}
		was.file.Modified = is.file.Modified
		if !reflect.DeepEqual(was, is) {
			t.Errorf("%+v, was %+v", is, was)
		}
	}
	if got.Run.Preset != Caption || got.Run.MaxTokens != 7 || got.Run.Prompt == "" {
		t.Errorf("%+v", got.Run)
	}
	if added := again.Add(t.Context(), false, dir); len(added.Items) != 1 || len(added.Known) != 5 {
		t.Errorf("%+v", added)
	}
}

func TestErrorsOutliveARestart(t *testing.T) {
	for _, err := range []error{
		&picture.Error{Problem: picture.TooSmall, Path: "a", Width: 1, Height: 2},
		&client.Error{Kind: client.BadRequest, Status: 400, Message: "no"},
		&Error{Problem: Lethal, Path: "a", Err: errors.New("signal 11")},
		errors.New("something else"),
	} {
		again := keepError(err).error()
		if reflect.TypeOf(again) != reflect.TypeOf(err) || again.Error() != err.Error() {
			t.Errorf("%T %v, was %T %v", again, again, err, err)
		}
	}
}

func TestTheJournalIsWrittenAnewWhenItHasTooMuch(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	ids := s.Add(t.Context(), false, pictures(t, 2)).Items
	for i := range 50 {
		s.Edit(ids[0], fmt.Sprint(i))
	}
	closeSet(t, s)
	path := filepath.Join(folder, journalName)
	before := strings.Count(read(t, path), "\n")
	again := open(t, folder)
	if after := strings.Count(read(t, path), "\n"); before != 52 || after != 3 {
		t.Errorf("%d lines, then %d", before, after)
	}
	if item := again.State().Items[0]; item.Text != "49" {
		t.Errorf("%+v", item)
	}
}

func TestADamagedJournalLosesNoOtherLine(t *testing.T) {
	tests := []struct {
		name    string
		damage  func(string) string
		left    int
		problem Problem
	}{
		{"the last line is torn", func(text string) string { return text[:len(text)-20] }, 2, ""},
		{"a line is no JSON", func(text string) string { _, rest, _ := strings.Cut(text, "\n"); return "\x00\x00\n" + rest }, 2, Damaged},
		{"it is something else", func(string) string { return "hello\nyou\n" }, 0, Damaged},
		{"it is empty", func(string) string { return "" }, 0, ""},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			path := filepath.Join(folder, journalName)
			s := open(t, folder)
			s.Add(t.Context(), false, pictures(t, 3))
			closeSet(t, s)
			damaged := test.damage(read(t, path))
			write(t, path, []byte(damaged))
			again, err := Open(folder)
			if test.problem == "" && err != nil {
				t.Error(err)
			}
			if test.problem != "" {
				wantProblem(t, err, test.problem)
				var failed *Error
				if errors.As(err, &failed) && read(t, failed.SetAside) != damaged {
					t.Error("what was there is not set aside")
				}
			}
			if n := len(again.State().Items); n != test.left {
				t.Errorf("%d pictures", n)
			}
			again.Add(t.Context(), false, pictures(t, 1))
			closeSet(t, again)
			if n := len(open(t, folder).State().Items); n != test.left+1 {
				t.Errorf("then %d pictures", n)
			}
		})
	}
}

func TestAJournalThatCannotBeWrittenIsSaidAndTriedAgain(t *testing.T) {
	folder := filepath.Join(t.TempDir(), "data")
	write(t, folder, nil) // a file where the folder should be
	s, _ := Open(folder)
	s.Add(t.Context(), false, pictures(t, 2))
	eventually(t, "said", func() bool { return s.State().Unsaved != nil })
	wantProblem(t, s.State().Unsaved, Unsaved)
	if err := os.Remove(folder); err != nil {
		t.Fatal(err)
	}
	eventually(t, "written", func() bool { return s.State().Unsaved == nil })
	closeSet(t, s)
	wantCounts(t, open(t, folder), Counts{Waiting: 2})
}

// answerUntilKilled is a program that goes through pictures until its end, which
// does not come: the last one is never answered.
func answerUntilKilled(folder string) {
	s, err := Open(filepath.Join(folder, "data"))
	if err != nil {
		panic(err)
	}
	s.Add(context.Background(), false, filepath.Join(folder, "pictures"))
	var calls int
	job, err := s.Start(askerFunc(func(ctx context.Context, _ client.Request, _ func(client.Delta)) (client.Answer, error) {
		if calls++; calls > 10 {
			<-ctx.Done()
		}
		return client.Answer{Text: "a flag", Stop: client.StopEnd}, nil
	}), 1, Run{Prompt: "What is it?"})
	if err != nil {
		panic(err)
	}
	<-job.Done()
}

func TestAKilledProgramKeepsWhatWasDone(t *testing.T) {
	folder := t.TempDir()
	if err := os.Rename(pictures(t, 15), filepath.Join(folder, "pictures")); err != nil {
		t.Fatal(err)
	}
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	child := exec.Command(self)
	child.Env = append(os.Environ(), childFolder+"="+folder)
	child.Stderr = os.Stderr
	if err := child.Start(); err != nil {
		t.Fatal(err)
	}
	path := filepath.Join(folder, "data", journalName)
	eventually(t, "ten answers in the journal", func() bool {
		data, _ := os.ReadFile(path)
		return strings.Count(string(data), "a flag") == 10
	})
	if err := child.Process.Kill(); err != nil {
		t.Fatal(err)
	}
	child.Wait()
	s := open(t, filepath.Join(folder, "data"))
	wantCounts(t, s, Counts{Done: 10, Waiting: 5})
	finish(t, started(t, s, says("another"), 1, Run{}))
	wantCounts(t, s, Counts{Done: 15})
	if item := s.State().Items[0]; item.Text != "a flag" {
		t.Errorf("%+v", item)
	}
}

func TestARunTheProgramEndedUnderIsResumedWithWhatItWasFor(t *testing.T) {
	tests := []struct {
		name string
		run  func(ids []ID) Run
		want string // texts in the end
	}{
		{"over pictures without a text", func([]ID) Run { return Run{} }, "mine old new new late"},
		{"over all texts", func([]ID) Run { return Run{Overwrite: OverwriteEdited} }, "new new new new late"},
		{"over some", func(ids []ID) Run { return Run{Only: ids[:3], Overwrite: OverwriteAnswers} }, "mine new new  "},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			s := open(t, folder)
			ids := s.Add(t.Context(), false, pictures(t, 4)).Items
			s.Edit(ids[0], "mine")
			finish(t, started(t, s, says("old"), 1, Run{Only: ids[1:2]}))
			g := newGate()
			started(t, s, g, 1, test.run(ids))
			asked(t, g)
			g.answer <- "new"
			asked(t, g)
			if n := s.State().Interrupted; n != 0 {
				t.Errorf("while it runs %d are left of it", n)
			}
			left := s.State().Job.Total - 1
			closeSet(t, s)
			for range 2 { // the second time the journal was written anew
				s = open(t, folder)
				if n := s.State().Interrupted; n != left {
					t.Fatalf("%d are left, not %d", n, left)
				}
				closeSet(t, s)
			}
			s = open(t, folder)
			s.Add(t.Context(), false, filepath.Join(pictures(t, 5), "004.png"))
			j, err := s.Resume(askerFunc(func(_ context.Context, r client.Request, _ func(client.Delta)) (client.Answer, error) {
				return client.Answer{Text: "new", Stop: client.StopEnd}, nil
			}), 1)
			if err != nil {
				t.Fatal(err)
			}
			finish(t, j)
			var texts []string
			for _, item := range s.State().Items {
				texts = append(texts, item.Text)
			}
			want := strings.Replace(test.want, "late", "new", 1)
			if got := strings.Join(texts, " "); got != want || s.State().Interrupted != 0 {
				t.Errorf("%q, want %q", got, want)
			}
			closeSet(t, s)
			if n := open(t, folder).State().Interrupted; n != 0 {
				t.Errorf("%d are left of a run that has ended", n)
			}
		})
	}
}

func TestACancelledRunLeavesNothingToResume(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	s.Add(t.Context(), false, pictures(t, 3))
	g := newGate()
	j := started(t, s, g, 1, Run{})
	asked(t, g)
	j.Cancel()
	finish(t, j)
	closeSet(t, s)
	if again := open(t, folder); again.State().Interrupted != 0 {
		t.Errorf("%d are left", again.State().Interrupted)
	}
}

// A folder so deep that there is room for the journal's name and none for the longer
// one of the file that is to take its place.
func TestAJournalThatCannotBeWrittenAnewIsWrittenToAtOnce(t *testing.T) {
	folder := t.TempDir()
	const most = 4096 - len("/"+journalName) - 8
	for len(folder) < most {
		folder = filepath.Join(folder, strings.Repeat("d", max(1, min(200, most-len(folder)-1))))
	}
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	s := open(t, folder)
	ids := s.Add(t.Context(), false, pictures(t, 1)).Items
	for i := range 5 {
		s.Edit(ids[0], fmt.Sprint(i))
	}
	closeSet(t, s)
	again, err := Open(folder)
	if err != nil {
		t.Error(err)
	}
	if again.journal.problem() == nil && again.journal.pending.Len() == 0 {
		t.Fatal("it was written anew: the test proves nothing")
	}
	eventually(t, "written", func() bool { return again.State().Unsaved == nil })
	if item := again.State().Items[0]; item.Text != "4" {
		t.Errorf("%+v", item)
	}
	if err := again.Close(); err != nil {
		t.Error(err)
	}
}

func TestAJournalThatCannotBeReadIsNotWrittenTo(t *testing.T) {
	folder := t.TempDir()
	if err := os.Mkdir(filepath.Join(folder, journalName), 0o755); err != nil {
		t.Fatal(err)
	}
	s, err := Open(folder)
	wantProblem(t, err, Unkept)
	ids := s.Add(t.Context(), false, pictures(t, 2)).Items
	for i := range 100 {
		s.Edit(ids[0], fmt.Sprint(i))
	}
	wantProblem(t, s.State().Unsaved, Unkept)
	wantCounts(t, s, Counts{Waiting: 1, Edited: 1})
	s.journal.mu.Lock()
	pending := s.journal.pending.Len()
	s.journal.mu.Unlock()
	if pending != 0 {
		t.Errorf("%d bytes wait for a file that is never written", pending)
	}
	wantProblem(t, s.Close(), Unkept)
	if entries, err := os.ReadDir(folder); err != nil || len(entries) != 1 {
		t.Error(entries, err)
	}
}
