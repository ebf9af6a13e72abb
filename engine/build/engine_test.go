package build_test

import (
	"bytes"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/build"
	"paddock/engine/build/buildtest"
)

func TestTheRealEngineIsIdentifiedAndProven(t *testing.T) {
	b := buildtest.Engine(t)
	if !b.Proven || b.Problem != "" {
		t.Errorf("not proven: %+v", b)
	}
	if b.Number < 11000 || b.Version == "" {
		t.Errorf("version %q, build %d", b.Version, b.Number)
	}
	if !strings.HasPrefix(b.ID, "bundled-1") {
		t.Errorf("id %q", b.ID)
	}
	for _, want := range []string{"RPC", "CPU"} {
		if !slices.Contains(b.Backends, want) {
			t.Errorf("no %s in the backends %q", want, b.Backends)
		}
	}
	if !b.ChildMode {
		t.Error("child mode was not seen")
	}
}

func TestASoftwareDeviceIsListedAndMarked(t *testing.T) {
	buildtest.Vulkan(t, 2)
	b := buildtest.Engine(t)
	if !slices.Contains(b.Backends, "Vulkan") {
		t.Errorf("no Vulkan in the backends %q", b.Backends)
	}
	devices, err := b.Devices(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	if len(devices) != 2 {
		t.Fatalf("want two devices, got %+v", devices)
	}
	for i, id := range []string{"Vulkan0", "Vulkan1"} {
		d := devices[i]
		if d.ID != id || !d.Software || d.TotalBytes == 0 || d.FreeBytes > d.TotalBytes {
			t.Errorf("device %d: %+v", i, d)
		}
	}
}

func TestNoDeviceIsNoError(t *testing.T) {
	t.Setenv("VK_DRIVER_FILES", filepath.Join(t.TempDir(), "none.json"))
	devices, err := buildtest.Engine(t).Devices(t.Context())
	if err != nil || len(devices) != 0 {
		t.Errorf("got %v, %v", devices, err)
	}
}

func TestEveryToolOfTheBundleStarts(t *testing.T) {
	b := buildtest.Engine(t)
	for _, tool := range []string{"llama-server", "llama-fit-params", "ggml-rpc-server"} {
		out, err := b.Command(t.Context(), tool, "--help").CombinedOutput()
		if !bytes.Contains(bytes.ToLower(out), []byte("usage")) {
			t.Errorf("%s: %v\n%s", tool, err, out)
		}
	}
}

// A config.ini in the home folder is read by the engine without a word, and so
// are its environment variables.
func TestTheUsersFilesAndVariablesDoNotReachTheEngine(t *testing.T) {
	home := t.TempDir()
	folder := filepath.Join(home, ".config", "llama.cpp")
	if err := os.MkdirAll(folder, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(folder, "config.ini"), []byte("[*]\nctx-size = 777\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	t.Setenv("HOME", home)
	t.Setenv("XDG_CONFIG_HOME", filepath.Join(home, ".config"))
	t.Setenv("LLAMA_ARG_CTX_SIZE", "888")
	b := buildtest.Engine(t)
	args := []string{"-lv", "5", "-m", filepath.Join(home, "none.gguf"), "--host", "127.0.0.1", "--port", "0"}

	unguarded := b.Command(t.Context(), "llama-server", args...)
	unguarded.Env = os.Environ()
	if out := output(t, unguarded); !strings.Contains(out, "config.ini") {
		t.Fatalf("the engine did not read the planted file, so that this test shows nothing:\n%s", out)
	}
	if out := output(t, b.Command(t.Context(), "llama-server", args...)); strings.Contains(out, "config.ini") {
		t.Errorf("the user's file was read:\n%s", out)
	}
}

// output is what a command that is meant to fail prints.
func output(t *testing.T, cmd *exec.Cmd) string {
	t.Helper()
	out, err := cmd.CombinedOutput()
	if _, failed := err.(*exec.ExitError); !failed {
		t.Fatalf("want an exit with an error, got %v", err)
	}
	return string(out)
}

func TestFindPrefersTheBundleAndListsAProgramOnce(t *testing.T) {
	path := buildtest.Path(t)
	server := buildtest.Engine(t).Path
	gone := filepath.Join(t.TempDir(), "gone")
	t.Setenv("PATH", t.TempDir())
	builds := build.Find(t.Context(), build.Places{Bundled: path, Path: true, Added: []string{server, gone}})
	if len(builds) != 2 {
		t.Fatalf("want the bundle and the missing one, got %+v", builds)
	}
	if builds[0].Source != build.Bundled || builds[0].Problem != "" {
		t.Errorf("first: %+v", builds[0])
	}
	if builds[1].Path != gone || builds[1].Problem != string(build.Missing) {
		t.Errorf("second: %+v", builds[1])
	}
}

// without is the bundle without the files of a pattern in its lib folder.
func without(t *testing.T, pattern string) string {
	t.Helper()
	whole, dir := buildtest.Path(t), t.TempDir()
	if err := os.Symlink(filepath.Join(whole, build.Manifest), filepath.Join(dir, build.Manifest)); err != nil {
		t.Fatal(err)
	}
	left := 0
	for _, folder := range []string{"bin", "lib"} {
		if err := os.Mkdir(filepath.Join(dir, folder), 0o700); err != nil {
			t.Fatal(err)
		}
		files, err := os.ReadDir(filepath.Join(whole, folder))
		if err != nil {
			t.Fatal(err)
		}
		for _, file := range files {
			if gone, err := filepath.Match(pattern, file.Name()); err != nil {
				t.Fatal(err)
			} else if gone {
				left++
				continue
			}
			if err := os.Link(filepath.Join(whole, folder, file.Name()), filepath.Join(dir, folder, file.Name())); err != nil {
				data, err := os.ReadFile(filepath.Join(whole, folder, file.Name()))
				if err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, folder, file.Name()), data, 0o700); err != nil {
					t.Fatal(err)
				}
			}
		}
	}
	if left == 0 {
		t.Fatalf("the bundle has no %s", pattern)
	}
	return dir
}

func TestAnEngineWithoutItsProcessorsPartIsIncomplete(t *testing.T) {
	b := build.Identify(t.Context(), without(t, "libggml-cpu-*"), build.Added)
	var e *build.Error
	if b.Problem != string(build.Incomplete) || b.Proven || !errors.As(b.Err(), &e) || e.Path != b.Path {
		t.Errorf("got %+v, %v", b, b.Err())
	}
	if other := build.Identify(t.Context(), without(t, "libggml-vulkan*"), build.Added); other.Problem != "" || !other.Proven {
		t.Errorf("without its part for cards: %+v", other)
	}
}
