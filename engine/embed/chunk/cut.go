package chunk

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"strings"

	"paddock/engine/embed/document"
)

// How much is held and counted at a time.
const (
	windowBytes   = 256 << 10
	bytesOfAToken = 16 // no usual text has more
	windowRegions = 512
)

type cutter struct {
	ctx       context.Context
	kind      document.Kind
	tokenizer Tokenizer
	options   Options
	yield     func(Chunk, error) bool
	ended     bool

	special  int // tokens of an empty input
	overhead int // tokens of prefix and suffix, special ones included
	max      int // tokens of a chunk's text
	window   int // bytes of a region

	current      region
	bodied       bool // current has text that is no heading
	closed       bool // a paragraph of current is over
	pending      []region
	pendingBytes int
	index        int
}

// prepare counts what is around every chunk.
func (c *cutter) prepare() error {
	around := c.options.Input("")
	counts, err := c.count([]string{"", around})
	if err != nil {
		return err
	}
	c.special, c.overhead = counts[0], counts[1]
	c.max = c.options.LimitTokens - c.overhead
	if c.max < 1 {
		return &Error{Problem: NoRoom, Tokens: c.overhead, LimitTokens: c.options.LimitTokens}
	}
	if s := c.options.Strategy; s.Method == Tokens && s.Tokens > 0 {
		c.max = min(c.max, s.Tokens)
	}
	c.window = max(windowBytes, c.max*bytesOfAToken)
	return nil
}

func (c *cutter) count(texts []string) ([]int, error) {
	counts, err := c.tokenizer.Count(c.ctx, texts)
	if err == nil && len(counts) != len(texts) {
		err = fmt.Errorf("tokenizer: %d counts for %d texts", len(counts), len(texts))
	}
	return counts, err
}

func (c *cutter) cut(pieces iter.Seq2[document.Piece, error]) error {
	for p, err := range pieces {
		if ended := c.ctx.Err(); ended != nil {
			return ended
		}
		var failed *document.Error
		switch {
		case errors.As(err, &failed) && failed.Partial:
			if c.ended = !c.yield(Chunk{}, err); c.ended {
				return nil
			}
			continue
		case err != nil:
			return err
		}
		if err := c.take(p); err != nil || c.ended {
			return err
		}
	}
	if err := c.endRegion(); err != nil || c.ended {
		return err
	}
	return c.settle()
}

// take adds a piece to the text that is being collected.
func (c *cutter) take(p document.Piece) error {
	if c.byLine(p) {
		for _, part := range linesOf(p) {
			if err := c.add(part); err != nil || c.ended {
				return err
			}
		}
		return nil
	}
	return c.add(p)
}

func (c *cutter) add(p document.Piece) error {
	if c.begins(p) {
		if err := c.endRegion(); err != nil || c.ended {
			return err
		}
	}
	c.current.add(p)
	if p.Level == 0 && !p.Continues && strings.TrimSpace(p.Text) != "" {
		c.bodied = true
	}
	c.closed = c.closed || p.Paragraph && c.bodied
	if len(c.current.text) <= c.window {
		return nil
	}
	if err := c.settle(); err != nil || c.ended {
		return err
	}
	rest, err := c.split(c.current, false)
	c.current = rest
	return err
}

func (c *cutter) byLine(p document.Piece) bool {
	method := c.options.Strategy.Method
	return p.Row == 0 && (method == Lines || method == Rows)
}

// linesOf are the lines of a piece.
func linesOf(p document.Piece) []document.Piece {
	var all []document.Piece
	at := int64(0)
	for text := range strings.Lines(p.Text) {
		part := p
		part.Text, part.Continues = text, p.Continues && at == 0
		if p.Exact {
			part.Start = p.Start + at
			part.End = part.Start + int64(len(text))
		}
		at += int64(len(text))
		all = append(all, part)
	}
	return all
}

// begins is whether a piece is of another region than what came before it.
func (c *cutter) begins(p document.Piece) bool {
	if p.Continues || len(c.current.marks) == 0 {
		return false
	}
	before := c.current.marks[len(c.current.marks)-1].piece
	method := c.options.Strategy.Method
	switch {
	case method == File:
		return false
	case p.Row > 0:
		return p.Row != before.Row
	case method == Lines, method == Rows:
		return true
	case method == Pages:
		return p.Page != before.Page || p.Part != before.Part
	case method == Headings && c.kind.HasHeadings():
		return p.Part != before.Part || p.Level > 0 && c.bodied
	case method == Headings, method == Paragraphs:
		return c.closed && strings.TrimSpace(p.Text) != ""
	}
	return false
}

// endRegion puts what was collected with what is to be counted.
func (c *cutter) endRegion() error {
	r := c.current
	c.current, c.bodied, c.closed = region{}, false, false
	if len(strings.TrimFunc(string(r.text), trimmed)) == 0 {
		return nil
	}
	if r.split {
		if err := c.settle(); err != nil || c.ended {
			return err
		}
		_, err := c.split(r, true)
		return err
	}
	c.pending = append(c.pending, r)
	c.pendingBytes += len(r.text)
	if c.pendingBytes < windowBytes && len(c.pending) < windowRegions {
		return nil
	}
	return c.settle()
}

// settle counts the regions that wait, and gives them as chunks, split where they
// are too long.
func (c *cutter) settle() error {
	regions := c.pending
	c.pending, c.pendingBytes = nil, 0
	chunks := make([]Chunk, len(regions))
	inputs := make([]string, len(regions))
	for i := range regions {
		chunks[i], _ = regions[i].chunk(0, len(regions[i].text)) // not blank
		inputs[i] = c.options.Input(chunks[i].Text)
	}
	if len(inputs) == 0 {
		return nil
	}
	counts, err := c.count(inputs)
	if err != nil {
		return err
	}
	for i, r := range regions {
		if counts[i] <= c.overhead+c.max {
			c.give(chunks[i], counts[i])
		} else if _, err := c.split(r, true); err != nil {
			return err
		}
		if c.ended {
			return nil
		}
	}
	return nil
}

func (c *cutter) give(chunk Chunk, tokens int) {
	chunk.Index, chunk.Tokens = c.index, tokens
	c.index++
	c.ended = !c.yield(chunk, nil)
}
