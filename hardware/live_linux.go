package hardware

import "os"

// Live describes this machine.
func Live() Snapshot {
	return Read(os.DirFS("/"))
}
