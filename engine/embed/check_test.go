package embed

import (
	"errors"
	"math"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/client"
	"paddock/engine/vector"
)

func TestACheckStopsARunWhoseVectorsAreNoGood(t *testing.T) {
	tests := map[string]struct {
		want  VectorProblem
		width int
		fault func([][]float32)
	}{
		"different texts have one vector": {want: Same, fault: func(v [][]float32) { copy(v[1], v[0]) }},
		"one text has two vectors":        {want: Unsteady, fault: func(v [][]float32) { v[2][0] += 9 }},
		"a value is no number":            {want: NotFinite, fault: func(v [][]float32) { v[0][3] = float32(math.NaN()) }},
		"a value is without end":          {want: NotFinite, fault: func(v [][]float32) { v[1][3] = float32(math.Inf(1)) }},
		"a vector of zeros":               {want: Zero, fault: func(v [][]float32) { clear(v[1]) }},
		"vectors of two sizes":            {want: Width, fault: func(v [][]float32) { v[1] = v[1][:7] }},
		"vectors of another size":         {want: Width, width: 768},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			o := optionsFor(t.TempDir(), writeFiles(t, 1, 5))
			o.Settings.Normalise, o.Width = None, test.width
			o.Embedder = &fakeEngine{size: 48, fault: func(texts []string, vectors [][]float32) error {
				if test.fault != nil {
					test.fault(vectors)
				}
				return nil
			}}
			s, err := Start(t.Context(), o).Wait()
			var vector *VectorError
			if !errors.As(err, &vector) || vector.Problem != test.want || s.Phase != Failed || s.ChunksDone != 0 {
				t.Errorf("%v, %s", err, s.Phase)
			}
		})
	}
}

func TestAnEngineThatGivesTooFewVectorsIsStopped(t *testing.T) {
	_, err := Check(t.Context(), tooFew{}, Settings{Normalise: L2}, 0)
	var vector *VectorError
	if !errors.As(err, &vector) || vector.Problem != Missing {
		t.Error(err)
	}
}

func TestBadVectorsDuringARunRaiseAnAlarm(t *testing.T) {
	paths := writeFiles(t, 1, 120)
	o := optionsFor(t.TempDir(), paths)
	o.InFlight = 1 // so that line 10 comes before line 20
	o.Settings.Normalise = None
	o.Embedder = &fakeEngine{size: 48, fault: func(texts []string, vectors [][]float32) error {
		for i, text := range texts {
			switch {
			case strings.Contains(text, "line 7:"):
				clear(vectors[i])
			case strings.Contains(text, "line 8:"):
				vectors[i][5] = float32(math.NaN())
			case strings.Contains(text, "line 20:"):
				copy(vectors[i], vectorOf(strings.Replace(text, "line 20:", "line 10:", 1), 48))
				vectors[i][0] *= 1 + 1e-6 // one of a batch differs by rounding
			}
		}
		return nil
	}}
	s := finish(t, Start(t.Context(), o))
	if s.AlarmCount != 3 || len(s.Alarms) != 3 || s.ChunksFailed != 2 || s.ChunksDone != 118 {
		t.Fatalf("%d alarms, %d failed, %d done: %v", s.AlarmCount, s.ChunksFailed, s.ChunksDone, s.Alarms)
	}
	for i, want := range []VectorError{
		{Problem: Zero, Chunk: 7, Path: paths[0], Size: 48, Want: 48},
		{Problem: NotFinite, Chunk: 8, Path: paths[0], Size: 48, Want: 48},
		{Problem: Same, Chunk: 20, Path: paths[0], Other: paths[0], OtherChunk: 10},
	} {
		if *s.Alarms[i] != want {
			t.Errorf("%+v, want %+v", *s.Alarms[i], want)
		}
	}
}

func TestTextsThatAreOneToATokenizerRaiseNoAlarm(t *testing.T) {
	l := newLookout()
	v := vectorOf("x", 48)
	for i, text := range []string{"Hello there", "hello   THERE!", "hello there"} {
		if alarm := l.see("a.txt", Chunk{Index: i, Text: text}, v); alarm != nil {
			t.Errorf("%q: %v", text, alarm)
		}
	}
	if alarm := l.see("b.txt", Chunk{Text: "hello where"}, v); alarm == nil || alarm.Other != "a.txt" {
		t.Errorf("%v", alarm)
	}
}

