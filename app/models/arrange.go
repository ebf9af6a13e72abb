package models

import (
	"cmp"
	"path/filepath"
	"slices"

	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/words"
)

// plainDrafts is how many ordinary models are shown under a model as drafts for
// it. Every small model of a family can draft for every large one; the detail
// pane names them all.
const plainDrafts = 1

// A shelf is everything there is to arrange: rows, and which of them work
// together. Its rows are not written to once it is made.
type shelf struct {
	rows  map[string]*Row   // by key
	hosts map[string][]Work // by path of a companion, the models it works beside
	under map[string][]*Row // by path of a model, what is shown under it

	order   order
	ordered bool   // the rows below are in order
	models  []*Row // models and files with a problem
	others  []*Row // companions, and what else is no model
	folders []*Row // that can't be read
}

// newShelf puts rows and what pairing found out about them together.
func newShelf(rows map[string]*Row, pairs map[string]paired) *shelf {
	s := &shelf{rows: rows, hosts: map[string][]Work{}, under: map[string][]*Row{}}
	for _, r := range rows {
		if p, known := pairs[r.Path]; known && !r.Folder {
			s.pair(r, p)
		}
	}
	for path, list := range s.hosts {
		slices.SortFunc(list, func(a, b Work) int { return cmp.Or(fold(a.Name, b.Name), cmp.Compare(a.Path, b.Path)) })
		if r := rows[path]; r.Companion {
			r.Works = list
		}
	}
	for _, r := range rows {
		switch {
		case r.Folder:
			s.folders = append(s.folders, r)
		case r.Companion:
			s.others = append(s.others, r)
		default:
			s.models = append(s.models, r)
			s.under[r.Path] = s.subRows(r)
		}
	}
	return s
}

// pair writes into a model's row what its companions make of it.
func (s *shelf) pair(r *Row, p paired) {
	r.MTP = p.mtp
	named := map[string]int{}
	if !slices.Equal(r.Badges, p.capabilities) {
		r.Badges = p.capabilities
		r.searchable = searchable(*r)
	}
	for _, w := range p.works {
		c, there := s.rows[w.Path]
		if !there || w.Path == r.Path {
			continue
		}
		w.Name, w.Quantisation = c.Name, c.Quantisation
		r.Works = append(r.Works, w)
		named[w.Name]++
		host := Work{Path: r.Path, Name: r.Name, Quantisation: r.Quantisation, Kind: w.Kind, Reason: w.Reason}
		s.hosts[w.Path] = append(s.hosts[w.Path], host)
	}
	for i, w := range r.Works {
		if named[w.Name] > 1 {
			r.Works[i].Name = gguf.Printable(filepath.Base(w.Path))
		}
	}
}

// subRows are the rows shown under a model.
func (s *shelf) subRows(host *Row) []*Row {
	var subs []*Row
	plain := 0
	for _, w := range host.Works {
		r := *s.rows[w.Path]
		if !r.Companion {
			plain++
		}
		if !r.Companion && plain > plainDrafts || r.Companion && !s.nests(w.Path) {
			continue
		}
		r.Name = w.Name
		r.Under, r.Fits, r.Badges = host.Path, w.Reason, []string{w.Kind}
		subs = append(subs, &r)
	}
	return subs
}

// nests says whether a companion is shown under the models it fits.
func (s *shelf) nests(path string) bool { return len(s.hosts[path]) <= library.HostsShown }

// arrange is what the table shows: the models that pass the filter, each with its
// companions under it, then what fits no model here, then folders that can't be
// read.
func (s *shelf) arrange(f filter, source string, o order) []*Row {
	if !s.ordered || !s.order.same(o) {
		for _, rows := range [][]*Row{s.models, s.others, s.folders} {
			o.sort(rows)
		}
		s.order, s.ordered = o, true
	}
	in := func(r *Row) bool { return source == sourceAll || r.Source == source }
	var all []*Row
	for _, m := range s.models {
		if !in(m) || !f.allows(m) {
			continue
		}
		subs := s.under[m.Path]
		if !f.says(m) {
			// What was typed is a companion's: it is shown where it belongs.
			subs = slices.DeleteFunc(slices.Clone(subs), func(r *Row) bool { return !r.Companion || !f.says(r) })
			if len(subs) == 0 {
				continue
			}
		}
		all = append(append(all, m), subs...)
	}
	for _, r := range s.others {
		hostIn := func(w Work) bool { return in(s.rows[w.Path]) }
		if !in(r) || !f.matches(r) || s.nests(r.Path) && slices.ContainsFunc(s.hosts[r.Path], hostIn) {
			continue
		}
		alone := *r
		alone.Fits = aloneReason(r)
		all = append(all, &alone)
	}
	for _, r := range s.folders {
		if in(r) && f.matches(r) {
			all = append(all, r)
		}
	}
	return all
}

// aloneReason says why a companion has a row of its own.
func aloneReason(r *Row) string {
	switch r.Model.Facts.Kind {
	case gguf.Vocabulary, gguf.Imatrix, gguf.Part, gguf.Other:
		return words.T("models.alone." + string(r.Model.Facts.Kind))
	}
	switch len(r.Works) {
	case 0:
		return words.T("models.alone")
	case 1:
		return words.T("models.alone.for", map[string]any{"Model": r.Works[0].Name})
	}
	return words.T("models.alone.forMany", map[string]any{"Count": words.Count(len(r.Works))})
}

// totals counts everything there is.
func (s *shelf) totals() (t Totals, bySource map[string]int) {
	bySource = map[string]int{}
	for _, r := range s.rows {
		bySource[r.Source]++
		t.SizeBytes += r.Model.SizeBytes
		switch {
		case r.Folder:
			t.Troubles++
		case r.Companion:
			t.Companions++
		default:
			t.Models++
		}
	}
	return t, bySource
}
