package server

import (
	"context"
	"errors"
	"fmt"
	"math"
)

// The texts of a proof: two that differ, and the first once more.
var proofTexts = []string{"The sea is deep and cold.", "Hello", "The sea is deep and cold."}

// How far apart vectors are, as a share of their length. Equal texts beside others
// in a batch differ by rounding only; what is closer than that is one text.
const (
	sameVector  = 0.02
	otherVector = 0.001
)

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
		if length(v) == 0 {
			return errors.New("vectors of zeros")
		}
	}
	other, same := apart(vectors[0], vectors[1]), apart(vectors[0], vectors[2])
	switch {
	case same > sameVector:
		return fmt.Errorf("two vectors of one text, %.3g apart", same)
	case other < otherVector || other <= same:
		return errors.New("one vector for two texts")
	}
	return nil
}

func length(v []float32) float64 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	return math.Sqrt(sum)
}

// apart is the distance between two vectors, as a share of the first one's length.
func apart(a, b []float32) float64 {
	difference := make([]float32, len(a))
	for i := range a {
		difference[i] = a[i] - b[i]
	}
	return length(difference) / length(a)
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
	case same > sameVector*(1+math.Abs(scores[0])):
		return fmt.Errorf("scores %v and %v for one text", scores[0], scores[2])
	case other <= same:
		return fmt.Errorf("one score for two texts: %v", scores[0])
	}
	return nil
}
