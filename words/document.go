package words

import (
	"strings"

	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
	"paddock/engine/gguf"
)

// documentError is the sentence for a document, or a part of one, that can't be
// read.
func documentError(e *document.Error) Sentence {
	data := map[string]any{
		"File": base(e.Path), "Kind": string(e.Kind), "Looks": "", "Reason": Reason(e.Err), "Page": "", "Row": "", "Line": "",
		"Column": gguf.Printable(e.Column), "Columns": clause(strings.Join(e.Columns, ", ")), "Limit": "", "Times": Count(e.Limit),
	}
	if e.LimitBytes > 0 {
		data["Limit"] = Count(int(e.LimitBytes >> 20))
	}
	for name, n := range map[string]int{"Page": e.Page, "Row": e.Row, "Line": e.Line} {
		if n > 0 {
			data[name] = Count(n)
		}
	}
	// Pages and books are often scanned; of other texts that is no likely reason.
	data["Scanned"] = e.Page > 0 || e.Kind == document.PDF || e.Kind == document.Docx || e.Kind == document.EPUB
	if e.Looks != "" {
		data["Looks"] = T("document.looks." + e.Looks)
	}
	return Of("document."+string(e.Problem), data)
}

// cutError is the sentence for a text that can't be cut into chunks.
func cutError(e *chunk.Error) Sentence {
	return Of("chunk."+string(e.Problem), map[string]any{
		"Strategy": gguf.Printable(e.Strategy), "Tokens": Count(e.Tokens), "Limit": Count(e.LimitTokens),
	})
}
