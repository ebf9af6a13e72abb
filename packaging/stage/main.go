// Command stage lays out the files of Paddock's packages, as they lie on an
// installed system, in two folders: paddock, and paddock-vulkan with the engine's
// Vulkan backend, which is half of everything. What is generated (icons, the man
// page, completions, licences, the list of parts) comes from here too.
//
// Equal inputs give equal files: their times are all the commit's, and their
// modes do not depend on the umask.
package main

import (
	"debug/buildinfo"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"
)

// inputs are what packages are made of.
type inputs struct {
	source  string // the source tree
	program string // built for packages
	engine  string // the engine bundle
	modules string // what cyclonedx-gomod found in the program
	version string
	arch    string    // as Debian names it
	when    time.Time // of the commit
}

func main() {
	var in inputs
	var seconds int64
	flag.StringVar(&in.source, "source", ".", "the source tree")
	flag.StringVar(&in.program, "program", "", "the built program")
	flag.StringVar(&in.engine, "engine", "build/engine", "the engine bundle")
	flag.StringVar(&in.modules, "modules", "", "the program's modules, as cyclonedx-gomod writes them")
	flag.StringVar(&in.version, "version", "", "of Paddock")
	flag.StringVar(&in.arch, "arch", "amd64", "Debian's name of the architecture")
	flag.Int64Var(&seconds, "time", 0, "of the commit, in seconds since 1970")
	out := flag.String("out", "", "the folder to make, with one for each package in it")
	flag.Parse()
	in.when = time.Unix(seconds, 0).UTC()
	if err := stage(in, *out); err != nil {
		fmt.Fprintln(os.Stderr, "stage:", err)
		os.Exit(1)
	}
}

// stage makes the folders paddock and paddock-vulkan in out.
func stage(in inputs, out string) error {
	if err := os.RemoveAll(out); err != nil {
		return err
	}
	info, err := buildinfo.ReadFile(in.program)
	if err != nil {
		return err
	}
	app := tree{filepath.Join(out, "paddock"), in.when}
	vulkan := tree{filepath.Join(out, "paddock-vulkan"), in.when}
	for _, step := range []func() error{
		func() error { return programs(in, app, vulkan) },
		func() error { return desktop(in, app) },
		func() error { return icons(in, app) },
		func() error { return manual(in, app) },
		func() error { return completions(app) },
		func() error { return notices(in, info, app, vulkan) },
		func() error { return bill(in, app) },
		app.settle,
		vulkan.settle,
	} {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}

// Where things go.
const (
	home = "usr/lib/paddock" // of the program, with the engine beside it, where it looks
	docs = "usr/share/doc/"
	id   = "org.paddock.Paddock"
)

// backend is the one file of the bundle that is a package of its own.
const backend = "lib/libggml-vulkan.so"

func programs(in inputs, app, vulkan tree) error {
	if err := app.copy(in.program, home+"/paddock", 0o755); err != nil {
		return err
	}
	if err := app.link("../lib/paddock/paddock", "usr/bin/paddock"); err != nil {
		return err
	}
	for _, folder := range []string{"bin", "lib"} {
		files, err := os.ReadDir(filepath.Join(in.engine, folder))
		if err != nil {
			return err
		}
		for _, file := range files {
			name := folder + "/" + file.Name()
			info, err := os.Stat(filepath.Join(in.engine, name))
			if err != nil {
				return err
			}
			to := app
			if name == backend {
				to = vulkan
			}
			if err := to.copy(filepath.Join(in.engine, name), home+"/engine/"+name, 0o644|info.Mode()&0o111); err != nil {
				return err
			}
		}
	}
	return app.copy(filepath.Join(in.engine, "manifest"), home+"/engine/manifest", 0o644)
}

// desktop is what makes it a program of the desktop's: the menu, the type of
// its files, and its entry in software centres.
func desktop(in inputs, app tree) error {
	for name, to := range map[string]string{
		".desktop":      "usr/share/applications/",
		".xml":          "usr/share/mime/packages/",
		".metainfo.xml": "usr/share/metainfo/",
	} {
		text, err := os.ReadFile(filepath.Join(in.source, "packaging", "linux", id+name))
		if err != nil {
			return err
		}
		if err := app.write(to+id+name, in.filled(text)); err != nil {
			return err
		}
	}
	return nil
}
