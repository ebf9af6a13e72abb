package load

import (
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"paddock/engine/gguf"
	"paddock/engine/plan"
	"paddock/words"
)

// specMethods are the engine's names of the kinds.
var specMethods = map[SpecKind]string{
	SpecMTP: plan.SpecMTP, SpecFile: plan.SpecMTP, SpecDraft: plan.SpecDraft, SpecEAGLE3: plan.SpecEAGLE3, SpecDFlash: plan.SpecDFlash,
}

// nGram is the method the screen offers; the command line knows the others.
const nGram = "ngram-mod"

// mostAhead is how many tokens to guess at a time are offered.
const mostAhead = 8

// specKinds are the kinds that are shown: those that need a special file only when
// there is one.
func (p *Presenter) specKinds() []SpecKind {
	kinds := []SpecKind{SpecOff, SpecMTP, SpecFile, SpecDraft}
	for _, kind := range []SpecKind{SpecEAGLE3, SpecDFlash} {
		if len(p.specFiles(kind)) > 0 {
			kinds = append(kinds, kind)
		}
	}
	return kinds
}

// specFiles are the files beside the model for a kind.
func (p *Presenter) specFiles(kind SpecKind) []gguf.Facts {
	if kind == SpecOff || kind == SpecMTP {
		return nil
	}
	var list []gguf.Facts
	for _, f := range p.beside {
		if plan.SpecOf(f) == specMethods[kind] {
			list = append(list, f)
		}
	}
	return list
}

// specKind is how a plan guesses with weights.
func (p *Presenter) specKind(q plan.Plan) SpecKind {
	switch {
	case q.Speculates(plan.SpecMTP) && q.DraftPath != "":
		return SpecFile
	case q.Speculates(plan.SpecMTP):
		return SpecMTP
	}
	for _, kind := range []SpecKind{SpecDraft, SpecEAGLE3, SpecDFlash} {
		if q.Speculates(specMethods[kind]) {
			return kind
		}
	}
	return SpecOff
}

// nGrams are a plan's ways of guessing from the text itself.
func nGrams(q plan.Plan) []string {
	return slices.DeleteFunc(q.SpecMethods(), func(m string) bool { return !strings.HasPrefix(m, "ngram-") })
}

// withSpec is a plan that guesses in another way, and from the text itself in
// the ways of nGrams.
func withSpec(q plan.Plan, kind SpecKind, path string, nGrams []string) plan.Plan {
	var methods []string
	if kind == SpecOff {
		q.DraftMax, q.DraftCacheK, q.DraftCacheV = 0, "", ""
	} else {
		methods = append(methods, specMethods[kind])
	}
	q.SpecTypes, q.DraftPath = strings.Join(append(methods, nGrams...), ","), path
	if q.SpecTypes == "" {
		q.SpecTypes = plan.NoSpec
	}
	return q
}

// SetSpec chooses how tokens are guessed ahead, with the best file for it.
func (p *Presenter) SetSpec(kind SpecKind) {
	path := ""
	if files := p.specFiles(kind); len(files) > 0 {
		path = files[0].Path
	}
	p.setSpec(kind, path)
}

// SetDraft chooses the file to guess with.
func (p *Presenter) SetDraft(path string) { p.setSpec(p.specKind(p.asked), path) }

func (p *Presenter) setSpec(kind SpecKind, path string) {
	p.change(specSetting, func(q *plan.Plan) { *q = withSpec(*q, kind, path, nGrams(*q)) })
}

// SetNGram guesses from the text itself too, or not.
func (p *Presenter) SetNGram(on bool) {
	p.change(specSetting, func(q *plan.Plan) {
		var methods []string
		if on {
			methods = []string{nGram}
		}
		*q = withSpec(*q, p.specKind(*q), q.DraftPath, methods)
	})
}

// SetAhead chooses how many tokens to guess at a time.
func (p *Presenter) SetAhead(tokens string) {
	if n, err := strconv.Atoi(tokens); err == nil && n > 0 {
		p.change(specSetting, func(q *plan.Plan) { q.DraftMax = n })
	}
}

