package embeddings

import (
	"context"
	"strings"
	"time"

	"paddock/engine/embed"
)

// hitsShown is how many passages a search shows.
const hitsShown = 20

func (p *Presenter) closeIndex() {
	p.opened++
	p.search()
	if x := p.index; x != nil {
		p.index = nil
		go x.Close() // a search or a map may still read
	}
	s := &p.state
	s.Index, s.Meta, s.Vectors, s.Files, s.Only = "", embed.Meta{}, 0, nil, ""
	s.Hits, s.Searching, s.Note = nil, false, Note{}
	s.Points, s.Mapping, s.AskedThere, s.PassageOn = nil, false, false, false
}

// OpenIndex opens an SQLite output to search it, and makes its map.
func (p *Presenter) OpenIndex(path string) {
	p.closeIndex()
	opened := p.opened
	p.publish()
	go func() {
		x, err := embed.OpenIndex(path)
		var files []embed.IndexFile
		if err == nil {
			files, err = x.Files(p.ctx)
		}
		p.do(func() {
			if opened != p.opened || p.ctx.Err() != nil {
				if x != nil {
					x.Close()
				}
				return
			}
			if err != nil {
				if x != nil {
					x.Close()
				}
				p.state.Note = problem(err)
				p.publish()
				return
			}
			p.index = x
			p.state.Index, p.state.Meta, p.state.Vectors, p.state.Files = path, x.Meta, x.Rows, files
			p.draw()
			p.publish()
		})
	}()
}

// draw makes the map of the index.
func (p *Presenter) draw() {
	opened, x := p.opened, p.index
	p.state.Mapping = true
	go func() {
		points, place, err := x.Map(p.ctx)
		p.do(func() {
			if opened != p.opened {
				return
			}
			p.state.Mapping = false
			if err != nil {
				p.state.Note = problem(err)
			}
			p.state.Points, p.place = points, place
			p.publish()
		})
	}()
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

// Search finds the passages that are nearest to a question.
func (p *Presenter) Search(query string) {
	query = strings.TrimSpace(query)
	s := &p.state
	s.Query = query
	x := p.index
	if query == "" || x == nil || !s.Ready {
		p.publish()
		return
	}
	p.search()
	ctx, cancel := context.WithCancel(p.ctx)
	p.search = cancel
	p.asked++
	asked, model, sum, only := p.asked, s.Engine.Model.Path, p.sums[s.Engine.Model.Path], s.Only
	s.Searching, s.Note, s.PassageOn = true, Note{}, false
	p.publish()
	go func() {
		defer cancel()
		began := time.Now()
		var err error
		if sum == "" {
			sum, err = embed.HashFile(ctx, model)
		}
		if err == nil && sum != x.Meta.ModelSHA256 {
			err = &embed.FileError{Problem: embed.OtherModel, Path: model}
		}
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
			if sum != "" {
				p.sums[model] = sum
			}
			if asked == p.asked && x == p.index {
				p.found(hits, vector, took, err)
			}
		})
	}()
}

func (p *Presenter) found(hits []embed.Hit, vector []float32, took time.Duration, err error) {
	s := &p.state
	s.Searching, s.Took, s.Hits = false, took, nil
	if err != nil {
		s.Note = problem(err)
		p.publish()
		return
	}
	for _, h := range hits {
		s.Hits = append(s.Hits, Hit{Hit: h, Text: passage(h.Row.Text)})
	}
	s.Asked.X, s.Asked.Y = p.place.Place(vector)
	s.AskedThere = true
	p.publish()
}

// passageRunes is how much of a passage is shown.
const passageRunes = 200

// passage is a text in one line, shortened.
func passage(text string) string {
	runes := []rune(strings.Join(strings.Fields(text), " "))
	if len(runes) > passageRunes {
		runes = append(runes[:passageRunes], '…')
	}
	return string(runes)
}

// ChoosePoint shows the passage of a point of the map.
func (p *Presenter) ChoosePoint(number int64) {
	x := p.index
	if x == nil {
		return
	}
	go func() {
		row, err := x.At(p.ctx, number)
		p.do(func() {
			if x != p.index {
				return
			}
			if err != nil {
				p.state.Note = problem(err)
			} else {
				row.Text = passage(row.Text)
				p.state.Passage, p.state.PassageOn = row, true
			}
			p.publish()
		})
	}()
}
