package library

import (
	"cmp"
	"path/filepath"
	"slices"

	"paddock/engine/gguf"
)

// Companions are the files here that work beside a model, the best first.
type Companions struct {
	Projectors []Companion // of pictures or sound
	Drafts     []Companion // EAGLE-3, DFlash, or a smaller model
	MTP        []Companion // heads and assistants in files of their own
	LoRA       []Companion
}

// A Companion is a file that works beside a model, and why.
type Companion struct {
	Path    string // its first file
	Model   Model
	Reason  Reason
	Spec    string // the engine's --spec-type for it; "" for projectors and adapters
	MadeFor string // the model it says it is of, where that is another one
	Times   int    // for SameVocabulary: how many times less the engine reads for a token
}

// A Reason says why a file works beside a model.
type Reason string

// The reasons.
const (
	Fits           Reason = "fits"       // a projector of this model, or of one with its kind and size that says no more
	SameFamily     Reason = "family"     // a projector, draft or head of another model of this kind and size
	SameVocabulary Reason = "vocabulary" // a smaller model
	MadeForIt      Reason = "draft"      // EAGLE-3 or DFlash for this model
	AssistantOf    Reason = "assistant"  // an MTP assistant for this model
	HeadOf         Reason = "mtp"        // the MTP layers of this model
	AdapterOf      Reason = "adapter"    // a LoRA for this model
)

// maxCompanions bounds a model's companions of one kind.
const maxCompanions = 16

// HostsShown is how many models a companion is shown under. One that fits more,
// such as an adapter for all models of a family, is shown once, by itself.
const HostsShown = 12

// Pair finds the companions of every model, by the path of its first file. Facts
// decide. Names and folders say which is best, and rule out what facts can't tell
// apart; they never pair files that don't fit. A model without companions is not
// in the map.
func Pair(models []Model) map[string]Companions {
	s := newShelf(models)
	pairs := map[string]Companions{}
	for host, list := range s.projectors() {
		c := pairs[host.path]
		c.Projectors = list
		pairs[host.path] = c
	}
	for host, list := range s.heads() {
		c := pairs[host.path]
		c.MTP = list
		pairs[host.path] = c
	}
	for host, list := range s.drafts() {
		c := pairs[host.path]
		c.Drafts = list
		pairs[host.path] = c
	}
	for host, list := range s.adapters() {
		c := pairs[host.path]
		c.LoRA = list
		pairs[host.path] = c
	}
	return pairs
}

// Attached are the files that are shown under a model, and so not by themselves:
// those that are of no use alone. A model that can draft for another stays one.
func Attached(pairs map[string]Companions) map[string]bool {
	attached := map[string]bool{}
	for _, c := range pairs {
		for _, list := range [][]Companion{c.Projectors, c.Drafts, c.MTP, c.LoRA} {
			for _, companion := range list {
				if companion.Model.Facts.Kind != gguf.Model {
					attached[companion.Path] = true
				}
			}
		}
	}
	return attached
}

// Capabilities are those of the model with what is beside it: it sees when there
// is a projector of pictures.
func (c Companions) Capabilities(m Model) []string {
	at := slices.Index(m.Capabilities, Chat)
	sees := slices.ContainsFunc(c.Projectors, func(p Companion) bool { return p.Model.Facts.Projection.Vision != "" })
	if at < 0 || !sees {
		return m.Capabilities
	}
	return slices.Insert(slices.Clone(m.Capabilities), at+1, Vision)
}

// An MTPHead says where the layers are by which a model predicts several tokens
// at once.
type MTPHead string

// Where they can be.
const (
	NoMTP        MTPHead = ""        // the model never had any
	MTPInModel   MTPHead = "model"   // in its own file
	MTPMissing   MTPHead = "missing" // its header speaks of them, and they are not there
	MTPInAnother MTPHead = "file"    // in a file of their own
)

// MTPHead says where the model's layers for multi-token prediction are.
func (c Companions) MTPHead(m Model) MTPHead {
	switch {
	case m.Facts.NextNLayers > 0:
		return MTPInModel
	case len(c.MTP) > 0:
		return MTPInAnother
	case m.Facts.DeclaredNextN > 0:
		return MTPMissing
	}
	return NoMTP
}

