//go:build unix

package document_test

import (
	"os"
	"path/filepath"
	"slices"
	"syscall"
	"testing"

	"paddock/engine/embed/document"
)

func TestAPipeIsListedAsAProblemAndNotOpened(t *testing.T) {
	root := tree(t, "a.txt")
	if err := syscall.Mkfifo(filepath.Join(root, "pipe"), 0o600); err != nil {
		t.Fatal(err)
	}
	names, problems := list(t, document.Patterns{}, root)
	if !slices.Equal(names, []string{"a.txt"}) || !slices.Equal(problems, []string{"notAFile pipe"}) {
		t.Errorf("%q, %q", names, problems)
	}
	_, _, errs := readAll(t, filepath.Join(root, "pipe"), document.Options{})
	if errs[0].Problem != document.NotAFile {
		t.Error(errs)
	}
}

func TestAFolderThatMayNotBeReadIsListedAsAProblem(t *testing.T) {
	root := tree(t, "a/x.txt", "b.txt")
	folder := filepath.Join(root, "a")
	if err := os.Chmod(folder, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = os.Chmod(folder, 0o755) }) // so that it can be removed
	want := []string{"unreadable a"}
	if os.Geteuid() == 0 { // who may read everything
		want = nil
	}
	_, problems := list(t, document.Patterns{}, root)
	if !slices.Equal(problems, want) {
		t.Errorf("%q", problems)
	}
}
