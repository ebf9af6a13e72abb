package library

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"paddock/engine/gguf"
)

// age makes a file old enough to be remembered.
func age(t *testing.T, path string) {
	t.Helper()
	old := time.Now().Add(-time.Hour).Truncate(time.Second)
	if err := os.Chtimes(path, old, old); err != nil {
		t.Fatal(err)
	}
}

func newCache(t *testing.T) *Cache {
	t.Helper()
	return openCache(t, filepath.Join(t.TempDir(), "made", "library.cache"))
}

func openCache(t *testing.T, path string) *Cache {
	t.Helper()
	cache, err := OpenCache(path)
	if err != nil || cache == nil {
		t.Fatalf("%v, %v", cache, err)
	}
	return cache
}

func setOf(t *testing.T, paths ...string) set {
	t.Helper()
	s := set{paths: paths}
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			t.Fatal(err)
		}
		s.infos = append(s.infos, info)
	}
	return s
}

// readBy is the names of the files a scan of a folder reads, and what it finds.
func readBy(t *testing.T, cache *Cache, folder string) (read []string, models []Model) {
	t.Helper()
	var mu sync.Mutex
	scanner := &Scanner{Cache: cache, spoil: func(d *disk) {
		header := d.header
		d.header = func(paths []string) (gguf.Facts, error) {
			mu.Lock()
			read = append(read, filepath.Base(paths[0]))
			mu.Unlock()
			return header(paths)
		}
	}}
	if err := scanner.Scan(t.Context(), Sources{Folders: []string{folder}}, func(m Model) { models = append(models, m) }); err != nil {
		t.Fatal(err)
	}
	slices.Sort(read)
	return read, models
}

func TestAFileIsReadAgainOnlyWhenItChanged(t *testing.T) {
	dir := t.TempDir()
	at := func(name string) string { return filepath.Join(dir, name) }
	for _, name := range []string{"same.gguf", "touched.gguf", "longer.gguf", "replaced.gguf"} {
		small(t, at(name), "general.name", "old "+name)
		age(t, at(name))
	}
	parts(t, at("set"), 2, 1, 2)
	age(t, at("set-00001-of-00002.gguf"))
	age(t, at("set-00002-of-00002.gguf"))
	parts(t, at("lacking"), 2, 1)
	age(t, at("lacking-00001-of-00002.gguf"))
	if err := os.WriteFile(at("notes.gguf"), []byte("these are notes, not a model"), 0o644); err != nil {
		t.Fatal(err)
	}
	age(t, at("notes.gguf"))

	cache := newCache(t)
	read, cold := readBy(t, cache, dir)
	if len(read) != 7 || len(cold) != 7 {
		t.Fatalf("%d rows, read %q", len(cold), read)
	}
	// Another program, later, knows all of it, problems too.
	cache = openCache(t, cache.path)
	read, warm := readBy(t, cache, dir)
	if len(read) != 0 {
		t.Errorf("read again: %q", read)
	}
	for i := range cold {
		if cold[i].Facts.Name != warm[i].Facts.Name || cold[i].Facts.Path != warm[i].Facts.Path ||
			cold[i].SizeBytes != warm[i].SizeBytes || problem(t, cold[i]) != problem(t, warm[i]) ||
			!slices.Equal(cold[i].Capabilities, warm[i].Capabilities) || !slices.Equal(cold[i].Missing, warm[i].Missing) {
			t.Errorf("remembered as\n%+v\nand was\n%+v", warm[i], cold[i])
		}
	}

	now := time.Now().Add(-time.Minute)
	if err := os.Chtimes(at("touched.gguf"), now, now); err != nil {
		t.Fatal(err)
	}
	small(t, at("longer.gguf"), "general.name", strings.Repeat("a longer name than before ", 5))
	age(t, at("longer.gguf"))
	small(t, at("other.gguf"), "general.name", "new replaced.gguf")
	if err := os.Rename(at("other.gguf"), at("replaced.gguf")); err != nil {
		t.Fatal(err)
	}
	if err := os.Chtimes(at("set-00002-of-00002.gguf"), now, now); err != nil {
		t.Fatal(err)
	}
	parts(t, at("lacking"), 2, 2)
	read, _ = readBy(t, cache, dir)
	want := []string{"lacking-00001-of-00002.gguf", "longer.gguf", "replaced.gguf", "set-00001-of-00002.gguf", "touched.gguf"}
	if !slices.Equal(read, want) {
		t.Errorf("read %q\nwant %q", read, want)
	}
}

func TestAFileThatChangedJustNowIsNotRemembered(t *testing.T) {
	dir := t.TempDir()
	small(t, filepath.Join(dir, "hot.gguf"))
	cache := newCache(t)
	for range 2 {
		if read, _ := readBy(t, cache, dir); len(read) != 1 {
			t.Errorf("read %q", read)
		}
	}
}

