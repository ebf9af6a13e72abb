package embed

import (
	"context"
	"math"

	"paddock/engine/vector"
)

// A Point is a row on the map: its place along the two directions in which the
// vectors differ most.
type Point struct {
	Number int64 // of the row in the index
	Path   string
	X, Y   float64
}

// sampleSize is how many vectors the directions are found by. All are placed.
const sampleSize = 4096

// A Projection places vectors on a map.
type Projection struct {
	mean []float32
	axes [2][]float32
}

// Place is where a vector lies: also that of a question among an index's points.
func (p Projection) Place(v []float32) (x, y float64) {
	at := [2]float64{}
	for i, axis := range p.axes {
		if len(axis) == len(v) {
			at[i] = vector.Dot(v, axis) - vector.Dot(p.mean, axis)
		}
	}
	return at[0], at[1]
}

// Map places all rows on a map. The same rows give the same map.
func (x *Index) Map(ctx context.Context) ([]Point, Projection, error) {
	every := max(x.Rows/sampleSize, 1)
	var sample [][]float32
	points := make([]Point, 0, x.Rows)
	sampled := everyRow
	if every > 1 {
		sampled = `WITH RECURSIVE sampled (number) AS (
				SELECT min(rowid) FROM chunks UNION ALL SELECT number + ` + itoa(every) + ` FROM sampled WHERE number < (SELECT max(rowid) FROM chunks))
			SELECT chunks.rowid, path, vector FROM sampled JOIN chunks ON chunks.rowid = number ORDER BY number`
	}
	err := x.vectors(ctx, sampled, func(number int64, path string, v []float32) {
		sample = append(sample, v)
		points = append(points, Point{Number: number, Path: path})
	})
	if err != nil {
		return nil, Projection{}, err
	}
	p, err := newProjection(ctx, sample)
	if err != nil {
		return nil, Projection{}, err
	}
	if every == 1 { // all are in memory
		for i := range points {
			points[i].X, points[i].Y = p.Place(sample[i])
		}
		return points, p, nil
	}
	points = points[:0]
	err = x.vectors(ctx, everyRow, func(number int64, path string, v []float32) {
		point := Point{Number: number, Path: path}
		point.X, point.Y = p.Place(v)
		points = append(points, point)
	})
	return points, p, err
}

const everyRow = `SELECT rowid, path, vector FROM chunks ORDER BY rowid`

func (x *Index) vectors(ctx context.Context, which string, each func(int64, string, []float32)) error {
	rows, err := x.db.QueryContext(ctx, which)
	if err != nil {
		return readError(x.path, err)
	}
	defer rows.Close()
	for rows.Next() {
		var number int64
		var path string
		var vector []byte
		if err := rows.Scan(&number, &path, &vector); err != nil {
			return readError(x.path, err)
		}
		if err := ctx.Err(); err != nil { // the driver looks at it now and then only
			return err
		}
		if len(vector) == 4*x.Meta.Dimensions {
			each(number, path, fromBytes(vector))
		}
	}
	return readError(x.path, rows.Err())
}

// powerSteps are enough for a map: what is still wrong with a direction then, the
// eye does not see.
const powerSteps = 60

// newProjection finds the two main directions of vectors of one size (their first
// principal components), by power iteration from a fixed start. The error is ctx's.
func newProjection(ctx context.Context, vectors [][]float32) (Projection, error) {
	if len(vectors) == 0 {
		return Projection{}, nil
	}
	width := len(vectors[0])
	mean := make([]float64, width)
	for _, v := range vectors {
		for i, x := range v {
			mean[i] += float64(x) / float64(len(vectors))
		}
	}
	p := Projection{mean: toFloat32(mean)}
	for n := range p.axes {
		var err error
		if p.axes[n], err = p.direction(ctx, vectors, n); err != nil {
			return Projection{}, err
		}
	}
	return p, nil
}

// direction is the n-th main direction, the earlier ones left out.
func (p Projection) direction(ctx context.Context, vectors [][]float32, n int) ([]float32, error) {
	width := len(p.mean)
	axis := make([]float64, width)
	for i := range axis {
		axis[i] = math.Sin(float64(i+1) * float64(n+1)) // along nothing in particular
	}
	for range powerSteps {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		next := make([]float64, width)
		var offset float64
		for i, x := range p.mean {
			offset += float64(x) * axis[i]
		}
		var weights float64
		for _, v := range vectors {
			weight := -offset
			for i, x := range v {
				weight += float64(x) * axis[i]
			}
			for i, x := range v {
				next[i] += weight * float64(x)
			}
			weights += weight
		}
		for i, x := range p.mean {
			next[i] -= weights * float64(x)
		}
		for _, before := range p.axes[:n] {
			var along float64
			for i, x := range before {
				along += float64(x) * next[i]
			}
			for i, x := range before {
				next[i] -= along * float64(x)
			}
		}
		var squares float64
		for _, x := range next {
			squares += x * x
		}
		if squares < 1e-24 { // the vectors do not differ in any other direction
			return make([]float32, width), nil
		}
		for i := range next {
			axis[i] = next[i] / math.Sqrt(squares)
		}
	}
	// Of the two ways a direction has, the one in which its largest part is positive.
	largest := 0
	for i, x := range axis {
		if math.Abs(x) > math.Abs(axis[largest]) {
			largest = i
		}
	}
	if axis[largest] < 0 {
		for i := range axis {
			axis[i] = -axis[i]
		}
	}
	return toFloat32(axis), nil
}

func toFloat32(v []float64) []float32 {
	w := make([]float32, len(v))
	for i, x := range v {
		w[i] = float32(x)
	}
	return w
}
