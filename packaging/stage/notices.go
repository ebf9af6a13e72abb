package main

import (
	"bytes"
	"debug/buildinfo"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"runtime/debug"
	"strings"
)

// notices collects the licence of everything in the packages: ours, that of each
// Go module in the program, that of Go, and those of the engine's packages.
func notices(in inputs, info *buildinfo.BuildInfo, app, vulkan tree) error {
	const folder = docs + "paddock/"
	for from, to := range map[string]string{
		"LICENSE": "licences/paddock", "THIRD_PARTY.md": "THIRD_PARTY.md", "packaging/linux/copyright": "copyright",
	} {
		if err := app.copy(filepath.Join(in.source, from), folder+to, 0o644); err != nil {
			return err
		}
	}
	if err := vulkan.copy(filepath.Join(in.engine, "licences", "libggml0-backend-vulkan"), docs+"paddock-vulkan/copyright", 0o644); err != nil {
		return err
	}
	if err := os.CopyFS(filepath.Join(app.root, folder, "licences", "engine"), os.DirFS(filepath.Join(in.engine, "licences"))); err != nil {
		return err
	}
	table, err := os.ReadFile(filepath.Join(in.source, "THIRD_PARTY.md"))
	if err != nil {
		return err
	}
	folders, err := moduleFolders(in.source)
	if err != nil {
		return err
	}
	var problems []error
	for _, module := range append([]*debug.Module{{Path: "Go"}}, info.Deps...) {
		if module.Path != "Go" && !named(table, module) {
			code := shipped(module)
			problems = append(problems, fmt.Errorf("THIRD_PARTY.md does not name %s %s", code.Path, code.Version))
		}
		problems = append(problems, moduleNotices(folders[module.Path], module.Path, app, folder+"licences/go/"))
	}
	return errors.Join(problems...)
}

// shipped is the module whose code is in the program: another one where go.mod
// replaces it. Its sources are listed under the name that was replaced.
func shipped(module *debug.Module) *debug.Module {
	if module.Replace != nil {
		return module.Replace
	}
	return module
}

// named says whether the table of what Paddock ships has a module, in this version.
func named(table []byte, module *debug.Module) bool {
	module = shipped(module)
	return bytes.Contains(table, []byte("| "+module.Path+" | "+module.Version+" |"))
}

// moduleFolders are where the sources of all modules lie, and Go's own.
func moduleFolders(source string) (map[string]string, error) {
	ask := func(args ...string) ([]byte, error) {
		cmd := exec.Command("go", args...)
		cmd.Dir, cmd.Stderr = source, os.Stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("go %s: %w", args[0], err)
		}
		return out, nil
	}
	root, err := ask("env", "GOROOT")
	if err != nil {
		return nil, err
	}
	out, err := ask("list", "-m", "-json", "all")
	if err != nil {
		return nil, err
	}
	folders := map[string]string{"Go": string(bytes.TrimSpace(root))}
	for d := json.NewDecoder(bytes.NewReader(out)); ; {
		var module struct{ Path, Dir string }
		err := d.Decode(&module)
		if err == io.EOF {
			return folders, nil
		}
		if err != nil {
			return nil, err
		}
		folders[module.Path] = module.Dir
	}
}

// noticeName is how files are called that a licence asks to be passed on.
var noticeName = regexp.MustCompile(`(?i)^(UN)?(LICEN[CS]E|COPYING|COPYRIGHT|NOTICE|PATENTS|OFL)([-_.].*)?$`)

// aside are folders of a module that are not in the program.
var aside = regexp.MustCompile(`(?i)^(testdata|_?examples?|docs?|cmd|test|misc|node_modules|\..*)$`)

// moduleNotices copies the notices of one module, also of what it has taken in
// from others. One without any is an error: nobody may ship it.
func moduleNotices(from, path string, app tree, to string) error {
	if from == "" {
		return fmt.Errorf("the sources of %s are not here: go mod download", path)
	}
	found := false
	err := filepath.WalkDir(from, func(file string, entry fs.DirEntry, err error) error {
		if err != nil {
			return err
		}
		name := entry.Name()
		switch {
		case entry.IsDir() && file != from && (aside.MatchString(name) || path == "Go"):
			return fs.SkipDir // of Go itself the top has it all
		case entry.IsDir() || !noticeName.MatchString(name) || strings.HasSuffix(name, ".go"):
			return nil
		}
		relative, err := filepath.Rel(from, file)
		if err != nil {
			return err
		}
		found = true
		return app.copy(file, to+path+"/"+filepath.ToSlash(relative), 0o644)
	})
	if err == nil && !found {
		err = fmt.Errorf("%s has no licence among its files", path)
	}
	return err
}
