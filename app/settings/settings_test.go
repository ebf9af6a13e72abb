package settings

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/config"
	"paddock/engine/build"
	"paddock/engine/library"
)

// A panel is a presenter with a real configuration and a queue of its own.
type panel struct {
	*Presenter
	t      *testing.T
	store  *config.Store
	queue  chan func()
	shown  []State
	theme  string
	looked int
}

func newPanel(t *testing.T) *panel {
	t.Helper()
	store, err := config.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { store.Wait(context.Background()) }) // before its folder goes
	p := &panel{t: t, store: store, queue: make(chan func(), 10)}
	p.Presenter = NewPresenter(store, p.hooks(), func(s State) { p.shown = append(p.shown, s) })
	return p
}

func (p *panel) hooks() Hooks {
	return Hooks{
		Do:           func(f func()) { p.queue <- f },
		ApplyTheme:   func(variant string) { p.theme = variant },
		LookForBuild: func() { p.looked++ },
	}
}

// after waits until a change is written.
func (p *panel) after(change func()) config.Config {
	p.t.Helper()
	change()
	select {
	case f := <-p.queue:
		f()
	case <-time.After(5 * time.Second):
		p.t.Fatal("the change was not written")
	}
	return p.store.Get()
}

func TestAThemeIsAppliedAtOnceAndRemembered(t *testing.T) {
	p := newPanel(t)
	c := p.after(func() {
		p.SetTheme(theme.Light)
		if p.theme != theme.Light {
			t.Error("the theme waits for the disk")
		}
	})
	if c.Theme != theme.Light {
		t.Errorf("remembered %q", c.Theme)
	}
}

func TestTheModelUsedLastIsLoadedAtTheStartOnlyWhereThatIsTicked(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Dark))
	p := newPanel(t)
	tab := New(Options{Store: p.store, Hooks: p.hooks()})
	w := test.NewTempWindow(t, tab.Content())
	w.Resize(fyne.NewSize(876, 526))
	if p.store.Get().LoadAtStart || tab.load.Checked() {
		t.Error("it is on from the beginning")
	}
	for _, on := range []bool{true, false} {
		if c := p.after(func() { test.Tap(tab.load) }); c.LoadAtStart != on || tab.load.Checked() != on {
			t.Errorf("ticked %v, remembered %v", tab.load.Checked(), c.LoadAtStart)
		}
	}
}

func TestAFolderIsAddedOnceAndRemovedWithoutBeingTouched(t *testing.T) {
	p := newPanel(t)
	dir := t.TempDir()
	p.after(func() { p.AddFolder(dir) })
	c := p.after(func() { p.AddFolder(dir) })
	if !slices.Equal(c.ModelFolders, []string{dir}) {
		t.Errorf("folders are %v", c.ModelFolders)
	}
	c = p.after(func() { p.RemoveFolder(dir) })
	if len(c.ModelFolders) != 0 {
		t.Errorf("folders are %v", c.ModelFolders)
	}
	if _, err := os.Stat(dir); err != nil {
		t.Errorf("the folder itself is gone: %v", err)
	}
}

func TestAMirrorIsKeptWhenItIsAnAddress(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Dark))
	p := newPanel(t)
	tab := New(Options{Store: p.store, Hooks: p.hooks()})
	w := test.NewTempWindow(t, tab.Content())
	w.Resize(fyne.NewSize(876, 526))
	enter := func(text string) config.Config {
		tab.mirror.SetText(text)
		return p.after(func() { tab.mirror.OnSubmitted(text) })
	}
	if c := enter(" hf-mirror.example "); c.HubMirror != "hf-mirror.example" || tab.no.String() != "" {
		t.Errorf("kept %q, said %q", c.HubMirror, tab.no.String())
	}
	tab.mirror.SetText("ftp://x")
	tab.mirror.OnSubmitted("ftp://x")
	if c := p.store.Get(); c.HubMirror != "hf-mirror.example" || !strings.Contains(tab.no.String(), "ftp://x is not the address of a hub") {
		t.Errorf("kept %q, said %q", c.HubMirror, tab.no.String())
	}
	if tab.mirror.Text != "ftp://x" {
		t.Errorf("what was typed is gone: %q", tab.mirror.Text)
	}
	tab.mirror.SetText("")
	w.Canvas().Focus(tab.mirror)
	if c := p.after(w.Canvas().Unfocus); c.HubMirror != "" || tab.no.String() != "" {
		t.Errorf("kept %q, said %q", c.HubMirror, tab.no.String())
	}
}

