package embed

import (
	"database/sql"
	"encoding/csv"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"codeberg.org/sbinet/npyio"
	"github.com/xitongsys/parquet-go/reader"
	"github.com/xitongsys/parquet-go/source"
)

// A readBack is a row as another program reads it.
type readBack struct {
	id, path                  string
	chunk, start, end, tokens int64
	text                      string
	vector                    string // its bytes in hexadecimal
}

// TestOtherProgramsReadWhatWasWritten reads every output with a library that did not
// write it, and where they are installed with Python's, numpy, pyarrow and the
// sqlite3 program.
func TestOtherProgramsReadWhatWasWritten(t *testing.T) {
	paths := writeFiles(t, 2, 40)
	dir := t.TempDir()
	o := optionsFor(dir, paths)
	finish(t, Start(t.Context(), o))

	var want []readBack
	for _, path := range paths {
		content, err := os.ReadFile(path)
		if err != nil {
			t.Fatal(err)
		}
		at := int64(0)
		for i, line := range strings.Split(strings.TrimSuffix(string(content), "\n"), "\n") {
			v := vectorOf("passage: "+line, 48)
			toLength1(v)
			want = append(want, readBack{
				fmt.Sprintf("%s#%d", path, i), path, int64(i), at, at + int64(len(line)), int64(len(strings.Fields(line)) + 2), line, hex.EncodeToString(toBytes(v)),
			})
			at += int64(len(line)) + 1
		}
	}
	for _, output := range o.Outputs {
		readers := map[string]func(*testing.T, string) []readBack{"a library": libraries[output.Format]}
		if rows, installed := python(t, output); installed {
			readers["Python"] = func(*testing.T, string) []readBack { return rows }
		}
		if program, err := exec.LookPath("sqlite3"); err == nil && output.Format == SQLite {
			readers["the sqlite3 program"] = func(t *testing.T, path string) []readBack { return withSQLite3(t, program, path) }
		}
		for name, read := range readers {
			t.Run(string(output.Format)+" with "+name, func(t *testing.T) {
				got := read(t, output.Path)
				if !slices.Equal(got, want) {
					t.Errorf("%d rows, want %d; the first is %+v, want %+v", len(got), len(want), got[:min(len(got), 1)], want[0])
				}
			})
		}
	}
}

var libraries = map[Format]func(*testing.T, string) []readBack{
	JSONL: func(t *testing.T, path string) []readBack { return readJSONL(t, path) },
	CSV: func(t *testing.T, path string) []readBack {
		file := open(t, path)
		table, err := csv.NewReader(file).ReadAll()
		if err != nil {
			t.Fatal(err)
		}
		if !slices.Equal(table[0], columns) {
			t.Errorf("columns %v", table[0])
		}
		var rows []readBack
		for _, cells := range table[1:] {
			r := readBack{id: cells[0], path: cells[1], text: cells[6]}
			for i, to := range []*int64{&r.chunk, &r.start, &r.end, &r.tokens} {
				if *to, err = strconv.ParseInt(cells[2+i], 10, 64); err != nil {
					t.Fatal(err)
				}
			}
			var v []float32
			if err := json.Unmarshal([]byte(cells[7]), &v); err != nil {
				t.Fatal(err)
			}
			r.vector = hex.EncodeToString(toBytes(v))
			rows = append(rows, r)
		}
		return rows
	},
	NPY: func(t *testing.T, path string) []readBack {
		matrix, err := npyio.NewReader(open(t, path))
		if err != nil {
			t.Fatal(err)
		}
		shape := matrix.Header.Descr.Shape
		var values []float32
		if err := matrix.Read(&values); err != nil {
			t.Fatal(err)
		}
		rows := readJSONL(t, path+".jsonl")
		if matrix.Header.Descr.Fortran || !slices.Equal(shape, []int{len(rows), 48}) {
			t.Fatalf("%+v", matrix.Header)
		}
		for i := range rows {
			rows[i].vector = hex.EncodeToString(toBytes(values[i*48 : (i+1)*48]))
		}
		return rows
	},
	Parquet: readParquet,
	SQLite: func(t *testing.T, path string) []readBack {
		db, err := sql.Open("sqlite", path)
		if err != nil {
			t.Fatal(err)
		}
		defer db.Close()
		found, err := db.Query(`SELECT id, path, chunk, "start", "end", tokens, text, lower(hex(vector)) FROM chunks ORDER BY rowid`)
		if err != nil {
			t.Fatal(err)
		}
		defer found.Close()
		var rows []readBack
		for found.Next() {
			var r readBack
			if err := found.Scan(&r.id, &r.path, &r.chunk, &r.start, &r.end, &r.tokens, &r.text, &r.vector); err != nil {
				t.Fatal(err)
			}
			rows = append(rows, r)
		}
		return rows
	},
}

func open(t *testing.T, path string) *os.File {
	t.Helper()
	file, err := os.Open(path)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { file.Close() })
	return file
}

func readJSONL(t *testing.T, path string) []readBack {
	t.Helper()
	lines := json.NewDecoder(open(t, path))
	var rows []readBack
	for lines.More() {
		var r struct {
			ID, Path, Text            string
			Chunk, Start, End, Tokens int64
			Vector                    []float32
		}
		if err := lines.Decode(&r); err != nil {
			t.Fatal(err)
		}
		rows = append(rows, readBack{r.ID, r.Path, r.Chunk, r.Start, r.End, r.Tokens, r.Text, hex.EncodeToString(toBytes(r.Vector))})
	}
	return rows
}

