package app

import (
	"strings"
	"testing"

	"paddock/engine"
	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

func TestAChatModelAndAnEmbeddingsModelAreLoadedInOneWindow(t *testing.T) {
	b := newRealBench(t, buildtest.Engine(t), 0)
	for _, path := range []string{gguftest.Qwen35(t), gguftest.BERT(t)} {
		b.setUpModel(path)
		p := b.loadTab().State().Plan
		b.loadTab().Load()
		e := b.engineFor(p.Purpose)
		b.until("it is ready", func() bool { return e.state.Phase == engine.Ready || e.state.Phase == engine.Failed })
		if e.state.Phase != engine.Ready || e.state.Model.Path != path {
			t.Fatalf("%s: %v", path, e.state.Err)
		}
	}
	if b.chat.State().Phase != engine.Ready || b.chat.state.Plan.Purpose != plan.Chat || b.vectors.state.Plan.Purpose != plan.Embeddings {
		t.Errorf("the chat is %s", b.chat.State().Phase)
	}
	if !strings.HasSuffix(b.bar.second.pill.AccessibilityLabel(), "Ready") {
		t.Errorf("the second pill says %q", b.bar.second.pill.AccessibilityLabel())
	}
	b.until("a message can be sent", func() bool { b.chatTab().SetDraft("hi"); return b.chatTab().State().CanSend })
	b.vectors.Unload()
	b.until("the second pill goes", func() bool { return !b.bar.second.Visible() })
	if b.chat.State().Phase != engine.Ready {
		t.Error("the chat's engine went with it")
	}
}
