package embeddings

import (
	"context"
	"errors"

	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
)

// previewChunks is how many chunks of a file can be looked at before a run.
const previewChunks = 20

// A previewed is all that the chunks of a file depend on.
type previewed struct {
	path, model, prefix string
	strategy            chunk.Strategy
	reading             document.Options
	limit               int
}

// cutPreview cuts the beginning of the chosen file, or else of the first, as a run
// would, unless that was done.
func (p *Presenter) cutPreview() {
	s := &p.state
	var now previewed
	if s.Ready && !s.Runs() && !s.Listing && len(s.Rows) > 0 {
		c := s.Choices
		now = previewed{s.Rows[max(s.At, 0)].Path, s.Engine.Model.Path, c.Settings.Prefix, c.Strategy, c.Reading, s.Limit}
	}
	if now == p.preview {
		return
	}
	p.cutting()
	p.preview, s.Preview = now, Preview{Path: now.path, Making: now.path != ""}
	if now.path == "" {
		return
	}
	ctx, cancel := context.WithCancel(p.ctx)
	p.cutting = cancel
	cutter := embed.Documents{Reading: now.reading, Strategy: now.strategy, Prefix: now.prefix, Limit: now.limit, Tokenizer: pin(p.seams.Engine, s.Engine)}
	go func() {
		defer cancel()
		var info document.Info
		cutter.Read = func(_ string, i document.Info) { info = i }
		chunks, more, err := firstChunks(ctx, cutter, now.path)
		p.do(func() {
			if now != p.preview || p.ctx.Err() != nil {
				return
			}
			p.state.Preview = Preview{Path: now.path, Chunks: chunks, More: more, Info: info}
			if err != nil && len(chunks) == 0 {
				p.state.Preview.Problem = sentence(err)
			}
			p.publish()
		})
	}()
}

var errEnough = errors.New("there are enough chunks")

// firstChunks are those of a file, and whether there are more.
func firstChunks(ctx context.Context, cutter embed.Documents, path string) (chunks []embed.Chunk, more bool, err error) {
	source, err := cutter.Open(ctx, path)
	if err != nil {
		return nil, false, err
	}
	defer source.Close()
	err = source.Cut(ctx, func(c embed.Chunk) error {
		if len(chunks) == previewChunks {
			more = true
			return errEnough
		}
		chunks = append(chunks, c)
		return nil
	}, func(error) {}) // the run says what of the file can't be read
	if errors.Is(err, errEnough) {
		err = nil
	}
	return chunks, more, err
}

// StepPreview goes to the chunk before or behind.
func (p *Presenter) StepPreview(by int) {
	v := &p.state.Preview
	if at := v.At + by; at >= 0 && at < len(v.Chunks) {
		v.At = at
		p.publish()
	}
}