func TestVectorsAreShortenedAsTheirFamilyWantsIt(t *testing.T) {
	v := []float32{4, -2, 1, 5, -7, 3, 0, 8}
	short := Settings{Normalise: L2, Dimensions: 4}.shape(slices.Clone(v))
	if math.Abs(vector.Length(short)-1) > 1e-6 || len(short) != 4 || math.Abs(float64(short[0])-4/math.Sqrt(46)) > 1e-6 {
		t.Errorf("%v", short)
	}
	if plain := (Settings{Normalise: None, Dimensions: 4}).shape(slices.Clone(v)); !slices.Equal(plain, v[:4]) {
		t.Errorf("%v", plain)
	}
	// Layer-normalised: the mean 1.5 is taken away first; how long it was makes no
	// difference.
	normed := Settings{Normalise: L2, LayerNorm: true, Dimensions: 2}.shape(slices.Clone(v))
	if l := math.Hypot(2.5, -3.5); math.Abs(float64(normed[0])-2.5/l) > 1e-6 || math.Abs(float64(normed[1])+3.5/l) > 1e-6 {
		t.Errorf("%v", normed)
	}
	long := slices.Clone(v)
	for i := range long {
		long[i] *= 1000
	}
	if again := (Settings{Normalise: L2, LayerNorm: true, Dimensions: 2}).shape(long); vector.Apart(again, normed) > 1e-6 {
		t.Errorf("%v and %v", again, normed)
	}
	if whole := (Settings{Normalise: L2, LayerNorm: true, Dimensions: 8}).shape(slices.Clone(v)); !slices.Equal(whole, v) {
		t.Errorf("a whole vector was changed: %v", whole)
	}
}

func TestAnErrorOfATextEndsNoRunAndOneOfTheEngineDoes(t *testing.T) {
	for kind, want := range map[client.ErrorKind]bool{
		client.TextTooLong: true, client.BadRequest: true, client.NoVectors: true, client.EngineFailed: true,
		client.Unreachable: false, client.Broken: false, client.StillLoading: false, client.NotSupported: false,
	} {
		if got := ofText(&client.Error{Kind: kind}); got != want {
			t.Errorf("%s: %v", kind, got)
		}
	}
}

func TestAFullDiskIsSaidAndNothingIsLost(t *testing.T) {
	paths := writeFiles(t, 1, 1500)
	t.Run("where the state is", func(t *testing.T) {
		o := optionsFor(t.TempDir(), paths)
		o.statePages = 60
		s, err := Start(t.Context(), o).Wait()
		wantFull(t, s, err, o.StatePath)
		o.statePages, o.Resume = 0, true
		if s := finish(t, Start(t.Context(), o)); s.ChunksDone != 1500 {
			t.Errorf("%+v", s)
		}
	})
	for _, format := range Formats() {
		t.Run("where "+string(format)+" goes", func(t *testing.T) {
			dir := t.TempDir()
			o := optionsFor(dir, paths)
			path := filepath.Join(dir, "out."+string(format))
			o.Outputs = []Output{{format, path}}
			fullDisk(t, true)
			s, err := Start(t.Context(), o).Wait()
			wantFull(t, s, err, path)
			for name := range outputsOf(t, dir) {
				if !strings.HasPrefix(name, filepath.Base(o.StatePath)) {
					t.Errorf("%s is left behind", name)
				}
			}
			fullDisk(t, false)
			engine := &fakeEngine{size: 48}
			o.Embedder, o.Resume = engine, true
			s = finish(t, Start(t.Context(), o))
			if len(engine.asked) != len(checkTexts) || s.Outputs[0].Rows != 1500 {
				t.Errorf("%d texts asked for again, %+v", len(engine.asked), s.Outputs)
			}
		})
	}
}

func wantFull(t *testing.T, s State, err error, path string) {
	t.Helper()
	var file *FileError
	if !errors.As(err, &file) || file.Problem != DiskFull || file.Path != path || s.Phase != Failed {
		t.Fatalf("%v, %s", err, s.Phase)
	}
}
