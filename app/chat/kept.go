package chat

import (
	"encoding/json"
	"strings"

	store "paddock/engine/chat"
	"paddock/words"
)

// A kept is what a conversation's settings are in the store, as JSON.
type kept struct {
	Settings Settings                `json:"settings,omitzero"`
	Pictures map[store.Hash]sizeOf   `json:"pictures,omitempty"`
	Windows  map[store.ID]windowFrom `json:"windows,omitempty"` // by the first turn the model is told
}

// A sizeOf is what is known of a picture.
type sizeOf struct {
	Name   string `json:"name,omitempty"`
	Width  int    `json:"width,omitempty"` // pixels
	Height int    `json:"height,omitempty"`
}

// A windowFrom is the beginning of what the model is told of a long conversation.
type windowFrom struct {
	Summary string `json:"summary,omitempty"` // of the turns before it; may be empty
}

// encode is the JSON.
func (k kept) encode() string {
	data, err := json.Marshal(k)
	if err != nil { // a number that JSON doesn't have: there is no way to give one
		return ""
	}
	return string(data)
}

// readKept reads what encode made. What another program wrote is no settings.
func readKept(text string) kept {
	var k kept
	if json.Unmarshal([]byte(text), &k) != nil {
		return kept{}
	}
	return k
}

// with is the settings with more pictures. Maps are never changed in place.
func (k kept) with(pictures map[store.Hash]sizeOf) kept {
	if len(pictures) == 0 {
		return k
	}
	all := map[store.Hash]sizeOf{}
	for hash, size := range k.Pictures {
		all[hash] = size
	}
	for hash, size := range pictures {
		all[hash] = size
	}
	k.Pictures = all
	return k
}

// from is the settings with a window that begins at a turn.
func (k kept) from(id store.ID, summary string) kept {
	windows := map[store.ID]windowFrom{id: {summary}}
	for other, w := range k.Windows {
		if other != id {
			windows[other] = w
		}
	}
	k.Windows = windows
	return k
}

// outside is how many turns at the beginning of a path the model is not told.
func (k kept) outside(path []store.Turn) int {
	if len(k.Windows) == 0 {
		return 0
	}
	for i := len(path) - 1; i > 0; i-- {
		if _, ok := k.Windows[path[i].ID]; ok {
			return i
		}
	}
	return 0
}

// summary is that of the turns outside of a path.
func (k kept) summary(path []store.Turn) string {
	if n := k.outside(path); n > 0 {
		return k.Windows[path[n].ID].Summary
	}
	return ""
}

func (k kept) sizes(pictures []store.Hash) []sizeOf {
	sizes := make([]sizeOf, 0, len(pictures))
	for _, hash := range pictures {
		sizes = append(sizes, k.Pictures[hash])
	}
	return sizes
}

// writeProblem is a sentence as the store keeps it.
func writeProblem(s words.Sentence) string {
	if s.Remedy == "" {
		return s.Message
	}
	return s.Message + "\n" + s.Remedy
}

func readProblem(text string) words.Sentence {
	message, remedy, _ := strings.Cut(text, "\n")
	return words.Sentence{Message: message, Remedy: remedy}
}
