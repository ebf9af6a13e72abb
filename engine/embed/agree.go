package embed

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"maps"
	"path/filepath"
	"slices"
)

// agree holds what the run is made with against what the state is of.
func (s *store) agree(meta Meta) error {
	want := meta.keys()
	order := slices.Sorted(maps.Keys(want))
	slices.SortStableFunc(order, func(a, b string) int { return modelFirst(a) - modelFirst(b) })
	for _, key := range order {
		var was string
		err := s.db.QueryRow(`SELECT value FROM run WHERE key = ?`, key).Scan(&was)
		switch {
		case errors.Is(err, sql.ErrNoRows):
			if _, err := s.db.Exec(`INSERT INTO run VALUES (?, ?)`, key, want[key]); err != nil {
				return err
			}
		case err != nil:
			return err
		case was != want[key] && !incidental[key]:
			differs := &FileError{Problem: OtherRun, Path: s.path, Differs: key, Was: was}
			if differs.Finished, err = s.finished(); err != nil {
				return err
			}
			if key == modelKey {
				if differs.Model, err = s.model(); err != nil {
					return err
				}
			}
			return differs
		}
	}
	return nil
}

// modelKey is the key of the model's file. Another one has other dimensions, prefixes
// and the like, and none of those says what is wrong.
const modelKey = "modelSha256"

func modelFirst(key string) int {
	if key == modelKey {
		return 0
	}
	return 1
}

// finished says whether the run of the state wrote its outputs and left nothing to do. A
// file that can't be read was tried.
func (s *store) finished() (is bool, err error) {
	err = s.db.QueryRow(`SELECT EXISTS (SELECT 1 FROM written) AND NOT EXISTS (SELECT 1 FROM chunks WHERE standing <> 1)
		AND NOT EXISTS (SELECT 1 FROM files WHERE NOT cut AND id NOT IN (SELECT file FROM problems))`).Scan(&is)
	return is, err
}

// model is what the model of the run is called.
func (s *store) model() (string, error) {
	var name, path sql.NullString
	err := s.db.QueryRow(`SELECT (SELECT value FROM run WHERE key = 'model'), (SELECT value FROM run WHERE key = 'modelPath')`).Scan(&name, &path)
	if name.String == "" {
		name.String = filepath.Base(path.String)
	}
	return name.String, err
}

// incidental is what a run may go on with although it differs: other builds of an
// engine give the same vectors but for rounding.
var incidental = map[string]bool{"modelPath": true, "model": true, "engine": true, "app": true, "queryPrefix": true, "family": true}

// keys are the values of a Meta by their names in JSON.
func (m Meta) keys() map[string]string {
	text, err := json.Marshal(m)
	if err != nil {
		panic("a Meta is no JSON: " + err.Error())
	}
	var values map[string]any
	if err := json.Unmarshal(text, &values); err != nil {
		panic("a Meta is no object: " + err.Error())
	}
	keys := map[string]string{}
	for key, value := range values {
		if text, ok := value.(string); ok {
			keys[key] = text
			continue
		}
		text, err := json.Marshal(value)
		if err != nil {
			panic("a value of a Meta is no JSON: " + err.Error())
		}
		keys[key] = string(text)
	}
	return keys
}

// metaIn is the Meta that a table has as keys with their values; empty where those
// are none of a Meta.
func metaIn(ctx context.Context, db *sql.DB, table string) (Meta, error) {
	rows, err := db.QueryContext(ctx, `SELECT key, value FROM `+table)
	if err != nil {
		return Meta{}, err
	}
	defer rows.Close()
	values := map[string]any{}
	for rows.Next() {
		var key, value string
		if err := rows.Scan(&key, &value); err != nil {
			return Meta{}, err
		}
		values[key] = value
		if key == "dimensions" || key == "layerNorm" {
			values[key] = json.RawMessage(value)
		}
	}
	if err := rows.Err(); err != nil {
		return Meta{}, err
	}
	text, err := json.Marshal(values)
	if err != nil {
		return Meta{}, nil // a value that is none: no metadata of ours
	}
	var m Meta
	if json.Unmarshal(text, &m) != nil {
		return Meta{}, nil
	}
	return m, nil
}
