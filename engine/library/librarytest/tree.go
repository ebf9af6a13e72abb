package librarytest

import (
	"cmp"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"time"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/library"
)

// Tree writes the tree into a folder, which is made when it isn't there and
// should be empty. It takes some 40 MB.
func Tree(dir string) (Expected, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Expected{}, err
	}
	t := &tree{dir: dir}
	t.models(filepath.Join(dir, "models"))
	t.second(filepath.Join(dir, "second"))
	t.single(filepath.Join(dir, "files"))
	t.apps(filepath.Join(dir, "home"))
	t.finish()
	return t.expected, t.err
}

// A tree is being written. After an error nothing more is.
type tree struct {
	dir      string
	source   string // of what is expected from now on
	expected Expected
	err      error
}

// fail keeps the first error.
func (t *tree) fail(err error) {
	if t.err == nil {
		t.err = err
	}
}

func (t *tree) folder(path string) string {
	if t.err == nil {
		t.fail(os.MkdirAll(path, 0o755))
	}
	return path
}

// write writes any file.
func (t *tree) write(path string, content []byte) string {
	t.folder(filepath.Dir(path))
	if t.err == nil {
		t.fail(os.WriteFile(path, content, 0o644))
	}
	return path
}

// header writes the smallest file that is a model. Keys are changed by pairs of
// name and value.
func (t *tree) header(path string, pairs ...any) string {
	f := gguftest.File{Tensors: []gguftest.Tensor{
		{Name: "token_embd.weight", Dimensions: []uint64{32, 4}, Type: gguftest.F32, Data: make([]byte, 512)},
		{Name: "blk.0.attn_q.weight", Dimensions: []uint64{32, 32}, Type: gguftest.F16, Data: make([]byte, 2048)},
	}}
	f.Set("general.architecture", "llama")
	f.Set("llama.context_length", uint32(4096))
	f.Set("llama.embedding_length", uint32(32))
	f.Set("llama.block_count", uint32(1))
	for i := 0; i < len(pairs); i += 2 {
		f.Set(pairs[i].(string), pairs[i+1])
	}
	t.folder(filepath.Dir(path))
	if t.err == nil {
		t.fail(f.Write(path))
	}
	return path
}

// model writes such a file and expects it.
func (t *tree) model(path string, pairs ...any) string {
	t.header(path, pairs...)
	t.expect(Row{Path: path, Kind: gguf.Model})
	return path
}

// spec writes a model of gguftest and expects it.
func (t *tree) spec(spec gguftest.Spec, folder string) (path string) {
	t.folder(folder)
	if t.err != nil {
		return ""
	}
	path, err := spec.Write(folder)
	t.fail(err)
	parts, err := filepath.Glob(strings.Replace(path, "-00001-of-", "-*-of-", 1))
	t.fail(err)
	t.expect(Row{Path: path, Kind: spec.Kind, Files: len(parts)})
	return path
}

// bad writes a file that has a problem, and expects it.
func (t *tree) bad(path string, problem gguf.Problem, content []byte) {
	t.write(path, content)
	t.expect(Row{Path: path, Problem: string(problem)})
}

func (t *tree) link(to, path string) string {
	t.folder(filepath.Dir(path))
	if t.err == nil {
		t.fail(os.Symlink(to, path))
	}
	return path
}

// expect notes a row. Most have one file.
func (t *tree) expect(row Row) {
	row.Source = t.source
	row.Files = max(row.Files, 1)
	t.expected.Rows = append(t.expected.Rows, row)
}

// finish makes all files old enough to be remembered by a cache, takes the right
// to read some away, and counts.
func (t *tree) finish() {
	if t.err != nil {
		return
	}
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	t.fail(filepath.WalkDir(t.dir, func(path string, entry fs.DirEntry, err error) error {
		if err != nil || entry.IsDir() {
			return err
		}
		t.expected.Files++
		if !entry.Type().IsRegular() {
			return nil
		}
		return os.Chtimes(path, old, old)
	}))
	t.lock()
	SortRows(t.expected.Rows)
	slices.SortFunc(t.expected.Folders, func(a, b Folder) int { return cmp.Compare(a.Path, b.Path) })
}

// lock makes a file and a folder unreadable. Who may read all the same, as root
// may, finds what is in them.
func (t *tree) lock() {
	t.source = t.expected.Sources.Folders[0]
	locked := filepath.Join(t.source, "locked")
	file, folder := filepath.Join(locked, "file.gguf"), filepath.Join(locked, "folder")
	for _, path := range []string{file, folder} {
		t.fail(os.Chmod(path, 0))
	}
	row := Row{Path: file, Kind: gguf.Model}
	if opened, err := os.Open(file); err == nil {
		opened.Close()
	} else {
		row.Kind, row.Problem = "", string(gguf.Permission)
	}
	t.expect(row)
	if _, err := os.ReadDir(folder); err == nil {
		t.expect(Row{Path: filepath.Join(folder, "inside.gguf"), Kind: gguf.Model})
	} else {
		t.expected.Folders = append(t.expected.Folders, Folder{folder, library.FolderPermission})
	}
}

// Unlock lets a tree be removed by who was not allowed to read all of it.
func Unlock(dir string) error {
	return os.Chmod(filepath.Join(dir, "models", "locked", "folder"), 0o755)
}

// linux says whether file names may be any bytes at all.
func linux() bool { return runtime.GOOS == "linux" }
