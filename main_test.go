package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"image/png"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"
	"time"

	"fyne.io/fyne/v2"

	"paddock/app"
	"paddock/config"
	"paddock/engine/build"
	"paddock/engine/build/buildtest"
	"paddock/engine/gguf/gguftest"
	"paddock/words"
)

// runAsPaddock makes the test's own binary the program.
const runAsPaddock = "PADDOCK_TEST_RUN"

func init() {
	if os.Getenv(runAsPaddock) != "" {
		os.Exit(run())
	}
}

// paddock runs the program with arguments and settings of its own.
func paddock(t *testing.T, env []string, args ...string) (status int, stdout, stderr string) {
	t.Helper()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	cmd := exec.CommandContext(ctx, os.Args[0], append([]string{"--config", t.TempDir()}, args...)...)
	cmd.Env = append(without(os.Environ(), "DISPLAY", "WAYLAND_DISPLAY", "PATH"), append(env, runAsPaddock+"=1")...)
	var out, errs bytes.Buffer
	cmd.Stdout, cmd.Stderr = &out, &errs
	err := cmd.Run()
	var exit *exec.ExitError
	if err != nil && !errors.As(err, &exit) {
		t.Fatal(err)
	}
	if ctx.Err() != nil {
		t.Fatalf("it did not end; it said:\n%s%s", &out, &errs)
	}
	return cmd.ProcessState.ExitCode(), out.String(), errs.String()
}

func without(env []string, names ...string) []string {
	return slices.DeleteFunc(slices.Clone(env), func(entry string) bool {
		name, _, _ := strings.Cut(entry, "=")
		return slices.Contains(names, name)
	})
}

