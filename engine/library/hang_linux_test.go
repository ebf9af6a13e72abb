package library

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"syscall"
	"testing"
	"time"
)

// TestARealMountThatHangs mounts a FUSE file system whose daemon never answers,
// where the test may: it needs root. What the scan does about it is tested without,
// in the tests above; here it is tested that the system hangs as they think.
func TestARealMountThatHangs(t *testing.T) {
	dir := t.TempDir()
	mount := filepath.Join(dir, "mount")
	if err := os.Mkdir(mount, 0o755); err != nil {
		t.Fatal(err)
	}
	small(t, filepath.Join(dir, "z.gguf"))
	fuse, err := os.OpenFile("/dev/fuse", os.O_RDWR, 0)
	if err == nil {
		options := fmt.Sprintf("fd=%d,rootmode=40000,user_id=%d,group_id=%d", fuse.Fd(), os.Geteuid(), os.Getegid())
		if err = syscall.Mount("paddock-test", mount, "fuse", syscall.MS_NOSUID|syscall.MS_NODEV, options); err != nil {
			fuse.Close()
		}
	}
	mounted := err == nil
	if mounted {
		t.Cleanup(func() {
			fuse.Close() // whoever waits is told that the mount is gone
			if err := syscall.Unmount(mount, syscall.MNT_DETACH); err != nil {
				t.Error(err)
			}
		})
	} else {
		t.Logf("no file system can be mounted here: %v", err)
	}

	start := time.Now()
	found := 0
	scanner := &Scanner{Patience: 200 * time.Millisecond}
	err = scanner.Scan(t.Context(), Sources{Folders: []string{dir, mount}}, func(Model) { found++ })
	var folder *FolderError
	if hangs := errors.As(err, &folder) && folder.Kind == FolderNoAnswer && folder.Path == mount; hangs != mounted || found != 1 {
		t.Errorf("mounted %v: %d found, %v", mounted, found, err)
	}
	if took := time.Since(start); took > 5*time.Second {
		t.Errorf("it took %v", took)
	}
}
