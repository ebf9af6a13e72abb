package embed

import (
	"bytes"
	"encoding/json"
	"io"
	"os"
	"path/filepath"
	"strings"
)

// What stands behind the name of an output in that of a file beside it.
const (
	stateEnding = ".paddock-state"
	metaEnding  = ".meta.json"
	textsEnding = ".jsonl"
)

// StatePath is where the state of a run is that writes that output.
func StatePath(output string) string { return output + stateEnding }

// files are all that an output is written to.
func (o Output) files() []string { return append([]string{o.Path}, o.Beside()...) }

// MayWrite says, before anything is loaded, whether a run would write over what it
// did not make: a *FileError of problem Exists. Where there is a state only the run
// itself knows which files are its own.
func MayWrite(outputs []Output, statePath string) error {
	if _, err := os.Stat(statePath); err == nil {
		return nil
	}
	return existing(outputs, nil)
}

// existing is the error of the first file of outputs that is there and not known.
func existing(outputs []Output, known func(path string) bool) error {
	for _, o := range outputs {
		for _, path := range o.files() {
			if _, err := os.Lstat(path); err == nil && (known == nil || !known(path)) {
				return &FileError{Problem: Exists, Path: path}
			}
		}
	}
	return nil
}

// mayWrite is the error of a file of outputs that no run with this state wrote: Exists.
func (s *store) mayWrite(outputs ...Output) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var problem error
	err := existing(outputs, func(path string) bool {
		var there int
		if err := s.db.QueryRow(`SELECT count(*) FROM outputs WHERE name = ?`, s.nameOf(path)).Scan(&there); err != nil {
			problem = err
		}
		return there > 0
	})
	return firstOf(writeError(s.path, problem), err)
}

// wrote makes a file one that runs with this state may write over.
func (s *store) wrote(path string) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.db.Exec(`INSERT OR IGNORE INTO outputs VALUES (?)`, s.nameOf(path))
	return writeError(s.path, err)
}

// nameOf is a file's path as seen from the state's folder, so that both can be moved
// together.
func (s *store) nameOf(path string) string {
	absolute, err := filepath.Abs(path)
	if err != nil {
		return path
	}
	folder, err := filepath.Abs(filepath.Dir(s.path))
	if err != nil {
		return absolute
	}
	name, err := filepath.Rel(folder, absolute)
	if err != nil { // on another drive
		return absolute
	}
	return filepath.ToSlash(name)
}

// IsOutput says whether Paddock wrote a file as an output of vectors, beside one, or
// as the state of a run: it is no text to embed. It looks into files of such names.
func IsOutput(path string) bool {
	name := filepath.Base(path)
	if _, behind, is := strings.Cut(name, stateEnding); is {
		return behind == "" || behind[0] == '-' // what SQLite keeps beside it
	}
	if of, is := strings.CutSuffix(path, metaEnding); is && FormatOf(of) != "" {
		return holdsMeta(path)
	}
	if of, is := strings.CutSuffix(path, textsEnding); is && FormatOf(of) == NPY {
		return holdsMeta(of + metaEnding)
	}
	switch FormatOf(path) {
	case JSONL, CSV, NPY:
		return holdsMeta(path + metaEnding)
	case Parquet:
		return endsAsParquet(path)
	case SQLite:
		return isIndex(path)
	}
	return false
}

// isIndex says whether a database is an output. It is somebody's own as long as that
// is not known: immutable keeps SQLite from making files beside it.
func isIndex(path string) bool {
	if info, err := os.Stat(path); err != nil || !info.Mode().IsRegular() {
		return false
	}
	db, err := openDatabase(path, "mode=ro&immutable=1")
	if err != nil {
		return false
	}
	defer db.Close() // is only read
	meta, err := readMeta(db)
	return err == nil && meta.Dimensions > 0
}

// metaBytes is more than a Meta takes, with prefixes of several pages.
const metaBytes = 1 << 20

// holdsMeta says whether a file is a Meta as writeMeta writes it.
func holdsMeta(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	text, err := io.ReadAll(io.LimitReader(file, metaBytes))
	if err != nil {
		return false
	}
	var m struct {
		Meta
		Chunker *string `json:"chunker"`
	}
	return json.Unmarshal(text, &m) == nil && m.Chunker != nil && m.Dimensions > 0 && m.Normalise != ""
}

// endsAsParquet says whether a Parquet file's end, where its metadata is, has ours.
func endsAsParquet(path string) bool {
	file, err := os.Open(path)
	if err != nil {
		return false
	}
	defer file.Close()
	info, err := file.Stat()
	if err != nil || !info.Mode().IsRegular() {
		return false
	}
	size := min(info.Size(), metaBytes)
	end := make([]byte, size)
	if _, err := file.ReadAt(end, info.Size()-size); err != nil && err != io.EOF {
		return false
	}
	return bytes.HasSuffix(end, []byte("PAR1")) && bytes.Contains(end, []byte("paddock.chunker"))
}
