package library

import (
	"context"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Usual is a folder of the user's, none of an app's, that has GGUF files.
type Usual struct {
	Folder string
	Files  int // at most usualFiles are counted
}

// How far it is looked: a folder of downloads may hold anything.
const (
	usualDepth   = 3    // folders below the folder itself
	usualEntries = 5000 // of files and folders in each
	usualFiles   = 999
)

// UsualFolders are where people keep models themselves, whether or not they are
// there.
func UsualFolders(env Environment) []string {
	if env.Get == nil {
		env.Get = func(string) string { return "" }
	}
	var folders []string
	for _, name := range []string{"models", "Models", "llm", "LLM", "llms", "gguf", "GGUF", "ai", "AI"} {
		folders = append(folders, env.join(env.Home, name))
	}
	folders = append(folders, env.downloads(), env.join(env.documents(), "models"), env.join(env.documents(), "Models"))
	if env.OS == "linux" {
		folders = append(folders, "/models", "/opt/models", "/srv/models")
	}
	return distinct(folders)
}

// FindUsual looks which of some folders have GGUF files, by their names alone. It
// waits for disks that answer slowly, until ctx ends.
func FindUsual(ctx context.Context, folders []string) []Usual {
	var found []Usual
	var infos []fs.FileInfo
	for _, folder := range folders {
		info, err := os.Stat(folder)
		if err != nil || !info.IsDir() || sameAsAny(info, infos) {
			continue
		}
		if files := countGGUF(ctx, folder); files > 0 {
			infos = append(infos, info)
			found = append(found, Usual{folder, files})
		}
	}
	return found
}

// sameAsAny is for systems where Models and models are one folder, and for links.
func sameAsAny(info fs.FileInfo, others []fs.FileInfo) bool {
	for _, other := range others {
		if os.SameFile(info, other) {
			return true
		}
	}
	return false
}

// countGGUF counts files by their names. Hidden folders are apps', and links may
// lead anywhere.
func countGGUF(ctx context.Context, root string) int {
	files, entries := 0, 0
	_ = filepath.WalkDir(root, func(path string, entry fs.DirEntry, err error) error {
		entries++
		switch {
		case ctx.Err() != nil, entries > usualEntries, files >= usualFiles:
			return filepath.SkipAll
		case err != nil: // not to be read
			return fs.SkipDir
		case path == root:
		case entry.IsDir():
			below, _ := filepath.Rel(root, path)
			if strings.HasPrefix(entry.Name(), ".") || strings.Count(below, string(filepath.Separator)) >= usualDepth {
				return fs.SkipDir
			}
		case strings.EqualFold(filepath.Ext(path), ".gguf"):
			files++
		}
		return nil
	})
	return files
}

// downloads is where browsers put files.
func (e Environment) downloads() string { return e.userFolder("XDG_DOWNLOAD_DIR", "Downloads") }

// documents is where people put files.
func (e Environment) documents() string { return e.userFolder("XDG_DOCUMENTS_DIR", "Documents") }

// userFolder is one of the folders a desktop makes for a user. On Linux it has a
// name in the user's language, which user-dirs.dirs tells: lines of a shell, as
// XDG_DOWNLOAD_DIR="$HOME/Téléchargements". Source: xdg-user-dirs.
func (e Environment) userFolder(variable, name string) string {
	if e.OS == "linux" {
		for line := range strings.Lines(string(e.read(e.join(e.config(), "user-dirs.dirs")))) {
			if value, ok := strings.CutPrefix(strings.TrimSpace(line), variable+"="); ok {
				value = strings.Trim(value, `"`)
				if rest, ok := strings.CutPrefix(value, "$HOME"); ok {
					value = e.Home + rest
				}
				if folder := e.absolute(value); folder != "" && folder != e.join(e.Home) {
					return folder
				}
			}
		}
	}
	return e.join(e.Home, name)
}