// A shelved file is a model or companion with what pairing asks of it again and again.
type shelved struct {
	Model
	path   string
	names  names
	folder int // one number for each folder
}

// A shelf is what Pair works on: usable files by what they are.
type shelf struct {
	models     []*shelved // that chat
	byWidth    map[int][]*shelved
	inFolder   map[int]int // how many of models
	companions map[gguf.Kind][]*shelved
}

func newShelf(models []Model) *shelf {
	s := &shelf{byWidth: map[int][]*shelved{}, inFolder: map[int]int{}, companions: map[gguf.Kind][]*shelved{}}
	speller := newSpeller()
	folders := map[string]int{}
	for _, m := range models {
		if m.Problem != nil || len(m.Files) == 0 {
			continue
		}
		chats := m.Facts.Kind == gguf.Model && slices.Contains(m.Capabilities, Chat)
		if m.Facts.Kind == gguf.Model && !chats {
			continue
		}
		f := &shelved{Model: m, path: m.Files[0], names: speller.names(m)}
		folder := filepath.Dir(f.path)
		if _, known := folders[folder]; !known {
			folders[folder] = len(folders)
		}
		f.folder = folders[folder]
		if chats {
			s.models = append(s.models, f)
			s.byWidth[m.Facts.EmbeddingLength] = append(s.byWidth[m.Facts.EmbeddingLength], f)
			s.inFolder[f.folder]++
		} else {
			s.companions[m.Facts.Kind] = append(s.companions[m.Facts.Kind], f)
		}
	}
	return s
}

// How sure it is that a companion which fits by its facts is of this very model.
const (
	unsure   = iota // it fits models of other kinds as well
	sameKind        // it fits this kind of model and no other
	alone           // it lies in a folder with models it fits, and no others
	sameName        // both say they are of the same model
)

// A match is a companion that fits a model, and how well.
type match struct {
	file     *shelved
	sure     int
	close    int // how many words their names share
	together bool
	reason   Reason
	spec     string
	madeFor  string
	times    int
	order    int // among equals: the lower the better
}

// compareMatches puts the better one first.
func compareMatches(a, b match) int {
	return cmp.Or(
		cmp.Compare(b.sure, a.sure),
		cmp.Compare(b.close, a.close),
		compareBools(b.together, a.together),
		cmp.Compare(a.order, b.order),
		cmp.Compare(a.file.Facts.ActiveBytes, b.file.Facts.ActiveBytes),
		cmp.Compare(a.file.path, b.file.path),
	)
}

func compareBools(a, b bool) int {
	switch {
	case a == b:
		return 0
	case a:
		return 1
	}
	return -1
}

// best are the matches of the greatest certainty there is, the best first.
func best(matches []match) []Companion {
	sure := 0
	for _, m := range matches {
		sure = max(sure, m.sure)
	}
	matches = slices.DeleteFunc(matches, func(m match) bool { return m.sure < sure })
	slices.SortFunc(matches, compareMatches)
	return companions(matches)
}

func companions(matches []match) []Companion {
	matches = matches[:min(len(matches), maxCompanions)]
	list := make([]Companion, len(matches))
	for i, m := range matches {
		list[i] = Companion{Path: m.file.path, Model: m.file.Model, Reason: m.reason, Spec: m.spec, MadeFor: m.madeFor, Times: m.times}
	}
	return list
}

// matched fills in what name and folder say of two files that fit by their facts.
// ownKind says that no other kind of model than this one could be meant.
func matched(model, companion *shelved, ownKind bool, reason Reason) match {
	m := match{
		file: companion, reason: reason, together: model.folder == companion.folder,
		close: shared(model.names.words, companion.names.words),
	}
	if ownKind {
		m.sure = sameKind
	}
	if share(model.names.identities, companion.names.identities) {
		m.sure = sameName
	} else if len(model.names.identities) > 0 && len(companion.names.identities) > 0 {
		m.madeFor = companion.madeFor()
	}
	return m
}

// madeFor is the model a companion names.
func (f *shelved) madeFor() string {
	if len(f.Facts.Origin.Bases) > 0 && f.Facts.Origin.Bases[0].Name != "" {
		return f.Facts.Origin.Bases[0].Name
	}
	return f.Facts.Name
}
