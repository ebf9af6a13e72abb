package cli

import (
	"os"

	"golang.org/x/sys/windows"
)

// init joins the console of the launcher, paddock.com: a program with a window
// begins without one. Where output goes to a file or a pipe nothing is to be done.
// What Go knows of its standard files it looked up before there was a console.
func init() {
	if os.Getenv("PADDOCK_CONSOLE") == "" {
		return
	}
	os.Unsetenv("PADDOCK_CONSOLE") // the engine has no use for it
	const parent = ^uintptr(0)     // ATTACH_PARENT_PROCESS, -1
	attach := windows.NewLazySystemDLL("kernel32.dll").NewProc("AttachConsole")
	if done, _, _ := attach.Call(parent); done == 0 {
		return // there is none
	}
	os.Stdin = os.NewFile(uintptr(windows.Stdin), "stdin")
	os.Stdout = os.NewFile(uintptr(windows.Stdout), "stdout")
	os.Stderr = os.NewFile(uintptr(windows.Stderr), "stderr")
}