func TestOpenedFilesAreForgottenTogether(t *testing.T) {
	p := newPanel(t)
	if err := p.store.Update(func(c *config.Config) { c.ModelFiles = []string{"/a.gguf", "/b.gguf"} }); err != nil {
		t.Fatal(err)
	}
	if p.State().Files != 2 {
		t.Errorf("%d files", p.State().Files)
	}
	if c := p.after(p.ForgetFiles); len(c.ModelFiles) != 0 {
		t.Errorf("files are %v", c.ModelFiles)
	}
}

func TestAnEngineIsAddedChosenAndRemoved(t *testing.T) {
	p := newPanel(t)
	c := p.after(func() { p.AddEngine("/opt/llama") })
	if !slices.Equal(c.Engines, []string{"/opt/llama"}) || p.looked != 1 {
		t.Errorf("engines are %v, looked %d times", c.Engines, p.looked)
	}
	if !p.State().Looking {
		t.Error("it does not say that it looks")
	}
	p.SetBuilds([]build.Build{
		{ID: "bundled-1", Number: 1, Source: build.Bundled, Proven: true},
		{ID: "added-2", Path: "/opt/llama/llama-server", Number: 2, Source: build.Added},
	})
	c = p.after(func() { p.ChooseEngine("added-2") })
	engines := p.State().Engines
	if c.Engine != "added-2" || engines[0].Chosen || !engines[1].Chosen {
		t.Errorf("chosen is %q, shown %+v", c.Engine, engines)
	}
	c = p.after(func() { p.RemoveEngine(engines[1]) })
	if len(c.Engines) != 0 || c.Engine != "" {
		t.Errorf("after removing it: %v, chosen %q", c.Engines, c.Engine)
	}
}

func TestBuildsAreDescribedInSentences(t *testing.T) {
	missing := build.Identify(t.Context(), filepath.Join(t.TempDir(), "none"), build.Bundled)
	list := engines([]build.Build{
		missing,
		{ID: "a", Number: 11669, Version: "0.7.0", Backends: []string{"Vulkan", "CPU"}, Source: build.Bundled, Proven: true},
		{ID: "b", Number: 11702, Source: build.Found},
	}, config.Config{})
	if list[0].Usable || !strings.Contains(list[0].Verdict, "There is no engine at") || !strings.Contains(list[0].Verdict, "in Settings") || list[0].Chosen {
		t.Errorf("a missing build: %+v", list[0])
	}
	if e := list[1]; !e.Usable || !e.Chosen || e.Name != "llama.cpp b11669" || e.About != "version 0.7.0 · Vulkan, CPU" || !strings.HasPrefix(e.Verdict, "Self-test passed") {
		t.Errorf("a good build: %+v", e)
	}
	if e := list[2]; e.Chosen || e.Added || strings.HasPrefix(e.Verdict, "Self-test passed") {
		t.Errorf("an unproven build: %+v", e)
	}
}

func TestAChosenBuildThatIsGoneLeavesTheFirstThatWorks(t *testing.T) {
	list := engines([]build.Build{{ID: "a", Number: 1}}, config.Config{Engine: "gone"})
	if !list[0].Chosen {
		t.Error("no build is in use")
	}
}

func TestAnAddedFolderCoversTheBuildInIt(t *testing.T) {
	for _, c := range []struct {
		added, program string
		want           bool
	}{
		{"/opt/llama", "/opt/llama/bin/llama-server", true},
		{"/opt/llama/", "/opt/llama/llama-server", true},
		{"/opt/llama/llama-server", "/opt/llama/llama-server", true},
		{"/opt/llama", "/opt/llama2/llama-server", false},
	} {
		if got := covers(c.added, c.program); got != c.want {
			t.Errorf("%s covers %s: %t", c.added, c.program, got)
		}
	}
}

