package hardware

import (
	"fmt"
	"io/fs"
	"os"
)

// A Recording is a machine kept as files.
type Recording struct {
	Snapshot   Snapshot
	DeviceList string // what the engine's --list-devices printed there; empty when not recorded
}

// recordedParts are what a recording is made of. Each may be missing, but not all.
var recordedParts = []string{"sys", "proc", "nvidia-smi.csv", "list-devices.txt"}

// NoRecording is a folder that holds no recorded machine.
type NoRecording struct {
	Dir string
	Err error // why it can't be read, nil when nothing in it is a recording's
}

func (e *NoRecording) Error() string {
	if e.Err != nil {
		return fmt.Sprintf("recorded machine in %s: %v", e.Dir, e.Err)
	}
	return "no recorded machine in " + e.Dir
}

func (e *NoRecording) Unwrap() error { return e.Err }

// Recorded reads the machine in a folder: sys/ and proc/ trees, nvidia-smi.csv and
// list-devices.txt. The error is a *NoRecording.
func Recorded(dir string) (Recording, error) {
	if _, err := os.ReadDir(dir); err != nil {
		return Recording{}, &NoRecording{Dir: dir, Err: err}
	}
	root := os.DirFS(dir)
	for _, part := range recordedParts {
		if _, err := fs.Stat(root, part); err == nil {
			list, err := fs.ReadFile(root, "list-devices.txt")
			if err != nil {
				list = nil // it was not recorded
			}
			return Recording{Snapshot: Read(root), DeviceList: string(list)}, nil
		}
	}
	return Recording{}, &NoRecording{Dir: dir}
}
