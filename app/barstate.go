package app

import (
	"errors"
	"strings"
	"unicode"
	"unicode/utf8"

	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/engine"
	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/engine/server"
	"paddock/words"
)

// An action is what the engine bar's button does.
type action int

const (
	actChoose action = iota // choose a model to load
	actLast                 // load the model chatted with last
	actCancel
	actUnload
	actRetry // load what failed once more
	actNone
)

// A barState is what the engine bar shows.
type barState struct {
	Title    string
	Quiet    bool // the title is no model's name
	Quant    string
	Pill     pill
	Progress float64 // from 0 to 1, negative when there is no progress line
	Action   action
}

// A pill is a state in words, with its colours.
type pill struct {
	Icon            theme.IconName // a dot when empty
	Text            string
	Fill, Ink, Mark fyne.ThemeColorName
}

// barFor says what the engine bar shows for a state of the engine.
func barFor(s engine.State) barState {
	b := barState{
		Title:    modelName(s.Model),
		Quant:    gguf.Printable(s.Model.Quantisation),
		Progress: -1,
		Action:   actCancel,
	}
	busy := func(key string, mark fyne.ThemeColorName, data ...any) pill {
		return pill{Text: words.T(key, data...), Fill: theme.Hover, Ink: theme.TextQuiet, Mark: mark}
	}
	switch s.Phase {
	case engine.Checking:
		b.Pill = busy("shell.state.checking", theme.TextQuiet)
	case engine.Loading:
		b.Pill = busy("shell.state.loading", theme.Accent)
		if s.Progress >= 0 {
			b.Progress = s.Progress
			b.Pill = busy("shell.state.loadingPercent", theme.Accent, map[string]any{"Percent": int(s.Progress * 100)})
		}
	case engine.Proving:
		b.Pill = busy("shell.state.proving", theme.Accent)
	case engine.Ready:
		b.Pill = pill{Text: words.T("shell.state.ready"), Fill: theme.OKFill, Ink: theme.OK, Mark: theme.OK}
		if s.TokensPerSecond > 0 {
			b.Pill.Text = words.T("shell.state.readySpeed", map[string]any{"Speed": words.Speed(s.TokensPerSecond)})
		}
		b.Action = actUnload
	case engine.Stopping:
		b.Pill = busy("shell.state.stopping", theme.TextQuiet)
		b.Action = actNone
	case engine.Failed:
		b.Pill = pill{
			Icon: theme.IconRefuseRing, Text: failedText(s.Err),
			Fill: theme.RefuseFill, Ink: theme.Refuse, Mark: theme.Refuse,
		}
		b.Action = actRetry
	default:
		b.Title, b.Quiet, b.Quant = words.T("shell.noModel"), true, ""
		b.Pill = busy("shell.state.notLoaded", theme.SliceOther)
		b.Action = actChoose
	}
	return b
}

// offering is the bar without a model, with the one to load again where there is
// one.
func (b barState) offering(last gguf.Facts) barState {
	if b.Action != actChoose || last.Path == "" {
		return b
	}
	b.Title = words.T("shell.last", map[string]any{"Name": modelName(last)})
	b.Quant = gguf.Printable(last.Quantisation)
	b.Action = actLast
	return b
}

// failedText is a failure in a few words. The whole sentence is in the strip.
func failedText(err error) string {
	if err != nil {
		key := "shell.failed." + words.Error(err).Key
		if why := words.T(key); why != key {
			return words.T("shell.state.failedWhy", map[string]any{"Why": why})
		}
	}
	return words.T("shell.state.failed")
}

func modelName(f gguf.Facts) string {
	if name := gguf.Printable(f.Name); name != "" {
		return name
	}
	return fileName(f.Path)
}

// vectorsFor says what the bar's second pill shows: the engine beside the chat's,
// in a few words, fewer where it is narrow. Not ok when there is nothing to say.
func vectorsFor(s engine.State, narrow bool) (p pill, ok bool) {
	if s.Phase == engine.NotLoaded || s.Phase == "" {
		return pill{}, false
	}
	p = barFor(s).Pill
	name := modelName(s.Model)
	if narrow {
		name = ""
	}
	p.Text = words.T("shell.vectors.pill", map[string]any{"Purpose": purposeName(s.Plan.Purpose), "Name": name, "State": p.Text})
	return p, true
}

func purposeName(purpose string) string {
	if purpose == plan.Rerank {
		return words.T("shell.vectors.rerank")
	}
	return words.T("shell.vectors.embeddings")
}

// A stripState is what the strip shows under the engine bar: a failure, or a notice.
type stripState struct {
	Bold    string // what happened
	Detail  string // why, as the engine says it, and what to do
	Notice  bool   // the model runs, in another way than was asked for
	Kept    bool   // what failed is remembered
	Options []engine.RetryOption
}

// stripFor says what the strip shows of a failure; not ok when there is none.
func stripFor(s engine.State) (strip stripState, ok bool) {
	if s.Phase != engine.Failed || s.Err == nil {
		return stripState{}, false
	}
	sentence := words.Error(s.Err)
	bold, cause := splitCause(sentence.Message, s.Err)
	detail := cause + " " + sentence.Remedy
	if s.FellBack != nil && !s.FellBack.OnRequest {
		detail += " " + words.TriedBefore(s.FellBack)
	}
	return stripState{Bold: bold, Detail: strings.TrimSpace(detail), Options: engine.RetryOptions(s.Plan, s.Given, s.Err)}, true
}

// noticeFor says what the strip shows of a model that runs in place of a plan that
// failed; not ok when it runs as it was asked for.
func noticeFor(s engine.State) (strip stripState, ok bool) {
	if s.Phase != engine.Ready || s.FellBack == nil {
		return stripState{}, false
	}
	sentence := words.FellBack(s.FellBack)
	return stripState{Bold: sentence.Message, Detail: sentence.Remedy, Notice: true, Kept: s.FellBack.Lasting()}, true
}

// splitCause takes the engine's own words off the end of a failure's message.
func splitCause(message string, err error) (plain, cause string) {
	var failure *server.Failure
	if !errors.As(err, &failure) {
		return message, ""
	}
	silent := *failure
	silent.Reason, silent.Signal = "", ""
	plain = words.Error(&silent).Message
	cause, found := strings.CutPrefix(message, strings.TrimSuffix(plain, ".")+": ")
	if !found {
		return message, ""
	}
	first, size := utf8.DecodeRuneInString(cause)
	return plain, string(unicode.ToUpper(first)) + cause[size:]
}

// A logLine is one line of the engine's last words.
type logLine struct {
	Text  string
	Error bool
}

// logLines marks the lines that say what went wrong.
func logLines(lines []string) []logLine {
	marked := make([]logLine, len(lines))
	for i, line := range lines {
		marked[i] = logLine{Text: gguf.Printable(line), Error: isError(line)}
	}
	return marked
}

func isError(line string) bool {
	lower := strings.ToLower(line)
	for _, sign := range []string{" e ", "error", "failed", "assert", "out of memory", "unable to"} {
		if strings.Contains(lower, sign) {
			return true
		}
	}
	return strings.HasPrefix(lower, "e ")
}
