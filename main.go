// Paddock runs local GGUF models on llama.cpp, in a window and on the command
// line.
package main

import (
	"context"
	_ "embed"
	"errors"
	"os"
	"os/signal"
	"path/filepath"
	"runtime"
	"slices"
	"sync"
	"syscall"

	"fyne.io/fyne/v2"
	fyneapp "fyne.io/fyne/v2/app"
	"github.com/BurntSushi/toml"
	"github.com/sirupsen/logrus"

	"paddock/app"
	"paddock/app/models"
	"paddock/assets"
	"paddock/cli"
	"paddock/config"
	"paddock/engine"
	"paddock/engine/build"
	"paddock/engine/library"
	"paddock/engine/starter"
	"paddock/hardware"
	"paddock/words"
)

//go:embed FyneApp.toml
var fyneAppTOML string

// commit is what the program was made from. The Makefile sets it: what Go itself
// would put in fails where git does not trust a folder's owner.
var commit string

// init keeps main on the process's first thread, which windows need.
func init() { runtime.LockOSThread() }

func main() { os.Exit(run()) }

func run() int {
	ctx, stop := signal.NotifyContext(context.Background(), endings()...)
	defer stop()
	status := cli.Done
	hooks := cli.Hooks{
		Version:       metadata().Version,
		Commit:        commit,
		BundledEngine: bundledEngine(),
		Window: func(ctx context.Context, r cli.Request) error {
			return shown(openWindow(ctx, r))
		},
		Tour: func(ctx context.Context, r cli.TourRequest) error {
			err := shown(runTour(ctx, r))
			if errors.Is(err, errTour) { // it has been said which steps failed
				status, err = cli.Failed, nil
			}
			return err
		},
	}
	if s := cli.Run(ctx, os.Args[1:], os.Stdin, os.Stdout, os.Stderr, hooks); s != cli.Done {
		return s
	}
	return status
}

// endings are the signals that end the program in good order. That of a terminal
// which closes is not one where it is ignored, as under nohup.
func endings() []os.Signal {
	all := []os.Signal{os.Interrupt, syscall.SIGTERM}
	if !signal.Ignored(syscall.SIGHUP) {
		all = append(all, syscall.SIGHUP)
	}
	return all
}

// metadata is FyneApp.toml, which an installed program can't read from a file.
func metadata() fyne.AppMetadata {
	var file struct {
		Details struct {
			Name, ID, Version, Icon string
			Build                   int
		}
		Migrations map[string]bool
	}
	if _, err := toml.Decode(fyneAppTOML, &file); err != nil {
		panic("FyneApp.toml: " + err.Error())
	}
	d := file.Details
	return fyne.AppMetadata{
		ID: d.ID, Name: d.Name, Version: d.Version, Build: d.Build, Migrations: file.Migrations,
		Icon: fyne.NewStaticResource("paddock.png", assets.AppIcon),
	}
}

// openWindow shows the window until it is closed, or gives its files to the
// Paddock that has one already.
func openWindow(ctx context.Context, r cli.Request) error {
	store, err := config.Open(r.ConfigDir)
	if err != nil {
		return err
	}
	folders := store.Folders()
	defer openLog(folders.Log, r.LogPath, r.Verbose)()
	lock, err := alone(folders, r.Files, aloneTime)
	if err != nil || lock == nil {
		return err
	}
	defer lock.Close()
	options, err := windowOptions(store, r)
	if err != nil {
		return err
	}
	w := app.New(options)
	socket, err := takeOver(folders.Runtime, w.Raise)
	if err != nil {
		logrus.WithError(err).Warn("later launches will open a window of their own")
	} else {
		defer socket.Close()
	}
	w.ShowAndRun(ctx)
	return nil
}

// windowOptions is everything a window is made of. It fails where no window can
// be opened.
func windowOptions(store *config.Store, r cli.Request) (app.Options, error) {
	renderer, err := probe()
	if err != nil {
		logrus.WithError(err).Error("no window")
		return app.Options{}, err
	}
	about := metadata()
	fyneapp.SetMetadata(about)
	folders, wanted := store.Folders(), wantedEngine(r.Engine)
	engines := engine.NewEngines(engine.Options{RuntimeDir: folders.Runtime, LogDir: folders.Log})
	options := app.Options{
		Fyne:     fyneapp.NewWithID(about.ID),
		Config:   store,
		Engine:   engines.Chat,
		Vectors:  engines.Vectors,
		Hardware: hardware.Live,
		Scan:     scan(folders.Cache),
		Watch:    watch,
		Apps:     func() []library.App { return library.Apps(library.Here()) },
		Usual: func(ctx context.Context) []library.Usual {
			return library.FindUsual(ctx, library.UsualFolders(library.Here()))
		},
		Guide:      starter.Path(folders.Cache),
		GuideBytes: starter.SizeBytes,
		Builds: func(ctx context.Context) []build.Build {
			return withWanted(build.Find(ctx, places(store.Get().Engines, wanted)), wanted)
		},
		Build:    wanted,
		Files:    absolute(r.Files),
		Renderer: renderer,
		Version:  about.Version,

		EscapeFirst: escapeFirst,
	}
	if problem := store.Problem(); problem != nil {
		options.Notice = words.Error(problem).Text()
	}
	return options, nil
}

// wantedEngine is the build asked for on the command line, as an id or as a path
// that holds everywhere.
func wantedEngine(given string) string {
	if !build.IsPath(given) {
		return given
	}
	if path, err := filepath.Abs(given); err == nil {
		return path
	}
	return given
}

// withWanted adds a build that was asked for by an id nothing here has, so that
// it is said.
func withWanted(builds []build.Build, id string) []build.Build {
	known := func(b build.Build) bool { return b.ID == id }
	if id == "" || filepath.IsAbs(id) || slices.ContainsFunc(builds, known) {
		return builds
	}
	return append(builds, build.Build{ID: id, Path: id, Source: build.Added, Problem: string(build.UnknownID)})
}

// scan finds models, once the Guide is there to be found. What it knows of files
// is read at the first scan, and remembered for the next start.
func scan(cache string) models.ScanFunc {
	known := sync.OnceValue(func() *library.Cache {
		c, err := library.OpenCache(library.CachePath(cache))
		if err != nil {
			logrus.WithError(err).Warn("what was known of models can't be read")
		}
		return c
	})
	return func(ctx context.Context, sources library.Sources, found func(library.Model)) error {
		_, err := starter.Install(cache)
		scanner := library.Scanner{Cache: known()}
		return errors.Join(err, scanner.Scan(ctx, sources, found))
	}
}

// watch sees changes where models are.
func watch(ctx context.Context, sources library.Sources, changed func()) {
	if err := library.Watch(ctx, sources, changed); err != nil {
		logrus.WithError(err).Warn("changes in folders are not seen by themselves")
	}
}

// places are where engine builds are looked for: beside the program, on PATH,
// and where the user said.
func places(added []string, wanted string) build.Places {
	if filepath.IsAbs(wanted) {
		added = append(added, wanted)
	}
	return build.Places{Bundled: bundledEngine(), Path: true, Added: added}
}

// bundledEngine is the folder of the engine that comes with the program.
func bundledEngine() string {
	self, err := os.Executable()
	if err != nil {
		return ""
	}
	if real, err := filepath.EvalSymlinks(self); err == nil {
		self = real
	}
	return filepath.Join(filepath.Dir(self), "engine")
}
