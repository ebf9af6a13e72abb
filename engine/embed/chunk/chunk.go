// Package chunk cuts the text of documents into pieces that a model can take
// whole, counted with the model's own tokenizer. No chunk is ever longer than the
// limit: what is longer is split, or reported. The same text with the same
// tokenizer and options gives the same chunks.
package chunk

import (
	"context"
	"fmt"
	"iter"
	"strconv"
	"strings"

	"paddock/engine/embed/document"
)

// A Method is what a chunk is.
type Method string

// The methods.
const (
	File       Method = "file"     // the whole file
	Tokens     Method = "tokens"   // so many tokens, each with the end of the one before
	Headings   Method = "headings" // what is under a heading; where there can't be any, a paragraph
	Paragraphs Method = "paragraphs"
	Lines      Method = "lines"
	Rows       Method = "rows"  // of a table or list; of others, a line
	Pages      Method = "pages" // of a PDF, a text with form feeds or an epub's parts; else the whole file
)

// A Strategy is how to cut. Rows of tables and lists are never joined, but by File.
type Strategy struct {
	Method        Method
	Tokens        int // of Tokens: at most so many, prefix and special tokens not counted
	OverlapTokens int // of Tokens: about how many a chunk repeats of the one before
}

// Standard sizes of Tokens.
const (
	StandardTokens  = 512
	StandardOverlap = 64
)

// Parse reads a strategy as String writes it: "headings", "tokens:512:64". The
// numbers may be left out. The error is a *Error of problem BadStrategy or
// BadOverlap.
func Parse(text string) (Strategy, error) {
	name, sizes, sized := strings.Cut(strings.TrimSpace(text), ":")
	s := Strategy{Method: Method(name)}
	bad := &Error{Problem: BadStrategy, Strategy: text}
	switch s.Method {
	case File, Headings, Paragraphs, Lines, Rows, Pages:
		if sized {
			return Strategy{}, bad
		}
		return s, nil
	case Tokens:
	default:
		return Strategy{}, bad
	}
	s.Tokens, s.OverlapTokens = StandardTokens, StandardOverlap
	if !sized {
		return s, nil
	}
	size, overlap, both := strings.Cut(sizes, ":")
	var err error
	if s.Tokens, err = strconv.Atoi(size); err != nil {
		return Strategy{}, bad
	}
	s.OverlapTokens = s.Tokens / 8
	if both {
		if s.OverlapTokens, err = strconv.Atoi(overlap); err != nil {
			return Strategy{}, bad
		}
	}
	if s.Tokens < 1 || s.OverlapTokens < 0 {
		return Strategy{}, bad
	}
	// More overlap than half would make a chunk of mostly what was there.
	if s.OverlapTokens > s.Tokens/2 {
		return Strategy{}, &Error{Problem: BadOverlap, Strategy: text}
	}
	return s, nil
}

func (s Strategy) String() string {
	if s.Method == Tokens {
		return fmt.Sprintf("tokens:%d:%d", s.Tokens, s.OverlapTokens)
	}
	return string(s.Method)
}

// A Tokenizer counts as the engine would.
type Tokenizer interface {
	// Count is the tokens of each text as an input of its own, special tokens
	// included.
	Count(ctx context.Context, texts []string) ([]int, error)
}

// Options say how to cut.
type Options struct {
	Strategy Strategy
	// Prefix is put before every chunk when it is embedded. It is counted, and is no
	// part of a chunk's text.
	Prefix string
	// LimitTokens is what the engine takes at once, prefix and special tokens
	// included.
	LimitTokens int
}

// Input is what the engine gets for a chunk's text.
func (o Options) Input(text string) string { return o.Prefix + text }

// A Chunk is a text to embed, and where it is in its document.
type Chunk struct {
	Index int // in its document, from 0
	document.Place
	EndPage int // the last page it has text of, 0 where there are none
	Text    string
	Tokens  int  // of its input
	Split   bool // it is a part of what the strategy has as one, which was too long
}

// Cut cuts the pieces of a document. Errors of pieces that are partial come as
// they are and the rest goes on, as does a partial *Error; any other error is the
// last: one of pieces, of the tokenizer, ctx's, or a *Error.
func Cut(ctx context.Context, kind document.Kind, pieces iter.Seq2[document.Piece, error], t Tokenizer, o Options) iter.Seq2[Chunk, error] {
	return func(yield func(Chunk, error) bool) {
		c := &cutter{ctx: ctx, kind: kind, tokenizer: t, options: o, yield: yield}
		err := c.prepare()
		if err == nil {
			err = c.cut(pieces)
		}
		if err != nil && !c.ended {
			yield(Chunk{}, err)
		}
	}
}
