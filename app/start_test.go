package app

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/config"
	"paddock/engine"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/library"
	"paddock/engine/server"
)

// usedBefore is a configuration in which some models were used, the latest first.
func usedBefore(t *testing.T, loadAtStart bool, recent ...string) *config.Store {
	t.Helper()
	store, err := config.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	edit := func(c *config.Config) { c.Recent, c.LoadAtStart = recent, loadAtStart }
	if err := store.Update(edit); err != nil {
		t.Fatal(err)
	}
	return store
}

func with(store *config.Store) func(*Options) { return func(o *Options) { o.Config = store } }

func (b *bench) untilOffered(name string) {
	b.t.Helper()
	b.until(name+" is offered", func() bool { return strings.Contains(b.bar.title.String(), name) })
}

func TestTheModelChattedWithLastIsOfferedAndNotLoaded(t *testing.T) {
	llama := gguftest.Llama(t)
	gone := filepath.Join(t.TempDir(), "gone.gguf")
	b := newBench(t, with(usedBefore(t, false, gone, gguftest.BERT(t), llama)))
	name := modelName(library.One(llama).Facts)
	b.untilOffered(name)
	if b.bar.action != actLast || b.bar.button.Text() != "Load" || b.current.id != pageModels {
		t.Errorf("action %v, the button says %q, it shows %s", b.bar.action, b.bar.button.Text(), b.current.id)
	}
	b.until("the first look is over", b.modelsTab().Settled)
	if len(b.engine.calls) > 0 {
		t.Errorf("the engine was asked to %q", b.engine.calls)
	}
	b.GoTo(pageChat)
	if said := apptest.Shown(b.current.tab.Content()); !strings.Contains(said, "Load "+name) || !strings.Contains(said, "Choose another model") {
		t.Errorf("the chat says\n%s", said)
	}
	if items := b.moreItems(); items[0].Label != "Choose another model" {
		t.Errorf("the menu begins with %q", items[0].Label)
	}
	test.Tap(b.bar.button)
	b.until("it is loaded", func() bool { return b.engine.called("load " + filepath.Base(llama)) })
}

func TestAModelThatWasUnloadedIsOfferedAgain(t *testing.T) {
	b := newBench(t, nil)
	b.show(engine.State{Phase: engine.Ready, Model: loadedModel})
	b.show(engine.State{Phase: engine.NotLoaded})
	if got := b.bar.title.String(); got != "Used last: Qwen" || b.bar.button.Text() != "Load" {
		t.Errorf("the bar says %q, its button %q", got, b.bar.button.Text())
	}
	test.Tap(b.bar.button)
	b.until("that the file is gone is said", func() bool {
		said := b.said()
		return strings.Contains(said, "qwen.gguf") && strings.Contains(said, "choose the file again")
	})
	if b.bar.action != actChoose || b.bar.title.String() != "No model loaded" {
		t.Errorf("it is still offered: %q", b.bar.title.String())
	}
}

func TestTheModelIsLoadedAtTheStartWhereSettingsSaySo(t *testing.T) {
	llama := gguftest.Llama(t)
	store := usedBefore(t, true, llama)
	b := newBench(t, with(store))
	b.until("it is loaded", func() bool { return b.engine.called("load " + filepath.Base(llama)) })
	if !marked(b.startMark()) {
		t.Error("there is no mark while it loads")
	}
	b.show(engine.State{Phase: engine.Loading, Model: b.last})
	b.show(engine.State{Phase: engine.Ready, Model: b.last})
	b.until("the mark is gone", func() bool { return !marked(b.startMark()) })
	if b.current.id != pageChat {
		t.Errorf("it shows %s", b.current.id)
	}
}

func TestNothingIsLoadedAtTheStartWhenAFileWasGiven(t *testing.T) {
	llama := gguftest.Llama(t)
	b := newBench(t, func(o *Options) {
		o.Config, o.Files = usedBefore(t, true, llama), []string{gguftest.BERT(t)}
	})
	b.untilOffered(modelName(library.One(llama).Facts))
	b.until("the first look is over", b.modelsTab().Settled)
	if b.begun != noLoad || marked(b.startMark()) {
		t.Error("the model used last is loaded, and another was asked for")
	}
}

func TestALoadAtTheStartThatFailedIsNotRepeatedByItself(t *testing.T) {
	llama := gguftest.Llama(t)
	store := usedBefore(t, true, llama)
	name := modelName(library.One(llama).Facts)
	first := newBench(t, with(store))
	first.until("it is loaded", func() bool { return first.engine.called("load " + filepath.Base(llama)) })
	first.show(engine.State{Phase: engine.Failed, Model: first.last, Err: &server.Failure{Kind: server.OutOfDeviceMemory, Err: errors.New("none left")}})
	first.Close()
	<-first.stopped

	second := newBench(t, with(store))
	second.untilOffered(name)
	second.until("it is said", func() bool { return strings.Contains(second.said(), "was not loaded by itself") })
	if second.begun != noLoad || second.engine.called("load "+filepath.Base(llama)) {
		t.Error("it was loaded once more")
	}
	second.Close()
	<-second.stopped

	third := newBench(t, with(store))
	third.untilOffered(name)
	if !marked(third.startMark()) {
		t.Error("a start without a load makes good what failed before")
	}
	third.show(engine.State{Phase: engine.Ready, Model: third.last})
	third.until("a model that is ready does", func() bool { return !marked(third.startMark()) })
}

func TestALoadAtTheStartThatWasGivenUpDidNotFail(t *testing.T) {
	for name, giveUp := range map[string]func(*bench){
		"by unloading": func(b *bench) {
			b.show(engine.State{Phase: engine.Loading, Model: b.last})
			b.show(engine.State{Phase: engine.NotLoaded})
		},
		"by closing the window": func(b *bench) {
			b.show(engine.State{Phase: engine.Loading, Model: b.last})
			b.Close()
			<-b.stopped
		},
	} {
		t.Run(name, func(t *testing.T) {
			llama := gguftest.Llama(t)
			b := newBench(t, with(usedBefore(t, true, llama)))
			b.until("it is loaded", func() bool { return b.engine.called("load " + filepath.Base(llama)) })
			giveUp(b)
			b.until("the mark is gone", func() bool { return !marked(b.startMark()) })
		})
	}
}

func TestAMarkThatCannotBeWrittenStopsNoLoad(t *testing.T) {
	llama := gguftest.Llama(t)
	store := usedBefore(t, true, llama)
	b := newBench(t, with(store))
	if err := os.RemoveAll(store.Folders().Cache); err != nil {
		t.Fatal(err)
	}
	b.until("it is loaded", func() bool { return b.engine.called("load " + filepath.Base(llama)) })
}

func TestALoadAtTheStartTakesOverNothingTheUserHasBegun(t *testing.T) {
	for name, begin := range map[string]func(*bench){
		"a set-up":     func(b *bench) { b.model = library.One(gguftest.BERT(t)) },
		"another load": func(b *bench) { b.show(engine.State{Phase: engine.Loading, Model: loadedModel}) },
	} {
		t.Run(name, func(t *testing.T) {
			b := newBench(t, nil)
			b.begun = loadRuns
			if !b.stillAtStart() {
				t.Fatal("it is given up for nothing")
			}
			begin(b)
			if b.stillAtStart() || b.begun != noLoad {
				t.Error("it goes on")
			}
		})
	}
}
