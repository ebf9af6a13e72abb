package hardware

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"paddock/app/theme"
	"paddock/engine/build"
	machine "paddock/hardware"
)

var errNoAnswer = errors.New("no answer")

// A machineTest is a presenter with a queue of its own.
type machineTest struct {
	*Presenter
	queue chan func()
	shown []State
}

func newMachineTest(ask func(context.Context, build.Build) ([]build.Device, error), users func() map[string][]machine.Process) *machineTest {
	m := &machineTest{queue: make(chan func(), 10)}
	if users == nil {
		users = func() map[string][]machine.Process { return nil }
	}
	m.Presenter = NewPresenter(ask, users, func(f func()) { m.queue <- f }, func(s State) { m.shown = append(m.shown, s) })
	return m
}

func (m *machineTest) next(t *testing.T) {
	t.Helper()
	select {
	case f := <-m.queue:
		f()
	case <-time.After(5 * time.Second):
		t.Fatal("nothing came")
	}
}

func TestNothingIsDrawnWhileTheTabIsHiddenAndAllOfItWhenItIsShown(t *testing.T) {
	s, _ := recorded(t, "no-gpu")
	m := newMachineTest(nil, nil)
	m.SetSnapshot(s)
	if len(m.shown) != 0 {
		t.Fatal("a hidden tab was drawn")
	}
	m.SetVisible(true)
	if len(m.shown) != 1 || m.shown[0].Reading || len(m.shown[0].Cards) != 1 {
		t.Errorf("shown: %+v", m.shown)
	}
	m.SetVisible(false)
	m.SetVisible(true)
	if len(m.shown) != 1 {
		t.Error("it was drawn again although nothing had changed")
	}
}

func TestWhoUsesTheMemoryIsLookedForOnlyWhileTheTabIsOnView(t *testing.T) {
	s, _ := recorded(t, "strix-halo-512mb")
	s.GPUs[0].Users = nil
	looks := make(chan struct{}, 100)
	m := newMachineTest(nil, func() map[string][]machine.Process {
		looks <- struct{}{}
		return map[string][]machine.Process{"0000:c5:00.0": {{PID: 1, Name: "game", VRAMBytes: gibibyte}}}
	})
	m.SetSnapshot(s)
	if len(looks) != 0 {
		t.Fatal("it looked while hidden")
	}
	m.SetVisible(true)
	m.next(t)
	if got := termsOf(m.State().Cards[0].Users); !strings.HasPrefix(got, "game | 1.0") {
		t.Errorf("used by %q", got)
	}
	m.SetVisible(false)
	for len(looks) > 0 {
		<-looks
	}
	select {
	case <-looks:
		t.Error("it looks on while hidden")
	case <-time.After(watchEvery + watchEvery/2):
	}
}

func TestWorkingBuildsAreAskedAndBrokenOnesNot(t *testing.T) {
	m := newMachineTest(func(_ context.Context, b build.Build) ([]build.Device, error) {
		if b.ID == "silent" {
			return nil, errNoAnswer
		}
		return []build.Device{{ID: "Vulkan0", Name: "card"}}, nil
	}, nil)
	m.SetVisible(true)
	m.SetBuilds([]build.Build{{ID: "good", Number: 1}, {ID: "broken", Problem: "build.missing"}, {ID: "silent", Number: 2}})
	if s := m.State(); !s.Devices.Asking {
		t.Error("it does not say that it asks")
	}
	m.next(t)
	rows := m.State().Devices.Rows
	if len(rows) != 2 || strings.Join(rows[1], "|") != "Processor|CPU|no answer|RAM" {
		t.Errorf("rows are %v", rows)
	}
}

func TestAnAnswerThatWasOvertakenIsLeftOut(t *testing.T) {
	release := make(chan struct{})
	m := newMachineTest(func(ctx context.Context, b build.Build) ([]build.Device, error) {
		if b.ID == "old" {
			<-release
		}
		return []build.Device{{ID: b.ID, Name: "card"}}, nil
	}, nil)
	m.SetBuilds([]build.Build{{ID: "old"}})
	m.SetBuilds([]build.Build{{ID: "new"}})
	m.next(t)
	close(release)
	m.next(t)
	if rows := m.State().Devices.Rows; rows[0][1] != "new" {
		t.Errorf("rows are %v", rows)
	}
}

func TestSourcesAreShownWhenAskedFor(t *testing.T) {
	s, _ := recorded(t, "strix-halo-512mb")
	m := newMachineTest(nil, nil)
	m.SetSnapshot(s)
	if len(m.State().Cards[0].Source) != 0 {
		t.Error("they are shown unasked")
	}
	m.ToggleSources()
	for _, c := range m.State().Cards {
		if len(c.Source) == 0 {
			t.Errorf("%s does not say where its numbers are from", c.Title)
		}
	}
}

