package config

import (
	"path/filepath"
	"slices"
	"strings"
	"sync"
)

// trialsKept is how many models, builds and machines are remembered.
const trialsKept = 500

// Trials are the cautions that came true here: for each model, engine build and
// machine the ids of the rules that had foreseen it. Its methods are safe from any
// goroutine.
type Trials struct {
	changing sync.Mutex
	kept     kept[[]string]
}

// A Trial is what a caution came true with.
type Trial struct {
	Model     string   // its first file
	SizeBytes uint64   // of the model
	Build     string   // id of the engine build
	Devices   []string // names of the machine's devices, in any order
}

// OpenTrials are those of a cache folder. Nothing is read yet.
func OpenTrials(cacheFolder string) *Trials {
	return &Trials{kept: kept[[]string]{path: filepath.Join(cacheFolder, "trials.json"), most: trialsKept}}
}

// key names the machine by its devices: the same model may do with another card.
func (t Trial) key() string {
	devices := slices.Clone(t.Devices)
	slices.Sort(devices)
	return learnedKey(t.Model, t.SizeBytes, t.Build) + " | " + strings.Join(devices, " | ")
}

// Failed are the rules whose caution came true, nil for none. It may read a small
// file.
func (l *Trials) Failed(t Trial) []string {
	rules, _ := l.kept.get(t.key())
	return slices.Clone(rules)
}

// Put remembers that a rule's caution came true. The error says why it will be
// forgotten when Paddock ends.
func (l *Trials) Put(t Trial, rule string) error {
	l.changing.Lock()
	defer l.changing.Unlock()
	rules := l.Failed(t)
	if slices.Contains(rules, rule) {
		return nil
	}
	return l.kept.put(t.key(), append(rules, rule))
}

// Forget gives what a rule foresaw another chance. The error says why it will be
// back at the next start.
func (l *Trials) Forget(t Trial, rule string) error {
	l.changing.Lock()
	defer l.changing.Unlock()
	rules := slices.DeleteFunc(l.Failed(t), func(r string) bool { return r == rule })
	if len(rules) == 0 {
		return l.kept.forget(t.key())
	}
	return l.kept.put(t.key(), rules)
}
