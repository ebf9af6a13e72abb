package embed

import (
	"bufio"
	"cmp"
	"context"
	"encoding/json"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// A Format is how an output is written.
type Format string

// The formats.
const (
	JSONL   Format = "jsonl"
	CSV     Format = "csv"
	NPY     Format = "npy" // a matrix; the rows' texts are in a JSONL file beside it
	Parquet Format = "parquet"
	SQLite  Format = "sqlite" // with sqlite-vec; what is searched
)

// Formats are all there are.
func Formats() []Format { return []Format{JSONL, CSV, NPY, Parquet, SQLite} }

// FormatOf is the format a file's name asks for, "" when it is none there is.
func FormatOf(path string) Format {
	switch strings.ToLower(filepath.Ext(path)) {
	case ".jsonl", ".ndjson":
		return JSONL
	case ".csv":
		return CSV
	case ".npy":
		return NPY
	case ".parquet":
		return Parquet
	case ".sqlite", ".sqlite3", ".db":
		return SQLite
	}
	return ""
}

// An Output is a file to write.
type Output struct {
	Format Format
	Path   string
}

// Beside are the files that are written with an output: what its vectors are
// (".meta.json", where the format has no place for it), and an NPY's texts.
func (o Output) Beside() []string {
	switch o.Format {
	case JSONL, CSV:
		return []string{o.Path + metaEnding}
	case NPY:
		return []string{o.Path + metaEnding, o.Path + textsEnding}
	}
	return nil
}

// Write writes rows of which the number is known. Nothing else than whole outputs
// comes to be: the error is a *FileError, one of each, or ctx's.
func (o Output) Write(ctx context.Context, meta Meta, count int, each func(context.Context, func(Row) error) error) (OutputState, error) {
	return o.write(ctx, rowsOf{meta, count, each}, unasked{})
}

// rowsOf are what outputs are made of.
type rowsOf struct {
	meta  Meta
	count int
	each  func(context.Context, func(Row) error) error
}

// write writes all outputs.
func (j *Job) write(ctx context.Context, meta Meta) error {
	n, err := j.store.count()
	if err != nil {
		return err
	}
	if n == 0 { // nothing that anybody could use, and what was there stays
		return nil
	}
	rows := rowsOf{meta, n, j.store.each}
	for _, o := range j.options.Outputs {
		written, err := o.write(ctx, rows, owned{j.store, o, j.options.Overwrite})
		if err != nil {
			return cmp.Or(ctx.Err(), err)
		}
		j.change(func(s *State) { s.Outputs = append(s.Outputs[:len(s.Outputs):len(s.Outputs)], written) })
	}
	return nil
}

// An owner says whether files may be put where they belong, and is told of each that
// was, and how it is there.
type owner interface {
	may() error
	placed(path string, info fs.FileInfo) error
}

// unasked is an owner that lets everything be written over.
type unasked struct{}

func (unasked) may() error                       { return nil }
func (unasked) placed(string, fs.FileInfo) error { return nil }

// owned are the files of an output of a run: a file is the run's own from the moment it
// is there. What came there since the run began is somebody else's.
type owned struct {
	store     *store
	output    Output
	overwrite bool
}

func (w owned) may() error {
	if w.overwrite {
		return nil
	}
	return w.store.mayWrite(w.output)
}

func (w owned) placed(path string, info fs.FileInfo) error { return w.store.wrote(path, info) }

// write writes an output whole, or leaves what was there as it was.
func (o Output) write(ctx context.Context, rows rowsOf, w owner) (s OutputState, err error) {
	var files files
	defer files.discard()
	switch o.Format {
	case JSONL:
		err = writeJSONL(ctx, &files, o, rows)
	case CSV:
		err = writeCSV(ctx, &files, o, rows)
	case NPY:
		err = writeNPY(ctx, &files, o, rows)
	case Parquet:
		err = writeParquet(ctx, &files, o, rows)
	case SQLite:
		err = writeSQLite(ctx, &files, o, rows)
	}
	if err != nil {
		return s, writeError(o.Path, err)
	}
	s = OutputState{Output: o, Beside: o.Beside(), Rows: rows.count}
	s.SizeBytes, err = files.place(w)
	return s, writeError(o.Path, err)
}

// files are being written under other names beside where they belong.
type files struct {
	all []*outFile
}

// An outFile is a file under its other name.
type outFile struct {
	path string // where it belongs
	temp string
	file *os.File // nil when another writes to temp
	*bufio.Writer
}

func tempOf(path string) string {
	return filepath.Join(filepath.Dir(path), "."+filepath.Base(path)+".paddock-part")
}

// reserve is a file that somebody else writes.
func (f *files) reserve(path string) (*outFile, error) {
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		return nil, err
	}
	out := &outFile{path: path, temp: tempOf(path)}
	if err := discard(out.temp); err != nil {
		return nil, err
	}
	f.all = append(f.all, out)
	return out, nil
}

// create is a file to write to. What is written is counted on to be flushed by
// place.
func (f *files) create(path string) (*outFile, error) {
	out, err := f.reserve(path)
	if err != nil {
		return nil, err
	}
	if out.file, err = os.Create(out.temp); err != nil {
		return nil, err
	}
	out.Writer = bufio.NewWriterSize(limited(out.file), 1<<16)
	return out, nil
}

// limited is another in tests of a full disk.
var limited = func(w io.Writer) io.Writer { return w }

// place brings all files to the disk and to where they belong, the first one last:
// when that is there, so are the others. It says how large they are together.
func (f *files) place(w owner) (sizeBytes uint64, err error) {
	infos := make([]fs.FileInfo, len(f.all))
	for i, out := range f.all {
		if err := out.finish(); err != nil {
			return 0, err
		}
		if infos[i], err = os.Stat(out.temp); err != nil {
			return 0, err
		}
		sizeBytes += uint64(infos[i].Size())
	}
	if err := w.may(); err != nil {
		return 0, err
	}
	for i := len(f.all) - 1; i >= 0; i-- {
		if err := os.Rename(f.all[i].temp, f.all[i].path); err != nil {
			return 0, err
		}
		if err := w.placed(f.all[i].path, infos[i]); err != nil {
			return 0, err
		}
	}
	f.all = nil
	return sizeBytes, nil
}

func (o *outFile) finish() error {
	file := o.file
	if file == nil {
		var err error
		if file, err = os.OpenFile(o.temp, os.O_RDWR, 0); err != nil {
			return err
		}
	} else if err := o.Flush(); err != nil {
		return err
	}
	o.file = nil
	err := file.Sync()
	return cmp.Or(err, file.Close())
}

// discard removes what was not placed.
func (f *files) discard() {
	for _, out := range f.all {
		if out.file != nil {
			out.file.Close()
		}
		discard(out.temp) // the error is that of what failed before
	}
}

// writeMeta writes what the vectors are beside an output.
func writeMeta(f *files, o Output, meta Meta) error {
	out, err := f.create(o.Path + metaEnding)
	if err != nil {
		return err
	}
	encoder := json.NewEncoder(out)
	encoder.SetIndent("", "  ")
	encoder.SetEscapeHTML(false)
	return encoder.Encode(meta)
}
