package embed

import (
	"cmp"
	"errors"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"paddock/engine/vector"
)

// indexOf embeds files and opens the index.
func indexOf(t testing.TB, paths []string, settings Settings) *Index {
	t.Helper()
	o := optionsFor(t.TempDir(), paths)
	o.Settings = settings
	o.Outputs = o.Outputs[4:]
	finish(t, Start(t.Context(), o))
	index, err := OpenIndex(o.Outputs[0].Path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { index.Close() })
	return index
}

func TestASearchFindsWhatLooksAtEveryVectorFinds(t *testing.T) {
	paths := writeFiles(t, 3, 150)
	for name, normalise := range map[string]Normalisation{"vectors of length 1": L2, "vectors of any length": None} {
		for _, only := range [][]string{nil, {paths[1]}, {paths[0], paths[2]}} {
			index := indexOf(t, paths, Settings{Normalise: normalise, QueryPrefix: "query: "})
			engine := &fakeEngine{size: 48}
			asked, err := QueryVector(t.Context(), engine, index.Meta, "something")
			if err != nil || engine.asked[0] != "query: something" {
				t.Fatalf("%v, asked %v", err, engine.asked)
			}
			hits, err := index.Search(t.Context(), Query{Vector: asked, Top: 12, Paths: only})
			if err != nil {
				t.Fatal(err)
			}
			var want []Hit
			err = index.vectors(t.Context(), everyRow, func(number int64, path string, v []float32) {
				score := vector.Dot(v, asked) / (vector.Length(v) * vector.Length(asked))
				if only == nil || slices.Contains(only, path) {
					want = append(want, Hit{Number: number, Score: score})
				}
			})
			if err != nil {
				t.Fatal(err)
			}
			slices.SortFunc(want, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
			if len(hits) != 12 {
				t.Fatalf("%s: %d hits", name, len(hits))
			}
			for i, h := range hits {
				if h.Number != want[i].Number || math.Abs(h.Score-want[i].Score) > 1e-4 {
					t.Errorf("%s: hit %d is row %d with %v, want %d with %v", name, i, h.Number, h.Score, want[i].Number, want[i].Score)
				}
				rows, err := index.All(t.Context(), []int64{h.Number})
				if err != nil || len(rows) != 1 || rows[0].Text != h.Text || rows[0].Path != h.Path || h.Line != h.Index+1 || h.Heading != "Top" || h.End <= h.Start {
					t.Errorf("%+v is at %+v, %v", rows, h, err)
				}
			}
		}
	}
}

func TestASearchFindsATextByItself(t *testing.T) {
	paths := writeFiles(t, 2, 50)
	index := indexOf(t, paths, Settings{Normalise: L2})
	rows, err := index.All(t.Context(), []int64{70})
	if err != nil || len(rows) != 1 {
		t.Fatal(rows, err)
	}
	vector, err := QueryVector(t.Context(), &fakeEngine{size: 48}, index.Meta, rows[0].Row.Text)
	if err != nil {
		t.Fatal(err)
	}
	hits, err := index.Search(t.Context(), Query{Vector: vector})
	if err != nil || len(hits) != 10 || hits[0].Number != 70 || math.Abs(hits[0].Score-1) > 1e-5 {
		t.Errorf("%+v, %v", hits, err)
	}
	files, err := index.Files(t.Context())
	if err != nil || !slices.Equal(files, []IndexFile{{paths[0], 50}, {paths[1], 50}}) {
		t.Errorf("%v, %v", files, err)
	}
	var vectorErr *VectorError
	if _, err := index.Search(t.Context(), Query{Vector: vector[:5]}); !errors.As(err, &vectorErr) || vectorErr.Problem != Width {
		t.Errorf("%v", err)
	}
}

func TestWhatIsNoIndexIsSaid(t *testing.T) {
	dir := t.TempDir()
	text := filepath.Join(dir, "notes.sqlite")
	if err := os.WriteFile(text, []byte("these are notes, and they go on for a while, so that it is no empty file"), 0o644); err != nil {
		t.Fatal(err)
	}
	other := filepath.Join(dir, "other.sqlite")
	db, err := openDatabase(other, "")
	if err != nil {
		t.Fatal(err)
	}
	if _, err := db.Exec(`CREATE TABLE songs (title TEXT)`); err != nil {
		t.Fatal(err)
	}
	db.Close()
	for path, want := range map[string]FileProblem{
		filepath.Join(dir, "gone.sqlite"): NotThere, text: NoIndex, other: NoIndex,
	} {
		_, err := OpenIndex(path)
		var file *FileError
		if !errors.As(err, &file) || file.Problem != want || file.Path != path {
			t.Errorf("%s: %v", path, err)
		}
	}
	if _, err := os.Stat(filepath.Join(dir, "gone.sqlite")); err == nil {
		t.Error("looking for an index made one")
	}
}

func TestTheMapShowsTheTwoMainDirections(t *testing.T) {
	random := rand.New(rand.NewPCG(1, 2))
	var vectors [][]float32
	for range 500 {
		v := make([]float32, 20)
		for i := range v {
			v[i] = float32(random.NormFloat64()) * 0.1
		}
		v[3] += float32(random.NormFloat64()) * 5
		v[11] += float32(random.NormFloat64()) * 2
		v[0] += 100 // all alike: no direction
		vectors = append(vectors, v)
	}
	p := projectionOf(t, vectors)
	if math.Abs(float64(p.axes[0][3])) < 0.99 || math.Abs(float64(p.axes[1][11])) < 0.99 {
		t.Errorf("directions %v", p.axes)
	}
	if x, y := p.Place(vectors[7]); math.Abs(x-float64(vectors[7][3]-p.mean[3])) > 0.5 || math.Abs(y-float64(vectors[7][11]-p.mean[11])) > 0.5 {
		t.Errorf("placed at %v, %v", x, y)
	}
	for name, few := range map[string][][]float32{"nothing": nil, "one": vectors[:1], "equal ones": {vectors[0], vectors[0]}, "zeros": {make([]float32, 4), make([]float32, 4)}} {
		p := projectionOf(t, few)
		for _, v := range few {
			if x, y := p.Place(v); math.IsNaN(x) || math.IsNaN(y) {
				t.Errorf("%s: %v, %v", name, x, y)
			}
		}
	}
}

func TestTheSameRowsGiveTheSameMap(t *testing.T) {
	index := indexOf(t, writeFiles(t, 2, 200), Settings{Normalise: L2})
	first, _, err := index.Map(t.Context())
	if err != nil || len(first) != 400 {
		t.Fatalf("%d points, %v", len(first), err)
	}
	again, _, err := index.Map(t.Context())
	if err != nil || !slices.Equal(first, again) {
		t.Errorf("another map, %v", err)
	}
}

func projectionOf(t *testing.T, vectors [][]float32) Projection {
	t.Helper()
	p, err := newProjection(t.Context(), vectors)
	if err != nil {
		t.Fatal(err)
	}
	return p
}
