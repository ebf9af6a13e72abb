package embed

import (
	"errors"
	"syscall"
)

// isDiskFull says whether an error of the system means that: ERROR_HANDLE_DISK_FULL
// or ERROR_DISK_FULL.
func isDiskFull(err error) bool {
	return errors.Is(err, syscall.Errno(39)) || errors.Is(err, syscall.Errno(112))
}