func TestWhatTheSystemSaidIsNotRemembered(t *testing.T) {
	path := filepath.Join(t.TempDir(), "locked.gguf")
	small(t, path)
	age(t, path)
	cache := newCache(t)
	s := setOf(t, path)
	cache.put(s, gguf.Facts{}, &gguf.Error{Path: path, Problem: gguf.Permission, Err: os.ErrPermission})
	cache.put(s, gguf.Facts{}, errors.New("something else"))
	if _, _, ok := cache.get(s); ok {
		t.Error("it is remembered that the file could not be read")
	}
	cache.put(s, gguf.Facts{}, &gguf.Error{Path: path, Problem: gguf.Truncated})
	if _, err, ok := cache.get(s); !ok || err == nil {
		t.Error("it is not remembered that the file is cut")
	}
}

func TestABrokenCacheIsNone(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "models", "a.gguf")
	small(t, model)
	age(t, model)
	good := openCache(t, filepath.Join(dir, "good"))
	readBy(t, good, filepath.Dir(model))
	whole, err := os.ReadFile(good.path)
	if err != nil {
		t.Fatal(err)
	}
	flipped := slices.Clone(whole)
	flipped[len(flipped)/2] ^= 1
	older := slices.Clone(whole)
	copy(older, strings.Replace(string(whole[:cacheMagicSize]), "cache 1", "cache 0", 1))
	for name, content := range map[string][]byte{
		"empty": {}, "cut": whole[:len(whole)-10], "cut in its beginning": whole[:40], "with a flipped bit": flipped,
		"of another version": older, "something else": []byte("SQLite format 3"),
	} {
		t.Run(name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "library.cache")
			if err := os.WriteFile(path, content, 0o600); err != nil {
				t.Fatal(err)
			}
			cache := openCache(t, path)
			if read, models := readBy(t, cache, filepath.Dir(model)); len(read) != 1 || len(models) != 1 {
				t.Errorf("read %q, %d models", read, len(models))
			}
			if read, _ := readBy(t, openCache(t, path), filepath.Dir(model)); len(read) != 0 {
				t.Errorf("the new one does not know %q", read)
			}
		})
	}
}

func TestACacheThatCantBeReadIsToldAndWorksForNow(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "models", "a.gguf")
	small(t, model)
	age(t, model)
	cache, err := OpenCache(dir)
	if err == nil || cache == nil {
		t.Fatalf("%v, %v", cache, err)
	}
	readBy(t, cache, filepath.Dir(model))
	if read, _ := readBy(t, cache, filepath.Dir(model)); len(read) != 0 {
		t.Errorf("read again: %q", read)
	}
}

func TestTheCacheIsTheUsersOwnAndWrittenOnlyWhenThereIsSomethingNew(t *testing.T) {
	dir := t.TempDir()
	model := filepath.Join(dir, "a.gguf")
	small(t, model)
	age(t, model)
	cache := newCache(t)
	readBy(t, cache, dir)
	info, err := os.Stat(cache.path)
	if err != nil || info.Mode().Perm() != 0o600 && runtime.GOOS != "windows" {
		t.Fatalf("%v, %v", info, err)
	}
	if err := os.Remove(cache.path); err != nil {
		t.Fatal(err)
	}
	readBy(t, cache, dir)
	if left, _ := filepath.Glob(filepath.Join(filepath.Dir(cache.path), "*")); len(left) != 0 {
		t.Errorf("written although nothing was new: %q", left)
	}
}

func TestTheCacheForgetsWhatWasNotSeenForLong(t *testing.T) {
	dir := t.TempDir()
	cache := newCache(t)
	now := time.Now()
	cache.now = func() time.Time { return now }
	for _, name := range []string{"kept.gguf", "gone.gguf"} {
		small(t, filepath.Join(dir, name))
		age(t, filepath.Join(dir, name))
	}
	readBy(t, cache, dir)
	gone := setOf(t, filepath.Join(dir, "gone.gguf"))
	if err := os.Remove(gone.paths[0]); err != nil {
		t.Fatal(err)
	}
	for _, days := range []int{40, 40} { // the other is seen in between
		now = now.Add(time.Duration(days) * 24 * time.Hour)
		readBy(t, cache, dir)
	}
	if _, _, ok := cache.get(gone); ok {
		t.Error("the file that is gone is still remembered")
	}
	if _, _, ok := cache.get(setOf(t, filepath.Join(dir, "kept.gguf"))); !ok {
		t.Error("the file that was seen is forgotten")
	}
}

func TestTheCacheIsBounded(t *testing.T) {
	cache := newCache(t)
	for i := range cacheEntries + 500 {
		cache.entries[string(rune(i+1))] = entry{Seen: time.Now().Unix() - int64(i)}
	}
	cache.changed = true
	if err := cache.save(); err != nil {
		t.Fatal(err)
	}
	if n := len(cache.entries); n > cacheEntries {
		t.Errorf("%d entries", n)
	}
	if _, latest := cache.entries[string(rune(1))]; !latest {
		t.Error("the latest is forgotten")
	}
}

func TestNoCacheRemembersNothing(t *testing.T) {
	var none *Cache
	s := set{paths: []string{"a"}, infos: make([]os.FileInfo, 1)}
	none.put(s, gguf.Facts{}, nil)
	if _, _, ok := none.get(s); ok || none.last("a").Path != "" {
		t.Error("something is remembered")
	}
}
