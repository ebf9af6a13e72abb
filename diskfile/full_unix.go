//go:build unix

package diskfile

import (
	"errors"
	"syscall"
)

// Full says whether an error means that a disk, or a user's share of it, has no room.
func Full(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
