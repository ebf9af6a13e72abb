// Launcher is paddock.com: the command line of Paddock on Windows. A program with
// a window, as paddock.exe, has no console: a shell neither shows what it says nor
// waits for it. Shells look for .com before .exe, so "paddock check ..." finds this
// one, which runs paddock.exe beside it, waits, and ends as that did.
package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"os/signal"
	"path/filepath"
	"strings"
)

// cannotRun is the exit status where paddock.exe can't be run, as of any failure.
const cannotRun = 1

func main() {
	self, err := os.Executable()
	if err != nil {
		fmt.Fprintln(os.Stderr, "Paddock can't find its own folder:", err)
		os.Exit(cannotRun)
	}
	os.Exit(run(beside(self), os.Args[1:]))
}

// beside is paddock.exe for the launcher's own path.
func beside(self string) string {
	return strings.TrimSuffix(self, filepath.Ext(self)) + ".exe"
}

// run runs a program on this console and is its exit status.
func run(program string, args []string) int {
	// Ctrl-C reaches both; it is the program's to end.
	signal.Ignore(os.Interrupt)
	cmd := exec.Command(program, args...)
	cmd.Stdin, cmd.Stdout, cmd.Stderr = os.Stdin, os.Stdout, os.Stderr
	cmd.Env = append(os.Environ(), "PADDOCK_CONSOLE=1")
	err := cmd.Run()
	var exit *exec.ExitError
	switch {
	case err == nil:
		return 0
	case errors.As(err, &exit):
		return exit.ExitCode()
	}
	fmt.Fprintf(os.Stderr, "%s can't be run: %v. Install Paddock again.\n", program, err)
	return cannotRun
}
