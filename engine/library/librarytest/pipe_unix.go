//go:build unix

package librarytest

import (
	"path/filepath"
	"syscall"
)

// makePipe makes a named pipe, which whoever opens it waits at for ever.
func makePipe(folder, name string) (made bool, err error) {
	err = syscall.Mkfifo(filepath.Join(folder, name), 0o600)
	return err == nil, err
}
