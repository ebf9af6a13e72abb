package library

import (
	"bytes"
	"encoding/binary"
	"encoding/gob"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"sync"
	"time"

	"paddock/diskfile"
	"paddock/engine/gguf"
)

const (
	// cacheVersion changes whenever headers are read differently, so that a new
	// program ignores what an old one remembered. That facts gained or lost a field
	// is noticed without it.
	cacheVersion = 1

	cacheLimit     = 256 << 20           // bytes of the file
	cacheEntries   = 20_000              // files remembered
	cacheKeep      = 60 * 24 * time.Hour // how long a file that is not seen is remembered
	cacheHot       = 2 * time.Second     // a file changed so shortly before may change again unseen: a FAT's clock ticks every 2 s
	seenAccuracy   = 24 * time.Hour      // so that a scan that finds nothing new writes nothing
	cacheFile      = "library.cache"
	cacheMagicSize = 64
)

// A Cache remembers the facts of files by path, size and time of change. It is
// safe for use by several goroutines, and a nil Cache remembers nothing.
type Cache struct {
	path string
	now  func() time.Time

	mu      sync.Mutex
	entries map[string]entry // by the first path of a set
	changed bool
}

// An entry is what is known of a set of files. What is exported is what is saved.
type entry struct {
	Stamps  []stamp
	Missing []string
	Facts   gguf.Facts
	Problem *gguf.Error
	Seen    int64 // seconds since 1970, of the last scan that saw it
}

// A stamp tells a file from what it was before.
type stamp struct {
	Path      string
	SizeBytes int64
	Changed   int64 // ns since 1970
}

// CachePath is where the cache is, in Paddock's folder for caches.
func CachePath(folder string) string { return filepath.Join(folder, cacheFile) }

// OpenCache reads what was remembered. A file that is broken, or of another
// version, is as good as none: the next scan writes a new one. The error says
// that the file can't be read at all; the Cache beside it works, for as long as
// the program runs.
func OpenCache(path string) (*Cache, error) {
	c := &Cache{path: path, now: time.Now, entries: map[string]entry{}}
	info, err := os.Stat(path)
	if errors.Is(err, fs.ErrNotExist) {
		return c, nil
	}
	if err == nil && !info.Mode().IsRegular() {
		err = fmt.Errorf("%s is not a file", path)
	}
	if err != nil {
		return c, err
	}
	if info.Size() > cacheLimit {
		return c, nil
	}
	content, err := os.ReadFile(path)
	if err != nil {
		return c, err
	}
	if entries, ok := decodeCache(content); ok {
		c.entries = entries
	}
	return c, nil
}

// get is what is known of files that are still as they were.
func (c *Cache) get(set set) (gguf.Facts, error, bool) {
	stamps, ok := set.stamps()
	if c == nil || !ok {
		return gguf.Facts{}, nil, false
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	known, ok := c.entries[set.paths[0]]
	if !ok || !slices.Equal(known.Stamps, stamps) || !slices.Equal(known.Missing, set.missing) {
		return gguf.Facts{}, nil, false
	}
	if seen := c.now().Unix(); seen-known.Seen > int64(seenAccuracy/time.Second) {
		known.Seen = seen
		c.entries[set.paths[0]] = known
		c.changed = true
	}
	if known.Problem != nil {
		return known.Facts, known.Problem, true
	}
	return known.Facts, nil, true
}

// last is what was known of a file, whatever it is now.
func (c *Cache) last(path string) gguf.Facts {
	if c == nil {
		return gguf.Facts{}
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.entries[path].Facts
}

// put remembers what was read of files. What the system said of them, rather than
// their content, may be different the next time.
func (c *Cache) put(set set, facts gguf.Facts, problem error) {
	stamps, ok := set.stamps()
	if c == nil || !ok {
		return
	}
	now := c.now()
	for _, s := range stamps {
		if now.UnixNano()-s.Changed < int64(cacheHot) {
			return
		}
	}
	e := entry{Stamps: stamps, Missing: set.missing, Facts: facts, Seen: now.Unix()}
	if problem != nil && (!errors.As(problem, &e.Problem) || e.Problem.Err != nil) {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	c.entries[set.paths[0]] = e
	c.changed = true
}

// stamps are those of a set's files, when the system has told about all.
func (s set) stamps() ([]stamp, bool) {
	stamps := make([]stamp, len(s.paths))
	for i, path := range s.paths {
		if s.infos[i] == nil || !s.infos[i].Mode().IsRegular() {
			return nil, false
		}
		stamps[i] = stamp{path, s.infos[i].Size(), s.infos[i].ModTime().UnixNano()}
	}
	return stamps, true
}

// save writes the file when there is something new, in one step, and forgets
// files that were not seen for long.
func (c *Cache) save() error {
	c.mu.Lock()
	if !c.changed {
		c.mu.Unlock()
		return nil
	}
	c.forget()
	content, err := encodeCache(c.entries)
	c.changed = err != nil
	c.mu.Unlock()
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(c.path), 0o700); err != nil {
		return err
	}
	return diskfile.CacheBytes(c.path, content)
}

// forget drops what was not seen for long and, of too many, the oldest.
func (c *Cache) forget() {
	limit := c.now().Add(-cacheKeep).Unix()
	var seen []int64
	for _, e := range c.entries {
		seen = append(seen, e.Seen)
	}
	if len(seen) > cacheEntries {
		slices.Sort(seen)
		limit = max(limit, seen[len(seen)-cacheEntries])
	}
	for path, e := range c.entries {
		if e.Seen < limit {
			delete(c.entries, path)
		}
	}
}

// magic is the beginning of a cache's file: another version, or another shape of
// what is saved, has another.
func magic() [cacheMagicSize]byte {
	var m [cacheMagicSize]byte
	shape := crc32.ChecksumIEEE([]byte(shapeOf(reflect.TypeFor[entry]())))
	copy(m[:], fmt.Sprintf("Paddock library cache %d %08x\n", cacheVersion, shape))
	return m
}

// shapeOf is a type with the names and types of all its fields.
func shapeOf(t reflect.Type) string {
	switch t.Kind() {
	case reflect.Pointer, reflect.Slice, reflect.Array:
		return t.Kind().String() + " " + shapeOf(t.Elem())
	case reflect.Map:
		return "map " + shapeOf(t.Key()) + " " + shapeOf(t.Elem())
	case reflect.Struct:
		shape := "{"
		for i := range t.NumField() {
			shape += t.Field(i).Name + " " + shapeOf(t.Field(i).Type) + ";"
		}
		return shape + "}"
	}
	return t.Kind().String()
}

// encodeCache is a magic, a checksum of the rest, and the entries.
func encodeCache(entries map[string]entry) ([]byte, error) {
	start := magic()
	var out bytes.Buffer
	out.Write(start[:])
	out.Write(make([]byte, 4))
	if err := gob.NewEncoder(&out).Encode(entries); err != nil {
		return nil, err
	}
	content := out.Bytes()
	binary.LittleEndian.PutUint32(content[cacheMagicSize:], crc32.ChecksumIEEE(content[cacheMagicSize+4:]))
	return content, nil
}

func decodeCache(content []byte) (map[string]entry, bool) {
	start := magic()
	rest, ok := bytes.CutPrefix(content, start[:])
	if !ok || len(rest) < 4 || binary.LittleEndian.Uint32(rest) != crc32.ChecksumIEEE(rest[4:]) {
		return nil, false
	}
	var entries map[string]entry
	err := gob.NewDecoder(bytes.NewReader(rest[4:])).Decode(&entries)
	return entries, err == nil && entries != nil
}
