package gguftest_test

import (
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"paddock/engine/gguf/gguftest"
)

func TestALargeModelTakesNoSpace(t *testing.T) {
	path := filepath.Join(t.TempDir(), "large.gguf")
	file := gguftest.Large(1000, 16)
	if err := file.Write(path); err != nil {
		t.Fatal(err)
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.Size() < 1<<30 {
		t.Errorf("claims %d bytes", info.Size())
	}
	if used := blocks(t, info); used > 1<<20 {
		t.Errorf("takes %d bytes", used)
	}
}

// blocks is how many bytes of the disk a file takes.
func blocks(t *testing.T, info os.FileInfo) int64 {
	t.Helper()
	stat, ok := info.Sys().(*syscall.Stat_t)
	if !ok {
		t.Fatal("no stat of the file")
	}
	return stat.Blocks * 512
}
