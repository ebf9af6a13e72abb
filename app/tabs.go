package app

import (
	"context"
	"path/filepath"
	"strings"

	"fyne.io/fyne/v2"
	"github.com/sirupsen/logrus"

	"paddock/app/chat"
	"paddock/app/embeddings"
	"paddock/app/get"
	"paddock/app/hardware"
	"paddock/app/images"
	"paddock/app/load"
	"paddock/app/models"
	"paddock/app/settings"
	"paddock/app/widgets"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/hub"
	"paddock/engine/library"
	machine "paddock/hardware"
	"paddock/words"
)

func (w *Window) newModels() widgets.Tab {
	return models.New(models.Options{
		Config:     w.options.Config,
		Scan:       w.options.Scan,
		Watch:      w.options.Watch,
		Apps:       w.options.Apps,
		Near:       new(library.Scanner).Neighbours,
		Usual:      w.options.Usual,
		Guide:      w.options.Guide,
		GuideBytes: w.options.GuideBytes,
		Do:         w.doAnd(w.modelsChanged),
		SetUp:      w.setUp,
		Best:       w.setUpBest,
		Get:        func() { w.GoTo(pageGet) },
		Judge:      w.judge,
		Room:       w.room,
		Hardware:   func() { w.GoTo(pageHardware) },
		Copy:       w.copy,
		OpenPath:   w.openPath,
		PickFile:   w.pickGGUF,
		PickFolder: w.pickFolder,
	})
}

// modelsTab is the Models tab, made when there is none yet.
func (w *Window) modelsTab() *models.Tab {
	return w.tab(w.page(pageModels)).(*models.Tab)
}

func (w *Window) newLoad() widgets.Tab {
	return load.New(load.Options{
		Seams: load.Seams{
			Builds:   w.builds.all,
			Demands:  w.demands,
			Devices:  listDevices,
			Measure:  budget.Measure,
			Hardware: w.machine.snapshot,
			Load:     w.load,
			Learned:  w.learned,
			Failed:   w.failed,
			Forget:   w.forget,
			Running:  w.meets,
			Compare:  w.options.Engine.Compare,
			Setups:   w.setups,
		},
		Back: func() { w.GoTo(pageModels) },
		Do:   w.doAnd(w.loadChanged),
		Copy: w.copy,
	})
}

// newGet makes the page that downloads models. Who left a download running finds
// it there again.
func (w *Window) newGet() widgets.Tab {
	return get.New(get.Options{
		Config: w.options.Config,
		Seams: get.Seams{
			Hub: func() (get.Hub, error) {
				client, err := hub.New(w.options.Config.Get().HubMirror)
				return client, err
			},
			Hardware: w.machine.snapshot,
			Free:     hub.FreeBytes,
			Read:     library.One,
			Got:      w.got,
			SetUp:    w.setUp,
		},
		Back:       func() { w.GoTo(pageModels) },
		Do:         w.do,
		PickFolder: w.pickDownloads,
	})
}

// got shows in Models what was downloaded.
func (w *Window) got() {
	w.log.Info("model downloaded")
	w.modelsTab().Rescan()
	if w.current.id != pageGet {
		w.Notify(words.T("shell.downloaded"))
	}
}

// doAnd is do for a tab after whose changes something else has to follow.
func (w *Window) doAnd(follow func()) func(func()) {
	return func(f func()) {
		w.do(func() {
			f()
			follow()
		})
	}
}

// modelsChanged follows the Models tab: the keys of the status line depend on
// what it shows.
func (w *Window) modelsChanged() {
	if s := w.modelsTab().State(); s.Selected.Path != w.selected {
		w.selected = s.Selected.Path
		w.log.WithField("model", w.selected).Info("model selected")
	}
	if t, made := w.page(pageVectors).tab.(*embeddings.Tab); made {
		t.SetModels(w.embedders())
	}
	w.companionsChanged()
	w.loadAtStart()
	if t, made := w.page(pageImages).tab.(*images.Tab); made {
		t.ModelsChanged()
	}
	w.showStatus()
}

// loadChanged follows the set-up screen.
func (w *Window) loadChanged() {
	s := w.loadTab().State()
	if !s.Preparing && !s.Memory.Measuring && s.Plan != w.measured {
		w.measured = s.Plan
		w.log.WithFields(logrus.Fields{"model": s.Plan.ModelPath, "problem": s.Memory.Problem}).Info("plan measured")
	}
}

