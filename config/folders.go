package config

import (
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/adrg/xdg"
)

// runtimeLimit is how long the path of the runtime folder may be, in bytes. The
// path of a Unix socket has 107; the rest is for the names in the folder.
const runtimeLimit = 80

// folders are the XDG ones, or with a dir all under it. Nothing is made yet and
// Runtime is not decided.
func folders(dir string) (f Folders, runtime string) {
	if dir != "" {
		return Folders{
			Config: dir,
			Data:   filepath.Join(dir, "data"),
			Cache:  filepath.Join(dir, "cache"),
			Log:    filepath.Join(dir, "log"),
		}, filepath.Join(dir, "run")
	}
	xdg.Reload()
	// Without a session there is no runtime folder, and it is not ours to make.
	if _, err := os.Stat(xdg.RuntimeDir); err == nil {
		runtime = filepath.Join(xdg.RuntimeDir, "paddock")
	}
	return Folders{
		Config: filepath.Join(xdg.ConfigHome, "paddock"),
		Data:   filepath.Join(xdg.DataHome, "paddock"),
		Cache:  filepath.Join(xdg.CacheHome, "paddock"),
		Log:    filepath.Join(xdg.StateHome, "paddock"),
	}, runtime
}

// runtimeFolder makes the folder for sockets and keys: the wanted one, or when
// that is too long for a socket, or can't be private, one in a folder for
// temporary files that is always the same for this config folder. When somebody
// else has taken that name it is one that nobody could foresee.
func runtimeFolder(wanted, configFolder string, temporary ...string) (string, error) {
	paths := []string{wanted}
	name := fmt.Sprintf("paddock-%x", sha256.Sum256([]byte(configFolder)))[:20]
	for _, folder := range temporary {
		paths = append(paths, filepath.Join(folder, name))
	}
	for _, folder := range temporary {
		paths = append(paths, filepath.Join(folder, "paddock-"+rand.Text()[:12]))
	}
	var tried []error
	for _, path := range paths {
		if path == "" {
			continue
		}
		err := fmt.Errorf("%s is too long for a socket", path)
		if len(path) <= runtimeLimit {
			err = makePrivate(path)
		}
		if err == nil {
			return path, nil
		}
		tried = append(tried, err)
	}
	return "", &Error{Problem: NoRuntime, Path: wanted, Err: errors.Join(tried...)}
}

// makePrivate makes a folder that only its owner, us, can enter.
func makePrivate(path string) error {
	if err := os.MkdirAll(path, 0o700); err != nil {
		return err
	}
	info, err := os.Lstat(path)
	if err != nil {
		return err
	}
	if !info.IsDir() || !isOurs(info) {
		return fmt.Errorf("%s is not a folder of ours", path)
	}
	return os.Chmod(path, 0o700)
}
