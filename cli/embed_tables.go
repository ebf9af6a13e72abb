package cli

import (
	"path/filepath"
	"strings"

	"paddock/engine/embed/document"
	"paddock/engine/gguf"
	"paddock/words"
)

// tables are the tables and lists of a run of which columns were left out because one
// was taken for the text: the first of each kind.
type tables struct {
	first []table
	known map[string]bool
}

type table struct {
	path string
	info document.Info
}

// take is called on one goroutine.
func (t *tables) take(path string, info document.Info) {
	kind := info.TextColumn + "\n" + strings.Join(info.Columns, "\n")
	if info.TextColumn == "" || len(info.Unread()) == 0 || t.known[kind] {
		return
	}
	if t.known == nil {
		t.known = map[string]bool{}
	}
	t.known[kind] = true
	t.first = append(t.first, table{path, info})
}

// say says which column is the text.
func (t *tables) say(s *session) {
	for _, one := range t.first {
		s.complain(words.Sentence{Message: words.T("cli.embed.column", map[string]any{
			"File": gguf.Printable(filepath.Base(one.path)), "Column": gguf.Printable(one.info.TextColumn),
			"Columns": gguf.Printable(strings.Join(one.info.Columns, ", ")),
		})})
	}
}
