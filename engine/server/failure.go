package server

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"syscall"
	"time"

	"paddock/engine/gguf"
)

// A FailureKind is why there is no running engine. Its value is the key of the
// sentence for it; the key with ".remedy" is what to do.
type FailureKind string

// The kinds of failure.
const (
	EngineMissing       FailureKind = "server.engineMissing"       // there is no engine at the path
	NotExecutable       FailureKind = "server.notExecutable"       // the engine may not be run, or not on this system
	ExitedAtOnce        FailureKind = "server.exitedAtOnce"        // it ended before it looked at the model
	NeverReady          FailureKind = "server.neverReady"          // it stopped reporting anything while loading
	ModelMissing        FailureKind = "server.modelMissing"        // the file is not there (any more)
	ModelUnreadable     FailureKind = "server.modelUnreadable"     // the file may not be read
	ModelCorrupt        FailureKind = "server.modelCorrupt"        // not a GGUF, truncated, or damaged
	EngineIncomplete    FailureKind = "server.engineIncomplete"    // it has no part that computes on the processor
	UnknownArchitecture FailureKind = "server.unknownArchitecture" // this build does not know the model's kind
	TemplateBroken      FailureKind = "server.templateBroken"      // the chat template in the model's header
	MissingPart         FailureKind = "server.missingPart"         // a part of a split set is not there
	WrongKind           FailureKind = "server.wrongKind"           // a file that is no model by itself
	OutOfMemory         FailureKind = "server.outOfMemory"         // of the computer
	OutOfDeviceMemory   FailureKind = "server.outOfDeviceMemory"   // of a graphics card
	DeviceLost          FailureKind = "server.deviceLost"          // the graphics driver gave up
	UnsupportedSetting  FailureKind = "server.unsupportedSetting"  // the engine refuses a setting
	UnsupportedCPU      FailureKind = "server.unsupportedCPU"      // the build needs another processor
	LoadFailed          FailureKind = "server.loadFailed"          // for another reason the engine gives
	Killed              FailureKind = "server.killed"              // by somebody: often by the system, for memory
	FileLost            FailureKind = "server.fileLost"            // a part of a file could not be read while it was loaded; Path is that file where it is not the model
	Crashed             FailureKind = "server.crashed"             // by a signal, or an assertion
	Ended               FailureKind = "server.ended"               // by itself, after it was ready
	SocketGone          FailureKind = "server.socketGone"          // its socket in Path was deleted while it was ready
	SocketPathTooLong   FailureKind = "server.socketPathTooLong"   // Path is too long for a socket
	RuntimeFolder       FailureKind = "server.runtimeFolder"       // socket and key file can't be made in Path
	WrongModel          FailureKind = "server.wrongModel"          // another model answers
	ContextLowered      FailureKind = "server.contextLowered"      // GotTokens of the AskedTokens
	SettingIgnored      FailureKind = "server.settingIgnored"      // it runs with another Setting than asked for
	NotOnDevice         FailureKind = "server.notOnDevice"         // it runs on the processor although a device was chosen
	ProofFailed         FailureKind = "server.proofFailed"         // it loaded, and gave no sensible answer
	PictureFailed       FailureKind = "server.pictureFailed"       // it gave no sensible answer about a picture, or none after one
	VectorsFailed       FailureKind = "server.vectorsFailed"       // it loaded, and made no sound vectors
	ScoresFailed        FailureKind = "server.scoresFailed"        // it loaded, and gave no sound scores
	Cancelled           FailureKind = "server.cancelled"           // Start's context ended
)

// A Failure is why there is no running engine: what was tried, on which file,
// and the engine's own words. It is a start's error and what a crash leaves.
type Failure struct {
	Kind       FailureKind
	ModelPath  string
	EnginePath string
	Path       string   // the file or folder at fault when it is neither of these
	Reason     string   // the engine's own first line of an error, may be empty
	LastWords  []string // the end of its log
	ExitCode   int      // -1 when it did not end by itself
	Signal     string   // that ended it: "killed", "aborted"; empty when none did
	LogPath    string   // empty when there is no log file

	AskedTokens, GotTokens int    // of ContextLowered
	Setting                string // of SettingIgnored: the plan's, by its name in JSON

	Err error
}

