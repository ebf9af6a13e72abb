package images

import (
	"errors"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"paddock/app/apptest"
	"paddock/app/widgets"
	job "paddock/engine/images"
)

func TestOnesOwnInstructionsAreSavedUsedAndForgotten(t *testing.T) {
	b := newBench(t)
	var kept []Saved
	var fails error
	b.Presenter.seams.Keep = func(saved []Saved, done func(error)) { kept = saved; done(fails) }
	save := func() {
		b.SaveInstruction()
		b.until("it is kept", func() bool { return b.State().Busy == "" })
	}
	b.SetPrompt(" How many sheep? ")
	b.SetMaxTokens(50)
	save()
	b.wantNote(widgets.Good, "The instruction is saved")
	if want := []Saved{{"How many sheep?", "How many sheep?", 50}}; !slices.Equal(kept, want) || !slices.Equal(b.State().Saved, want) {
		t.Fatalf("it keeps %v", kept)
	}
	b.Preset(job.Caption)
	b.UseSaved(kept[0])
	if i := b.State().Instruction; i.Preset != "" || i.Prompt != "How many sheep?" || i.MaxTokens != 50 {
		t.Errorf("it uses %+v", i)
	}
	fails = errors.New("no room")
	save()
	if len(b.State().Saved) != 1 || b.State().Note.Kind != widgets.Bad {
		t.Error("that it can't be kept is not said")
	}
	fails = nil
	save()
	b.wantNote(widgets.Good, "not saved any more")
	b.SetPrompt(" ")
	b.SaveInstruction()
	if len(kept) != 0 || len(b.State().Saved) != 0 {
		t.Errorf("it still has %v", kept)
	}
}

func TestTheInstructionIsThePresetsOrOnesOwn(t *testing.T) {
	b := newBench(t)
	b.add(folder(t, 1), 1)
	b.Preset(job.Tags)
	if r := b.run(); r.Schema == "" || r.Preset != job.Tags {
		t.Errorf("tags run %+v", r)
	}
	b.SetPrompt("Which animals? As JSON.")
	if !b.State().Instruction.Edited || b.run().Schema == "" {
		t.Error("an edited preset is another one")
	}
	b.Preset("")
	b.SetMaxTokens(50)
	b.SetMaxSide(512)
	b.SetTemperature(0.5)
	if r := b.run(); r.Schema != "" || r.Preset != "" || r.Prompt != "Which animals? As JSON." || r.MaxTokens != 50 || r.MaxSide != 512 || *r.Temperature != 0.5 {
		t.Errorf("one's own runs %+v", r)
	}
	b.SetPrompt("  ")
	if b.State().Run.Off == "" {
		t.Error("it runs without an instruction")
	}
}

// A program that is killed closes nothing.
func TestTheInstructionIsThereAfterAKill(t *testing.T) {
	b := newBench(t)
	b.Preset(job.Tags)
	b.Preset("")
	b.SetMaxSide(512)
	b.SetMaxTokens(70)
	b.SetTemperature(0.5)
	b.SetPrompt("How many sheep? ")
	want := b.State().Instruction
	b.until("it is kept", func() bool { return b.kept.Next != nil && b.kept.Next.Prompt == "How many sheep? " })
	journal := filepath.Join(b.seams.Folder, "images.jsonl")
	for end := time.Now().Add(time.Minute); !strings.Contains(readIf(journal), "How many sheep? "); time.Sleep(5 * time.Millisecond) {
		if time.Now().After(end) {
			t.Fatal("it is not written")
		}
	}
	killed := b.seams
	killed.Folder = t.TempDir()
	put(t, filepath.Join(killed.Folder, "images.jsonl"), []byte(readIf(journal)))
	b.seams = killed
	b.open()
	if got := b.State().Instruction; got != want {
		t.Errorf("it is %+v, was %+v", got, want)
	}
}

func TestATextOfAnotherInstructionSaysSo(t *testing.T) {
	s := newScreen(t, apptest.Wide)
	s.add(folder(t, 2), 2)
	s.runAll()
	const said = "Answers another instruction"
	if strings.Contains(s.shown(), said) {
		t.Error("it says so of the one that is set")
	}
	s.tab.choosePreset(job.Describe)
	s.wants(said, "Caption.")
	s.tab.choosePreset(job.Caption)
	if strings.Contains(s.shown(), said) {
		t.Error("it says so still")
	}
	s.SetPrompt("How many sheep?")
	s.Choose(1)
	s.Again()
	s.until("it is new", func() bool { return !s.State().Run.On && s.State().Items[1].Prompt == "How many sheep?" })
	s.tab.choosePreset(job.Caption)
	s.wants(said, "“How many sheep?”")
	s.Choose(0)
	if strings.Contains(s.shown(), said) {
		t.Error("it says so of a text that was not made anew")
	}
}

func TestARunOfOnePictureLeavesTheInterruptedOneToResume(t *testing.T) {
	b := interrupted(t)
	b.Choose(3)
	b.Again()
	b.until("it is new", func() bool { return b.State().Items[3].Text == "A dog." && !b.State().Run.On })
	if s := b.State(); s.Run.Interrupted != 2 || !b.stands("2 pictures are left") {
		t.Fatalf("it says %+v, %+v", s.Standing, s.Run)
	}
	// With another instruction it is said, and the way back is there.
	b.SetPrompt("Another one")
	if r := b.State().Run; r.Interrupted != 0 || r.Other != 2 {
		t.Errorf("it says %+v", r)
	}
	b.AskAgain()
	if q := b.State().Question; !strings.Contains(q.Text, "The interrupted run is given up.") {
		t.Errorf("it asks %+v", q)
	}
	b.Answer(-1)
	b.TakeInterrupted()
	if s := b.State(); s.Run.Interrupted != 2 || s.Run.Other != 0 || s.Instruction.Preset != job.Caption {
		t.Errorf("it says %+v", s)
	}
	b.GiveUp()
	if s := b.State(); s.Run.Interrupted != 0 || len(s.Standing) != 0 {
		t.Errorf("it says %+v", s)
	}
	shut(t, b.Presenter)
	b.open()
	if s := b.State(); s.Run.Interrupted+s.Run.Other != 0 {
		t.Errorf("it says %+v", s.Run)
	}
}

func TestSizesGoFromSmallToLarge(t *testing.T) {
	var labels []string
	usual := ""
	for _, o := range sides() {
		labels = append(labels, o.Label)
		if o.ID == "0" {
			usual = o.Label
		}
	}
	if got := strings.Join(labels, " "); got != "512 px 768 px 1024 px 1536 px 2048 px 4096 px" || usual != "1536 px" {
		t.Errorf("they are %s, and usual is %s", got, usual)
	}
}
