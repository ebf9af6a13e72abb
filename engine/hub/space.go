package hub

import (
	"os"
	"path/filepath"

	"github.com/shirou/gopsutil/v4/disk"
)

// FreeBytes is how much room the disk of a folder has, also of one that is still
// to be made.
func FreeBytes(folder string) (uint64, error) {
	for {
		if _, err := os.Stat(folder); err == nil {
			break
		}
		above := filepath.Dir(folder)
		if above == folder {
			break
		}
		folder = above
	}
	usage, err := disk.Usage(folder)
	if err != nil {
		return 0, err
	}
	return usage.Free, nil
}
