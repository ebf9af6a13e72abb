package embed

import (
	"fmt"
	"strconv"

	"paddock/engine/gguf"
	"paddock/engine/plan"
)

// A Normalisation says what length vectors get.
type Normalisation string

// The normalisations.
const (
	L2   Normalisation = "l2"   // 1
	None Normalisation = "none" // what the network gives
)

// Settings are how vectors are made of texts.
type Settings struct {
	Family      string // its id, "" for Unknown's
	Prefix      string // before each chunk
	QueryPrefix string // before what is searched for
	Pooling     string // of the engine; only kept with the output
	Normalise   Normalisation
	LayerNorm   bool // before vectors are shortened
	Dimensions  int  // 0 for all
}

// SettingsOf are a family's for a model. What the file says of pooling counts more
// than the family.
func SettingsOf(family Family, f gguf.Facts) Settings {
	pooling := f.Pooling
	if pooling == "" || pooling == "none" {
		pooling = family.Pooling
	}
	return Settings{
		Family: family.ID, Prefix: family.Prefix, QueryPrefix: family.QueryPrefix, Pooling: pooling,
		Normalise: L2, LayerNorm: family.LayerNorm,
	}
}

// Pooling is what to ask of the engine for a model: empty where its file says how.
func Pooling(family Family, f gguf.Facts) string {
	if f.Pooling == "" || f.Pooling == "none" {
		return family.Pooling
	}
	return ""
}

// Usable says whether a model is for vectors: a reranker gives a *ModelError.
func Usable(f gguf.Facts) error {
	if f.Pooling == "rank" || f.HasClassifier {
		return &ModelError{Problem: IsReranker, Path: f.Path}
	}
	return nil
}

// Check says whether a model's vectors can be as the settings want them. The error
// is a *DimensionsError.
func (s Settings) Check(family Family, f gguf.Facts) error {
	width := f.EmbeddingLength
	switch {
	case s.Dimensions == 0 || s.Dimensions == width:
		return nil
	case s.Dimensions < 0 || width > 0 && s.Dimensions > width:
		return &DimensionsError{Problem: TooMany, Path: f.Path, Dimensions: s.Dimensions, Width: width}
	case !family.Shortens(s.Dimensions):
		return &DimensionsError{Problem: NotTrained, Path: f.Path, Dimensions: s.Dimensions, Width: width, Shorter: family.Shorter}
	}
	return nil
}

// PlanFor is the plan of a run whose largest chunk has that many tokens, prefix and
// special tokens included, still to be completed: its context and, by that, its
// batches take every chunk in one go. With 0 for a size that is not known, what
// plan.Complete chooses is the limit of a chunk.
func PlanFor(f gguf.Facts, family Family, largestTokens, slots int) plan.Plan {
	p := plan.Plan{ModelPath: f.Path, Purpose: plan.Embeddings, Slots: max(slots, 1), Pooling: Pooling(family, f)}
	// The engine rounds a slot's context up, so that this costs nothing.
	largestTokens = (largestTokens + contextBlock - 1) / contextBlock * contextBlock
	if f.ContextTokens > 0 {
		largestTokens = min(largestTokens, f.ContextTokens)
	}
	p.ContextTokens = largestTokens * p.Slots
	return p
}

// contextBlock is what the engine rounds the context of a slot up to, in tokens.
const contextBlock = 256

// ChunkLimit is the most tokens a chunk may have under a complete plan, prefix and
// special tokens included. A causal model takes one less than the context of a slot
// (b11669: TestALongestTextIsTheContextOrATokenLess in package chunk).
func ChunkLimit(p plan.Plan, f gguf.Facts) int {
	limit := p.ContextTokens
	if !p.KVUnified {
		limit /= max(p.Slots, 1)
	}
	if f.ContextTokens > 0 {
		limit = min(limit, f.ContextTokens)
	}
	if f.Network.Causal {
		limit--
	}
	if _, physical := p.Batch(); physical > 0 {
		limit = min(limit, physical)
	}
	return limit
}

// A ModelProblem is why a model makes no vectors.
type ModelProblem string

// IsReranker is of a model that scores texts against a question, and has no vectors.
const IsReranker ModelProblem = "reranker"

// A ModelError is a model that makes no vectors.
type ModelError struct {
	Problem ModelProblem
	Path    string
}

func (e *ModelError) Error() string { return fmt.Sprintf("embed with %s: %s", e.Path, e.Problem) }

// A DimensionsProblem is why vectors can't have so many dimensions.
type DimensionsProblem string

// The problems.
const (
	TooMany    DimensionsProblem = "tooMany"    // more than the model's, or none
	NotTrained DimensionsProblem = "notTrained" // its vectors mean nothing when cut to that
)

// A DimensionsError is a number of dimensions that a model's vectors can't have.
type DimensionsError struct {
	Problem    DimensionsProblem
	Path       string
	Dimensions int
	Width      int   // the model's own, 0 when unknown
	Shorter    []int // what else they may be cut to
}

func (e *DimensionsError) Error() string {
	return fmt.Sprintf("%d dimensions of %s: %s", e.Dimensions, e.Path, e.Problem)
}

func itoa(n int) string { return strconv.Itoa(n) }