func TestWhatGoesWrongIsSaidUntilTheNextChange(t *testing.T) {
	p := newPanel(t)
	p.Fail(errors.New("the picker broke"))
	if said := p.State().Problem; !strings.Contains(said, "the picker broke. Try again.") {
		t.Errorf("it says %q", said)
	}
	p.after(func() { p.SetTheme(theme.Dark) })
	if got := p.State().Problem; got != "" {
		t.Errorf("it still says %q", got)
	}
}

func TestAChangeThatCantBeWrittenIsSaid(t *testing.T) {
	p := newPanel(t)
	if err := os.RemoveAll(p.store.Folders().Config); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(p.store.Folders().Config, []byte("a file in the way"), 0o600); err != nil {
		t.Fatal(err)
	}
	for name, change := range map[string]func(){
		"the theme":  func() { p.SetTheme(theme.Dark) },
		"the mirror": func() { p.SetMirror("https://mirror.example") },
	} {
		p.after(change)
		if said := p.State().Problem; !strings.Contains(said, "can't be saved") || !strings.Contains(said, "Make the folder writable") {
			t.Errorf("of %s it says %q", name, said)
		}
	}
}

func TestTheTabsButtonsDoWhatTheySay(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Dark))
	p := newPanel(t)
	picked := t.TempDir()
	opened := ""
	tab := New(Options{
		Store: p.store, Hooks: p.hooks(), Version: "0.1.0",
		PickFolder: func(done func(string, error)) { done(picked, nil) },
		PickFile:   func(done func(string, error)) { done("", errors.New("no")) },
		OpenPath:   func(path string) { opened = path },
	})
	w := test.NewTempWindow(t, tab.Content())
	w.Resize(fyne.NewSize(876, 526))
	tab.SetBuilds([]build.Build{{ID: "a", Path: "/opt/x/llama-server", Number: 11669, Source: build.Added, Proven: true}})

	press := func(text string) {
		t.Helper()
		if b := find(tab.Content(), text); b != nil {
			test.Tap(b)
			return
		}
		t.Fatalf("there is no button %q", text)
	}
	if c := p.after(func() { press("Add folder") }); !slices.Equal(c.ModelFolders, []string{picked}) {
		t.Errorf("folders are %v", c.ModelFolders)
	}
	press("Open")
	if opened != picked {
		t.Errorf("opened %q", opened)
	}
	press("Add engine")
	if tab.problem.String() == "" {
		t.Error("a picker that fails is not said")
	}
	if c := p.after(func() { press("Remove") }); len(c.ModelFolders) != 0 {
		t.Errorf("folders are %v", c.ModelFolders)
	}
	looked := p.looked
	press("Look again")
	if p.looked != looked+1 {
		t.Error("it does not look again")
	}
	if tab.Fact() != "Paddock 0.1.0" {
		t.Errorf("the status line says %q", tab.Fact())
	}
}

// find is the first button with a text.
func find(o fyne.CanvasObject, text string) *widgets.Button {
	if b, ok := o.(*widgets.Button); ok {
		if b.Text() == text {
			return b
		}
		return nil
	}
	var children []fyne.CanvasObject
	switch o := o.(type) {
	case *fyne.Container:
		children = o.Objects
	case fyne.Widget:
		children = test.WidgetRenderer(o).Objects()
	}
	for _, child := range children {
		if b := find(child, text); b != nil {
			return b
		}
	}
	return nil
}

func apps(dir string) []library.App {
	return []library.App{
		{ID: library.LMStudio, Name: "LM Studio", Folders: []string{filepath.Join(dir, "gone"), dir}},
		{ID: library.Jan, Name: "Jan", Folders: []string{filepath.Join(dir, "gone")}},
	}
}

