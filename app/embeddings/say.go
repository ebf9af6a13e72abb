package embeddings

import (
	"errors"
	"path/filepath"
	"time"

	"paddock/engine"
	"paddock/engine/client"
	"paddock/engine/embed"
	"paddock/engine/gguf"
	"paddock/engine/server"
	"paddock/words"
)

// problem is a note about an error, with its next step.
func problem(err error) Note { return Note{Text: sentence(err), Bad: true} }

func sentence(err error) string { return words.Error(err).Text() }

// ofEngine says whether an error means that there is no engine any more.
func ofEngine(err error) bool {
	var failure *server.Failure
	var answer *client.Error
	switch {
	case errors.Is(err, engine.ErrNotReady), errors.Is(err, engine.ErrClosed), errors.As(err, &failure):
		return true
	case errors.As(err, &answer):
		return answer.Kind == client.Unreachable || answer.Kind == client.StillLoading || answer.Kind == client.Broken
	}
	return false
}

func fileName(path string) string { return gguf.Printable(filepath.Base(path)) }

// modelName is what a model is called.
func modelName(f gguf.Facts) string {
	if f.Name != "" {
		return gguf.Printable(f.Name)
	}
	return fileName(f.Path)
}

// whyNot is why no vectors can be made now; empty when they can, or when it is said of
// the run that stopped.
func whyNot(s State) string {
	switch {
	case s.Refused != nil:
		return sentence(s.Refused)
	case s.Ready:
		return ""
	case s.Loading:
		percent := ""
		if s.Engine.Phase == engine.Loading && s.Engine.Progress > 0 {
			percent = words.Count(int(s.Engine.Progress * 100))
		}
		return words.T("embeddings.goOn.loading", map[string]any{"Name": s.RunModel, "Percent": percent})
	case s.noEngine() && (s.Run == Preparing || s.Run == Working):
		return words.T("embeddings.stopping")
	case s.Loadable() && s.Problem != nil && ofEngine(s.Problem):
		return ""
	case s.Loadable():
		return words.T("embeddings.goOn.loads", map[string]any{"Name": s.RunModel})
	case s.Engine.Phase == engine.NotLoaded || s.Engine.Phase == "":
		return words.T("embeddings.none")
	case s.Engine.Phase == engine.Failed:
		return words.T("embeddings.failed", map[string]any{"Name": modelName(s.Engine.Model)})
	}
	return words.T("embeddings.loading", map[string]any{"Name": modelName(s.Engine.Model)})
}

// totals is how far the run is, in a line.
func totals(s State) string {
	j := s.Job
	unread := 0
	for _, r := range s.Rows {
		if r.Phase == embed.FileFailed {
			unread++
		}
	}
	read := len(s.Rows) - unread
	data := map[string]any{
		"Done": words.Count(j.ChunksDone), "Chunks": words.Count(j.Chunks), "Files": words.Count(len(s.Rows)),
		"FilesDone": words.Count(j.FilesDone), "Speed": "", "Failed": words.Count(j.ChunksFailed),
		"Left": "", "Count": len(s.Rows), "Read": words.Count(read), "ReadCount": read,
		"Unread": "", "UnreadCount": unread,
	}
	if unread > 0 {
		data["Unread"] = words.Count(unread)
	}
	if j.TokensPerSecond > 0 {
		data["Speed"] = words.Speed(j.TokensPerSecond)
	}
	if s.Left > 0 {
		data["Left"] = timeLeft(s.Left)
	}
	switch {
	case s.Listing:
		return words.T("embeddings.listing")
	case s.Run == Preparing, s.Run == Working && j.Phase == embed.Checking, s.Run == Working && j.Phase == "":
		return words.T("embeddings.checking")
	case s.Run == Working && j.Phase == embed.Writing:
		return words.T("embeddings.writing")
	case s.Run == Paused && j.Phase == embed.Pausing:
		return words.T("embeddings.pausing", data)
	case s.Run == Paused:
		return words.T("embeddings.paused", data)
	case s.Run == Working:
		return words.T("embeddings.running", data)
	case s.Run == Ended && j.Phase == embed.Cancelled && j.Chunks > 0:
		return words.T("embeddings.cancelled", data)
	case s.Run == Ended && j.Phase == embed.Done && j.ChunksFailed > 0:
		return words.T("embeddings.done.failed", data)
	case s.Run == Ended && j.Phase == embed.Done:
		return words.T("embeddings.done", data)
	case s.Run == Ended && j.Chunks > 0:
		return words.T("embeddings.stopped", data)
	case s.Offer == GoOn && j.Chunks > 0:
		return words.T("embeddings.unfinished", data)
	case len(s.Rows) > 0:
		return words.T("embeddings.files", data)
	}
	return ""
}

// timeLeft is a time in words a person says: "40 s", "2 min 40 s", "1 h 5 min".
func timeLeft(d time.Duration) string {
	seconds := int(d.Round(time.Second) / time.Second)
	switch {
	case seconds < 60:
		return words.T("embeddings.left.seconds", map[string]any{"S": seconds})
	case seconds < 3600:
		return words.T("embeddings.left.minutes", map[string]any{"M": seconds / 60, "S": seconds % 60})
	}
	return words.T("embeddings.left.hours", map[string]any{"H": seconds / 3600, "M": seconds % 3600 / 60})
}

// standing is what a row says of its file.
func standing(r Row) string {
	data := map[string]any{"Done": words.Count(r.ChunksDone), "Chunks": words.Count(r.Chunks), "Failed": words.Count(r.ChunksFailed)}
	switch {
	case r.Phase == embed.FileFailed && r.Err != nil:
		return words.T("embeddings.file.failed")
	case r.Phase == embed.FileDone && r.ChunksFailed > 0:
		return words.T("embeddings.file.part", data)
	case r.Phase == embed.FileDone && r.ProblemCount > 0:
		return words.T("embeddings.file.gaps")
	case r.Phase == embed.FileDone:
		return words.T("embeddings.file.done")
	case r.Phase == embed.FileKept:
		return words.T("embeddings.file.kept")
	case r.Phase == embed.FileEmbedding && (r.ChunksDone > 0 || r.Begun):
		return words.T("embeddings.file.running", data)
	case r.Phase == embed.FileReading:
		return words.T("embeddings.file.reading")
	}
	return words.T("embeddings.file.waiting")
}

// size is a file's size as the list has it.
func size(bytes uint64) string {
	if bytes < 1<<20 {
		return words.T("embeddings.kib", map[string]any{"Size": words.Count(int((bytes + 1023) / 1024))})
	}
	return words.T("embeddings.mib", map[string]any{"Size": words.MiB(bytes)})
}

// place is where a passage is: its file, and the page, row, line or heading.
func place(r embed.Row) string {
	at := fileName(r.Path) + words.Passage(r.Page, r.Chunk.Row, r.Line)
	if r.Heading != "" {
		at += " · " + gguf.Printable(r.Heading)
	}
	return at
}
