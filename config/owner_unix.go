//go:build unix

package config

import (
	"io/fs"
	"os"
	"syscall"
)

// isOurs says whether the file belongs to the user we run as.
func isOurs(info fs.FileInfo) bool {
	stat, ok := info.Sys().(*syscall.Stat_t)
	return ok && int(stat.Uid) == os.Geteuid()
}