func TestAnAppsModelsAreSwitchedOffAndOn(t *testing.T) {
	p := newPanel(t)
	dir := t.TempDir()
	p.Presenter.hooks.Apps = func() []library.App { return apps(dir) }
	p.after(p.LookForApps)
	gone := filepath.Join(dir, "gone")
	want := []App{
		{ID: library.LMStudio, Name: "LM Studio", Folder: dir, Shown: dir, There: true, On: true},
		{ID: library.Jan, Name: "Jan", Folder: gone, Shown: gone, On: true},
	}
	if got := p.State().Apps; !slices.Equal(got, want) {
		t.Errorf("apps are %+v", got)
	}
	c := p.after(func() { p.SwitchApp(library.Jan, false) })
	if got := p.State().Apps; !slices.Equal(c.AppsOff, []string{library.Jan}) || got[1].On || !got[0].On {
		t.Errorf("off are %q, shown %+v", c.AppsOff, got)
	}
	p.after(func() { p.SwitchApp(library.Jan, false) })
	if c = p.after(func() { p.SwitchApp(library.Jan, true) }); len(c.AppsOff) != 0 {
		t.Errorf("off are %q", c.AppsOff)
	}
}

func TestFilesTakenOutOfTheListAreRestored(t *testing.T) {
	p := newPanel(t)
	if err := p.store.Update(func(c *config.Config) { c.Forgotten = []string{"/a", "/b", "/c"} }); err != nil {
		t.Fatal(err)
	}
	if c := p.after(func() { p.Restore("/b") }); !slices.Equal(c.Forgotten, []string{"/a", "/c"}) {
		t.Errorf("left are %q", c.Forgotten)
	}
	if c := p.after(func() { p.Restore("") }); len(c.Forgotten) != 0 {
		t.Errorf("left are %q", c.Forgotten)
	}
}

func TestTheTabShowsAppsAndWhatWasTakenOut(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(theme.New(theme.Dark))
	p := newPanel(t)
	dir := t.TempDir()
	hooks := p.hooks()
	hooks.Apps = func() []library.App { return apps(dir) }
	opened := ""
	tab := New(Options{Store: p.store, Hooks: hooks, OpenPath: func(path string) { opened = path }})
	w := test.NewTempWindow(t, tab.Content())
	w.Resize(fyne.NewSize(876, 526))
	if tab.apps.Visible() || tab.out.Visible() {
		t.Error("there are sections with nothing in them")
	}
	p.after(tab.Show)
	if !tab.apps.Visible() || len(tab.checks) != 2 {
		t.Fatal("the apps are not shown")
	}
	first := tab.checks[0]
	p.after(func() { test.Tap(first) })
	if tab.checks[0] != first || first.Checked() {
		t.Error("the tick is lost, or the row is another one and the focus gone")
	}
	test.Tap(find(tab.appRows, "Open"))
	if opened != dir {
		t.Errorf("opened %q", opened)
	}

	var many []string
	for i := range outShown + 5 {
		many = append(many, fmt.Sprintf("/m/%d.gguf", i))
	}
	if err := p.store.Update(func(c *config.Config) { c.Forgotten = many }); err != nil {
		t.Fatal(err)
	}
	tab.Refresh()
	if got := len(tab.outRows.Objects); !tab.out.Visible() || got != outShown+1 {
		t.Errorf("%d rows", got)
	}
	if c := p.after(func() { test.Tap(find(tab.out, "Restore")) }); len(c.Forgotten) != outShown+4 || slices.Contains(c.Forgotten, "/m/0.gguf") {
		t.Errorf("%d are left", len(c.Forgotten))
	}
	if c := p.after(func() { test.Tap(find(tab.out, "Restore all")) }); len(c.Forgotten) != 0 || tab.out.Visible() {
		t.Errorf("%d are left", len(c.Forgotten))
	}
}

func TestOfTwoChangesTheLaterOneIsKept(t *testing.T) {
	p := newPanel(t)
	for range 20 {
		for _, variant := range []string{theme.Dark, theme.Light} {
			p.SetTheme(variant)
			p.SetMirror(variant + ".example")
		}
		for range 4 {
			(<-p.queue)()
		}
		p.store.Wait(t.Context())
		again, err := config.Open(p.store.Folders().Config)
		if err != nil {
			t.Fatal(err)
		}
		if c := again.Get(); c.Theme != theme.Light || c.HubMirror != theme.Light+".example" {
			t.Fatalf("kept are %q and %q", c.Theme, c.HubMirror)
		}
	}
}
