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

const gibibyte = 1 << 30

var (
	ramPool = machine.Pool{ID: "ram", Name: "RAM", Kind: machine.RAM, TotalBytes: 32 * gibibyte, UsedBytes: 8 * gibibyte, UsableBytes: 20 * gibibyte, Source: "/proc/meminfo"}
	apuPool = machine.Pool{ID: "apu-1", Name: "Radeon 8060S", Kind: machine.APU, TotalBytes: 96 * gibibyte, UsedBytes: 2 * gibibyte, UsableBytes: 94 * gibibyte, Source: "amdgpu"}
	apu     = machine.GPU{
		Name: "Radeon 8060S", Driver: "amdgpu", PCI: "0000:c5:00.0", Integrated: true, Pool: "apu-1",
		VRAMTotalBytes: gibibyte / 2, VRAMUsedBytes: gibibyte / 4, GTTTotalBytes: 96 * gibibyte, GTTUsedBytes: gibibyte,
	}
	processorOf = machine.CPU{Name: "Ryzen AI MAX+ 395", Cores: 16, Threads: 32}
)

func TestAComputerWithoutAGraphicsCardSaysSo(t *testing.T) {
	list := cards(machine.Snapshot{CPU: processorOf, Pools: []machine.Pool{ramPool}})
	if len(list) != 1 || !strings.HasPrefix(list[0].Note, "No graphics card was found.") {
		t.Fatalf("got %+v", list)
	}
	ram := list[0]
	if ram.Number != "20.0" || ram.Of != "of 32.0 GiB" || ram.About != "Ryzen AI MAX+ 395" {
		t.Errorf("got %+v", ram)
	}
	if ram.Margin != 4*gibibyte {
		t.Errorf("kept free: %d bytes, want what is available and not usable", ram.Margin)
	}
}

func TestAnIntegratedCardIsOneMemoryAndSaysWhatItIsMadeOf(t *testing.T) {
	list := cards(machine.Snapshot{Pools: []machine.Pool{apuPool, ramPool}, GPUs: []machine.GPU{apu}})
	c := list[0]
	if c.Number != "94.0" || c.Of != "of 96.0 GiB" || c.Badge != "Shares RAM" || c.Note == "" {
		t.Errorf("got %+v", c)
	}
	if c.About != "amdgpu · 0000:c5:00.0" {
		t.Errorf("about is %q", c.About)
	}
	if c.Facts[0].Value != "0.2 of 0.5 GiB used" || c.Facts[1].Value != "1.0 of 96.0 GiB used" {
		t.Errorf("facts are %v", c.Facts)
	}
}

func TestACardWhoseDriverIsSilentIsNotGivenNumbers(t *testing.T) {
	list := cards(machine.Snapshot{Pools: []machine.Pool{ramPool}, GPUs: []machine.GPU{{Vendor: "Intel", Driver: "i915"}}})
	if c := list[0]; c.Number != "" || c.Note == "" || c.Title != "Intel graphics" {
		t.Errorf("got %+v", c)
	}
	list = cards(machine.Snapshot{GPUs: []machine.GPU{{}}})
	if c := list[0]; c.Title != "Graphics card" || c.About != "" {
		t.Errorf("got %+v", c)
	}
}

func TestTheTableHasAColumnABuildAndTheProcessorInTheLastRow(t *testing.T) {
	vulkan := build.Build{ID: "a", Number: 11669, Backends: []string{"Vulkan", "CPU"}, Source: build.Bundled}
	cuda := build.Build{ID: "b", Number: 11702, Backends: []string{"CUDA", "CPU"}, Source: build.Added}
	table := devices([]Seen{
		{Build: vulkan, Devices: []build.Device{
			{ID: "Vulkan0", Name: "RTX 4060 Ti", TotalBytes: 16 * gibibyte, FreeBytes: 15 * gibibyte},
			{ID: "Vulkan1", Name: "llvmpipe", Software: true},
		}},
		{Build: cuda, Devices: []build.Device{{ID: "CUDA0", Name: "RTX 4060 Ti", TotalBytes: 16 * gibibyte}}},
	}, false)
	want := [][]string{
		{"RTX 4060 Ti", "Vulkan0", "CUDA0", "15.0 of 16.0 GiB free"},
		{"llvmpipe", "Vulkan1", "–", "Software, never a default"},
		{"Processor", "CPU", "CPU", "RAM"},
	}
	if len(table.Rows) != len(want) {
		t.Fatalf("got %v", table.Rows)
	}
	for i := range want {
		if strings.Join(table.Rows[i], "|") != strings.Join(want[i], "|") {
			t.Errorf("row %d is %v, want %v", i, table.Rows[i], want[i])
		}
		if len(table.Rows[i]) != len(table.Heads) {
			t.Errorf("row %d has %d cells for %d heads", i, len(table.Rows[i]), len(table.Heads))
		}
	}
	if table.Heads[1] != "b11669 Vulkan, bundled" {
		t.Errorf("the first build is called %q", table.Heads[1])
	}
}

