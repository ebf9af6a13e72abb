package embeddings

import (
	"encoding/json"
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
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
	k := kept{Sources: slices.Clone(p.roots), Choices: p.state.Choices, Named: p.named, Own: p.state.Own, Model: p.loaded, Began: p.unfinished(), Index: p.state.Index}
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
	return p.state.Runs() || p.state.Run == Ended && p.state.Job.Phase != embed.Done
}

// restore takes what was kept, unless the user was faster.
func (p *Presenter) restore() {
	if p.seams.Kept == "" {
		return
	}
	go func() {
		k, err := readKept(p.seams.Kept)
		if errors.Is(err, fs.ErrNotExist) {
			return
		}
		p.do(func() {
			switch {
			case p.ctx.Err() != nil || p.touched:
				return
			case err != nil:
				p.state.Unkept = err
			default:
				p.useKept(k)
			}
			p.publish()
		})
	}()
}

func readKept(path string) (k kept, err error) {
	text, err := os.ReadFile(path)
	if err != nil {
		return k, &embed.FileError{Problem: embed.Unkept, Path: path, Err: err}
	}
	if err := json.Unmarshal(text, &k); err != nil {
		return kept{}, &embed.FileError{Problem: embed.Unkept, Path: path, Err: err}
	}
	if _, err := os.Stat(k.Index); err != nil { // it was moved or deleted, which needs no word
		k.Index = ""
	}
	return k, nil
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
	if filepath.IsAbs(k.Index) {
		p.openIndex(k.Index, func() {})
	}
}

// offerEarlier offers to go on with a run that was not finished when Paddock ended.
func (p *Presenter) offerEarlier() {
	if p.offering && len(p.state.Rows) > 0 {
		p.state.Offer, p.state.Job.Phase = GoOn, embed.Cancelled
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
	path string

	mu   sync.Mutex
	next *kept
	done chan struct{} // closed when all is written; nil while nothing is to be
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
			last = writeKept(k.path, *value)
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

// writeKept replaces the file. The error is a *embed.FileError.
func writeKept(path string, value kept) error {
	text, err := json.Marshal(value)
	if err == nil {
		err = os.MkdirAll(filepath.Dir(path), 0o700)
	}
	if err == nil {
		err = os.WriteFile(path+".part", text, 0o600)
	}
	if err == nil {
		err = os.Rename(path+".part", path)
	}
	if err != nil {
		return &embed.FileError{Problem: embed.Unkept, Path: path, Err: err}
	}
	return nil
}
