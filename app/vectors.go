package app

import (
	"os"
	"path/filepath"
	"slices"

	"fyne.io/fyne/v2/storage"

	"paddock/app/embeddings"
	"paddock/app/widgets"
	"paddock/engine"
	"paddock/engine/embed/document"
	"paddock/engine/library"
	"paddock/engine/plan"
)

// keptVectors is the file in the data folder in which Embeddings keeps its list.
const keptVectors = "embeddings.json"

func (w *Window) newEmbeddings() widgets.Tab {
	folders := w.options.Config.Folders()
	home, err := os.UserHomeDir()
	if err != nil {
		home = folders.Data
	}
	document.CacheIn(filepath.Join(folders.Cache, "pdfium"))
	e := w.engineFor(plan.Embeddings)
	t := embeddings.New(embeddings.Options{
		Seams:    embeddings.Seams{Engine: e, Load: w.loadForVectors, Home: home, Version: w.options.Version, Kept: filepath.Join(folders.Data, keptVectors)},
		Do:       w.doAnd(w.showStatus),
		SetUp:    w.setUp,
		GoModels: func() { w.GoTo(pageModels) },
		OpenPath: w.openPath,

		PickFile: func(done func(string)) { w.pickFile("shell.pick.files.title", nil, w.picked(done)) },
		PickIndex: func(done func(string)) {
			w.pickFile("shell.pick.index.title", storage.NewExtensionFileFilter([]string{".sqlite"}), w.picked(done))
		},
		PickFolder: func(done func(string)) { w.pickFolderFrom("", "shell.pick.source.title", w.picked(done)) },
	})
	t.SetEngine(vectorsOf(e.state))
	t.SetModels(w.embedders())
	return t
}

// loadForVectors loads the model of a run again: as it was loaded when that has just
// failed, or else as it was set up. How that goes comes back as states of its engine;
// unusable is told why its file is no use.
func (w *Window) loadForVectors(path string, unusable func(error)) {
	if s := w.engineFor(plan.Embeddings).state; s.Phase == engine.Failed && s.Model.Path == path && s.Plan.Purpose == plan.Embeddings {
		w.load(s.Plan, s.Given, s.Build)
		return
	}
	w.loadAsSetUp(path, func() bool { return w.embeddingsTab().State().Loading }, unusable)
}

// embeddingsTab is the Embeddings tab, made when there is none yet.
func (w *Window) embeddingsTab() *embeddings.Tab {
	return w.tab(w.page(pageVectors)).(*embeddings.Tab)
}

// tellEmbeddings has the tab follow the engine that makes vectors.
func (w *Window) tellEmbeddings(e *seen) {
	if t, made := w.page(pageVectors).tab.(*embeddings.Tab); made && e == w.engineFor(plan.Embeddings) {
		t.SetEngine(vectorsOf(e.state))
	}
}

// vectorsOf is an engine's state as the tab has it: one that does something else
// makes no vectors.
func vectorsOf(s engine.State) engine.State {
	if s.Phase != engine.NotLoaded && s.Plan.Purpose != plan.Embeddings {
		return engine.State{Phase: engine.NotLoaded}
	}
	return s
}

// embedders are the models in the list that make vectors.
func (w *Window) embedders() []library.Model {
	var models []library.Model
	for _, row := range w.modelsTab().State().Rows {
		if !row.Companion && row.Problem == "" && slices.Contains(row.Badges, library.Embeddings) {
			models = append(models, row.Model)
		}
	}
	return models
}

// forVectors tells which of what was dropped on Embeddings is embedded: all but
// models, and folders of them.
func forVectors(list []string) (texts, others []string) {
	return parted(list, func(path string) bool {
		info, err := os.Stat(path)
		return err == nil && (info.IsDir() && !holdsModels(path) || !info.IsDir() && !isModel(path))
	})
}
