package build

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
)

// Manifest is the name of the file in a bundle's folder that lists the packages
// it was made of. Where it stands, lib/ holds the bundle's own loader and C
// library, and its programs are started through them.
const Manifest = "manifest"

// Command is a call of llama-server or of a tool beside it ("llama-fit-params",
// "ggml-rpc-server"), not started yet. A bundle's programs go through its own
// loader, so that they run on older systems than they were made on. Nothing of
// the user's environment or files changes what the engine does.
func (b Build) Command(ctx context.Context, tool string, args ...string) *exec.Cmd {
	path := filepath.Join(filepath.Dir(b.Path), program(tool))
	if tool == "llama-server" {
		path = b.Path
	}
	lib := filepath.Join(filepath.Dir(path), "..", "lib")
	if loader := loader(lib); loader != "" {
		args = append([]string{"--library-path", lib, path}, args...)
		path = loader
	}
	cmd := exec.CommandContext(ctx, path, args...)
	cmd.Env = environment(os.Environ())
	return cmd
}

// loader is the dynamic loader of the bundle whose lib folder this is, empty
// when it is no bundle. A loader in lib/ is not enough: the system's own is in
// such a place too.
func loader(lib string) string {
	if _, err := os.Stat(filepath.Join(lib, "..", Manifest)); err != nil {
		return ""
	}
	entries, err := os.ReadDir(lib) // and not Glob, to which a folder is a pattern too
	if err != nil {
		return ""
	}
	for _, e := range entries {
		if is, _ := filepath.Match("ld-linux*.so.*", e.Name()); is {
			return filepath.Join(lib, e.Name())
		}
	}
	return ""
}

// environment is what the engine gets of ours. LLAMA_* are its settings by
// environment, MTMD_BACKEND_DEVICE moves a projector, and an XDG_CONFIG_HOME
// where nothing can be keeps it from a config.ini of the user: an empty one
// would not, it then looks in ~/.config. Without GGML_NO_BACKTRACE the output of
// a debugger buries the reason of a crash.
func environment(ours []string) []string {
	var env []string
	for _, entry := range ours {
		name, _, _ := strings.Cut(entry, "=")
		switch {
		case strings.HasPrefix(name, "LLAMA_"), name == "MTMD_BACKEND_DEVICE",
			name == "XDG_CONFIG_HOME", name == "GGML_NO_BACKTRACE":
		default:
			env = append(env, entry)
		}
	}
	return append(env, "XDG_CONFIG_HOME="+os.DevNull, "GGML_NO_BACKTRACE=1")
}
