package diskfile

import (
	"errors"

	"golang.org/x/sys/windows"
)

// Full says whether an error means that a disk has no room.
func Full(err error) bool {
	return errors.Is(err, windows.ERROR_DISK_FULL) || errors.Is(err, windows.ERROR_HANDLE_DISK_FULL)
}