func TestNoEngineIsSaidOnlyOnceItIsKnown(t *testing.T) {
	if table := devices(nil, true); table.Problem != "" || !table.Asking {
		t.Errorf("while asking: %+v", table)
	}
	if table := devices(nil, false); table.Problem == "" {
		t.Error("without an engine there is no sentence")
	}
}

// A machineTest is a presenter with a queue of its own.
type machineTest struct {
	*Presenter
	queue chan func()
	shown []State
}

func newMachineTest(ask func(context.Context, build.Build) ([]build.Device, error)) *machineTest {
	m := &machineTest{queue: make(chan func(), 10)}
	m.Presenter = NewPresenter(ask, func(f func()) { m.queue <- f }, func(s State) { m.shown = append(m.shown, s) })
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
	m := newMachineTest(nil)
	m.SetSnapshot(machine.Snapshot{Pools: []machine.Pool{ramPool}})
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

func TestWorkingBuildsAreAskedAndBrokenOnesNot(t *testing.T) {
	m := newMachineTest(func(_ context.Context, b build.Build) ([]build.Device, error) {
		if b.ID == "silent" {
			return nil, errors.New("no answer")
		}
		return []build.Device{{ID: "Vulkan0", Name: "card"}}, nil
	})
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
	})
	m.SetBuilds([]build.Build{{ID: "old"}})
	m.SetBuilds([]build.Build{{ID: "new"}})
	m.next(t)
	close(release)
	m.next(t)
	if rows := m.State().Devices.Rows; rows[0][1] != "new" {
		t.Errorf("rows are %v", rows)
	}
}

func TestTheReportNamesTheMachineAndNoPathOrUser(t *testing.T) {
	m := newMachineTest(nil)
	m.SetSnapshot(machine.Snapshot{CPU: processorOf, Pools: []machine.Pool{apuPool, ramPool}, GPUs: []machine.GPU{apu}})
	m.builds = []build.Build{
		{ID: "a", Path: "/home/ana/secret/llama-server", Version: "0.7.0", Number: 11669, Backends: []string{"Vulkan"}, Source: build.Bundled, Proven: true},
		{ID: "b", Path: "/home/ana/other/llama-server", Source: build.Added, Problem: string(build.NotExecutable)},
	}
	m.seen = []Seen{{Build: m.builds[0], Devices: []build.Device{{ID: "Vulkan0", Name: "Radeon 8060S", TotalBytes: gibibyte}}}}
	report := m.Report(Program{Version: "0.1.0", Renderer: "AMD Radeon Graphics"})
	for _, want := range []string{"Paddock 0.1.0", "Ryzen AI MAX+ 395", "Radeon 8060S", "b11669", "Vulkan0", "build.notExecutable", "94.0 GiB usable", "AMD Radeon Graphics"} {
		if !strings.Contains(report, want) {
			t.Errorf("the report does not say %q:\n%s", want, report)
		}
	}
	for _, secret := range []string{"ana", "/home", "secret"} {
		if strings.Contains(report, secret) {
			t.Errorf("the report gives %q away:\n%s", secret, report)
		}
	}
}

func TestTheTabShowsWhatThePresenterSaysAndCopiesItsReport(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Dark))
	copied := ""
	again := false
	tab := New(Options{
		Do: func(func()) {}, Copy: func(s string) { copied = s }, Again: func() { again = true },
		Program: Program{Version: "0.1.0"}, Software: true,
	})
	w := test.NewTempWindow(t, tab.Content())
	w.Resize(fyne.NewSize(876, 526))
	tab.Show()
	if tab.page.Visible() || !tab.reading.Visible() {
		t.Error("before anything is known it does not say that it reads")
	}
	tab.SetSnapshot(machine.Snapshot{CPU: processorOf, Pools: []machine.Pool{apuPool, ramPool}, GPUs: []machine.GPU{apu}})
	if !tab.page.Visible() || len(tab.cards) != 2 || tab.cards[0].number.String() != "94.0" {
		t.Error("the cards are not shown")
	}
	if left, right := tab.cards[0].content.Position(), tab.cards[1].content.Position(); left.X >= right.X || left.Y != right.Y {
		t.Errorf("cards are at %v and %v, want them side by side", left, right)
	}
	tab.SetSnapshot(machine.Snapshot{Pools: []machine.Pool{ramPool}, GPUs: []machine.GPU{apu, {Name: "other"}}})
	if len(tab.cards) != 3 {
		t.Errorf("%d cards, want 3", len(tab.cards))
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
