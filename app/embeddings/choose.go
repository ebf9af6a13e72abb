package embeddings

import (
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"paddock/engine/embed"
	"paddock/engine/embed/chunk"
	"paddock/engine/embed/document"
	"paddock/engine/gguf"
	"paddock/words"
)

// choose changes what the user sets. During a run nothing is.
func (p *Presenter) choose(edit func(*Choices)) {
	if !p.state.Runs() {
		edit(&p.state.Choices)
		p.forgive()
		p.keep()
	}
	p.publish()
}

// forgive forgets what stopped the last run, and what was typed wrong: what it was
// about has changed.
func (p *Presenter) forgive() {
	p.state.Problem, p.state.Offer, p.state.Loading = nil, NoOffer, false
	p.state.NameProblem, p.state.FolderProblem = "", ""
}

// SetFamily takes another family's settings.
func (p *Presenter) SetFamily(id string) {
	p.choose(func(*Choices) {
		for _, f := range embed.Families() {
			if f.ID == id {
				p.useFamily(f)
			}
		}
	})
}

// SetMethod is what a chunk is.
func (p *Presenter) SetMethod(m chunk.Method) {
	p.choose(func(c *Choices) { c.Strategy.Method = m })
}

// SetTokens is how many tokens a chunk has, and how many it repeats.
func (p *Presenter) SetTokens(tokens, overlap int) {
	p.choose(func(c *Choices) {
		c.Strategy.Tokens = max(tokens, leastTokens)
		c.Strategy.OverlapTokens = min(max(overlap, 0), c.Strategy.Tokens/2)
	})
}

// leastTokens is how short chunks may be.
const leastTokens = 8

// SetPrefixes are what stands before a chunk and before a question.
func (p *Presenter) SetPrefixes(document, query string) {
	if s := p.state.Choices.Settings; s.Prefix == document && s.QueryPrefix == query {
		return
	}
	p.choose(func(c *Choices) {
		c.Settings.Prefix, c.Settings.QueryPrefix = document, query
		p.state.Own = true
	})
}

// SetNormalise makes vectors of length 1, or leaves them as they are.
func (p *Presenter) SetNormalise(on bool) {
	p.choose(func(c *Choices) {
		c.Settings.Normalise = embed.None
		if on {
			c.Settings.Normalise = embed.L2
		}
	})
}

// SetDimensions shortens vectors; 0 for all.
func (p *Presenter) SetDimensions(n int) {
	p.choose(func(c *Choices) { c.Settings.Dimensions = n })
}

// SetFormat writes a format or not. One at least is written.
func (p *Presenter) SetFormat(f embed.Format, on bool) {
	p.choose(func(c *Choices) {
		formats := slices.DeleteFunc(slices.Clone(c.Formats), func(g embed.Format) bool { return g == f })
		if on {
			formats = append(formats, f)
		}
		if len(formats) > 0 {
			c.Formats = formats
		}
	})
}

// SetFolder is where outputs go. What is no folder's path is refused with a sentence.
func (p *Presenter) SetFolder(path string) {
	typed := strings.TrimSpace(path)
	path = typed
	if rest, home := strings.CutPrefix(path, "~"); home && (rest == "" || rest[0] == '/' || rest[0] == filepath.Separator) {
		path = filepath.Join(p.seams.Home, rest)
	}
	switch {
	case p.state.Runs():
	case !filepath.IsAbs(path) || strings.ContainsFunc(path, unicode.IsControl):
		p.state.FolderProblem = words.T("embeddings.folder.refused", map[string]any{"Folder": gguf.Printable(typed)})
	case filepath.Clean(path) == p.state.Choices.Folder:
		p.state.FolderProblem = ""
	default:
		p.choose(func(c *Choices) { c.Folder = filepath.Clean(path) })
		return
	}
	p.publish()
}

// SetName is what outputs are called. What can't be a file's name in their folder is
// refused with a sentence.
func (p *Presenter) SetName(name string) {
	name = strings.TrimSpace(name)
	switch {
	case p.state.Runs():
	case !isName(name):
		p.state.NameProblem = words.T("embeddings.name.refused", map[string]any{"Name": gguf.Printable(name)})
	case name == p.state.Choices.Name:
		p.state.NameProblem = ""
	default:
		p.named = true
		p.choose(func(c *Choices) { c.Name = name })
		return
	}
	p.publish()
}

// nameBytes is how long the name of outputs may be: file systems have 255 bytes,
// and the longest ending takes its part.
const nameBytes = 200

// isName says whether outputs can be called so: a file in their folder, on any
// system that the folder may be looked at from.
func isName(name string) bool {
	return filepath.IsLocal(name) && name != "." && len(name) <= nameBytes && !strings.ContainsAny(name, `/\:*?"<>|`) &&
		!strings.ContainsFunc(name, unicode.IsControl)
}

// nameFor is what outputs are called that are made of a file or folder.
func nameFor(path string) string {
	base := filepath.Base(path)
	for _, name := range []string{strings.TrimSuffix(base, filepath.Ext(base)), strings.TrimLeft(base, ".")} {
		if name = strings.TrimSpace(name); isName(name) && strings.Trim(name, ".") != "" {
			return name
		}
	}
	return "vectors"
}

// SetColumns say which column of a table is the text and which the id; empty ones
// are guessed.
func (p *Presenter) SetColumns(text, id string) {
	if r := p.state.Choices.Reading; r.TextColumn == text && r.IDColumn == id {
		return
	}
	p.choose(func(c *Choices) { c.Reading.TextColumn, c.Reading.IDColumn = text, id })
}

// SetPatterns say which files of folders are taken: patterns with commas between.
func (p *Presenter) SetPatterns(include, exclude string) {
	patterns := document.Patterns{Include: split(include), Exclude: split(exclude)}
	if now := p.state.Choices.Patterns; slices.Equal(now.Include, patterns.Include) && slices.Equal(now.Exclude, patterns.Exclude) {
		return
	}
	if !p.state.Runs() {
		p.state.Choices.Patterns = patterns
		p.look()
		p.keep()
	}
	p.publish()
}

func split(text string) []string {
	var list []string
	for _, part := range strings.Split(text, ",") {
		if part = strings.TrimSpace(part); part != "" {
			list = append(list, part)
		}
	}
	return list
}