func TestAScreenThatIsNotThereIsNoScreen(t *testing.T) {
	status, _, stderr := paddock(t, []string{"DISPLAY=:65000"})
	if status != 1 || !strings.Contains(stderr, words.T("main.noDisplay")) {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

func TestATourWithoutAnyScreenNamesWhatToInstall(t *testing.T) {
	status, _, stderr := paddock(t, nil, "tour", t.TempDir(), "--model", "any.gguf")
	if status != 1 || !strings.Contains(stderr, words.T("main.noVirtualDisplay.remedy")) {
		t.Errorf("status %d, stderr %q", status, stderr)
	}
}

// The Guide has to give a true answer; of another model only some answer is asked.
func TestATourOpensItsOwnDisplayAndLoadsAndChats(t *testing.T) {
	t.Run("with the Guide", func(t *testing.T) { tour(t) })
	t.Run("with a model of the user's", func(t *testing.T) { tour(t, "--model", gguftest.Llama(t)) })
}

func tour(t *testing.T, more ...string) {
	t.Helper()
	dir := filepath.Join(t.TempDir(), "tour")
	env := []string{"PATH=" + os.Getenv("PATH"), "LANG=en_US.UTF-8"}
	status, _, stderr := paddock(t, env, append([]string{"--engine", buildtest.Path(t), "tour", dir}, more...)...)
	if status != 0 {
		t.Fatalf("status %d, stderr:\n%s", status, stderr)
	}
	file, err := os.ReadFile(filepath.Join(dir, "tour.json"))
	if err != nil {
		t.Fatal(err)
	}
	var tour struct{ Steps []app.Step }
	if err := json.Unmarshal(file, &tour); err != nil {
		t.Fatal(err)
	}
	if len(tour.Steps) < 10 {
		t.Errorf("only %d steps", len(tour.Steps))
	}
	for _, s := range tour.Steps {
		picture, err := os.Open(filepath.Join(dir, s.Picture))
		if err != nil {
			t.Error(err)
			continue
		}
		about, err := png.DecodeConfig(picture)
		picture.Close()
		if err != nil || about.Width != 1280 || about.Height != 800 || !s.OK {
			t.Errorf("%+v: %v, %d x %d", s, err, about.Width, about.Height)
		}
	}
}

func TestAnEngineGivenByARelativePathIsFoundFromEverywhere(t *testing.T) {
	here := t.TempDir()
	t.Chdir(here)
	if err := os.Mkdir("engine", 0o700); err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct{ given, want string }{
		{"engine", filepath.Join(here, "engine")}, {"bundled-11669", "bundled-11669"}, {"", ""}, {"/opt/x", "/opt/x"},
		{"./gone", filepath.Join(here, "gone")}, // is looked for, and said to be missing
	} {
		if got := wantedEngine(c.given); got != c.want {
			t.Errorf("%q is %q, want %q", c.given, got, c.want)
		}
	}
}

func TestTheVersionIsPrinted(t *testing.T) {
	status, stdout, _ := paddock(t, nil, "--version")
	if status != 0 || !strings.HasPrefix(stdout, "paddock "+metadata().Version+", ") {
		t.Errorf("status %d, stdout %q", status, stdout)
	}
}

func TestTheMetadataIsComplete(t *testing.T) {
	m := metadata()
	if m.Name != "Paddock" || m.ID == "" || m.Version == "" || m.Build == 0 || len(m.Icon.Content()) == 0 || !m.Migrations["fyneDo"] {
		t.Errorf("got %+v", m)
	}
}

func TestASecondLaunchHandsItsPathsToTheFirst(t *testing.T) {
	folder := t.TempDir()
	if handOver(folder, []string{"/m/a.gguf"}) {
		t.Fatal("paths were handed to nobody")
	}
	got := make(chan []string, 1)
	socket, err := takeOver(folder, func(paths []string) bool { got <- paths; return true })
	if err != nil {
		t.Fatal(err)
	}
	if !handOver(folder, []string{"a model.gguf"}) {
		t.Fatal("nobody took the paths")
	}
	here, _ := filepath.Abs("a model.gguf")
	if paths := <-got; !slices.Equal(paths, []string{here}) {
		t.Errorf("got %v, want %q", paths, here)
	}
	if err := socket.Close(); err != nil {
		t.Fatal(err)
	}
	if handOver(folder, nil) {
		t.Error("a closed Paddock still takes paths")
	}
}

// alongside is folders of a configuration, as config.Open makes them.
func alongside(t *testing.T) config.Folders {
	t.Helper()
	store, err := config.Open(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	return store.Folders()
}

func TestASecondLaunchOpensNoWindowAlsoWhereTheFirstOnesSocketIsGone(t *testing.T) {
	folders := alongside(t)
	first, err := alone(folders, nil, time.Minute)
	if err != nil || first == nil {
		t.Fatalf("got %v, %v", first, err)
	}
	defer first.Close()
	if err := os.RemoveAll(folders.Runtime); err != nil {
		t.Fatal(err)
	}
	second, err := alone(folders, []string{"/m/a.gguf"}, 0)
	var inUse *config.Error
	if second != nil || !errors.As(err, &inUse) || inUse.Problem != config.InUse {
		t.Fatalf("got %v, %v", second, err)
	}
	if said := words.Error(err).Text(); !strings.Contains(said, "already running with the folder "+folders.Config) {
		t.Errorf("it says %q", said)
	}
}

func TestASecondLaunchWaitsForAPaddockThatCloses(t *testing.T) {
	folders := alongside(t)
	first, err := alone(folders, nil, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	time.AfterFunc(200*time.Millisecond, func() { first.Close() })
	second, err := alone(folders, nil, time.Minute)
	if err != nil || second == nil {
		t.Fatalf("got %v, %v", second, err)
	}
	second.Close()
}

func TestASecondLaunchWaitsForAPaddockThatOpensItsWindow(t *testing.T) {
	folders := alongside(t)
	first, err := alone(folders, nil, time.Minute)
	if err != nil {
		t.Fatal(err)
	}
	defer first.Close()
	got := make(chan []string, 1)
	time.AfterFunc(200*time.Millisecond, func() {
		socket, err := takeOver(folders.Runtime, func(paths []string) bool { got <- paths; return true })
		if err != nil {
			t.Error(err)
			return
		}
		t.Cleanup(func() { socket.Close() })
	})
	second, err := alone(folders, []string{"/m/a.gguf"}, time.Minute)
	if err != nil || second != nil {
		t.Fatalf("got %v, %v", second, err)
	}
	if paths := <-got; !slices.Equal(paths, []string{"/m/a.gguf"}) {
		t.Errorf("got %v", paths)
	}
}

func TestWhereNothingCanBeLockedThereIsAWindowAllTheSame(t *testing.T) {
	folders := alongside(t)
	if err := os.Mkdir(filepath.Join(folders.Config, lockName), 0o700); err != nil {
		t.Fatal(err)
	}
	lock, err := alone(folders, nil, 0)
	if err != nil || lock == nil {
		t.Fatalf("got %v, %v", lock, err)
	}
	lock.Close()
}

func TestAClosingWindowTakesNothing(t *testing.T) {
	folder := t.TempDir()
	socket, err := takeOver(folder, func([]string) bool { return false })
	if err != nil {
		t.Fatal(err)
	}
	defer socket.Close()
	if handOver(folder, []string{"/m/a.gguf"}) {
		t.Error("paths were handed to a window that is closing")
	}
}

func TestClosingLeavesTheSocketOfALaterLaunch(t *testing.T) {
	folder := t.TempDir()
	take := func([]string) bool { return true }
	first, err := takeOver(folder, take)
	if err != nil {
		t.Fatal(err)
	}
	second, err := takeOver(folder, take)
	if err != nil {
		t.Fatal(err)
	}
	defer second.Close()
	first.Close()
	if !handOver(folder, nil) {
		t.Error("the later launch is not reached")
	}
}

func TestASocketLeftByACrashIsInNobodysWay(t *testing.T) {
	folder := t.TempDir()
	if err := os.WriteFile(socketPath(folder), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if handOver(folder, nil) {
		t.Error("a dead socket took paths")
	}
	socket, err := takeOver(folder, func([]string) bool { return true })
	if err != nil {
		t.Fatal(err)
	}
	socket.Close()
}

func TestATourSaysWhichStepsFailed(t *testing.T) {
	var out, errs bytes.Buffer
	good := app.Step{Name: "models", OK: true}
	bad := app.Step{Name: "load", Error: "there is not enough memory."}
	if err := tourResult([]app.Step{good}, "d", &out, &errs); err != nil || errs.Len() != 0 || !strings.Contains(out.String(), "d") {
		t.Errorf("a good tour: %v, %q, %q", err, &out, &errs)
	}
	if err := tourResult([]app.Step{good, bad}, "d", &out, &errs); err == nil || !strings.Contains(errs.String(), "load") || strings.Contains(errs.String(), "..") {
		t.Errorf("a bad tour: %v, %q", err, &errs)
	}
	if err := tourResult(nil, "d", &out, &errs); err == nil {
		t.Error("a tour without steps is a success")
	}
}

func TestTheLogIsSetAsideWhenItIsLarge(t *testing.T) {
	folder := t.TempDir()
	path := filepath.Join(folder, "paddock.log")
	if err := os.WriteFile(path, make([]byte, logLimit+1), 0o600); err != nil {
		t.Fatal(err)
	}
	openLog(folder, "", false)()
	if _, err := os.Stat(path + ".1"); err != nil {
		t.Error(err)
	}
	if info, err := os.Stat(path); err != nil || info.Size() != 0 {
		t.Errorf("the new log: %v, %v", info, err)
	}
	openLog(filepath.Join(folder, "paddock.log", "no folder"), "", false)() // and no panic
}

func TestWhatFyneSaysGoesToTheLog(t *testing.T) {
	folder := t.TempDir()
	defer openLog(folder, "", false)()
	fyne.LogError("no favourites", nil)
	deadline := time.Now().Add(5 * time.Second)
	for {
		text, err := os.ReadFile(filepath.Join(folder, "paddock.log"))
		if err == nil && strings.Contains(string(text), "no favourites") {
			return
		}
		if time.Now().After(deadline) {
			t.Fatalf("the log holds %q, %v", text, err)
		}
		time.Sleep(10 * time.Millisecond)
	}
}

func TestAnEngineWantedByAnIdNothingHasIsListedWithItsProblem(t *testing.T) {
	here := []build.Build{{ID: "bundled-11669"}}
	for wanted, want := range map[string]string{
		"": "", "bundled-11669": "", "/opt/llama": "", "bundled-1": string(build.UnknownID),
	} {
		builds := withWanted(here, wanted)
		if last := builds[len(builds)-1]; last.Problem != want || want != "" && last.ID != wanted {
			t.Errorf("wanted %q, there are %+v", wanted, builds)
		}
	}
}

func TestEnginesAreLookedForBesideTheProgramAndWhereTheUserSaid(t *testing.T) {
	p := places([]string{"/opt/a"}, "/opt/b")
	if !slices.Equal(p.Added, []string{"/opt/a", "/opt/b"}) || !p.Path || filepath.Base(p.Bundled) != "engine" {
		t.Errorf("got %+v", p)
	}
	if p := places(nil, "bundled-11669"); len(p.Added) != 0 {
		t.Errorf("an id is taken for a path: %+v", p)
	}
}
