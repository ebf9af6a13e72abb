package embed

import (
	"bytes"
	"cmp"
	"encoding/json"
	"io"
	"io/fs"
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
	return existing(outputs, func(string, fs.FileInfo) bool { return false })
}

// SparesFiles is the error of an output that is one of the files to be read, however both
// are called: a *FileError of problem IsInput. Nothing asks for that to be written over.
func SparesFiles(outputs []Output, files []string) error {
	type place struct {
		path string
		info fs.FileInfo
	}
	var there []place
	for _, o := range outputs {
		for _, path := range o.files() {
			if info, err := os.Stat(path); err == nil {
				there = append(there, place{path, info})
			}
		}
	}
	if len(there) == 0 {
		return nil
	}
	for _, file := range files {
		info, err := os.Stat(file)
		if err != nil { // reading it says why
			continue
		}
		for _, p := range there {
			if os.SameFile(info, p.info) {
				return &FileError{Problem: IsInput, Path: p.path}
			}
		}
	}
	return nil
}

// existing is the error of the first file of outputs that is there and not known.
func existing(outputs []Output, known func(path string, there fs.FileInfo) bool) error {
	for _, o := range outputs {
		for _, path := range o.files() {
			if info, err := os.Lstat(path); err == nil && !known(path, info) {
				return &FileError{Problem: Exists, Path: path}
			}
		}
	}
	return nil
}

// writtenSchema is of the files that runs with this state wrote, each as it was when it
// had just been put in its place: size in bytes, and nanoseconds since 1970. One that
// has changed since is somebody else's, or has somebody's work in it.
const writtenSchema = `
CREATE TABLE IF NOT EXISTS written (name TEXT PRIMARY KEY, size INTEGER, modified INTEGER);
`

// mayWrite is the error of a file of outputs that is not as a run with this state wrote
// it: Exists.
func (s *store) mayWrite(outputs ...Output) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	var problem error
	err := existing(outputs, func(path string, there fs.FileInfo) bool {
		var ours int
		err := s.db.QueryRow(`SELECT count(*) FROM written WHERE name = ? AND size = ? AND modified = ?`,
			s.nameOf(path), there.Size(), there.ModTime().UnixNano()).Scan(&ours)
		problem = cmp.Or(problem, err)
		return ours > 0 && there.Mode().IsRegular()
	})
	return cmp.Or(writeError(s.path, problem), err)
}

// wrote makes a file one that runs with this state may write over, as long as it stays
// as it is.
func (s *store) wrote(path string, info fs.FileInfo) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	_, err := s.db.Exec(`INSERT OR REPLACE INTO written VALUES (?, ?, ?)`, s.nameOf(path), info.Size(), info.ModTime().UnixNano())
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
