package gguf_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"syscall"
	"testing"

	"paddock/engine/gguf"
)

func TestWhatIsNoFileIsNamed(t *testing.T) {
	dir := t.TempDir()
	pipe := filepath.Join(dir, "pipe.gguf")
	if err := syscall.Mkfifo(pipe, 0o600); err != nil {
		t.Fatal(err)
	}
	loop := filepath.Join(dir, "loop.gguf")
	if err := os.Symlink(loop, loop); err != nil {
		t.Fatal(err)
	}
	dangling := filepath.Join(dir, "dangling.gguf")
	if err := os.Symlink(filepath.Join(dir, "nowhere"), dangling); err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		name string
		path string
		want gguf.Problem
	}{
		{"a folder", dir, gguf.Directory},
		{"nothing", filepath.Join(dir, "nothing.gguf"), gguf.Missing},
		{"a link to nothing", dangling, gguf.Missing},
		{"a link to itself", loop, gguf.Unreadable},
		{"a pipe, which would wait for ever", pipe, gguf.Unreadable},
		{"a device", "/dev/zero", gguf.Unreadable},
		{"a path with a NUL", "a\x00b", gguf.Unreadable},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			_, err := gguf.Read(test.path)
			wantProblem(t, err, test.want)
		})
	}
}

func TestAFileWeMayNotReadIsNamed(t *testing.T) {
	dir := t.TempDir()
	file := filepath.Join(dir, "locked.gguf")
	if err := os.WriteFile(file, []byte("GGUF"), 0o000); err != nil {
		t.Fatal(err)
	}
	locked := filepath.Join(dir, "locked")
	if err := os.Mkdir(locked, 0o000); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{file, filepath.Join(locked, "inside.gguf")} {
		_, err := readAsNobody(path)
		wantProblem(t, err, gguf.Permission)
		if !errors.Is(err, fs.ErrPermission) {
			t.Errorf("%v does not wrap the system's error", err)
		}
	}
}

// readAsNobody reads a file without root's power to read everything, which tests
// often run with: on a thread whose file system user is nobody. Left locked, the
// thread ends with its goroutine.
func readAsNobody(path string) (gguf.Facts, error) {
	type result struct {
		facts gguf.Facts
		err   error
	}
	done := make(chan result)
	go func() {
		runtime.LockOSThread()
		if os.Geteuid() == 0 {
			const nobody = 65534
			syscall.RawSyscall(syscall.SYS_SETFSUID, nobody, 0, 0)
		}
		f, err := gguf.Read(path)
		done <- result{f, err}
	}()
	r := <-done
	return r.facts, r.err
}
