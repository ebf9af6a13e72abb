package embed

import (
	"context"
	"fmt"

	"paddock/engine/vector"
)

// A VectorProblem is what is wrong with a vector.
type VectorProblem string

// The problems.
const (
	Missing   VectorProblem = "missing"   // not one for each text
	NotFinite VectorProblem = "notFinite" // a value that is no number, or without end
	Zero      VectorProblem = "zero"      // of zeros only
	Width     VectorProblem = "width"     // not of the expected size
	Same      VectorProblem = "same"      // different texts have one vector: they were cut off, or the pooling is wrong
	Unsteady  VectorProblem = "unsteady"  // one text has different vectors
)

// A VectorError is an engine whose vectors are no good.
type VectorError struct {
	Problem    VectorProblem
	Path       string // of the chunk, empty before a run
	Chunk      int
	Other      string // path of the chunk that has the same vector
	OtherChunk int
	Size, Want int // of Width
}

func (e *VectorError) Error() string {
	text := "vectors: " + string(e.Problem)
	if e.Path != "" {
		text += fmt.Sprintf(", chunk %d of %s", e.Chunk, e.Path)
	}
	if e.Other != "" {
		text += fmt.Sprintf(", and chunk %d of %s", e.OtherChunk, e.Other)
	}
	return text
}

// The texts of the check: two that differ, and the first once more.
var checkTexts = []string{"The sea is deep and cold.", "A letter about the harvest of apples in October.", "The sea is deep and cold."}

// Check asks for a few vectors as a run would, and says how many values they have
// before they are shortened: different, finite and not zero for different texts, equal for equal ones,
// of want values where that is not 0. What isn't so is a *VectorError, other errors
// are the embedder's.
func Check(ctx context.Context, e Embedder, s Settings, want int) (width int, err error) {
	texts := make([]string, len(checkTexts))
	for i, text := range checkTexts {
		texts[i] = s.Prefix + text
	}
	vectors, err := s.ask(ctx, e, texts)
	if err != nil {
		return 0, err
	}
	if len(vectors) != len(texts) {
		return 0, &VectorError{Problem: Missing}
	}
	for _, v := range vectors {
		if problem := problemOf(v, len(vectors[0])); problem != "" {
			return 0, &VectorError{Problem: problem, Size: len(v), Want: len(vectors[0])}
		}
		if want > 0 && len(v) != want {
			return 0, &VectorError{Problem: Width, Size: len(v), Want: want}
		}
	}
	switch vector.Judge(vectors[0], vectors[1], vectors[2]) {
	case vector.Unsteady:
		return 0, &VectorError{Problem: Unsteady}
	case vector.Alike:
		return 0, &VectorError{Problem: Same}
	}
	return len(vectors[0]), nil
}

// problemOf is what is wrong with a vector by itself.
func problemOf(v []float32, want int) VectorProblem {
	switch {
	case len(v) != want || len(v) == 0:
		return Width
	case !vector.Finite(v):
		return NotFinite
	case vector.Length(v) == 0:
		return Zero
	}
	return ""
}

// ask asks for vectors of the length the settings want, not yet shortened.
func (s Settings) ask(ctx context.Context, e Embedder, texts []string) ([][]float32, error) {
	if s.Normalise == None {
		raw, ok := e.(RawEmbedder)
		if !ok {
			return nil, fmt.Errorf("%T gives no vectors that are not normalised", e)
		}
		return raw.EmbedRaw(ctx, texts)
	}
	return e.Embed(ctx, texts)
}

// QueryVector is what to search with for a text among vectors made as meta says.
func QueryVector(ctx context.Context, e Embedder, m Meta, text string) ([]float32, error) {
	s := Settings{Normalise: m.Normalise, LayerNorm: m.LayerNorm, Dimensions: m.Dimensions}
	vectors, err := s.ask(ctx, e, []string{m.QueryPrefix + text})
	if err != nil {
		return nil, err
	}
	if len(vectors) != 1 {
		return nil, &VectorError{Problem: Missing}
	}
	v := vectors[0]
	if problem := problemOf(v, len(v)); problem != "" {
		return nil, &VectorError{Problem: problem}
	}
	if len(v) < m.Dimensions {
		return nil, &VectorError{Problem: Width, Size: len(v), Want: m.Dimensions}
	}
	return s.shape(v), nil
}
