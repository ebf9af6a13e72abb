package config

import (
	"encoding/json"
	"path/filepath"
)

// setupsKept is how many models' choices are remembered.
const setupsKept = 1000

// A Setup is what was chosen for a model.
type Setup struct {
	Plan  json.RawMessage `json:"plan"`
	Build string          `json:"build,omitempty"` // id of an engine build, empty for the preferred one
}

// Setups are the choices made for models, in the configuration folder. Its methods
// are safe from any goroutine and may read or write a small file.
type Setups struct{ kept kept[Setup] }

// OpenSetups are those of a configuration folder. Nothing is read yet.
func OpenSetups(configFolder string) *Setups {
	return &Setups{kept[Setup]{path: filepath.Join(configFolder, "setups.json"), most: setupsKept, aside: true}}
}

// Get is what was chosen for a model, by its first file and size in bytes.
func (s *Setups) Get(model string, sizeBytes uint64) (Setup, bool) {
	return s.kept.get(fileKey(model, sizeBytes))
}

// Put remembers what was chosen. When it can't be written the error is a *Error
// with Unsaved, and the choice holds until Paddock ends.
func (s *Setups) Put(model string, sizeBytes uint64, setup Setup) error {
	return s.unsaved(s.kept.put(fileKey(model, sizeBytes), setup))
}

// Forget forgets what was chosen.
func (s *Setups) Forget(model string, sizeBytes uint64) error {
	return s.unsaved(s.kept.forget(fileKey(model, sizeBytes)))
}

// Problem is what was wrong with the file when it was read, a *Error or nil; nil
// too until something was asked for.
func (s *Setups) Problem() error {
	s.kept.mu.Lock()
	defer s.kept.mu.Unlock()
	return s.kept.problem
}

func (s *Setups) unsaved(err error) error {
	if err == nil {
		return nil
	}
	return &Error{Problem: Unsaved, Path: s.kept.path, Err: err}
}
