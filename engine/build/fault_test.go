package build_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"paddock/engine/build"
	"paddock/engine/build/buildtest"
)

// fake writes a program that only answers as the engine does, for faults that a
// real one can't be made to have.
func fake(t *testing.T, script string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), "llama-server")
	buildtest.Program(t, path, "#!/bin/sh\n"+script)
	return path
}

const version = "[ \"$1\" = --version ] && { echo 'version: 9219 (0123abc)' >&2; exit 0; }\n"

func TestAPathThatIsNoUsableEngineSaysWhy(t *testing.T) {
	notExecutable := fake(t, version)
	if err := os.Chmod(notExecutable, 0o600); err != nil {
		t.Fatal(err)
	}
	foreign := filepath.Join(t.TempDir(), "llama-server")
	buildtest.Program(t, foreign, "\x7fELF, of another machine")
	noLoader := filepath.Join(t.TempDir(), "llama-server")
	buildtest.Program(t, noLoader, "#!/nowhere/sh\n")

	for name, test := range map[string]struct {
		path   string
		want   build.Problem
		detail string
	}{
		"nothing there":            {path: filepath.Join(t.TempDir(), "none"), want: build.Missing},
		"a file inside a file":     {path: filepath.Join(fake(t, ""), "none"), want: build.Unreadable},
		"a folder without engine":  {path: t.TempDir(), want: build.Folder},
		"not executable":           {path: notExecutable, want: build.NotExecutable},
		"a device":                 {path: os.DevNull, want: build.NotExecutable},
		"made for another machine": {path: foreign, want: build.WrongSystem},
		"its loader is not there":  {path: noLoader, want: build.WrongSystem},
		"exits at once": {
			path:   fake(t, "echo hello\necho 'error while loading shared libraries: libgomp.so.1' >&2\necho 'no error' >&2; exit 127\n"),
			want:   build.ExitsAtOnce,
			detail: "error while loading shared libraries: libgomp.so.1",
		},
		"killed by a signal at once": {path: fake(t, "kill -ABRT $$\n"), want: build.ExitsAtOnce},
		"says no version":            {path: fake(t, "echo 'a program'\n"), want: build.NoVersion, detail: "a program"},
		"was made without a number":  {path: fake(t, "echo 'version: 0 (unknown)'\n"), want: build.NoVersion, detail: "version: 0 (unknown)"},
		"can't list devices": {
			path:   fake(t, version+"echo 'error: invalid argument: --list-devices' >&2; exit 1\n"),
			want:   build.ListingFailed,
			detail: "error: invalid argument: --list-devices",
		},
		"crashes while listing devices": {path: fake(t, version+"kill -SEGV $$\n"), want: build.ListingCrashed},
		"crashes behind a shell":        {path: fake(t, version+"exit 139\n"), want: build.ListingCrashed},
	} {
		t.Run(name, func(t *testing.T) {
			b := build.Identify(t.Context(), test.path, build.Added)
			if b.Problem != string(test.want) || b.Proven {
				t.Fatalf("want %s, got %+v", test.want, b)
			}
			var e *build.Error
			if !errors.As(b.Err(), &e) || e.Problem != test.want {
				t.Fatalf("the error is %v", b.Err())
			}
			if test.detail != "" && e.Detail != test.detail {
				t.Errorf("detail %q, want %q", e.Detail, test.detail)
			}
			if !strings.Contains(e.Error(), filepath.Dir(test.path)) {
				t.Errorf("the error does not name the path: %v", e)
			}
		})
	}
}

func TestAnEngineThatHangsIsGivenUp(t *testing.T) {
	for name, script := range map[string]string{
		"when asked for its version":  "exec sleep 60\n",
		"when asked for its devices":  version + "exec sleep 60\n",
		"printing without an end":     "exec yes\n",
		"leaving its pipe to a child": "sleep 5 &\nwait\n",
	} {
		t.Run(name, func(t *testing.T) {
			path := fake(t, script)
			ctx, cancel := context.WithTimeout(t.Context(), 300*time.Millisecond)
			defer cancel()
			start := time.Now()
			b := build.Identify(ctx, path, build.Added)
			if b.Problem != string(build.TimedOut) {
				t.Errorf("got %+v", b)
			}
			if took := time.Since(start); took > 4*time.Second {
				t.Errorf("gave up after %v", took)
			}
		})
	}
}

