package buildtest

import (
	"os"
	"syscall"
	"testing"
)

// Program writes a program, here a script with all its text, that a test is to run.
//
// While it is written no process is started: one that is just being started has the
// file open too, for a moment longer, and the system refuses to run a program that is
// open for writing ("text file busy").
func Program(t testing.TB, path, text string) {
	t.Helper()
	syscall.ForkLock.RLock()
	err := os.WriteFile(path, []byte(text), 0o755)
	syscall.ForkLock.RUnlock()
	if err != nil {
		t.Fatal(err)
	}
}
