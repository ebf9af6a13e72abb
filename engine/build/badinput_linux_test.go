package build_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"paddock/engine/build"
	"paddock/engine/build/buildtest"
)

func TestAnEngineThatVanishedSinceItWasFoundIsMissing(t *testing.T) {
	program := fake(t, "exit 0\n")
	if err := os.Remove(program); err != nil {
		t.Fatal(err)
	}
	// Of a bundle the loader is still there, and can be started.
	bundle := t.TempDir()
	if err := os.Symlink(filepath.Join(filepath.Dir(buildtest.Engine(t).Path), "..", "lib"), filepath.Join(bundle, "lib")); err != nil {
		t.Fatal(err)
	}
	if err := os.Mkdir(filepath.Join(bundle, "bin"), 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(bundle, build.Manifest), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	for name, path := range map[string]string{
		"a program": program, "a bundle's": filepath.Join(bundle, "bin", "llama-server"),
	} {
		_, err := build.Build{Path: path}.Devices(t.Context())
		var e *build.Error
		if !errors.As(err, &e) || e.Problem != build.Missing || e.Path != path {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestABundleInAFolderWhoseNameLooksLikeAPatternHasItsLoader(t *testing.T) {
	whole := filepath.Join(filepath.Dir(buildtest.Engine(t).Path), "..")
	for _, name := range []string{"[a", "[a]"} {
		bundle := filepath.Join(t.TempDir(), name)
		if err := os.Mkdir(bundle, 0o700); err != nil {
			t.Fatal(err)
		}
		for _, part := range []string{"lib", "bin", build.Manifest} {
			if err := os.Symlink(filepath.Join(whole, part), filepath.Join(bundle, part)); err != nil {
				t.Fatal(err)
			}
		}
		cmd := build.Build{Path: filepath.Join(bundle, "bin", "llama-server")}.Command(t.Context(), "llama-server")
		if loader := filepath.Base(cmd.Path); !strings.HasPrefix(loader, "ld-linux") || cmd.Err != nil {
			t.Errorf("in %q it is started by %s, %v", name, loader, cmd.Err)
		}
	}
}
