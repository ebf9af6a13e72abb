package embeddings

import (
	"context"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"time"

	"paddock/engine/embed"
	"paddock/words"
)

// hitsShown is how many passages a search shows.
const hitsShown = 20

// dropIndex lets go of the index. A search or a map may still read it, so it is
// closed beside the UI goroutine.
func (p *Presenter) dropIndex() {
	p.search()
	p.drawing()
	if x := p.index; x != nil {
		p.index = nil
		p.indexes.Go(func() { x.Close() })
	}
}

func (p *Presenter) closeIndex() {
	p.opens = ""
	p.opened++
	p.asked++
	p.dropIndex()
	p.vector, p.place = nil, embed.Projection{}
	s := &p.state
	s.Index, s.Meta, s.Vectors, s.Files, s.Only = "", embed.Meta{}, 0, nil, ""
	s.Hits, s.Searching, s.Note = nil, false, Note{}
	s.Points, s.Mapping, s.AskedThere = nil, false, false
	p.unchoose()
}

// OpenIndex opens an SQLite output to search it, and makes its map. It is opened again
// after a restart.
func (p *Presenter) OpenIndex(path string) { p.openIndex(path, p.keep) }

func (p *Presenter) openIndex(path string, opens func()) {
	if p.ctx.Err() != nil {
		return
	}
	p.closeIndex()
	p.opens = path
	opened := p.opened
	p.publish()
	p.indexes.Go(func() {
		x, err := embed.OpenIndex(path)
		var files []embed.IndexFile
		if err == nil {
			if files, err = x.Files(p.ctx); err != nil {
				x.Close() // the error is that of reading it
				x = nil
			}
		}
		taken := make(chan bool, 1)
		p.do(func() {
			if opened != p.opened || p.ctx.Err() != nil {
				taken <- false
				return
			}
			taken <- true
			if err != nil {
				p.opens, p.state.Note = "", problem(err)
			} else {
				p.index, p.wanted = x, path
				p.state.Index, p.state.Meta, p.state.Vectors, p.state.Files = path, x.Meta, x.Rows, files
				p.draw()
				opens()
				p.searchNow()
			}
			p.publish()
		})
		if x != nil && !p.isTaken(taken) {
			x.Close()
		}
	})
}

// isTaken waits for the answer, which is no when Paddock ends and there is none yet.
func (p *Presenter) isTaken(taken <-chan bool) bool {
	select {
	case is := <-taken:
		return is
	case <-p.ctx.Done():
	}
	select {
	case is := <-taken: // before it ended
		return is
	default:
		return false
	}
}

// draw makes the map of the index.
func (p *Presenter) draw() {
	opened, x := p.opened, p.index
	p.state.Mapping = true
	ctx, cancel := context.WithCancel(p.ctx)
	p.drawing = cancel
	go func() {
		defer cancel()
		points, place, err := x.Map(ctx)
		p.do(func() {
			if opened != p.opened || p.ctx.Err() != nil {
				return
			}
			p.state.Mapping = false
			if err != nil {
				p.state.Note = problem(err)
				p.publish()
				return
			}
			p.state.Points, p.place = points, place
			p.putQuestion()
			p.publish()
		})
	}()
}

// putQuestion puts the last question on the map, as soon as there are both.
func (p *Presenter) putQuestion() {
	s := &p.state
	s.AskedThere = p.vector != nil && len(s.Points) > 0
	if s.AskedThere {
		s.Asked.X, s.Asked.Y = p.place.Place(p.vector)
	}
}

// SetOnly searches in one file only; empty for all.
func (p *Presenter) SetOnly(path string) {
	p.state.Only = path
	if p.state.Query != "" {
		p.Search(p.state.Query)
		return
	}
	p.publish()
}

// Search finds the passages that are nearest to a question. An empty one takes back
// the last.
func (p *Presenter) Search(query string) {
	query = strings.TrimSpace(query)
	s := &p.state
	s.Query = query
	x := p.index
	p.search()
	p.asked++
	s.Searching, s.Note = false, Note{}
	p.unchoose()
	if query == "" || x == nil || !s.Ready {
		p.vector, s.Hits, s.AskedThere = nil, nil, false
		p.publish()
		return
	}
	ctx, cancel := context.WithCancel(p.ctx)
	p.search = cancel
	asked, model, pooling, only := p.asked, s.Engine.Model.Path, poolingOf(s.Engine), s.Only
	s.Searching = true
	p.publish()
	go func() {
		defer cancel()
		began := time.Now()
		err := p.matches(ctx, x.Meta, model, pooling)
		var vector []float32
		var hits []embed.Hit
		if err == nil {
			vector, err = embed.QueryVector(ctx, p.seams.Engine, x.Meta, query)
		}
		if err == nil {
			question := embed.Query{Vector: vector, Top: hitsShown}
			if only != "" {
				question.Paths = []string{only}
			}
			hits, err = x.Search(ctx, question)
		}
		took := time.Since(began)
		p.do(func() {
			if asked == p.asked && x == p.index {
				p.found(hits, vector, took, err)
			}
		})
	}()
}

