package server

import (
	"context"
	"errors"
	"fmt"
	"math"

	"paddock/engine/vector"
)

// The texts of a proof: two that differ, and the first once more.
var proofTexts = []string{"The sea is deep and cold.", "Hello", "The sea is deep and cold."}

// embeds is whether the engine makes vectors: of the model's width, not of zeros,
// the same for equal texts, and not for others. That they are numbers is the
// client's to see.
func (i *Instance) embeds(ctx context.Context) *Failure {
	vectors, err := i.client.Embed(ctx, proofTexts)
	if err != nil {
		return refused(VectorsFailed, fmt.Errorf("ask for vectors: %w", err))
	}
	width, err := i.client.VectorWidth(ctx)
	if err != nil {
		return refused(VectorsFailed, fmt.Errorf("ask for their width: %w", err))
	}
	if err := soundVectors(vectors, width); err != nil {
		return failed(VectorsFailed, err)
	}
	i.proof.Dimensions = len(vectors[0])
	return nil
}

// soundVectors judges the vectors of proofTexts. width is the model's, 0 when it
// is not known.
func soundVectors(vectors [][]float32, width int) error {
	if width > 0 && len(vectors[0]) != width {
		return fmt.Errorf("vectors of %d numbers, of a model of %d", len(vectors[0]), width)
	}
	for _, v := range vectors {
		if vector.Length(v) == 0 {
			return errors.New("vectors of zeros")
		}
	}
	switch vector.Judge(vectors[0], vectors[1], vectors[2]) {
	case vector.Unsteady:
		return fmt.Errorf("two vectors of one text, %.3g apart", vector.Apart(vectors[0], vectors[2]))
	case vector.Alike:
		return errors.New("one vector for two texts")
	}
	return nil
}

// ranks is whether the engine scores texts: the same for equal ones, and not for
// others.
func (i *Instance) ranks(ctx context.Context) *Failure {
	scores, err := i.client.Rerank(ctx, "What is deep?", proofTexts)
	if err != nil {
		return refused(ScoresFailed, fmt.Errorf("ask for scores: %w", err))
	}
	if err := soundScores(scores); err != nil {
		return failed(ScoresFailed, err)
	}
	return nil
}

// soundScores judges the scores of proofTexts.
func soundScores(scores []float64) error {
	other, same := math.Abs(scores[0]-scores[1]), math.Abs(scores[0]-scores[2])
	switch {
	case same > vector.Same*(1+math.Abs(scores[0])):
		return fmt.Errorf("scores %v and %v for one text", scores[0], scores[2])
	case other <= same:
		return fmt.Errorf("one score for two texts: %v", scores[0])
	}
	return nil
}
