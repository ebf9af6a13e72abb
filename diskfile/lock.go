package diskfile

import "errors"

// ErrLocked is the error of a file that another has locked.
var ErrLocked = errors.New("locked by another")