// searchNow searches for what was asked for before it could be.
func (p *Presenter) searchNow() {
	if s := p.state; s.Query != "" && s.Ready && p.index != nil && !s.Searching && len(s.Hits) == 0 {
		p.Search(s.Query)
	}
}

// matches is the error of a model, or a way to load it, that makes other vectors
// than those of an index.
func (p *Presenter) matches(ctx context.Context, meta embed.Meta, model, pooling string) error {
	sum, err := p.sums.of(ctx, model)
	switch {
	case err != nil:
		return err
	case sum != meta.ModelSHA256:
		return &embed.FileError{Problem: embed.OtherModel, Path: model}
	case pooling != meta.Pooling:
		return &embed.FileError{Problem: embed.OtherPooling, Path: model, Pooling: meta.Pooling}
	}
	return nil
}

func (p *Presenter) found(hits []embed.Hit, vector []float32, took time.Duration, err error) {
	s := &p.state
	s.Searching, s.Took = false, took
	if p.vector, s.Hits = vector, shownHits(hits); err != nil {
		p.vector, s.Hits, s.Note = nil, nil, problem(err)
	}
	p.putQuestion()
	p.publish()
}

// shownHits are hits with their texts made fit to be shown.
func shownHits(hits []embed.Hit) []Hit {
	var shown []Hit
	for _, h := range hits {
		shown = append(shown, Hit{Hit: h, Text: passage(h.Row.Text)})
	}
	return shown
}

// passageRunes is how much of a passage is shown.
const passageRunes = 200

// passage is a text in one line, shortened.
func passage(text string) string {
	return shortened(strings.Join(strings.Fields(text), " "), passageRunes)
}

// shortened is a text, or as much of it and a sign that there is more.
func shortened(text string, most int) string {
	if runes := []rune(text); len(runes) > most {
		return string(runes[:most]) + "…"
	}
	return text
}

// cutMiddle is a text, or its beginning and end: of file names both tell.
func cutMiddle(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	end := most / 3
	return string(runes[:most-1-end]) + "…" + string(runes[len(runes)-end:])
}

// OpenSource opens a file of the index. One whose path was given from another folder is
// looked for beside the index. That it is gone is said.
func (p *Presenter) OpenSource(path string, open func(path string)) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(filepath.Dir(p.state.Index), path)
	}
	opened := p.opened
	go func() {
		_, err := os.Stat(path)
		p.do(func() {
			switch {
			case opened != p.opened:
			case errors.Is(err, fs.ErrNotExist):
				p.state.Note = Note{Text: words.T("embeddings.hit.gone", map[string]any{"File": fileName(path)}), Bad: true}
				p.publish()
			default: // the desktop says what else there may be
				open(path)
			}
		})
	}()
}

// unchoose forgets what was chosen on the map.
func (p *Presenter) unchoose() {
	p.chosen++
	p.state.PassageOn, p.state.Region, p.state.RegionHits = false, 0, nil
}

// ChoosePoint shows the passage of a point of the map.
func (p *Presenter) ChoosePoint(number int64) {
	p.choosePoints([]int64{number}, func(hits []embed.Hit) {
		row := hits[0].Row
		row.Text = passage(row.Text)
		p.state.Passage, p.state.PassageOn = row, true
	})
}

// regionShown is how many passages of a part of the map are shown.
const regionShown = 50

// ChooseRegion shows the passages of some points of the map; without any it forgets
// the last.
func (p *Presenter) ChooseRegion(numbers []int64) {
	if len(numbers) == 0 {
		p.unchoose()
		p.publish()
		return
	}
	p.choosePoints(numbers[:min(len(numbers), regionShown)], func(hits []embed.Hit) {
		p.state.Region, p.state.RegionHits = len(numbers), shownHits(hits)
	})
}

// choosePoints reads the rows of points, and calls choose with them unless something
// else was chosen meanwhile.
func (p *Presenter) choosePoints(numbers []int64, choose func([]embed.Hit)) {
	x := p.index
	if x == nil {
		return
	}
	p.chosen++
	chosen, numbers := p.chosen, slices.Clone(numbers)
	go func() {
		hits, err := x.All(p.ctx, numbers)
		p.do(func() {
			if x != p.index || chosen != p.chosen {
				return
			}
			p.unchoose()
			switch {
			case err != nil:
				p.state.Note = problem(err)
			case len(hits) > 0:
				choose(hits)
			}
			p.publish()
		})
	}()
}
