package app

import (
	"os"
	"path/filepath"
	"reflect"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/test"

	"paddock/app/apptest"
	"paddock/app/theme"
	"paddock/engine"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
	"paddock/engine/server"
)

var (
	vectorModel = gguf.Facts{Path: "/m/minilm.gguf", Name: "MiniLM"}
	vectorPlan  = plan.Plan{ModelPath: "/m/minilm.gguf", Purpose: plan.Embeddings, Devices: plan.CPU}
)

func vectorState(phase engine.Phase) engine.State {
	return engine.State{Phase: phase, Model: vectorModel, Plan: vectorPlan, Progress: -1}
}

// newPairBench is a window with an engine beside the chat's.
func newPairBench(t *testing.T) (*bench, *fakeEngine) {
	t.Helper()
	beside := &fakeEngine{Watched: apptest.NewWatched(engine.State{})}
	b := newBench(t, func(o *Options) { o.Vectors = beside })
	return b, beside
}

// showBeside has the engine beside the chat's come to a state.
func (b *bench) showBeside(e *fakeEngine, s engine.State) {
	b.t.Helper()
	e.Become(s)
	b.until("the window knows that it is "+string(s.Phase), func() bool { return reflect.DeepEqual(b.vectors.state, s) })
}

func TestTheSecondPillSaysWhatTheEngineBesideTheChatDoes(t *testing.T) {
	ranking := vectorState(engine.Ready)
	ranking.Plan.Purpose = plan.Rerank
	half := vectorState(engine.Loading)
	half.Progress = 0.5
	broken := vectorState(engine.Failed)
	broken.Err = &server.Failure{Kind: server.OutOfDeviceMemory}
	for _, c := range []struct {
		name  string
		state engine.State
		want  string
	}{
		{"nothing", vectorState(engine.NotLoaded), ""},
		{"checking", vectorState(engine.Checking), "Embeddings: MiniLM · Checking"},
		{"loading", half, "Embeddings: MiniLM · Loading 50 %"},
		{"ready", vectorState(engine.Ready), "Embeddings: MiniLM · Ready"},
		{"a reranker", ranking, "Reranking: MiniLM · Ready"},
		{"failed", broken, "Embeddings: MiniLM · Failed: graphics memory ran out"},
	} {
		if p, on := vectorsFor(c.state, false); p.Text != c.want || on != (c.want != "") {
			t.Errorf("%s: %q, %t", c.name, p.Text, on)
		}
	}
	if p, _ := vectorsFor(ranking, true); p.Text != "Reranking · Ready" {
		t.Errorf("in a narrow bar: %q", p.Text)
	}
}

func TestTheEngineBesideTheChatHasAPillOfItsOwn(t *testing.T) {
	b, beside := newPairBench(t)
	if b.bar.second.Visible() {
		t.Error("there is a second pill for nothing")
	}
	b.show(engine.State{Phase: engine.Ready, Model: loadedModel})
	b.showBeside(beside, vectorState(engine.Ready))
	if !b.bar.second.Visible() || b.bar.second.pill.AccessibilityLabel() != "Embeddings: MiniLM · Ready" || !strings.Contains(b.bar.second.tip.String(), "beside the chat") {
		t.Errorf("the pill says %q, its tip %q", b.bar.second.pill.AccessibilityLabel(), b.bar.second.tip.String())
	}
	if b.bar.state.Model.Name != "Qwen" || b.bar.pill.AccessibilityLabel() != "Ready" {
		t.Errorf("the bar's model is %q, %q", b.bar.state.Model.Name, b.bar.pill.AccessibilityLabel())
	}
	b.showBeside(beside, vectorState(engine.NotLoaded))
	if b.bar.second.Visible() {
		t.Error("the pill stays when its engine is gone")
	}
}

func TestALoadGoesToTheEngineOfItsPurpose(t *testing.T) {
	b, beside := newPairBench(t)
	b.load(vectorPlan, plan.Given{}, build.Build{})
	b.load(plan.Plan{ModelPath: "/m/rank.gguf", Purpose: plan.Rerank}, plan.Given{}, build.Build{})
	b.load(plan.Plan{ModelPath: "/m/qwen.gguf", Purpose: plan.Chat}, plan.Given{}, build.Build{})
	b.until("all are loaded", func() bool {
		return beside.called("load minilm.gguf") && beside.called("load rank.gguf") && b.engine.called("load qwen.gguf")
	})
	if beside.called("load qwen.gguf") || b.engine.called("load minilm.gguf") {
		t.Error("one went to the other engine, too")
	}
}