func (f *Failure) Error() string {
	text := string(f.Kind)
	if f.ModelPath != "" {
		text += ": " + f.ModelPath
	}
	if f.Path != "" {
		text += " (" + f.Path + ")"
	}
	if f.Reason != "" {
		text += ": " + f.Reason
	}
	if f.Signal != "" {
		text += ": " + f.Signal
	}
	if f.Err != nil {
		text += ": " + f.Err.Error()
	}
	return text
}

func (f *Failure) Unwrap() error { return f.Err }

// illegalInstruction and killed are names signalOf gives.
const (
	illegalInstruction = "illegal instruction"
	killed             = "killed"
	busError           = "bus error" // what a file is mapped to is not there any more
)

// engineFailure is why there is no engine to start, nil when there is one. Where
// a loader is started that opens the engine, only this look tells.
func engineFailure(path string) *Failure {
	if _, err := os.Stat(path); errors.Is(err, fs.ErrNotExist) {
		return failed(EngineMissing, err)
	}
	return nil
}

// launchFailure is why the process could not be started.
func launchFailure(err error) *Failure {
	if errors.Is(err, syscall.ENOMEM) || errors.Is(err, syscall.EAGAIN) {
		return failed(OutOfMemory, err)
	}
	return failed(NotExecutable, err)
}

// modelFailure is why the model's file can't be loaded, nil when nothing speaks
// against it. It can be gone by the time the engine opens it.
func modelFailure(path string) *Failure {
	_, err := os.Stat(path)
	switch {
	case err == nil:
		return nil
	case errors.Is(err, fs.ErrNotExist):
		return failed(ModelMissing, err)
	}
	return failed(ModelUnreadable, err)
}

// exitFailure is why an engine that was not yet ready has ended.
func (i *Instance) exitFailure(loading bool) *Failure {
	state, evidence := i.process.cmd.ProcessState, i.journal.errors()
	f := &Failure{ExitCode: state.ExitCode(), Signal: signalOf(state)}
	f.Kind, f.Reason, f.Path = explain(evidence)
	switch {
	case f.Kind != "":
	case f.Signal == busError:
		f.Kind, f.Path = FileLost, i.cutFile()
	case f.Signal == killed:
		f.Kind = i.killed()
	case f.Signal == illegalInstruction:
		f.Kind = UnsupportedCPU
	case f.Signal != "":
		f.Kind = Crashed
	case loading:
		f.Kind = LoadFailed
	default:
		f.Kind = ExitedAtOnce
	}
	return f
}

// crashTime is how old a line of the log may be that tells why an engine ended.
const crashTime = 5 * time.Second

// crashFailure is why a proven engine has ended.
func (i *Instance) crashFailure() *Failure {
	state, evidence := i.process.cmd.ProcessState, i.journal.recentErrors(time.Now().Add(-crashTime))
	f := &Failure{Kind: Ended, ExitCode: state.ExitCode(), Signal: signalOf(state)}
	kind, reason, _ := explain(evidence)
	f.Reason = reason
	switch {
	case kind == OutOfMemory, kind == OutOfDeviceMemory, kind == DeviceLost:
		f.Kind = kind
	case f.Signal == busError:
		f.Kind, f.Path = FileLost, i.cutFile()
	case f.Signal == killed:
		f.Kind = i.killed()
	case f.Signal != "":
		f.Kind = Crashed
	}
	return f
}

// killed is why an engine was killed that had said nothing of memory: for
// memory, when the kernel has killed for it since the engine was started.
func (i *Instance) killed() FailureKind {
	if oomKills() > i.oomKills {
		return OutOfMemory
	}
	return Killed
}

// cutFile is the file beside the model that is not whole any more, empty when none
// shows it.
func (i *Instance) cutFile() string {
	p := i.options.Plan
	for _, path := range []string{p.DraftPath, p.Projector(), p.LoRAPath} {
		if path == "" {
			continue
		}
		if _, err := gguf.Read(path); err != nil {
			return path
		}
	}
	return ""
}

// cancelled is the failure of a start whose context has ended.
func cancelled(ctx context.Context) *Failure {
	return failed(Cancelled, context.Cause(ctx))
}

// complete adds to a failure what is known of the start.
func (i *Instance) complete(f *Failure) *Failure {
	f.ModelPath, f.EnginePath = i.options.Plan.ModelPath, i.options.Build.Path
	if i.journal != nil {
		f.LastWords, f.LogPath = i.journal.lastWords(), i.journal.path()
	}
	return f
}

// failed is a failure in which no process ended by itself.
func failed(kind FailureKind, err error) *Failure {
	return &Failure{Kind: kind, ExitCode: -1, Err: err}
}