// A parquetFile lets the second library read a file.
type parquetFile struct{ *os.File }

func (f parquetFile) Open(name string) (source.ParquetFile, error) {
	if name == "" {
		name = f.Name()
	}
	file, err := os.Open(name)
	return parquetFile{file}, err
}

func (f parquetFile) Create(string) (source.ParquetFile, error) {
	return nil, errors.New("only for reading")
}

func readParquet(t *testing.T, path string) []readBack {
	type row struct {
		ID     string    `parquet:"name=id, type=BYTE_ARRAY, convertedtype=UTF8"`
		Path   string    `parquet:"name=path, type=BYTE_ARRAY, convertedtype=UTF8"`
		Chunk  int64     `parquet:"name=chunk, type=INT64"`
		Start  int64     `parquet:"name=start, type=INT64"`
		End    int64     `parquet:"name=end, type=INT64"`
		Tokens int64     `parquet:"name=tokens, type=INT64"`
		Text   string    `parquet:"name=text, type=BYTE_ARRAY, convertedtype=UTF8"`
		Vector []float32 `parquet:"name=vector, type=LIST, valuetype=FLOAT"`
	}
	table, err := reader.NewParquetReader(parquetFile{open(t, path)}, new(row), 1)
	if err != nil {
		t.Fatal(err)
	}
	defer table.ReadStop()
	found := make([]row, table.GetNumRows())
	if err := table.Read(&found); err != nil {
		t.Fatal(err)
	}
	var rows []readBack
	for _, r := range found {
		rows = append(rows, readBack{r.ID, r.Path, r.Chunk, r.Start, r.End, r.Tokens, r.Text, hex.EncodeToString(toBytes(r.Vector))})
	}
	keys := map[string]string{}
	for _, entry := range table.Footer.KeyValueMetadata {
		keys[entry.Key] = entry.GetValue()
	}
	if keys["paddock.modelSha256"] != "abc" || keys["paddock.prefix"] != "passage: " || keys["paddock.dimensions"] != "48" {
		t.Errorf("metadata %v", keys)
	}
	return rows
}

// python reads an output with testdata/readback.py, where that can be.
func python(t *testing.T, o Output) (rows []readBack, installed bool) {
	t.Helper()
	program, err := exec.LookPath("python3")
	if err != nil {
		return nil, false
	}
	out, err := exec.Command(program, filepath.Join("testdata", "readback.py"), string(o.Format), o.Path).Output()
	var failed *exec.ExitError
	if errors.As(err, &failed) && failed.ExitCode() == 3 {
		return nil, false
	}
	if err != nil {
		t.Fatalf("%s: %v\n%s", o.Format, err, failed.Stderr)
	}
	return lists(t, string(out)), true
}

// lists are rows that each are a JSON list.
func lists(t *testing.T, text string) (rows []readBack) {
	t.Helper()
	for line := range strings.Lines(text) {
		var r readBack
		list := []any{&r.id, &r.path, &r.chunk, &r.start, &r.end, &r.tokens, &r.text, &r.vector}
		if err := json.Unmarshal([]byte(line), &list); err != nil {
			t.Fatalf("%v in %s", err, line)
		}
		r.vector = strings.ToLower(r.vector)
		rows = append(rows, r)
	}
	return rows
}

func withSQLite3(t *testing.T, program, path string) []readBack {
	out, err := exec.Command(program, path, `SELECT json_array(id, path, chunk, "start", "end", tokens, text, hex(vector)) FROM chunks ORDER BY rowid`).Output()
	if err != nil {
		t.Fatal(err)
	}
	return lists(t, string(out))
}

func TestWhatVectorsAreIsKeptBesideThem(t *testing.T) {
	o := optionsFor(t.TempDir(), writeFiles(t, 1, 3))
	o.Settings = Settings{Family: "nomic-1.5", Prefix: "search_document: ", QueryPrefix: "search_query: ", Pooling: "mean", Normalise: L2, LayerNorm: true, Dimensions: 16}
	s := finish(t, Start(t.Context(), o))
	want := testMeta
	want.Family, want.Prefix, want.QueryPrefix, want.Pooling = "nomic-1.5", "search_document: ", "search_query: ", "mean"
	want.Normalise, want.LayerNorm, want.Dimensions = L2, true, 16
	if s.Meta != want {
		t.Errorf("%+v", s.Meta)
	}
	for _, output := range o.Outputs[:3] {
		content, err := os.ReadFile(output.Path + ".meta.json")
		if err != nil {
			t.Fatal(err)
		}
		var got Meta
		if err := json.Unmarshal(content, &got); err != nil || got != want {
			t.Errorf("%s: %+v, %v", output.Format, got, err)
		}
	}
	index, err := OpenIndex(o.Outputs[4].Path)
	if err != nil {
		t.Fatal(err)
	}
	defer index.Close()
	if index.Meta != want || index.Rows != 3 {
		t.Errorf("%+v", index.Meta)
	}
}
