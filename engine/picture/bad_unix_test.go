//go:build unix

package picture_test

import (
	"path/filepath"
	"syscall"
	"testing"

	"paddock/engine/picture"
)

func TestAPipeIsNotWaitedFor(t *testing.T) {
	path := filepath.Join(t.TempDir(), "pipe.png")
	if err := syscall.Mkfifo(path, 0o600); err != nil {
		t.Fatal(err)
	}
	if got := failure(t, picture.Source{Path: path}); got.Problem != picture.Unreadable {
		t.Error(got)
	}
}
