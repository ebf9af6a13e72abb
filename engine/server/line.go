package server

import (
	"encoding/json"
	"regexp"
	"strings"
	"time"

	"paddock/engine/gguf"
)

// A level is how serious the engine says a line of its log is.
type level byte

const (
	raw      level = ' ' // printed past the log: by a library, or while dying
	debug    level = 'D'
	info     level = 'I'
	warning  level = 'W'
	errorous level = 'E'
)

// A line is one of the engine's log.
type line struct {
	at    time.Time
	level level
	text  string // one line, printable
}

// lineLimit is how much of one line is kept, in bytes.
const lineLimit = 2000

var (
	ansi = regexp.MustCompile(`\x1b\[[0-9;?]*[ -/]*[@-~]`)
	// A line of the log before --log-jsonl has been looked at:
	// "0.00.003.333 E reason".
	prefixed = regexp.MustCompile(`^[0-9]+(?:\.[0-9]+){3} ([DIWE]) `)
)

// parseLines makes lines of one line of the engine's output. One message of its
// log may be several.
func parseLines(output string, at time.Time) []line {
	var message struct {
		Type, Level, Msg string
	}
	if strings.HasPrefix(output, "{") && json.Unmarshal([]byte(output), &message) == nil && message.Type == "log" {
		return split(message.Msg, levelOf(message.Level), at)
	}
	output = ansi.ReplaceAllString(output, "")
	if match := prefixed.FindStringSubmatch(output); match != nil {
		return split(output[len(match[0]):], level(match[1][0]), at)
	}
	return split(output, raw, at)
}

func split(text string, level level, at time.Time) []line {
	var lines []line
	for text := range strings.Lines(ansi.ReplaceAllString(text, "")) {
		text = strings.TrimRight(text, "\r\n \t")
		if text == "" {
			continue
		}
		if len(text) > lineLimit {
			text = strings.ToValidUTF8(text[:lineLimit], "") + "…"
		}
		lines = append(lines, line{at, level, gguf.Printable(strings.ReplaceAll(text, "\t", "    "))})
	}
	return lines
}

func levelOf(name string) level {
	switch name {
	case "error":
		return errorous
	case "warn", "warning":
		return warning
	case "debug":
		return debug
	case "info":
		return info
	}
	return raw
}
