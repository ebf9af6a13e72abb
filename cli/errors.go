package cli

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"paddock/engine"
	"paddock/engine/gguf"
	"paddock/engine/server"
	"paddock/words"
)

// A usageError is arguments that make no sense.
type usageError struct{ err error }

func (e usageError) Error() string { return e.err.Error() }

// A statusError ends a command that has already said everything.
type statusError int

func (e statusError) Error() string { return fmt.Sprintf("exit status %d", int(e)) }

// A spaceError is a plan that is valid and needs more memory than there is, or a
// larger buffer.
type spaceError struct {
	file                     string
	pool                     string
	neededBytes, usableBytes uint64
	tooLarge                 bool // pool is a device that can't hold the cache of one layer in one piece
	remedies                 []remedy
}

func (e spaceError) Error() string { return e.file + " does not fit in " + e.pool }

// sentence says what there is no room for. The next step is what was found to help,
// each with its flags.
func (e spaceError) sentence() words.Sentence {
	key := "cli.space"
	if e.tooLarge {
		key = "cli.space.buffer"
	}
	s := words.Of(key, map[string]any{
		"File": gguf.Printable(e.file), "Pool": e.pool, "Needed": words.GiB(e.neededBytes), "Usable": words.GiB(e.usableBytes),
	})
	if len(e.remedies) > 0 {
		s.Remedy = remediesText(e.remedies)
		s.TerminalRemedy = s.Remedy
	}
	return s
}

// A modelError is a MODEL that names nothing.
type modelError struct {
	key  string
	name string
}

func (e modelError) Error() string { return e.key + ": " + e.name }

// A brokenError is an answer that stopped because its engine ended.
type brokenError struct{ failure *server.Failure }

func (e brokenError) Error() string { return "answer broken: " + e.failure.Error() }

// A SpokenError brings its own sentence: those of the window's side do.
type SpokenError interface {
	error
	Sentence() words.Sentence
}

// A textError is a failure with a sentence of the command line's own.
type textError struct {
	key  string
	data map[string]any
	err  error
}

func (e textError) Error() string { return e.key }

func (e textError) Unwrap() error { return e.err }

// describe is the sentence for an error and the exit status it means.
func describe(err error) (words.Sentence, int) {
	var usage usageError
	var refused *engine.RefusedError
	var space spaceError
	var model modelError
	var text textError
	var broken brokenError
	var spoken SpokenError
	switch {
	case errors.As(err, &usage):
		// The parser counts the empty value, which is a flag not given.
		detail := strings.Replace(usage.Error(), `must be one of "",`, "must be one of ", 1)
		return words.Of("cli.usage", map[string]any{"Detail": detail}), WrongUsage
	case errors.As(err, &refused):
		return words.Error(err), Refused
	case errors.As(err, &space):
		return space.sentence(), DoesNotFit
	case errors.As(err, &model):
		return words.Of(model.key, map[string]any{"Name": gguf.Printable(model.name)}), Failed
	case errors.As(err, &text):
		return words.Of(text.key, text.data), Failed
	case errors.As(err, &broken):
		cause := engineSentence(broken.failure)
		return words.Sentence{Key: "answer.broken", Message: words.T("cli.broken", map[string]any{"Message": cause.Message}), Remedy: cause.Remedy}, Failed
	case errors.As(err, &spoken):
		return spoken.Sentence(), Failed
	}
	return engineSentence(err), Failed
}

// engineSentence is the sentence for an error, with what a person without the
// window needs: how to choose an engine, and where its log is.
func engineSentence(err error) words.Sentence {
	sentence := words.Error(err)
	sentence.Remedy = sentence.TerminalRemedy
	var failure *server.Failure
	if errors.As(err, &failure) && failure.LogPath != "" {
		sentence.Remedy += " " + words.T("cli.engine-log", map[string]any{"File": gguf.Printable(failure.LogPath)})
	}
	return sentence
}

// An errorDocument is an error as JSON.
type errorDocument struct {
	Kind    string `json:"kind"`
	Message string `json:"message"`
	Remedy  string `json:"remedy"`
}

func errorOf(err error) errorDocument {
	sentence, _ := describe(err)
	return errorDocument{sentence.Key, sentence.Message, sentence.Remedy}
}

// fail says what went wrong, in a line on stderr and with --json as a document
// on stdout too, and returns the exit status.
func (s *session) fail(err error) int {
	sentence, status := describe(err)
	s.complain(sentence)
	if s.JSON {
		s.write(map[string]errorDocument{"error": errorOf(err)})
	}
	return status
}

func (s *session) complain(sentence words.Sentence) {
	line := strings.Join(strings.Fields(sentence.Message+" "+sentence.Remedy), " ")
	fmt.Fprintln(s.stderr, line)
}

// print is for what a person reads.
func (s *session) print(format string, values ...any) {
	fmt.Fprintf(s.stdout, format, values...)
}

// write prints one JSON document on a line of its own.
func (s *session) write(document any) {
	encoder := json.NewEncoder(s.stdout)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(document); err != nil {
		panic("a document is no JSON: " + err.Error()) // writing to an output never fails
	}
}