func TestAnEmbeddingsModelThatIsReadyLeadsToEmbeddings(t *testing.T) {
	b, beside := newPairBench(t)
	b.GoTo(pageLoad)
	b.showBeside(beside, vectorState(engine.Loading))
	b.showBeside(beside, vectorState(engine.Ready))
	if b.current.id != pageVectors || !b.embeddingsTab().State().Ready || !strings.Contains(b.said(), "MiniLM is loaded for embeddings") {
		t.Errorf("it leads to %s and says %q", b.current.id, b.said())
	}
}

func TestTheModelOfARunThatFailedIsLoadedAgainAsItWas(t *testing.T) {
	b, beside := newPairBench(t)
	b.GoTo(pageVectors)
	dead := vectorState(engine.Failed)
	dead.Err = &server.Failure{Kind: server.Killed, ModelPath: vectorModel.Path}
	b.showBeside(beside, dead)
	b.loadForVectors(vectorModel.Path, func(err error) { t.Error(err) })
	b.until("it is loaded again", func() bool { return beside.called("load minilm.gguf") })
	if b.current.id != pageVectors {
		t.Errorf("it leads to %s", b.current.id)
	}
}

func TestTheMenuUnloadsTheEngineBesideTheChatAndShowsItsLog(t *testing.T) {
	b, beside := newPairBench(t)
	if n := len(b.moreItems()); n != 3 {
		t.Errorf("without a second model the menu has %d entries", n)
	}
	b.show(engine.State{Phase: engine.Ready, Model: loadedModel, LastWords: []string{"chat"}, LogPath: "/log/chat"})
	ready := vectorState(engine.Ready)
	ready.LastWords, ready.LogPath = []string{"pooling"}, "/log/vectors"
	b.showBeside(beside, ready)
	item := func(label string) *fyne.MenuItem {
		for _, i := range b.moreItems() {
			if i.Label == label {
				return i
			}
		}
		t.Fatalf("no entry %s", label)
		return nil
	}
	item("Show log of MiniLM").Action()
	if !b.logs.content.Visible() || b.logs.text != "pooling" || b.logged().LogPath != "/log/vectors" {
		t.Errorf("the log shows %q", b.logs.text)
	}
	item("Hide log").Action()
	item("Show log").Action()
	if b.logs.text != "chat" {
		t.Errorf("then the log shows %q", b.logs.text)
	}
	item("Unload MiniLM").Action()
	b.until("it is unloaded", func() bool { return beside.called("unload") })
	if b.engine.called("unload") {
		t.Error("the chat's engine was unloaded, too")
	}
}

func TestAFailureBesideTheChatIsInTheStripByName(t *testing.T) {
	b, beside := newPairBench(t)
	b.show(engine.State{Phase: engine.Ready, Model: loadedModel})
	broken := vectorState(engine.Failed)
	broken.Err = &server.Failure{Kind: server.OutOfDeviceMemory, ModelPath: "/m/minilm.gguf"}
	broken.LastWords = []string{"E out of memory"}
	b.showBeside(beside, broken)
	if !b.strip.content.Visible() || !strings.HasPrefix(b.strip.bold.String(), "Embeddings: ") {
		t.Fatalf("the strip says %q", b.strip.bold.String())
	}
	test.Tap(b.strip.logs)
	if !strings.Contains(b.logs.text, "E out of memory") {
		t.Errorf("the log shows %q", b.logs.text)
	}
	test.Tap(b.strip.retry)
	b.until("it is loaded again", func() bool { return beside.called("load minilm.gguf") })
	if b.engine.called("load minilm.gguf") || !b.bar.second.Visible() {
		t.Error("the chat's engine was told to")
	}

	// The chat's own failure comes first, and the other is still there after it.
	b.show(failedState)
	if strings.HasPrefix(b.strip.bold.String(), "Embeddings: ") {
		t.Error("the chat's failure is hidden")
	}
	b.dismiss()
	if !b.strip.content.Visible() || !strings.HasPrefix(b.strip.bold.String(), "Embeddings: ") {
		t.Errorf("then the strip says %q", b.strip.bold.String())
	}
	b.dismiss()
	if b.strip.content.Visible() {
		t.Error("the strip stays")
	}
}

