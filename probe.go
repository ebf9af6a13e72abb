package main

import (
	"errors"
	"fmt"
	"os"
	"os/exec"
	"runtime"
	"strings"
	"time"

	"github.com/go-gl/gl/v2.1/gl"
	"github.com/go-gl/glfw/v3.4/glfw"

	"paddock/words"
)

// A displayError is why no window can be opened. Its value is the key of the
// sentence for it.
type displayError string

const (
	noDisplay displayError = "main.noDisplay" // there is no screen to draw on
	noOpenGL  displayError = "main.noOpenGL"  // the screen has no OpenGL
)

func (e displayError) Error() string { return string(e) }

// Sentence is what a person reads of it.
func (e displayError) Sentence() words.Sentence { return words.Of(string(e), nil) }

// probe opens and closes a hidden window of 10 pixels the way Fyne is going to,
// and says what draws it. Where that fails Fyne would panic, or hang without a
// window. It belongs to the main thread.
func probe() (renderer string, err error) {
	if isLinux() && os.Getenv("DISPLAY") == "" && os.Getenv("WAYLAND_DISPLAY") == "" {
		return "", noDisplay
	}
	defer func() {
		if r := recover(); r != nil {
			err = errors.Join(noOpenGL, fmt.Errorf("probe: %v", r))
		}
	}()
	runtime.LockOSThread()
	if isLinux() && os.Getenv("WAYLAND_DISPLAY") == "" && os.Getenv("WAYLAND_SOCKET") == "" {
		// Its library would be tried first, and complain on stderr in words of its own.
		glfw.InitHint(glfw.PlatformHint, int(glfw.PlatformX11))
	}
	if err := glfw.Init(); err != nil {
		return "", errors.Join(noDisplay, err)
	}
	defer glfw.Terminate()
	glfw.WindowHint(glfw.Visible, glfw.False)
	glfw.WindowHint(glfw.ContextVersionMajor, 2)
	glfw.WindowHint(glfw.ContextVersionMinor, 1)
	window, err := glfw.CreateWindow(10, 10, "Paddock", nil, nil)
	if err != nil {
		return "", errors.Join(noOpenGL, err)
	}
	defer window.Destroy()
	window.MakeContextCurrent()
	if err := gl.Init(); err != nil {
		return "", errors.Join(noOpenGL, err)
	}
	return gl.GoStr(gl.GetString(gl.RENDERER)), nil
}

func isLinux() bool { return runtime.GOOS == "linux" }

// shown shows why there is no window in a dialog of the desktop's, where it can:
// who started Paddock from a menu sees no terminal. It returns the error, which
// the command line tells.
func shown(err error) error {
	if err == nil || errors.Is(err, errTour) {
		return err
	}
	sentence := words.Error(err)
	var display displayError
	if errors.As(err, &display) {
		sentence = display.Sentence()
	}
	for _, dialog := range dialogs(sentence.Text()) {
		if openDialog(dialog) {
			break
		}
	}
	return err
}

// dialogTime is how long a dialog that can't open takes to say so.
const dialogTime = 500 * time.Millisecond

// openDialog runs a command that shows a dialog and says whether it did. The
// dialog stays open when Paddock has ended.
func openDialog(command []string) bool {
	path, err := exec.LookPath(command[0])
	if err != nil {
		return false
	}
	cmd := exec.Command(path, command[1:]...)
	if cmd.Start() != nil {
		return false
	}
	ended := make(chan error, 1)
	go func() { ended <- cmd.Wait() }()
	select {
	case err := <-ended:
		return err == nil
	case <-time.After(dialogTime):
		return true
	}
}

// dialogs are commands that show a sentence, in the order of preference.
func dialogs(sentence string) [][]string {
	return [][]string{
		{"zenity", "--error", "--no-markup", "--title=Paddock", "--text=" + sentence},
		{"kdialog", "--title", "Paddock", "--error", sentence},
		{"xmessage", "-center", wrapped(sentence, 60)}, // wraps nothing itself
	}
}

// wrapped breaks a text into lines of at most so many bytes, where a word
// allows it.
func wrapped(text string, most int) string {
	var lines []string
	for _, word := range strings.Fields(text) {
		if last := len(lines) - 1; last >= 0 && len(lines[last])+1+len(word) <= most {
			lines[last] += " " + word
		} else {
			lines = append(lines, word)
		}
	}
	return strings.Join(lines, "\n")
}
