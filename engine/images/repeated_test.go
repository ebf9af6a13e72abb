package images

import (
	"context"
	"encoding/json"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"paddock/engine/client"
	"paddock/engine/picture"
)

func TestThatAnAnswerWasRepeatedIsKeptAndExported(t *testing.T) {
	dir, folder := pictures(t, 2), t.TempDir()
	s := open(t, folder)
	s.Add(t.Context(), false, dir)
	asked := 0
	finish(t, started(t, s, askerFunc(func(context.Context, client.Request, func(client.Delta)) (client.Answer, error) {
		asked++ // one at a time: there is one slot
		return client.Answer{Text: "a flag", Stop: client.StopEnd, Repeated: asked == 1}, nil
	}), 1, Run{}))
	closeSet(t, s)
	again := open(t, folder)
	repeated := map[string]bool{} // by path: which was asked about first is not for sure
	for _, item := range again.State().Items {
		if slices.Contains(item.Notes, Repeated) {
			repeated[item.Path] = true
		}
	}
	if len(repeated) != 1 {
		t.Errorf("after a restart %d pictures have the note", len(repeated))
	}
	path := filepath.Join(t.TempDir(), "out.jsonl")
	if err := again.Export(t.Context(), path, ExportOptions{Format: JSONLines}); err != nil {
		t.Fatal(err)
	}
	for text := range strings.Lines(read(t, path)) {
		var row struct {
			Path  string
			Notes []picture.Note
		}
		if err := json.Unmarshal([]byte(text), &row); err != nil {
			t.Fatal(err)
		}
		if slices.Contains(row.Notes, Repeated) != repeated[row.Path] {
			t.Errorf("it says %s", text)
		}
	}
	// A new answer that came at once has the note no more.
	finish(t, started(t, again, says("a flag"), 1, Run{Overwrite: OverwriteAnswers}))
	for _, item := range again.State().Items {
		if slices.Contains(item.Notes, Repeated) {
			t.Errorf("done again it has %v", item.Notes)
		}
	}
}
