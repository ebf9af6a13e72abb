package embeddings

import (
	"context"
	"path/filepath"
	"slices"

	"paddock/engine/embed"
	"paddock/engine/embed/document"
)

// Add takes files and folders.
func (p *Presenter) Add(paths []string) {
	if p.state.Runs() || len(paths) == 0 {
		p.publish()
		return
	}
	for _, path := range paths {
		if absolute, err := filepath.Abs(path); err == nil {
			path = absolute
		}
		delete(p.left, path)
		if !slices.Contains(p.roots, path) {
			p.roots = append(p.roots, path)
		}
	}
	if !p.named {
		p.state.Choices.Name = nameFor(p.roots[0])
	}
	p.look()
	p.keep()
	p.publish()
}

// Clear empties the list.
func (p *Presenter) Clear() {
	if !p.state.Runs() {
		p.roots, p.left = nil, map[string]bool{}
		p.look()
		p.keep()
	}
	p.publish()
}

// Remove takes the chosen file off the list.
func (p *Presenter) Remove() {
	if at := p.state.At; !p.state.Runs() && at >= 0 && at < len(p.state.Rows) {
		path := p.state.Rows[at].Path
		p.left[path] = true
		p.roots = slices.DeleteFunc(p.roots, func(root string) bool { return root == path })
		p.state.Sources = slices.Clone(p.roots)
		p.state.Rows = slices.Delete(slices.Clone(p.state.Rows), at, at+1)
		p.state.At = min(at, len(p.state.Rows)-1)
		p.forgive()
		p.keep()
	}
	p.publish()
}

// ChooseRow chooses a file of the list, to see what is wrong with it and how it is
// cut.
func (p *Presenter) ChooseRow(at int) {
	if at >= -1 && at < len(p.state.Rows) && at != p.state.At {
		p.state.At = at
		p.publish()
	}
}

// look lists the files of what was picked.
func (p *Presenter) look() {
	p.list()
	ctx, cancel := context.WithCancel(p.ctx)
	p.list = cancel
	p.listed++
	p.starts = false
	listed, roots, patterns := p.listed, slices.Clone(p.roots), p.state.Choices.Patterns
	offering, statePath := p.offering, embed.StatePath(p.base())
	left := make(map[string]bool, len(p.left))
	for path := range p.left {
		left[path] = true
	}
	p.forgive()
	p.state.Sources = roots
	p.state.Rows, p.state.Unlisted, p.state.LeftOut, p.state.At, p.state.Listing = nil, nil, 0, -1, len(roots) > 0
	if p.state.Run == Ended {
		p.state.Run = Idle
	}
	go func() {
		defer cancel()
		var rows []Row
		var problems []error
		ours := 0
		for file, err := range document.List(ctx, roots, patterns) {
			switch {
			case err != nil:
				problems = append(problems, err)
			case left[file.Path]:
			case embed.IsOutput(file.Path):
				ours++
			default:
				rows = append(rows, Row{Path: file.Path, Name: file.Name, SizeBytes: file.SizeBytes, FileState: embed.FileState{Path: file.Path, Phase: embed.FileWaiting}})
			}
		}
		var earlier embed.State
		var unknown error
		if offering {
			earlier, unknown = embed.StateOf(ctx, statePath)
		}
		p.do(func() {
			if listed != p.listed || p.ctx.Err() != nil {
				return
			}
			p.state.Rows, p.state.Unlisted, p.state.LeftOut, p.state.Listing = rows, problems, ours, false
			p.offerEarlier(earlier, unknown)
			p.publish()
			if p.starts {
				p.starts = false
				p.Start()
			}
		})
	}()
}
