package embeddings

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"paddock/diskfile"
	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/gguf"
)

// A kept is what is still there after a restart: the list, the choices, whether a run
// was not finished, and what was searched.
type kept struct {
	Sources []string
	Left    []string // taken off the list
	Choices Choices
	Named   bool   // the name is the user's own
	Own     bool   // the prefixes are
	Model   string // path of the model the settings are for
	Began   bool   // a run did, and came to no end
	Index   string // the output that was open for searching, empty for none
}

// keep has the list and the choices kept.
func (p *Presenter) keep() {
	p.touched, p.offering = true, false
	k := kept{Sources: slices.Clone(p.roots), Choices: p.state.Choices, Named: p.named, Own: p.state.Own, Model: p.loaded, Began: p.unfinished(), Index: p.wanted}
	for path := range p.left {
		k.Left = append(k.Left, path)
	}
	slices.Sort(k.Left)
	if p.earlier != nil { // no model was loaded since: the settings are still that one's
		k.Choices.Settings, k.Own, k.Model = p.earlier.Choices.Settings, p.earlier.Own, p.earlier.Model
	}
	p.keeper.put(k, func(err error) {
		p.do(func() {
			if err != p.state.Unkept {
				p.state.Unkept = err
				p.publish()
			}
		})
	})
}

// unfinished says whether a run goes on or can be gone on with.
func (p *Presenter) unfinished() bool {
	s := &p.state
	return s.Runs() || s.Run == Ended && s.Job.Phase != embed.Done || s.Offer == GoOn && s.Job.Phase == embed.Cancelled
}

// restore takes what was kept. Where the user was faster, the list and the choices are
// theirs.
func (p *Presenter) restore() {
	if p.keeper.path == "" {
		return
	}
	go func() {
		k, err := p.keeper.earlier()
		if k == nil && err == nil {
			return
		}
		p.do(func() {
			switch {
			case p.ctx.Err() != nil:
				return
			case isSetAside(err):
				p.state.Damaged = err
			case err != nil:
				p.state.Unkept = err
			case !p.touched:
				p.useKept(*k)
			case p.wanted == "" && p.opens == "":
				p.reopen(k.Index, p.keep)
			}
			p.publish()
		})
	}()
}

// readKept is what an earlier Paddock kept, nil for nothing. A file that makes no sense
// is set aside. The error is a *embed.FileError.
func readKept(path string) (*kept, error) {
	text, err := os.ReadFile(path)
	switch {
	case errors.Is(err, fs.ErrNotExist):
		return nil, nil
	case err != nil:
		return nil, &embed.FileError{Problem: embed.Unkept, Path: path, Err: err}
	}
	var k kept
	if err := json.Unmarshal(text, &k); err != nil {
		aside := diskfile.FreeName(path + ".broken")
		if os.Rename(path, aside) != nil {
			aside = ""
		}
		return nil, &embed.FileError{Problem: embed.Damaged, Path: path, Aside: aside, Err: err}
	}
	if _, err := os.Stat(k.Index); errors.Is(err, fs.ErrNotExist) { // which needs no word
		k.Index = ""
	}
	return &k, nil
}

// isSetAside says whether an error is of a file that is out of the way of the next.
func isSetAside(err error) bool {
	var file *embed.FileError
	return errors.As(err, &file) && file.Problem == embed.Damaged && file.Aside != ""
}

// useKept takes over what makes sense of what was kept: the file may be of another
// version, or written by hand.
func (p *Presenter) useKept(k kept) {
	c := &p.state.Choices
	if _, err := chunk.Parse(k.Choices.Strategy.String()); err == nil && k.Choices.Strategy.Tokens >= leastTokens {
		c.Strategy = k.Choices.Strategy
	}
	c.Reading, c.Patterns = k.Choices.Reading, k.Choices.Patterns
	formats := slices.DeleteFunc(k.Choices.Formats, func(f embed.Format) bool { return !slices.Contains(embed.Formats(), f) })
	if len(formats) > 0 {
		c.Formats = formats
	}
	if filepath.IsAbs(k.Choices.Folder) {
		c.Folder = k.Choices.Folder
	}
	if isName(k.Choices.Name) {
		c.Name, p.named = k.Choices.Name, k.Named
	}
	p.earlier, p.offering = &k, k.Began
	p.useEarlier()
	for _, path := range k.Left {
		p.left[path] = true
	}
	p.roots = slices.DeleteFunc(k.Sources, func(path string) bool { return !filepath.IsAbs(path) })
	p.look()
	p.reopen(k.Index, func() {})
}

