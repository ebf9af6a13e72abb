package embed

import (
	"context"
	"errors"
	"strings"

	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
)

// A Tokenizer counts the tokens of texts, each with its special tokens, as the
// engine would.
type Tokenizer interface {
	CountTokens(ctx context.Context, texts []string) ([]int, error)
}

// Documents cut files of all kinds with a model's own tokenizer.
type Documents struct {
	Reading   document.Options
	Strategy  chunk.Strategy
	Prefix    string // of Settings
	Limit     int    // ChunkLimit of the plan that is loaded
	Tokenizer Tokenizer
	// Read is told of each file that was cut, or of which as much was as is wanted, what
	// it is, on the goroutine that cuts. May be nil.
	Read func(path string, info document.Info)
}

// Chunker is how it cuts, for Meta.
func (d Documents) Chunker() string {
	text := d.Strategy.String()
	for _, option := range []struct{ name, value string }{
		{"text-column", d.Reading.TextColumn}, {"id-column", d.Reading.IDColumn}, {"encoding", d.Reading.Encoding},
	} {
		if option.value != "" {
			text += " " + option.name + "=" + option.value
		}
	}
	return text
}

// LargestTokens is the most tokens a chunk of a strategy can have, room for special
// tokens included, when its prefix has that many; 0 where only the model limits it.
func LargestTokens(s chunk.Strategy, prefixTokens int) int {
	const special = 8 // no model puts more around a text
	if s.Method != chunk.Tokens {
		return 0
	}
	return s.Tokens + prefixTokens + special
}

// Open reads what a file is. The error is a *document.Error, or ctx's.
func (d Documents) Open(ctx context.Context, path string) (Source, error) {
	read, err := document.Read(ctx, path, d.Reading)
	if err != nil {
		return nil, err
	}
	return &documentSource{d, path, read}, nil
}

type documentSource struct {
	cutter Documents
	path   string
	*document.Document
}

func (s *documentSource) SHA256() string { return s.Identity.SHA256 }

func (s *documentSource) Cut(ctx context.Context, each func(Chunk) error, partial func(error)) error {
	options := chunk.Options{Strategy: s.cutter.Strategy, Prefix: s.cutter.Prefix, LimitTokens: s.cutter.Limit}
	if s.cutter.Read != nil { // at the end: the fields of JSON come with its text
		defer func() { s.cutter.Read(s.path, s.Info) }()
	}
	index := 0
	for c, err := range chunk.Cut(ctx, s.Kind, s.Pieces(), counter{s.cutter.Tokenizer}, options) {
		if isPartial(err) {
			partial(err)
			continue
		}
		if err != nil {
			return err
		}
		if strings.TrimSpace(c.Text) == "" {
			continue
		}
		converted := Chunk{
			Index: index, Start: c.Start, End: c.End, Tokens: c.Tokens, Text: c.Text,
			Page: c.Page, Row: c.Row, Line: c.Line, Heading: strings.Join(c.Heading, " > "),
		}
		if s.IDColumn != "" {
			converted.ID = c.ID
		}
		if err := each(converted); err != nil {
			return err
		}
		index++
	}
	return nil
}

// isPartial says whether an error is about a part of a file, and the rest goes on.
func isPartial(err error) bool {
	var read *document.Error
	var cut *chunk.Error
	return errors.As(err, &read) && read.Partial || errors.As(err, &cut) && cut.Partial
}

// A counter is a Tokenizer as chunk has it.
type counter struct{ Tokenizer }

func (c counter) Count(ctx context.Context, texts []string) ([]int, error) {
	return c.CountTokens(ctx, texts)
}
