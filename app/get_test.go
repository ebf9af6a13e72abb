package app

import (
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/app/get"
	"paddock/config"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/hub/hubtest"
)

func TestADownloadedModelIsInModelsAndCanBeSetUp(t *testing.T) {
	content, err := os.ReadFile(gguftest.Llama(t))
	if err != nil {
		t.Fatal(err)
	}
	h := hubtest.Start(hubtest.Repo{ID: "a/Tiny-GGUF", Files: []hubtest.File{{Path: "Tiny-F16.gguf", Content: content}}})
	t.Cleanup(h.Close)
	b := newBench(t, nil)
	if err := b.options.Config.Update(func(c *config.Config) { c.HubMirror = h.URL() }); err != nil {
		t.Fatal(err)
	}
	b.GoTo(pageGet)
	for _, item := range b.rail.items {
		if item.chosen != (item.page.id == pageModels) {
			t.Errorf("the rail marks %s: %t", item.page.id, item.chosen)
		}
	}
	tab := b.page(pageGet).tab.(*get.Tab)
	b.until("the mirror is named", func() bool { return strings.HasSuffix(h.URL(), tab.State().Host) && tab.State().Host != "" })
	tab.Search("tiny")
	b.until("it is found", func() bool { return len(tab.State().Rows) == 1 })
	tab.Choose(0)
	b.until("its file is there", func() bool { return tab.State().Offer.Label != "" })
	tab.Press()
	b.GoTo(pageChat)
	b.until("it is in Models", func() bool {
		for _, row := range b.modelsTab().State().Rows {
			if filepath.Base(row.Path) == "Tiny-F16.gguf" {
				return true
			}
		}
		return false
	})
	if !strings.HasPrefix(b.said(), "A download is done") {
		t.Errorf("the status line says %q", b.said())
	}
	b.GoTo(pageGet)
	tab.Do(tab.State().Jobs[0].ID, get.SetUp)
	b.until("it is set up", func() bool { return b.current.id == pageLoad })
}
