package chat

import (
	"fmt"
	"html"
	"regexp"
	"strconv"
	"strings"

	store "paddock/engine/chat"
)

// A text that goes with a message is between two lines of its own, so that the
// model knows where it begins, ends and what it is called:
//
//	<file name="notes.txt" bytes="12">
//	…
//	</file>
const (
	fileEnd    = "\n</file>"
	fileFormat = "<file name=\"%s\" bytes=\"%d\">\n%s" + fileEnd
)

var fileStart = regexp.MustCompile(`(?m)^<file name="([^"\n]*)" bytes="(\d{1,9})">\n`)

// inlined is a text with its name, as part of a message.
func inlined(name, text string) string {
	return fmt.Sprintf(fileFormat, html.EscapeString(strings.Join(strings.Fields(name), " ")), len(text), text)
}

// split tells what was written in a message from the texts that were sent with it.
func split(message string) (text string, files []File) {
	text, parts := cutFiles(message)
	for _, f := range parts {
		files = append(files, File{Name: f.name, Bytes: uint64(len(f.text)), First: store.FirstWords(f.text, previewCells)})
	}
	return text, files
}

// An inlinedFile is one in a message.
type inlinedFile struct{ name, text string }

func cutFiles(message string) (text string, files []inlinedFile) {
	if !strings.Contains(message, "<file name=") {
		return message, nil
	}
	var written strings.Builder
	for {
		at := fileStart.FindStringSubmatchIndex(message)
		if at == nil {
			break
		}
		length, _ := strconv.Atoi(message[at[4]:at[5]]) // nine digits at most
		from, to := at[1], at[1]+length
		if to > len(message) || !strings.HasPrefix(message[to:], fileEnd) {
			written.WriteString(message[:at[1]]) // it only looks like one
			message = message[at[1]:]
			continue
		}
		written.WriteString(message[:at[0]])
		files = append(files, inlinedFile{html.UnescapeString(message[at[2]:at[3]]), message[from:to]})
		message = message[to+len(fileEnd):]
	}
	written.WriteString(message)
	return strings.TrimSpace(written.String()), files
}
