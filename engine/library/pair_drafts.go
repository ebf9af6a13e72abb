package library

import (
	"cmp"
	"slices"

	"paddock/engine/gguf"
)

// Values of the engine's --spec-type.
const (
	specSimple = "draft-simple"
	specEAGLE3 = "draft-eagle3"
	specDFlash = "draft-dflash"
	specMTP    = "draft-mtp"
)

// leastTimes is how many times less than its target a plain draft must read for
// a token. Reading is what a token costs. Three drafted tokens at 70 % accepted
// each give 2.5 tokens for one pass of the target and three of the draft: 1.45
// times as fast when the draft is four times lighter, nothing at half the size.
const leastTimes = 4

// maxPlainDrafts bounds the models offered as drafts of another: every small model
// of a family could be.
const maxPlainDrafts = 3

// heads pairs MTP heads and assistants in files of their own.
func (s *shelf) heads() map[*shelved][]Companion {
	found := map[*shelved][]match{}
	for _, head := range s.companions[gguf.MTPHead] {
		reason := HeadOf
		if head.Facts.Target.Architecture != head.Facts.Architecture {
			reason = AssistantOf
		}
		s.suits(head, reason, specMTP, found)
	}
	return bestOf(found)
}

// drafts pairs drafts made for a model, and after them smaller models with the
// same vocabulary.
func (s *shelf) drafts() map[*shelved][]Companion {
	found := map[*shelved][]match{}
	for _, draft := range s.companions[gguf.Draft] {
		spec := specEAGLE3
		if draft.Facts.Architecture == "dflash" {
			spec = specDFlash
		}
		s.suits(draft, MadeForIt, spec, found)
	}
	all := bestOf(found)
	for model, plain := range s.plainDrafts() {
		all[model] = append(all[model], plain...)
	}
	return all
}

// suits adds a head or draft to what was found for each model that it was made for.
func (s *shelf) suits(file *shelved, reason Reason, spec string, found map[*shelved][]match) {
	for _, model := range s.byWidth[file.Facts.Target.Width] {
		if fits(file, model) {
			m := matched(model, file, true, reason)
			m.spec = spec
			if m.madeFor != "" {
				m.reason = SameFamily
			}
			found[model] = append(found[model], m)
		}
	}
}

// fits says whether a draft or head has what it needs of a model. A head and its
// model are made of the same layers; a draft reads the state of some.
func fits(companion, model *shelved) bool {
	t, m := companion.Facts.Target, model.Facts
	trunk := m.Layers - max(m.NextNLayers, m.DeclaredNextN)
	return t.Width > 0 && t.Width == m.EmbeddingLength &&
		(t.Architecture == "" || t.Architecture == m.Architecture) &&
		(t.Layers == 0 || t.Layers == trunk) && t.LeastLayers <= trunk &&
		(t.HeadSizeK == 0 || t.HeadSizeK == m.HeadSizeK) &&
		(companion.Facts.Vocabulary.Tokens == 0 || companion.Facts.Vocabulary.Agrees(m.Vocabulary)) &&
		!contradict(companion.names, model.names)
}

// plainDrafts pairs models with smaller ones. Only those whose vocabularies start
// alike are compared, from the lightest on.
func (s *shelf) plainDrafts() map[*shelved][]Companion {
	type start struct {
		model string
		head  uint32
	}
	byStart := map[start][]*shelved{}
	for _, m := range s.models {
		at := start{m.Facts.Vocabulary.Model, m.Facts.Vocabulary.Head}
		byStart[at] = append(byStart[at], m)
	}
	all := map[*shelved][]Companion{}
	for _, group := range byStart {
		slices.SortFunc(group, func(a, b *shelved) int { return cmp.Compare(a.Facts.ActiveBytes, b.Facts.ActiveBytes) })
		for _, model := range group {
			if list := lighter(model, group); len(list) > 0 {
				all[model] = companions(list)
			}
		}
	}
	return all
}

// lighter are the best drafts for a model out of a list that goes from light to
// heavy: of its own line of models, the lightest first.
func lighter(model *shelved, group []*shelved) []match {
	var top []match
	for _, draft := range group {
		if draft.Facts.ActiveBytes == 0 {
			continue
		}
		times := model.Facts.ActiveBytes / draft.Facts.ActiveBytes
		if times < leastTimes {
			break
		}
		if !draft.Facts.Vocabulary.Agrees(model.Facts.Vocabulary) {
			continue
		}
		m := match{file: draft, reason: SameVocabulary, spec: specSimple, times: int(min(times, 1<<20)), together: draft.folder == model.folder}
		if sameLine(draft.names, model.names) {
			m.sure = sameKind
		}
		at, _ := slices.BinarySearchFunc(top, m, compareMatches)
		if at < maxPlainDrafts {
			top = slices.Insert(top, at, m)
			top = top[:min(len(top), maxPlainDrafts)]
		}
	}
	return top
}
