package build

import (
	"context"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
)

// Places are where to look for builds.
type Places struct {
	Bundled string   // folder of the bundle shipped with the program, empty when there is none
	Path    bool     // look for llama-server on PATH too
	Added   []string // paths the user gave: an executable, or a folder that holds one
}

// Find identifies the build of every place, in the order of preference. Places
// that turn out unusable are in the answer too, with their Problem: a missing
// bundle is something to tell. One program reached by two ways is listed once.
func Find(ctx context.Context, places Places) []Build {
	type place struct {
		path   string
		source Source
	}
	var all []place
	if places.Bundled != "" {
		all = append(all, place{places.Bundled, Bundled})
	}
	if places.Path {
		if path, err := exec.LookPath("llama-server"); err == nil {
			all = append(all, place{path, Found})
		}
	}
	for _, path := range places.Added {
		all = append(all, place{path, Added})
	}

	builds := make([]Build, len(all))
	var wait sync.WaitGroup
	for i, p := range all {
		wait.Go(func() { builds[i] = Identify(ctx, p.path, p.source) })
	}
	wait.Wait()

	seen := map[string]bool{}
	once := builds[:0]
	for _, b := range builds {
		real, err := filepath.EvalSymlinks(b.Path)
		if err != nil {
			real = b.Path
		}
		if !seen[real] {
			seen[real] = true
			once = append(once, b)
		}
	}
	return once
}

// IsPath tells the path of a build from the id of one, as a user may give either:
// it is there, or written like one.
func IsPath(given string) bool {
	if _, err := os.Stat(given); err == nil {
		return true
	}
	return strings.ContainsAny(given, `/\`)
}

// Choose is the build with this id, or with an empty id the first that works.
// The error is a *Error.
func Choose(builds []Build, id string) (Build, error) {
	if id != "" {
		for _, b := range builds {
			if b.ID == id {
				return b, b.Err()
			}
		}
		return Build{}, &Error{Problem: UnknownID, Path: id}
	}
	for _, b := range builds {
		if b.Problem == "" {
			return b, nil
		}
	}
	if len(builds) == 0 {
		return Build{}, &Error{Problem: NothingToChoose}
	}
	return builds[0], builds[0].Err()
}

// resolve is the llama-server a path means: itself, or the one in a folder, as
// bundles (bin/), llama.cpp's own build trees (bin/) and its release archives
// (flat) lay it out.
func resolve(path string) (string, *Error) {
	info, err := os.Stat(path)
	if os.IsNotExist(err) {
		return path, &Error{Problem: Missing, Path: path, Err: err}
	}
	if err != nil {
		return path, &Error{Problem: Unreadable, Path: path, Err: err}
	}
	if info.IsDir() {
		folder := path
		for _, name := range []string{
			filepath.Join("bin", program("llama-server")),
			program("llama-server"),
			filepath.Join("build", "bin", program("llama-server")),
		} {
			path = filepath.Join(folder, name)
			if info, err = os.Stat(path); err == nil && !info.IsDir() {
				break
			}
		}
		if err != nil || info.IsDir() {
			return folder, &Error{Problem: Folder, Path: folder, Err: err}
		}
	}
	if !info.Mode().IsRegular() || runtime.GOOS != "windows" && info.Mode()&0o111 == 0 {
		return path, &Error{Problem: NotExecutable, Path: path}
	}
	return path, nil
}

// program is the file name of a program on this system.
func program(name string) string {
	if runtime.GOOS == "windows" {
		return name + ".exe"
	}
	return name
}
