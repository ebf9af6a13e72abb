package cli

import (
	"cmp"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"paddock/engine"
	"paddock/engine/embed"
	"paddock/engine/gguf"
	"paddock/words"
)

// queryTokens is the room a question has, its prefix included.
const queryTokens = 512

// passageRunes is how much of a passage a person is shown.
const passageRunes = 300

type searchCommand struct {
	Index   string   `arg:"" help:"${searchIndex}"`
	Query   string   `arg:"" help:"${searchQuery}"`
	Top     int      `default:"10" placeholder:"N" help:"${searchTop}"`
	File    []string `placeholder:"PATH" sep:"none" help:"${searchFile}"`
	Model   string   `placeholder:"MODEL" help:"${searchModel}"`
	Devices string   `placeholder:"CPU|ID,…" help:"${devices}"`
}

// Validate is called by kong after parsing.
func (c *searchCommand) Validate() error {
	if c.Top < 1 || c.Top > embed.MostHits {
		return fmt.Errorf("--top is a number from 1 to %d", embed.MostHits)
	}
	return nil
}

// A found is a hit as JSON.
type found struct {
	Path    string  `json:"path"`
	Chunk   int     `json:"chunk"`
	Score   float64 `json:"score"`
	Text    string  `json:"text"`
	ID      string  `json:"id"`
	Start   int64   `json:"start"`
	End     int64   `json:"end"`
	Page    int     `json:"page,omitempty"`
	Row     int     `json:"row,omitempty"`
	Line    int     `json:"line,omitempty"`
	Heading string  `json:"heading,omitempty"`
}

func (c *searchCommand) Run(s *session) error {
	if strings.TrimSpace(c.Query) == "" {
		return usageError{errors.New("the query is empty")}
	}
	index, err := embed.OpenIndex(onDisk(c.Index))
	if err != nil {
		return err
	}
	defer index.Close()
	if err := c.filesIn(s, index); err != nil {
		return err
	}
	name := cmp.Or(c.Model, index.Meta.ModelPath)
	if _, err := os.Stat(name); c.Model == "" && err != nil {
		return textError{"cli.search.model-gone", map[string]any{"File": gguf.Printable(index.Meta.ModelPath)}, err}
	}
	m, err := s.model(name)
	if err != nil {
		return err
	}
	sum, err := embed.HashFile(s.ctx, m.Facts.Path)
	if err != nil {
		return err
	}
	if sum != index.Meta.ModelSHA256 {
		return &embed.FileError{Problem: embed.OtherModel, Path: m.Facts.Path}
	}
	flags := planFlags{Devices: c.Devices}
	if m.Facts.Pooling != index.Meta.Pooling {
		flags.Pooling = index.Meta.Pooling
	}
	check, b, err := s.forVectors(m, &flags, queryTokens)
	if err != nil {
		return err
	}
	return s.withEngine(check, b, func(vectors *engine.Supervisor) error {
		vector, err := embed.QueryVector(s.ctx, vectors, index.Meta, c.Query)
		if err != nil {
			return err
		}
		hits, err := index.Search(s.ctx, embed.Query{Vector: vector, Top: c.Top, Paths: c.File})
		if err != nil {
			return err
		}
		s.found(hits)
		return nil
	})
}

// filesIn is the error of a file to search in that is not in the index.
func (c *searchCommand) filesIn(s *session, index *embed.Index) error {
	if len(c.File) == 0 {
		return nil
	}
	files, err := index.Files(s.ctx)
	if err != nil {
		return err
	}
	in := func(path string) bool {
		return slices.ContainsFunc(files, func(f embed.IndexFile) bool { return f.Path == path })
	}
	for i, path := range c.File {
		if absolute, err := filepath.Abs(path); err == nil && !in(path) && in(absolute) { // as it is seen from here
			c.File[i] = absolute
			continue
		}
		if !in(path) {
			return textError{key: "cli.search.not-in", data: map[string]any{"File": gguf.Printable(path), "Index": gguf.Printable(c.Index)}}
		}
	}
	return nil
}

func (s *session) found(hits []embed.Hit) {
	if s.JSON {
		list := []found{}
		for _, h := range hits {
			list = append(list, found{h.Path, h.Index, h.Score, h.Text, h.RowID(), h.Start, h.End, h.Page, h.Chunk.Row, h.Line, h.Heading})
		}
		s.write(list)
		return
	}
	if len(hits) == 0 {
		s.print("%s\n", words.T("cli.search.nothing"))
		return
	}
	for _, h := range hits {
		passage := []rune(gguf.Printable(strings.Join(strings.Fields(h.Text), " ")))
		if len(passage) > passageRunes {
			passage = append(passage[:passageRunes], '…')
		}
		s.print("%.3f  %s%s\n       %s\n", h.Score, gguf.Printable(h.Path), words.Passage(h.Page, h.Chunk.Row, h.Line), string(passage))
	}
}
