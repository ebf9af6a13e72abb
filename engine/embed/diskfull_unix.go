//go:build unix

package embed

import (
	"errors"
	"syscall"
)

// isDiskFull says whether an error of the system means that.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.ENOSPC) || errors.Is(err, syscall.EDQUOT)
}
