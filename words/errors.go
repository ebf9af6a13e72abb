package words

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"regexp"
	"runtime"
	"strconv"
	"strings"

	"paddock/config"
	"paddock/engine"
	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/chat"
	"paddock/engine/client"
	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
	"paddock/engine/gguf"
	"paddock/engine/hub"
	"paddock/engine/library"
	"paddock/engine/picture"
	"paddock/engine/plan"
	"paddock/engine/server"
	"paddock/engine/starter"
	"paddock/hardware"
)

// A Sentence is what a user reads of an error or a finding: what happened, and
// what to do about it.
type Sentence struct {
	Key     string // of Message: the same for the same kind of problem
	Message string
	Remedy  string

	TerminalRemedy string // for who has no window, where that differs
}

// Text is all of it in one line: what happened, then what to do.
func (s Sentence) Text() string { return strings.TrimSpace(s.Message + " " + s.Remedy) }

// Of is the sentence of a key, with the next step under the key with ".remedy",
// and for who has no window with ".remedy.cli".
func Of(key string, data map[string]any) Sentence {
	s := Sentence{Key: key, Message: T(key, data), Remedy: T(key+".remedy", data)}
	s.TerminalRemedy = s.Remedy
	if terminal := key + ".remedy.cli"; T(terminal, data) != terminal {
		s.TerminalRemedy = T(terminal, data)
	}
	return s
}

// Error is the sentence for an error. Typed errors of the engine's packages and
// of config each have their own.
func Error(err error) Sentence {
	var file *gguf.Error
	var unusable *build.Error
	var measure *budget.Error
	var folder *library.FolderError
	var listed *library.FileError
	var settings *config.Error
	var answer *client.Error
	var failure *server.Failure
	var log *server.LogError
	var refused *engine.RefusedError
	var guide *starter.Error
	var remote *hub.Error
	var seen *picture.Error
	var recording *hardware.NoRecording
	var conversations *chat.Error
	var ofChunk *embed.ChunkError
	var vector *embed.VectorError
	var kept *embed.FileError
	var noVectors *embed.ModelError
	var dimensions *embed.DimensionsError
	var read *document.Error
	var cut *chunk.Error
	if s, ok := imagesError(err); ok { // before what it may wrap
		return s
	}
	switch {
	case errors.As(err, &ofChunk):
		return chunkError(ofChunk)
	case errors.As(err, &refused):
		return Finding(refused.Findings[0])
	case errors.Is(err, engine.ErrNotReady):
		return Of("engine.notReady", nil)
	case errors.Is(err, engine.ErrAnswering):
		return Of("engine.answering", nil)
	case errors.Is(err, engine.ErrNothingToCompare):
		return Of("engine.nothingToCompare", nil)
	case errors.Is(err, engine.ErrClosed):
		return Of("engine.closed", nil)
	case errors.Is(err, engine.ErrStuck):
		return Of("engine.stuck", nil)
	case errors.As(err, &failure):
		return failureError(failure)
	case errors.As(err, &log):
		return Of("server.log", map[string]any{"File": base(log.Path), "Reason": Reason(log.Err)})
	case errors.As(err, &file):
		return fileError(file)
	case errors.As(err, &unusable):
		return buildError(unusable, runtime.GOOS)
	case errors.As(err, &measure):
		return Of("measure."+string(measure.Problem), map[string]any{"File": base(measure.ModelPath), "Detail": clause(engineWords(measure.Detail))})
	case errors.As(err, &guide):
		return Of("starter.unwritable", map[string]any{"Folder": gguf.Printable(guide.Folder), "Reason": Reason(guide.Err)})
	case errors.As(err, &remote):
		return hubError(remote)
	case errors.As(err, &seen):
		return pictureError(seen)
	case errors.As(err, &vector):
		return vectorError(vector)
	case errors.As(err, &kept):
		return embedFileError(kept)
	case errors.As(err, &noVectors):
		return Of("embed."+string(noVectors.Problem), map[string]any{"File": base(noVectors.Path)})
	case errors.As(err, &dimensions):
		return dimensionsError(dimensions)
	case errors.As(err, &read):
		return documentError(read)
	case errors.As(err, &cut):
		return cutError(cut)
	case errors.As(err, &folder):
		return folderError(folder)
	case errors.As(err, &listed):
		return Of("library."+string(listed.Problem), map[string]any{
			"File": base(listed.Path), "Name": gguf.Printable(listed.Name), "Reason": Reason(listed.Err),
		})
	case errors.As(err, &settings):
		return settingsError(settings)
	case errors.As(err, &answer):
		return answerError(answer)
	case errors.As(err, &recording):
		return recordingError(recording)
	case errors.As(err, &conversations):
		return chatError(conversations)
	case errors.Is(err, context.Canceled):
		return Of("error.cancelled", nil)
	case errors.Is(err, context.DeadlineExceeded):
		return Of("error.timed-out", nil)
	}
	return Of("error.other", map[string]any{"Detail": clause(err.Error())})
}

// Finding is the sentence of a rule that holds for a plan.
func Finding(f plan.Finding) Sentence {
	data := map[string]any{}
	for name, value := range f.Data {
		switch v := value.(type) {
		case int:
			if name != "build" && name != "newestKnownBuild" {
				value = Count(v)
			}
		case string: // of a file's header, or its name
			value = gguf.Printable(v)
		}
		data[name] = value
	}
	remedy := T(f.Remedy, data)
	s := Sentence{Key: f.Message, Message: T(f.Message, data), Remedy: remedy, TerminalRemedy: remedy}
	if f.Failed {
		s.Message += " " + T("rule.failedBefore")
		s.TerminalRemedy += " " + T("cli.tryAgain")
	}
	return s
}