func TestACrashWhileListingIsNotTheSameAsNoDevice(t *testing.T) {
	path := fake(t, version+"[ -e \"$0.broken\" ] && kill -SEGV $$\necho 'Available devices:'; echo '  (none)'\n")
	b := build.Identify(t.Context(), path, build.Added)
	if b.Problem != "" || !b.Proven {
		t.Fatalf("got %+v", b)
	}
	if devices, err := b.Devices(t.Context()); err != nil || len(devices) != 0 {
		t.Errorf("got %v, %v", devices, err)
	}
	if err := os.WriteFile(path+".broken", nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var e *build.Error
	if _, err := b.Devices(t.Context()); !errors.As(err, &e) || e.Problem != build.ListingCrashed {
		t.Errorf("got %v", err)
	}
}

func TestABuildWithoutChildModeIsUsable(t *testing.T) {
	path := fake(t, version+`[ "$2" = --list-devices ] && { echo 'Available devices:'; echo '  CUDA0: A card (8192 MiB, 8000 MiB free)'; exit 0; }
echo 'error: failed to load model' >&2; exit 1
`)
	b := build.Identify(t.Context(), path, build.Found)
	if b.ID != "found-9219" || b.Version != "b9219" || !b.Proven || b.ChildMode {
		t.Errorf("got %+v", b)
	}
	if got := strings.Join(b.Backends, " "); got != "CUDA CPU" {
		t.Errorf("backends %q", got)
	}
}

func TestAFolderMeansTheEngineInIt(t *testing.T) {
	good := "echo 'version: 9219 (0123abc)'\n"
	for _, inside := range []string{"bin", ".", "build/bin"} {
		t.Run(inside, func(t *testing.T) {
			folder := t.TempDir()
			want := filepath.Join(folder, inside, "llama-server")
			if err := os.MkdirAll(filepath.Dir(want), 0o700); err != nil {
				t.Fatal(err)
			}
			if err := os.Rename(fake(t, good), want); err != nil {
				t.Fatal(err)
			}
			if b := build.Identify(t.Context(), folder, build.Added); b.Path != want || b.Number != 9219 {
				t.Errorf("got %+v", b)
			}
		})
	}
}

// The system's own loader stands in /usr/lib where the programs in /usr/bin
// would have a bundle's: only the manifest makes a bundle.
func TestALoaderBesideAProgramDoesNotMakeABundle(t *testing.T) {
	folder := t.TempDir()
	for _, name := range []string{"bin", "lib"} {
		if err := os.Mkdir(filepath.Join(folder, name), 0o700); err != nil {
			t.Fatal(err)
		}
	}
	server := filepath.Join(folder, "bin", "llama-server")
	loader := filepath.Join(folder, "lib", "ld-linux-x86-64.so.2")
	for _, path := range []string{server, loader} {
		if err := os.WriteFile(path, nil, 0o700); err != nil {
			t.Fatal(err)
		}
	}
	b := build.Build{Path: server}
	if got := b.Command(t.Context(), "llama-server", "-v").Args; len(got) != 2 || got[0] != server {
		t.Errorf("without a manifest: %q", got)
	}
	if err := os.WriteFile(filepath.Join(folder, build.Manifest), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := b.Command(t.Context(), "llama-server", "-v").Args; len(got) != 5 || got[0] != loader {
		t.Errorf("with a manifest: %q", got)
	}
}

func TestFindTakesTheOneOnPath(t *testing.T) {
	path := fake(t, "echo 'version: 9219 (0123abc)'\n")
	t.Setenv("PATH", filepath.Dir(path)+":/usr/bin:/bin")
	builds := build.Find(t.Context(), build.Places{Bundled: filepath.Join(t.TempDir(), "engine"), Path: true})
	if len(builds) != 2 || builds[0].Problem != string(build.Missing) || builds[1].ID != "found-9219" {
		t.Errorf("got %+v", builds)
	}
}

func TestAPathIsToldFromAnID(t *testing.T) {
	t.Chdir(t.TempDir())
	if err := os.WriteFile("llama-server", nil, 0o700); err != nil {
		t.Fatal(err)
	}
	for given, want := range map[string]bool{
		"llama-server": true, "./gone": true, "/opt/gone": true, `gone\llama-server.exe`: true,
		"bundled-11669": false, "": false,
	} {
		if got := build.IsPath(given); got != want {
			t.Errorf("%q is a path: %v", given, got)
		}
	}
}

func TestChoose(t *testing.T) {
	bad := build.Identify(t.Context(), filepath.Join(t.TempDir(), "none"), build.Bundled)
	good := build.Build{ID: "found-9219"}
	for name, test := range map[string]struct {
		builds []build.Build
		id     string
		want   string
		err    build.Problem
	}{
		"the first that works":        {builds: []build.Build{bad, good}, want: "found-9219"},
		"by id":                       {builds: []build.Build{bad, good}, id: "found-9219", want: "found-9219"},
		"by id one that doesn't work": {builds: []build.Build{bad, good}, id: bad.ID, err: build.Missing},
		"an unknown id":               {builds: []build.Build{good}, id: "added-1", err: build.UnknownID},
		"none works":                  {builds: []build.Build{bad}, err: build.Missing},
		"there is none":               {err: build.NothingToChoose},
	} {
		t.Run(name, func(t *testing.T) {
			got, err := build.Choose(test.builds, test.id)
			if test.err == "" {
				if err != nil || got.ID != test.want {
					t.Errorf("got %+v, %v", got, err)
				}
				return
			}
			var e *build.Error
			if !errors.As(err, &e) || e.Problem != test.err {
				t.Errorf("want %s, got %v", test.err, err)
			}
		})
	}
}
