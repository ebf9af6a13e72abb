package config

import (
	"maps"
	"path/filepath"
)

// learnedKept is how many models and builds are remembered.
const learnedKept = 500

// Learned is what engines were seen to take beyond the estimate, in bytes by
// device, for each model and engine build. It is in the cache folder: what is lost
// is learned again. Its methods are safe from any goroutine.
type Learned struct{ kept kept[map[string]uint64] }

// OpenLearned is the one of a cache folder. Nothing is read yet.
func OpenLearned(cacheFolder string) *Learned {
	return &Learned{kept[map[string]uint64]{path: filepath.Join(cacheFolder, "memory.json"), most: learnedKept}}
}

// learnedKey names a model, by its first file and size in bytes, and a build.
func learnedKey(model string, sizeBytes uint64, build string) string {
	return build + " " + fileKey(model, sizeBytes)
}

// Get is what was learned, nil for nothing. It may read a small file.
func (l *Learned) Get(model string, sizeBytes uint64, build string) map[string]uint64 {
	learned, _ := l.kept.get(learnedKey(model, sizeBytes, build))
	return maps.Clone(learned)
}

// Put remembers what was learned. The error says why it will be forgotten when
// Paddock ends.
func (l *Learned) Put(model string, sizeBytes uint64, build string, learned map[string]uint64) error {
	return l.kept.put(learnedKey(model, sizeBytes, build), maps.Clone(learned))
}
