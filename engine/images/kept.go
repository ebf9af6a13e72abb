package images

import (
	"encoding/json"
	"errors"
	"fmt"
	"path/filepath"
	"time"
	"unicode/utf8"

	"paddock/engine/client"
	"paddock/engine/picture"
)

// A kept item is one as it is in the journal.
type kept struct {
	ID       ID             `json:"id"`
	Path     string         `json:"path,omitempty"`
	RawPath  []byte         `json:"rawPath,omitempty"` // of a name that is no UTF-8, which JSON can't have
	Name     string         `json:"name,omitempty"`    // of a pasted picture
	Pasted   bool           `json:"pasted,omitempty"`
	Edited   bool           `json:"edited,omitempty"`
	Text     string         `json:"text,omitempty"`
	Cut      bool           `json:"cut,omitempty"`
	Prompt   string         `json:"prompt,omitempty"`
	Took     time.Duration  `json:"took,omitempty"` // nanoseconds
	Notes    []picture.Note `json:"notes,omitempty"`
	Changed  bool           `json:"changed,omitempty"`
	Failure  *failure       `json:"failure,omitempty"`
	Bytes    uint64         `json:"bytes"`
	Modified time.Time      `json:"modified"`
	SHA256   string         `json:"sha256,omitempty"`
}

// A failure is the error of an item: which type it has, what is in that, and the words of the
// error it wraps.
type failure struct {
	Type   string          `json:"type"`
	Value  json.RawMessage `json:"value,omitempty"`
	Reason string          `json:"reason,omitempty"`
}

func keep(i *Item) *kept {
	k := &kept{
		ID: i.ID, Path: i.Path, Pasted: i.Pasted, Edited: i.edited,
		Text: i.Text, Cut: i.Cut, Prompt: i.Prompt, Took: i.Took, Notes: i.Notes, Changed: i.Changed,
		Failure: keepError(i.Err),
		Bytes:   i.file.Bytes, Modified: i.file.Modified, SHA256: i.file.SHA256,
	}
	if !utf8.ValidString(i.Path) {
		k.Path, k.RawPath = "", []byte(i.Path)
	}
	if i.Pasted {
		k.Name = i.Name
	}
	return k
}

func (k *kept) item() *Item {
	i := &Item{
		ID: k.ID, Path: k.Path, Name: k.Name, Pasted: k.Pasted,
		Text: k.Text, Cut: k.Cut, Prompt: k.Prompt, Took: k.Took, Notes: k.Notes, Changed: k.Changed,
		edited: k.Edited, file: fileState{k.Bytes, k.Modified, k.SHA256},
	}
	if k.RawPath != nil {
		i.Path = string(k.RawPath)
	}
	if !i.Pasted {
		i.Name = filepath.Base(i.Path)
	}
	if k.Failure != nil {
		i.Err = k.Failure.error()
	}
	return i
}

// keepError is an error's typed part; of one that has none, its words.
func keepError(err error) *failure {
	var seen *picture.Error
	var answer *client.Error
	var own *Error
	var f failure
	var value any
	var inner error
	switch {
	case err == nil:
		return nil
	case errors.As(err, &seen):
		plain := *seen
		f.Type, inner, plain.Err = "picture", seen.Err, nil
		value = plain
	case errors.As(err, &answer):
		plain := *answer
		f.Type, inner, plain.Err = "answer", answer.Err, nil
		value = plain
	case errors.As(err, &own):
		plain := *own
		f.Type, inner, plain.Err = "images", own.Err, nil
		value = plain
	default:
		inner = err
	}
	if inner != nil {
		f.Reason = inner.Error()
	}
	if value != nil {
		text, err := json.Marshal(value)
		if err != nil {
			panic(fmt.Sprintf("%T is no JSON: %v", value, err))
		}
		f.Value = text
	}
	return &f
}

func (f *failure) error() error {
	var inner error
	if f.Reason != "" {
		inner = errors.New(f.Reason)
	}
	// What can't be read of a value leaves its fields empty.
	switch f.Type {
	case "picture":
		e := &picture.Error{}
		_ = json.Unmarshal(f.Value, e)
		e.Err = inner
		return e
	case "answer":
		e := &client.Error{}
		_ = json.Unmarshal(f.Value, e)
		e.Err = inner
		return e
	case "images":
		e := &Error{}
		_ = json.Unmarshal(f.Value, e)
		e.Err = inner
		return e
	}
	if inner == nil {
		inner = errors.New("it failed")
	}
	return inner
}