func (p *Presenter) publishSpec(verdict plan.Verdict) {
	s := &p.state
	s.Spec, s.SpecNotes = Spec{}, nil
	for _, kind := range p.specKinds() {
		s.Spec.Rows = append(s.Spec.Rows, p.specRow(kind))
	}
	grams := nGrams(s.Plan)
	s.Spec.NGram = len(grams) > 0
	if !s.Spec.NGram {
		o := plan.Try(withSpec(s.Plan, p.specKind(s.Plan), s.Plan.DraftPath, []string{nGram}), p.given(), "specTypes", nGram)
		s.Spec.NoNGram = p.option(o, words.T("load.spec.ngram"), Option{}, &s.SpecNotes).Off
	}
	for n := 1; n <= max(mostAhead, s.Plan.DraftTokens()); n++ {
		number := strconv.Itoa(n)
		s.Spec.Ahead = append(s.Spec.Ahead, Option{Value: number, Label: number, Chosen: n == s.Plan.DraftTokens()})
	}
	s.SpecNotes = append(p.findings(verdict, "specTypes", "draftPath", "draftMax", "draftCacheK", "draftCacheV"), s.SpecNotes...)
}

func (p *Presenter) specRow(kind SpecKind) SpecRow {
	s := &p.state
	r := SpecRow{
		Kind: kind, Label: words.T("load.spec." + string(kind)),
		Chosen: kind == p.specKind(s.Plan), Drafts: kind != SpecOff,
	}
	files := p.specFiles(kind)
	if reason := p.missing(kind, files); reason != "" {
		if !r.Chosen {
			r.Off = true
			r.Notes = []Note{{Kind: Off, Text: reason}}
		}
		return r
	}
	r.About = p.specAbout(kind, files, r.Chosen)
	r.Short = r.About
	if kind == SpecMTP {
		r.Short = p.specAbout(kind, files, false)
	}
	if len(files) == 0 {
		o := p.specOffer(kind, "")
		r.Off = p.option(o, p.specName(kind), Option{Value: string(kind), Chosen: r.Chosen}, &r.Notes).Off
		return r
	}
	for _, f := range files {
		o := Option{Value: f.Path, Label: fileName(f.Path), Chosen: r.Chosen && f.Path == s.Plan.DraftPath}
		name := r.Label
		if len(files) > 1 {
			name = o.Label
		}
		r.Files = append(r.Files, p.option(p.specOffer(kind, f.Path), name, o, &r.Notes))
	}
	r.Off = !r.Chosen && r.Files[0].Off
	if len(files) == 1 {
		r.Files = nil
	}
	return r
}

// specName is what the reasons call a kind.
func (p *Presenter) specName(kind SpecKind) string {
	label := words.T("load.spec." + string(kind))
	if kind == SpecOff {
		return words.T("load.spec") + " " + label
	}
	return label
}

// specOffer is the present plan guessing in another way.
func (p *Presenter) specOffer(kind SpecKind, path string) plan.Offer {
	grams := nGrams(p.state.Plan)
	switch {
	case len(grams) > 0:
		return plan.Try(withSpec(p.state.Plan, kind, path, grams), p.given(), "specTypes", string(kind))
	case path != "":
		return find(p.offered().Draft, path)
	case kind == SpecOff:
		return find(p.offered().Spec, plan.NoSpec)
	}
	return find(p.offered().Spec, specMethods[kind])
}

// missing says what a kind has nothing to guess with, empty when it has.
func (p *Presenter) missing(kind SpecKind, files []gguf.Facts) string {
	f := p.state.Model.Facts
	switch {
	case kind == SpecMTP && f.NextNLayers == 0 && f.DeclaredNextN > 0:
		return words.T("load.spec.mtp.missing")
	case kind == SpecMTP && f.NextNLayers == 0:
		return words.T("load.spec.mtp.none")
	case kind == SpecFile && len(files) == 0:
		return words.T("load.spec.mtp-file.none")
	case kind == SpecDraft && len(files) == 0 && p.state.Plan.Purpose != plan.Chat:
		return words.T("load.spec.draft.purpose")
	case kind == SpecDraft && len(files) == 0:
		return words.T("load.spec.draft.none", map[string]any{"Tokens": words.Count(f.Vocabulary.Tokens), "Known": f.Vocabulary.Tokens > 0})
	}
	return ""
}

// specAbout is what a kind guesses with.
func (p *Presenter) specAbout(kind SpecKind, files []gguf.Facts, chosen bool) string {
	switch {
	case kind == SpecOff:
		return ""
	case kind == SpecMTP:
		data := map[string]any{"Layers": p.state.Model.Facts.NextNLayers, "Tokens": p.state.Plan.DraftTokens(), "Chosen": chosen}
		return words.T("load.spec.mtp.about", data)
	}
	for _, f := range files {
		if chosen && f.Path == p.state.Plan.DraftPath {
			return fileName(f.Path)
		}
	}
	return fileName(files[0].Path)
}

// fileName is a file's name as it can be shown, without what every one ends in.
func fileName(path string) string {
	return gguf.Printable(strings.TrimSuffix(filepath.Base(path), ".gguf"))
}