func TestTheReportNamesTheMachineAndNoPathOrUser(t *testing.T) {
	s, seen := recorded(t, "strix-halo-512mb")
	s.GPUs[0].Users = append(s.GPUs[0].Users, machine.Process{PID: 77, Name: "anas-secret", VRAMBytes: gibibyte})
	m := newMachineTest(nil, nil)
	m.SetSnapshot(s)
	m.builds = []build.Build{
		{ID: "a", Path: "/home/ana/secret/llama-server", Version: "0.7.0", Number: 11669, Backends: []string{"Vulkan"}, Source: build.Bundled, Proven: true},
		{ID: "b", Path: "/home/ana/other/llama-server", Source: build.Added, Problem: string(build.NotExecutable)},
	}
	m.seen = seen
	report := m.Report(Program{Version: "0.1.0", Renderer: "AMD Radeon Graphics"})
	for _, want := range []string{
		"Paddock 0.1.0", "RYZEN AI MAX+ 395", "AMD Radeon 8060S Graphics", "b11669", "Vulkan0 = ROCm0", "build.notExecutable",
		"94.8 GiB usable", "Window drawn by: AMD Radeon Graphics", "GTT 96.0 GiB (sysfs mem_info_gtt_total)", "ttm.pages_limit=28311552",
		"RAM: 112.6 of 124.9 GiB available", "by 4 programs",
	} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not say %q:\n%s", want, report)
		}
	}
	for _, secret := range []string{"ana", "/home", "secret", "firefox", "gnome-shell"} {
		if strings.Contains(report, secret) {
			t.Errorf("the report gives %q away:\n%s", secret, report)
		}
	}
}

func TestTheReportSaysUnknownAndNotZero(t *testing.T) {
	s, _ := recorded(t, "engine-list-only")
	m := newMachineTest(nil, nil)
	m.SetSnapshot(s)
	report := m.Report(Program{Version: "0.1.0"})
	for _, want := range []string{"Processor: unknown, unknown, unknown\n", "RAM: unknown\n"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not say %q:\n%s", want, report)
		}
	}
}

func newTestTab(t *testing.T, o Options) *Tab {
	t.Helper()
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Dark))
	o.Do = func(func()) {}
	if o.Copy == nil {
		o.Copy = func(string) {}
	}
	o.Users = func() map[string][]machine.Process { return nil }
	return New(o)
}

func TestTheTabShowsWhatThePresenterSaysAndCopiesItsReport(t *testing.T) {
	copied := ""
	again := false
	tab := newTestTab(t, Options{
		Copy: func(s string) { copied = s }, Again: func() { again = true },
		Program: Program{Version: "0.1.0"}, Software: true,
	})
	w := test.NewTempWindow(t, tab.Content())
	w.Resize(fyne.NewSize(876, 526))
	tab.Show()
	if tab.page.Visible() || !tab.reading.Visible() {
		t.Error("before anything is known it does not say that it reads")
	}
	s, seen := recorded(t, "strix-halo-512mb")
	tab.seen = seen
	tab.SetSnapshot(s)
	if !tab.page.Visible() || len(tab.cards) != 2 || tab.cards[0].number.String() != "94.8" {
		t.Error("the cards are not shown")
	}
	if left, right := tab.cards[0].content.Position(), tab.cards[1].content.Position(); left.X >= right.X || left.Y != right.Y {
		t.Errorf("cards are at %v and %v, want them side by side", left, right)
	}
	test.Tap(tab.cards[0].raise.copy)
	if copied != "ttm.pages_limit=28311552" {
		t.Errorf("copied %q", copied)
	}
	three, seen := recorded(t, "nvidia-three")
	tab.seen = seen
	tab.SetSnapshot(three)
	if len(tab.cards) != 4 || tab.cards[0].raise.content.Visible() {
		t.Errorf("%d cards, want 4 and no advice", len(tab.cards))
	}
	tab.copyReport()
	if !strings.Contains(copied, "Paddock 0.1.0") {
		t.Errorf("copied %q", copied)
	}
	if !tab.TypedKey(&fyne.KeyEvent{Name: fyne.KeyF5}) || !again {
		t.Error("F5 does not measure again")
	}
	if tab.TypedKey(&fyne.KeyEvent{Name: fyne.KeyF6}) {
		t.Error("it takes a key it has no use for")
	}
}

func TestThePageIsScrolledByKeys(t *testing.T) {
	tab := newTestTab(t, Options{})
	w := test.NewTempWindow(t, tab.Content())
	w.Resize(fyne.NewSize(876, 300))
	tab.Show()
	s, _ := recorded(t, "strix-halo-512mb")
	tab.SetSnapshot(s)
	end := tab.page.Content.MinSize().Height - tab.page.Size().Height
	if end < 100 {
		t.Fatalf("the page is only %g higher than the window", end)
	}
	for _, step := range []struct {
		key  fyne.KeyName
		want float32
	}{{fyne.KeyDown, 40}, {fyne.KeyUp, 0}, {fyne.KeyUp, 0}, {fyne.KeyEnd, end}, {fyne.KeyDown, end}, {fyne.KeyHome, 0}, {fyne.KeyPageDown, min(end, tab.page.Size().Height-40)}} {
		tab.TypedKey(&fyne.KeyEvent{Name: step.key})
		if got := tab.page.Offset.Y; got < step.want-1 || got > step.want+1 {
			t.Errorf("after %s the page is at %g, want %g", step.key, got, step.want)
		}
	}
}

func TestTheSourcesButtonSaysWhatItDoes(t *testing.T) {
	tab := newTestTab(t, Options{})
	test.NewTempWindow(t, tab.Content()).Resize(fyne.NewSize(1200, 700))
	tab.Show()
	s, _ := recorded(t, "gb10")
	tab.SetSnapshot(s)
	test.Tap(tab.sources)
	if tab.sources.Text() != "Hide sources" || !tab.cards[0].source.Visible() {
		t.Errorf("the button says %q", tab.sources.Text())
	}
	test.Tap(tab.sources)
	if tab.sources.Text() != "Show sources" || tab.cards[0].source.Visible() {
		t.Errorf("the button says %q", tab.sources.Text())
	}
}