func fileError(e *gguf.Error) Sentence {
	data := map[string]any{"File": base(e.Path), "Detail": clause(e.Detail), "Missing": "", "Reason": Reason(e.Err)}
	switch e.Detail {
	case gguf.LFSPointer, gguf.ZipArchive, gguf.WebPage:
		data["What"], data["Archive"] = e.Detail, e.Detail == gguf.ZipArchive
	}
	data["Special"] = e.Detail == gguf.NotRegular
	if filepath.IsAbs(e.Path) {
		data["Folder"] = gguf.Printable(filepath.Dir(e.Path))
	}
	if e.MissingBytes > 0 {
		data["Missing"] = size(e.MissingBytes)
	}
	return Of("file."+string(e.Problem), data)
}

func folderError(e *library.FolderError) Sentence {
	return Of("folder."+string(e.Kind), map[string]any{"Folder": gguf.Printable(e.Path), "Reason": Reason(e.Err)})
}

func recordingError(e *hardware.NoRecording) Sentence {
	data := map[string]any{"Folder": gguf.Printable(e.Dir), "Reason": Reason(e.Err)}
	if e.Err != nil {
		return Of("cli.recording.unreadable", data)
	}
	return Of("cli.recording.empty", data)
}

func settingsError(e *config.Error) Sentence {
	return Of(string(e.Problem), map[string]any{
		"File": gguf.Printable(e.Path), "Folder": gguf.Printable(e.Path), "Reason": Reason(e.Err),
		"SetAside": base(e.SetAside), "Settings": gguf.Printable(strings.Join(e.Settings, ", ")),
	})
}

// templateFault is what the engine says is wrong with a chat template.
var templateFault = regexp.MustCompile(`^common_chat_templates_init: error: (.*)$`)

func failureError(f *server.Failure) Sentence {
	detail := engineWords(f.Reason)
	if f.Kind == server.TemplateBroken {
		detail = ""
		if found := templateFault.FindStringSubmatch(f.Reason); found != nil {
			detail = found[1]
		}
	}
	return Of(string(f.Kind), map[string]any{
		"File": base(f.ModelPath), "Engine": gguf.Printable(f.EnginePath), "Path": gguf.Printable(f.Path),
		"Detail": clause(detail), "Signal": f.Signal, "Reason": Reason(f.Err),
		"Asked": Count(f.AskedTokens), "Got": Count(f.GotTokens), "Setting": f.Setting,
	})
}

func answerError(e *client.Error) Sentence {
	return Of("answer."+string(e.Kind), map[string]any{
		"Detail": clause(e.Message), "Prompt": Count(e.PromptTokens), "Context": Count(e.ContextTokens),
	})
}

// spokenBy is what the engine's log puts before its words: who speaks, which may
// be several functions, and that it is an error. A part of the server and its
// function stand in columns ("srv  llama_server: "), unlike words ("invalid n_rot: 7").
var spokenBy = regexp.MustCompile(`^(?:\w+\s*: +|(?:slot +|\w+ {2,})\w+: +|error loading model(?: \w+)?: +)+`)

// engineWords are what a line of the engine's log says, without who says it.
func engineWords(line string) string {
	return spokenBy.ReplaceAllString(line, "")
}

// Reason is what the system says, without the path, which the sentence has.
func Reason(err error) string {
	if err == nil {
		return ""
	}
	var path *fs.PathError
	var link *os.LinkError // of a renaming: both its paths are ours
	switch {
	case errors.As(err, &path):
		err = path.Err
	case errors.As(err, &link):
		err = link.Err
	}
	return clause(err.Error())
}

// clauseLimit is how much of foreign words a sentence carries, in runes.
const clauseLimit = 300

// clause makes foreign words part of a sentence: one line, safe to show, not
// endless, and without a full stop of their own.
func clause(text string) string {
	text = gguf.Printable(strings.Join(strings.Fields(text), " "))
	if runes := []rune(text); len(runes) > clauseLimit {
		text = string(runes[:clauseLimit]) + "…"
	}
	return strings.TrimRight(text, ".")
}

// base is a file's name without its folders, as sentences use it.
func base(path string) string {
	if path == "" {
		return ""
	}
	return gguf.Printable(filepath.Base(path))
}

// size is a number of bytes with its unit.
func size(bytes uint64) string {
	if bytes < 1<<30/20 {
		return T("words.size.small")
	}
	return T("words.size", map[string]any{"GiB": GiB(bytes)})
}

// Build is an engine build in a few words: "llama.cpp b11669 · Vulkan".
func Build(b build.Build) string {
	name := "llama.cpp"
	if b.Number > 0 {
		name += " b" + strconv.Itoa(b.Number)
	}
	for _, backend := range b.Backends {
		if backend != "CPU" && backend != "RPC" { // every build has them
			name += " · " + gguf.Printable(backend)
		}
	}
	return name
}

// buildError is the sentence about a build. Where Paddock comes without an engine
// the one that is missing has to be fetched, which installing again doesn't help.
func buildError(e *build.Error, system string) Sentence {
	data := map[string]any{"File": gguf.Printable(e.Path), "Detail": clause(e.Detail)}
	if e.Problem == build.Missing && system != "linux" {
		s := Of("build.missing.elsewhere", data)
		s.Key = string(build.Missing)
		return s
	}
	return Of(string(e.Problem), data)
}

// BuildProblem says why a build can't be used.
func BuildProblem(b build.Build) Sentence {
	err := b.Err()
	if err == nil { // only its kind is known
		err = &build.Error{Problem: build.Problem(b.Problem), Path: b.Path}
	}
	return Error(err)
}
