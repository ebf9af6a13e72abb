//go:build !windows

package images

import (
	"errors"
	"syscall"
)

// isFull reports whether a disk, or a user's share of it, has no room left.
func isFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
