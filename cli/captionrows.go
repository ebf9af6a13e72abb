package cli

import (
	"bytes"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strconv"
	"strings"

	"paddock/diskfile"
	"paddock/engine/gguf"
	"paddock/engine/images"
	"paddock/words"
)

// captionRows write a line of JSON for each picture, in the order they are through,
// and say what went wrong.
type captionRows struct {
	session *session
	to      io.Writer
	out     string   // path of --out, empty for standard output
	file    *os.File // that is written: out, or a file beside it that takes its place at the end
	whole   bool     // the job is through with every picture, and one at least has an answer
	named   [][2]string
	written map[images.ID]bool
	failed  bool  // a picture, or a folder
	bytes   int64 // of the lines in the file
	err     error // of the file, the first: nothing is written after it
}

// newCaptionRows are of pictures in what was named: each is called as it was there.
func newCaptionRows(s *session, named []string) captionRows {
	r := captionRows{session: s, to: s.stdout, written: map[images.ID]bool{}}
	for _, path := range named {
		if absolute, err := filepath.Abs(path); err == nil && absolute != path {
			r.named = append(r.named, [2]string{absolute, path})
		}
	}
	return r
}

// open opens the file of --out. One that is there is not touched without overwrite,
// and with it is replaced when there is a line for every picture.
func (r *captionRows) open(path string, overwrite bool) error {
	if path == "" {
		return nil
	}
	info, err := os.Stat(path)
	switch {
	case err != nil:
		r.file, err = os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o666)
	case !info.Mode().IsRegular():
		r.file, err = os.OpenFile(path, os.O_WRONLY, 0)
	case !overwrite:
		return textError{key: "cli.caption.there", data: map[string]any{"File": filepath.Base(path)}}
	default:
		if path, err = filepath.EvalSymlinks(path); err == nil {
			r.file, err = diskfile.HalfOf(path)
		}
	}
	if err != nil {
		return r.unwritten(path, err)
	}
	r.out, r.to = path, r.file
	return nil
}

// close is what the command comes to as far as its lines are concerned.
func (r *captionRows) close() error {
	if r.file != nil {
		if r.err == nil && r.file.Name() != r.out {
			r.err = r.file.Sync() // before it takes the place of one that is on the disk
		}
		if err := r.file.Close(); r.err == nil {
			r.err = err
		}
		r.place()
		if r.err != nil {
			return r.unwritten(r.out, r.err)
		}
	}
	if r.failed && r.session.stdout.err == nil { // of which the session says the reason
		return statusError(Failed)
	}
	return nil
}

// place puts what was written where it belongs, or takes away what came to nothing.
// A file that is there loses its name only to one with all the lines; what there is
// of fewer is kept beside it.
func (r *captionRows) place() {
	written := r.file.Name()
	info, err := os.Lstat(written)
	switch {
	case err != nil || !info.Mode().IsRegular(): // a pipe, or a device
	case info.Size() == 0:
		_ = os.Remove(written)
	case written == r.out: // there was none: it has what there is
	case r.whole && r.err == nil:
		if r.err = os.Rename(written, r.out); r.err != nil {
			r.keep(written)
		}
	default:
		r.keep(written)
	}
}

// keep gives lines that are not all a name that no other file has, and says it.
func (r *captionRows) keep(written string) {
	extension := filepath.Ext(r.out)
	base := strings.TrimSuffix(r.out, extension) + ".partial"
	kept := base + extension
	err := diskfile.Claim(written, kept)
	for n := 2; errors.Is(err, fs.ErrExist); n++ {
		kept = base + "-" + strconv.Itoa(n) + extension
		err = diskfile.Claim(written, kept)
	}
	if err != nil {
		kept = written // the lines are there at least
	}
	r.session.complain(words.Of("cli.caption.partial", map[string]any{
		"File": gguf.Printable(filepath.Base(r.out)), "Partial": gguf.Printable(kept),
	}))
}

func (r *captionRows) unwritten(path string, err error) error {
	return textError{"cli.caption.out", map[string]any{
		"File": filepath.Base(path), "Reason": words.Reason(err), "Full": diskfile.Full(err), "Kept": r.bytes > 0,
	}, err}
}

// write adds the lines of pictures that are through since.
func (r *captionRows) write(state images.State) {
	for _, item := range state.Items {
		if item.Phase == images.Done || item.Phase == images.Failed {
			r.row(item)
		}
	}
	p := state.Job
	r.whole = p.Through() == p.Total && p.Finished.Done > 0
	if r.file != nil && isTerminal(r.session.stderr) {
		text := words.T("cli.caption.progress", map[string]any{"Done": words.Count(p.Through()), "Total": words.Count(p.Total)})
		fmt.Fprint(r.session.stderr, clearLine+text)
	}
}

func (r *captionRows) row(item *images.Item) {
	if r.written[item.ID] || r.shut() {
		return
	}
	r.written[item.ID] = true
	row := images.RowOf(item, func(err error) string {
		sentence, _ := describe(err)
		r.session.complain(sentence)
		r.failed = true
		return sentence.Message
	})
	row.Path = r.called(row.Path)
	var line bytes.Buffer
	encoder := json.NewEncoder(&line)
	encoder.SetEscapeHTML(false)
	if r.err = encoder.Encode(row); r.err != nil {
		return
	}
	n, err := r.to.Write(line.Bytes())
	if err == nil {
		r.bytes += int64(n)
		return
	}
	r.err = err
	if n > 0 && r.file != nil {
		_ = r.file.Truncate(r.bytes) // half a line is none; a pipe has it already
	}
}

// shut is whether lines go anywhere any more.
func (r *captionRows) shut() bool {
	return r.err != nil || r.file == nil && r.session.stdout.shut()
}

// called is a path as it was named.
func (r *captionRows) called(path string) string {
	for _, named := range r.named {
		if path == named[0] {
			return named[1]
		}
		if rest, in := strings.CutPrefix(path, strings.TrimSuffix(named[0], string(filepath.Separator))+string(filepath.Separator)); in {
			return filepath.Join(named[1], rest)
		}
	}
	return path
}

// giveUp ends a job whose engine does not come back. Every picture has its line.
func (r *captionRows) giveUp(job *images.Job, set *images.Set, reason error) error {
	job.Cancel()
	<-job.Done()
	state := set.State()
	r.write(state)
	message := words.Error(reason).Message
	for _, item := range state.Items {
		if item.Phase == images.Waiting {
			left := *item
			left.Err = textError{key: "cli.caption.left", data: map[string]any{"File": item.Name, "Message": message}}
			r.row(&left)
		}
	}
	return reason
}

func (r *captionRows) summary(state images.State) {
	if r.file != nil && isTerminal(r.session.stderr) {
		fmt.Fprint(r.session.stderr, clearLine)
	}
	if r.session.JSON {
		return
	}
	p := state.Job
	key, data := "cli.caption.done", map[string]any{
		"Done": words.Count(p.Finished.Done), "Total": words.Count(p.Total), "Failed": words.Count(p.Finished.Failed),
	}
	if p.Finished.Done > 0 && p.Running > 0 {
		key = "cli.caption.done.speed"
		data["Speed"] = fmt.Sprintf("%.1f", float64(p.Finished.Done)/p.Running.Minutes())
	}
	fmt.Fprintln(r.session.stderr, words.T(key, data))
}
