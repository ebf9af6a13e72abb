// Package build finds engine builds (llama-server and the tools beside it) and
// says what each one is.
package build

// A Source says how a build came to be known.
type Source string

// The sources, in the order in which they are preferred.
const (
	Bundled Source = "bundled" // shipped beside the program
	Found   Source = "found"   // on PATH
	Added   Source = "added"   // a path the user gave
)

// A Build is one llama-server on this machine. Identify makes it.
type Build struct {
	ID        string   `json:"id"`   // stable for a path and number: "bundled-11669"
	Path      string   `json:"path"` // of llama-server
	Version   string   `json:"version"`
	Number    int      `json:"build"` // llama.cpp's build number
	Backends  []string `json:"backends"`
	Source    Source   `json:"source"`
	Proven    bool     `json:"proven"`    // its self-test passed: it ran, named itself and listed its devices
	ChildMode bool     `json:"childMode"` // the self-test saw it report the progress of loading on stdout
	Problem   string   `json:"problem"`   // why it can't be used, a Problem and text key; empty when it can

	failure *Error // the whole of Problem
}

// Err is why the build can't be used, a *Error, or nil when it can.
func (b Build) Err() error {
	if b.failure == nil {
		return nil
	}
	return b.failure
}

// A Device is one line of --list-devices. The CPU is never listed there.
type Device struct {
	ID         string // "Vulkan0"
	Name       string
	TotalBytes uint64
	FreeBytes  uint64
	Software   bool // drawn by the processor (llvmpipe, SwiftShader): for tests, never a default
}
