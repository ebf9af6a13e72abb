package main

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"testing"
)

// TestMain is the program that the launcher runs, when the launcher runs it.
func TestMain(m *testing.M) {
	if os.Getenv("PADDOCK_CONSOLE") == "1" && len(os.Args) > 1 && os.Args[1] == "end" {
		var status int
		fmt.Sscan(os.Args[2], &status)
		if !slices.Equal(os.Args[3:], []string{"my módel.gguf", `say "hi"`}) {
			status = 99
		}
		os.Exit(status)
	}
	os.Exit(m.Run())
}

func TestTheLauncherEndsAsTheProgramDid(t *testing.T) {
	self, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	for _, status := range []int{0, 1, 3, 4} {
		if got := run(self, []string{"end", fmt.Sprint(status), "my módel.gguf", `say "hi"`}); got != status {
			t.Errorf("status %d, want %d", got, status)
		}
	}
}

func TestALauncherWithoutItsProgramFails(t *testing.T) {
	if got := run(filepath.Join(t.TempDir(), "paddock.exe"), nil); got != cannotRun {
		t.Errorf("status %d", got)
	}
}

func TestTheProgramIsBesideTheLauncher(t *testing.T) {
	dir := t.TempDir()
	if got := beside(filepath.Join(dir, "paddock.com")); got != filepath.Join(dir, "paddock.exe") {
		t.Errorf("got %s", got)
	}
}