// reopen opens what was searched. It stays what is wanted when it can't be opened now.
func (p *Presenter) reopen(path string, opens func()) {
	if filepath.IsAbs(path) {
		p.wanted = path
		p.openIndex(path, opens)
	}
}

// offerEarlier offers to go on with a run that was not finished when Paddock ended,
// with how far that came, or why this is not known. Without a state there is nothing to
// go on from.
func (p *Presenter) offerEarlier(j embed.State, err error) {
	var file *embed.FileError
	gone := errors.As(err, &file) && file.Problem == embed.NotThere
	if p.offering && len(p.state.Rows) > 0 && !gone {
		j.Phase = embed.Cancelled
		p.state.Offer, p.state.Job = GoOn, j
		p.state.RunModel = modelName(gguf.Facts{Name: j.Meta.Model, Path: j.Meta.ModelPath})
		known := make(map[string]embed.FileState, len(j.Files))
		for _, f := range j.Files {
			known[f.Path] = f
		}
		for i, row := range p.state.Rows {
			if f, is := known[row.Path]; is {
				p.state.Rows[i].FileState = f
			}
		}
	}
	p.offering = false
}

// useEarlier takes the settings that were kept for the model that is loaded.
func (p *Presenter) useEarlier() {
	k := p.earlier
	if k == nil || p.loaded == "" {
		return
	}
	p.earlier = nil
	if k.Model != p.loaded {
		return
	}
	for _, f := range embed.Families() {
		if f.ID != k.Choices.Settings.Family {
			continue
		}
		p.useFamily(f)
		s := &p.state.Choices.Settings
		s.Prefix, s.QueryPrefix, s.Dimensions, p.state.Own = k.Choices.Settings.Prefix, k.Choices.Settings.QueryPrefix, k.Choices.Settings.Dimensions, k.Own
		if k.Choices.Settings.Normalise == embed.None {
			s.Normalise = embed.None
		}
	}
}

// A keeper writes the latest of what is kept, beside the UI goroutine.
type keeper struct {
	path    string
	earlier func() (*kept, error) // what was kept before: it is read once, before anything is written

	mu   sync.Mutex
	next *kept
	done chan struct{} // closed when all is written; nil while nothing is to be
}

func keeperOf(path string) keeper {
	return keeper{path: path, earlier: sync.OnceValues(func() (*kept, error) { return readKept(path) })}
}

// put has something written, and calls told with how that went.
func (k *keeper) put(value kept, told func(error)) {
	if k.path == "" {
		return
	}
	k.mu.Lock()
	defer k.mu.Unlock()
	k.next = &value
	if k.done != nil {
		return
	}
	k.done = make(chan struct{})
	go func() {
		var last error
		for {
			k.mu.Lock()
			value := k.next
			k.next = nil
			if value == nil {
				close(k.done)
				k.done = nil
				k.mu.Unlock()
				told(last)
				return
			}
			k.mu.Unlock()
			last = k.write(*value)
		}
	}()
}

// wait waits until what was put is written.
func (k *keeper) wait() {
	k.mu.Lock()
	done := k.done
	k.mu.Unlock()
	if done != nil {
		<-done
	}
}

// write replaces the file, unless what is in it is not known: it would be lost. The
// error is a *embed.FileError.
func (k *keeper) write(value kept) error {
	if _, err := k.earlier(); err != nil && !isSetAside(err) {
		return err
	}
	text, err := json.Marshal(value)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(k.path), 0o700)
	}
	if err == nil {
		err = diskfile.ReplaceBytes(k.path, 0o600, text)
	}
	if err != nil {
		return &embed.FileError{Problem: embed.Unkept, Path: k.path, Err: err}
	}
	return nil
}
