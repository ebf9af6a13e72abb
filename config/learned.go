package config

import (
	"encoding/json"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"sync"
)

// learnedKept is how many models and builds are remembered.
const learnedKept = 500

// Learned is what engines were seen to take beyond the estimate, in bytes by
// device, for each model and engine build. It is in the cache folder: what is lost
// is learned again. Its methods are safe from any goroutine.
type Learned struct {
	path string

	mu  sync.Mutex
	all map[string]map[string]uint64 // by model and build; nil until it was read
}

// OpenLearned is the one of a cache folder. Nothing is read yet.
func OpenLearned(cacheFolder string) *Learned {
	return &Learned{path: filepath.Join(cacheFolder, "memory.json")}
}

// learnedKey names a model, by its first file and size in bytes, and a build.
func learnedKey(model string, sizeBytes uint64, build string) string {
	return fmt.Sprintf("%s %d %s", build, sizeBytes, model)
}

// Get is what was learned, nil for nothing. It may read a small file.
func (l *Learned) Get(model string, sizeBytes uint64, build string) map[string]uint64 {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read()
	return maps.Clone(l.all[learnedKey(model, sizeBytes, build)])
}

// Put remembers what was learned. The error says why it will be forgotten when
// Paddock ends.
func (l *Learned) Put(model string, sizeBytes uint64, build string, learned map[string]uint64) error {
	l.mu.Lock()
	defer l.mu.Unlock()
	l.read()
	key := learnedKey(model, sizeBytes, build)
	for other := range l.all { // any will do
		if len(l.all) < learnedKept {
			break
		}
		delete(l.all, other)
	}
	l.all[key] = maps.Clone(learned)
	data, err := json.Marshal(l.all)
	if err != nil {
		return err
	}
	if err := os.MkdirAll(filepath.Dir(l.path), 0o700); err != nil {
		return err
	}
	return replace(l.path, data)
}

// read takes the file over, when there is one that makes sense.
func (l *Learned) read() {
	if l.all != nil {
		return
	}
	data, err := readFile(l.path)
	if err != nil || json.Unmarshal(data, &l.all) != nil || l.all == nil {
		l.all = map[string]map[string]uint64{}
	}
}
