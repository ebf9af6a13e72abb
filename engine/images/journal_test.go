package images

import (
	"context"
	"encoding/json"
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

// interrupted is a set whose run over all with an answer was interrupted after one, and the
// pictures of it.
func interrupted(t *testing.T, folder string) (*Set, []ID) {
	t.Helper()
	s := open(t, folder)
	ids := s.Add(t.Context(), false, pictures(t, 4)).Items
	finish(t, started(t, s, says("old"), 1, Run{}))
	g := newGate()
	started(t, s, g, 1, Run{Prompt: "Anew?", Overwrite: OverwriteAnswers})
	asked(t, g)
	g.answer <- "new"
	asked(t, g)
	closeSet(t, s)
	s = open(t, folder)
	if n := s.State().Interrupted; n != 3 {
		t.Fatalf("%d are left", n)
	}
	return s, ids
}

func TestARunOfSinglePicturesLeavesAnInterruptedOneToBeResumed(t *testing.T) {
	tests := []struct {
		name string
		end  func(*testing.T, *Set, *Job, *gate)
		left int
	}{
		{"it came to its end", func(t *testing.T, _ *Set, j *Job, g *gate) { g.answer <- "single"; finish(t, j) }, 2},
		{"it was cancelled", func(t *testing.T, _ *Set, j *Job, _ *gate) { j.Cancel(); finish(t, j) }, 3},
		{"the program ended under it", func(t *testing.T, s *Set, _ *Job, _ *gate) { closeSet(t, s) }, 3},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			folder := t.TempDir()
			s, ids := interrupted(t, folder)
			g := newGate()
			j := started(t, s, g, 1, Run{Prompt: "This one?", Only: ids[3:], Overwrite: OverwriteEdited})
			asked(t, g)
			test.end(t, s, j, g)
			closeSet(t, s)
			s = open(t, folder)
			if state := s.State(); state.Interrupted != test.left || state.Run.Prompt != "Anew?" || state.Run.Only != nil {
				t.Fatalf("%d are left of %+v", state.Interrupted, state.Run)
			}
			j, err := s.Resume(says("new"), 1)
			if err != nil {
				t.Fatal(err)
			}
			finish(t, j)
			for i, item := range s.State().Items {
				want := "new"
				if i == 3 && test.left == 2 {
					want = "single"
				}
				if item.Text != want {
					t.Errorf("%d is %+v, want %q", i, item, want)
				}
			}
			if n := s.State().Interrupted; n != 0 {
				t.Errorf("%d are left of a run that has ended", n)
			}
		})
	}
}

func TestAnInterruptedRunIsGivenUpByAnotherOverAll(t *testing.T) {
	folder := t.TempDir()
	s, _ := interrupted(t, folder)
	g := newGate()
	j := started(t, s, g, 1, Run{Overwrite: OverwriteAnswers})
	asked(t, g)
	j.Cancel()
	finish(t, j)
	if !s.State().Job.Cancelled {
		t.Error("nobody knows that it was cancelled")
	}
	closeSet(t, s)
	if n := open(t, folder).State().Interrupted; n != 0 {
		t.Errorf("%d are left", n)
	}
}

func TestWhatTheUserIsAboutToAskOutlivesAKill(t *testing.T) {
	folder := t.TempDir()
	s := open(t, folder)
	if s.State().Next != nil {
		t.Error("nobody has said")
	}
	warm := 0.5
	for _, want := range []Run{{Preset: Tags, Prompt: "Animals?", MaxTokens: 7, MaxSide: 512, Temperature: &warm}, {}} {
		s.SetNext(want)
		s.SetNext(want)
		path := filepath.Join(folder, journalName)
		eventually(t, "written", func() bool { data, _ := os.ReadFile(path); return lastNext(t, data, want) })
		again := New()
		if _, damaged, err := readJournal(path, again); damaged != nil || err != nil {
			t.Fatal(damaged, err)
		}
		if got := again.State().Next; got == nil || !reflect.DeepEqual(*got, want) {
			t.Errorf("%+v, want %+v", got, want)
		}
	}
	closeSet(t, s)
	for range 2 { // the second time the journal was written anew
		s = open(t, folder)
		if got := s.State().Next; got == nil || !reflect.DeepEqual(*got, Run{}) {
			t.Errorf("%+v", got)
		}
		closeSet(t, s)
	}
	if n := strings.Count(read(t, filepath.Join(folder, journalName)), "\n"); n != 2 {
		t.Errorf("%d lines say the same", n)
	}
}

// lastNext says whether this is the last that a journal has of what the user asks next.
func lastNext(t *testing.T, journal []byte, want Run) bool {
	t.Helper()
	text, err := json.Marshal(line{Next: &want})
	if err != nil {
		t.Fatal(err)
	}
	return strings.HasSuffix(string(journal), string(text)+"\n")
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