// loadTab is the set-up screen, made when there is none yet.
func (w *Window) loadTab() *load.Tab {
	return w.tab(w.page(pageLoad)).(*load.Tab)
}

func (w *Window) newChat() widgets.Tab {
	t := chat.New(chat.Options{
		Engine:    loggedEngine{w.options.Engine, w.log},
		Do:        w.do,
		LoadModel: func() { w.GoTo(pageModels) },
		LoadLast:  w.loadLast,
		Copy:      w.copy,
		OpenLink:  w.openLink,
		Folder:    filepath.Join(w.options.Config.Folders().Data, chatFolder),
		Own:       ownChat(w.options.Config),
		Seers:     w.seers,
		Larger:    w.changeSettings,
		Say:       func(text string, _ bool) { w.Notify(text) },
		Guide:     w.options.Guide,
		Software:  isSoftware(w.options.Renderer),

		PasteImage: w.pasteImage,
		PickFile:   w.pickAttachment,
		PickImport: w.pickChats,
		PickSave:   w.pickSave,
	})
	t.Offer(modelName(w.last))
	return t
}

// chatFolder is where conversations are kept, in the data folder.
const chatFolder = "chats"

// chatTab is the Chat tab, made when there is none yet.
func (w *Window) chatTab() *chat.Tab {
	return w.tab(w.page(pageChat)).(*chat.Tab)
}

func listDevices(ctx context.Context, b build.Build) ([]build.Device, error) { return b.Devices(ctx) }

func (w *Window) newHardware() widgets.Tab {
	t := hardware.New(hardware.Options{
		Devices: listDevices,
		Do:      w.do,
		Copy:    w.copy,
		Again: func() {
			go w.machine.readNow()
			w.builds.refresh()
		},
		Program:  hardware.Program{Version: w.options.Version, Renderer: w.options.Renderer},
		Software: isSoftware(w.options.Renderer),
	})
	snapshots := widgets.NewMailbox(w.do, 0, func(s machine.Snapshot) { t.SetSnapshot(s) })
	w.machine.listen(snapshots.Put)
	builds := widgets.NewMailbox(w.do, 0, t.SetBuilds)
	w.builds.listen(builds.Put)
	return t
}

// hardwareTab is the Hardware tab, made when there is none yet.
func (w *Window) hardwareTab() *hardware.Tab {
	return w.tab(w.page(pageHardware)).(*hardware.Tab)
}

func (w *Window) newSettings() widgets.Tab {
	t := settings.New(settings.Options{
		Store: w.options.Config,
		Hooks: settings.Hooks{
			Do:           w.do,
			ApplyTheme:   w.applyTheme,
			LookForBuild: w.builds.refresh,
			Apps:         w.options.Apps,
		},
		PickFolder: w.pickFolder,
		PickFile:   w.pickProgram,
		OpenPath:   w.openPath,
		Version:    w.options.Version,
	})
	builds := widgets.NewMailbox(w.do, 0, t.SetBuilds)
	w.builds.listen(builds.Put)
	return t
}

// engineFact is what the status line says where a tab has nothing to say: which
// engine there is.
func (w *Window) engineFact() string {
	builds, known := w.builds.known()
	switch {
	case !known:
		return words.T("shell.fact.looking")
	case len(builds) > 0 && builds[0].Problem != "" && w.demands(builds[0]):
		return words.BuildProblem(builds[0]).Message
	case len(builds) == 0 || builds[0].Problem != "":
		return words.T("shell.fact.none")
	case builds[0].Proven:
		return words.T("shell.fact.proven", map[string]any{"Build": buildName(builds[0])})
	}
	return buildName(builds[0])
}

// pickModel asks for a GGUF file in Models, where it is going to be.
func (w *Window) pickModel() {
	w.GoTo(pageModels)
	w.modelsTab().Shortcut(ctrl(fyne.KeyO))
}

// isSoftware says whether OpenGL is drawn by the processor.
func isSoftware(renderer string) bool {
	renderer = strings.ToLower(renderer)
	return strings.Contains(renderer, "llvmpipe") || strings.Contains(renderer, "softpipe") || strings.Contains(renderer, "swrast")
}