func TestWhatALoadWouldReplaceAndWhatRunsBesideItGoByPurpose(t *testing.T) {
	b, beside := newPairBench(t)
	facts, err := gguf.Read(gguftest.BERT(t))
	if err != nil {
		t.Fatal(err)
	}
	loading := engine.State{Phase: engine.Loading, Plan: plan.Plan{ModelPath: facts.Path, Devices: plan.CPU}, Given: plan.Given{Model: facts}}
	beside.Become(loading)
	chat := engine.State{Phase: engine.Ready, Plan: plan.Plan{ModelPath: "/m/a.gguf", Purpose: plan.Chat}, Actual: actual}
	b.engine.Become(chat)
	if r := b.runningFor(plan.Chat); r.Plan != chat.Plan {
		t.Errorf("a chat would replace %+v", r.Plan)
	}
	if r := b.runningFor(plan.Embeddings); len(r.Memory.Pools) != 0 {
		t.Errorf("embeddings would replace %+v", r.Plan)
	}
	if others := b.others(plan.Chat); len(others) != 1 || others[0].Source != budget.Estimated {
		t.Errorf("beside a chat: %+v", others)
	}
	if others := b.others(plan.Rerank); len(others) != 1 || others[0].Pools[0].NeededBytes != 3*gib {
		t.Errorf("beside a reranker: %+v", others)
	}
	alone := newBench(t, nil)
	if alone.others(plan.Chat) != nil {
		t.Error("something runs beside the only engine")
	}
}

func TestClosingEndsBothEnginesAndWaitsForNeitherForever(t *testing.T) {
	b, beside := newPairBench(t)
	b.engine.closing, beside.closing = time.Hour, time.Hour
	begun := time.Now()
	b.stop()
	<-b.stopped
	if !b.engine.called("close") || !beside.called("close") {
		t.Error("one was not told to end")
	}
	if took := time.Since(begun); took > patience {
		t.Errorf("it took %v", took)
	}
}

func TestTwoModelsAndAStripFitTheSmallestWindow(t *testing.T) {
	b, beside := newPairBench(t)
	b.until("the machine is known", func() bool { return len(b.bar.pools) == 1 })
	ready := vectorState(engine.Ready)
	ready.Model.Name = "nomic-embed-text-v1.5 with a long name of its own"
	b.showBeside(beside, ready)
	broken := failedState
	broken.Model.Name = "Qwen3.6-35B-A3B-Instruct"
	broken.Plan = plan.Plan{
		ModelPath: "/m/qwen.gguf", Devices: "Vulkan0", GPULayers: "all", Purpose: plan.Chat, ContextTokens: 512, Slots: 1,
		SpecTypes: plan.SpecMTP, ProjectorPath: "/m/eyes.gguf",
	}
	broken.Given.Model = gguf.Facts{Path: "/m/qwen.gguf", Kind: gguf.Model, NextNLayers: 1}
	broken.Err = &server.Failure{Kind: server.Crashed, ModelPath: "/m/qwen.gguf"}
	for name, s := range map[string]engine.State{"two ways out": broken, "a notice": fellBackState()} {
		b.show(engine.State{Phase: engine.NotLoaded})
		b.show(s)
		if !b.strip.content.Visible() {
			t.Fatalf("%s: there is no strip", name)
		}
		b.fyne.Resize(fyne.NewSize(theme.MinWidth, theme.MinHeight))
		if size := b.fyne.Canvas().Size(); size.Width > theme.MinWidth || size.Height > theme.MinHeight {
			t.Errorf("%s makes the window %v", name, size)
		}
		eachText(b.fyne.Content(), fyne.Position{}, func(text *canvas.Text, at fyne.Position) {
			if right := at.X + text.MinSize().Width; text.Alignment == fyne.TextAlignLeading && right > theme.MinWidth+1 {
				t.Errorf("%s: %q ends at %.0f", name, text.Text, right)
			}
		})
		if w := b.strip.bold.Size().Width; w < 150 {
			t.Errorf("%s: the sentence has %.0f px", name, w)
		}
	}
}

func TestClosingAsksWhileVectorsAreMade(t *testing.T) {
	b, beside := newPairBench(t)
	beside.endless = true
	ready := vectorState(engine.Ready)
	ready.Model.Path = gguftest.BERT(t)
	b.showBeside(beside, ready)
	b.GoTo(pageVectors)
	tab := b.embeddingsTab()
	text := filepath.Join(t.TempDir(), "notes.txt")
	if err := os.WriteFile(text, []byte("some notes"), 0o600); err != nil {
		t.Fatal(err)
	}
	tab.Add([]string{text})
	b.until("the file is listed", func() bool { return len(tab.State().Rows) == 1 })
	if b.underWay() != "" {
		t.Error("it would ask before a run")
	}
	tab.Start()
	b.askClose()
	if !b.asks() || b.closing {
		t.Fatal("it did not ask")
	}
	var said []string
	eachText(b.fyne.Canvas().Overlays().Top(), fyne.Position{}, func(text *canvas.Text, _ fyne.Position) { said = append(said, text.Text) })
	if all := strings.Join(said, " "); !strings.Contains(all, "Vectors are still being made") || !strings.Contains(all, "can be gone on with") {
		t.Errorf("it says %q", all)
	}
	tab.Cancel()
	b.until("the run is over", func() bool { return !tab.State().Runs() })
	if b.underWay() != "" {
		t.Error("it would ask after a run")
	}
}
