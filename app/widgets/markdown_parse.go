package widgets

import (
	"bytes"
	"strconv"
	"strings"

	"github.com/yuin/goldmark"
	"github.com/yuin/goldmark/ast"
	"github.com/yuin/goldmark/extension"
	tables "github.com/yuin/goldmark/extension/ast"
	"github.com/yuin/goldmark/text"
)

const (
	// maxTreeBytes is how much Markdown is parsed as one tree, and maxKnottyBytes
	// how much when it is full of marks. Goldmark's time grows with the square of
	// some inputs: 16 KiB of "[a](" take it 45 ms, 256 KiB 15 s.
	maxTreeBytes   = 16 << 10
	maxKnottyBytes = 2 << 10
	// maxRowBytes is how much text one row holds; longer paragraphs are cut.
	maxRowBytes = 2 << 10
	// maxRowLines is how many lines of code one row holds.
	maxRowLines = 40
	maxDepth    = 12 // lists and quotes inside each other that are still told apart
)

var markdown = goldmark.New(goldmark.WithExtensions(extension.Table, extension.Strikethrough, extension.TaskList)).Parser()

// parseMarkdown turns Markdown into the rows it is drawn as. A long text is
// parsed in parts that end where a block does.
func parseMarkdown(source string) []*block {
	var blocks []*block
	window := treeBytes(source)
	for len(source) > window {
		end := finalBefore(source[:window], 0, window/2)
		if end == 0 { // one block: a long code box or table
			window *= 2
			continue
		}
		blocks = append(blocks, parseTree(source[:end])...)
		source = source[end:]
		window = treeBytes(source)
	}
	return append(blocks, parseTree(source)...)
}

func treeBytes(source string) int {
	head := source[:min(len(source), maxTreeBytes)]
	if strings.Count(head, "[")+strings.Count(head, "> ")+strings.Count(head, ". ") > maxTreeBytes/8 {
		return maxKnottyBytes
	}
	return maxTreeBytes
}

func parseTree(source string) (blocks []*block) {
	// Whatever a model writes, the window stays: text the parser breaks on is
	// shown as it is.
	defer func() {
		if recover() != nil {
			blocks = []*block{{kind: textBlock, runs: []run{{text: visible(source)}}}}
		}
	}()
	p := &blockParser{source: []byte(mathToText(source))}
	p.children(markdown.Parse(text.NewReader(p.source)), standing{})
	return p.blocks
}

// A blockParser flattens goldmark's tree.
type blockParser struct {
	source []byte
	blocks []*block
}

// A standing is what lists and quotes a block stands in, and what the next block
// there begins with.
type standing struct {
	indent, quotes int
	marker         string
	compact        bool
}

func (p *blockParser) children(parent ast.Node, at standing) {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		p.block(n, at)
		at.marker = "" // only the first block of an item has it
	}
}

func (p *blockParser) block(n ast.Node, at standing) {
	switch n := n.(type) {
	case *ast.List:
		p.list(n, at)
	case *ast.Blockquote:
		at.quotes = min(at.quotes+1, maxDepth)
		p.children(n, at)
	case *ast.Heading:
		p.text(p.inline(n, 0, nil), at, n.Level)
	case *ast.Paragraph, *ast.TextBlock:
		p.text(p.inline(n, 0, nil), at, 0)
	case *ast.FencedCodeBlock:
		p.code(string(n.Language(p.source)), p.lines(n), at)
	case *ast.CodeBlock:
		p.code("", p.lines(n), at)
	case *ast.HTMLBlock:
		closing := ""
		if n.HasClosure() {
			closing = string(n.ClosureLine.Value(p.source))
		}
		p.code("html", p.lines(n)+closing, at)
	case *ast.ThematicBreak:
		p.add(block{kind: ruleBlock}, at)
	case *tables.Table:
		p.table(n, at)
	case *ast.LinkReferenceDefinition:
		// Says where links lead; nothing to draw.
	default:
		p.children(n, at)
	}
}

func (p *blockParser) list(n *ast.List, at standing) {
	number := n.Start
	inner := standing{indent: min(at.indent+1, maxDepth), quotes: at.quotes}
	for item := n.FirstChild(); item != nil; item = item.NextSibling() {
		inner.marker = "•"
		if n.IsOrdered() {
			inner.marker = strconv.Itoa(number) + string(n.Marker)
			number++
		}
		if box := taskBox(item); box != "" {
			inner.marker = box
		}
		inner.compact = n.IsTight && item != n.FirstChild()
		if item.FirstChild() == nil {
			p.add(block{}, inner)
			continue
		}
		p.children(item, inner)
	}
}

// taskBox is the box of an item that is a task, in the place of its marker.
func taskBox(item ast.Node) string {
	if item.FirstChild() == nil {
		return ""
	}
	task, ok := item.FirstChild().FirstChild().(*tables.TaskCheckBox)
	switch {
	case !ok:
		return ""
	case task.IsChecked:
		return "☑"
	}
	return "☐"
}

func (p *blockParser) add(b block, at standing) {
	b.indent, b.quotes, b.marker, b.compact = at.indent, at.quotes, at.marker, at.compact
	p.blocks = append(p.blocks, &b)
}

// text adds a paragraph or heading, cut into rows.
func (p *blockParser) text(runs []run, at standing, level int) {
	if len(runs) == 0 && at.marker == "" {
		return
	}
	for i, part := range cutRuns(runs, maxRowBytes) {
		b := block{level: level, runs: part, joined: i > 0}
		p.add(b, at)
		at.marker = ""
	}
}

func (p *blockParser) lines(n ast.Node) string {
	var b strings.Builder
	for i := range n.Lines().Len() {
		line := n.Lines().At(i)
		b.Write(line.Value(p.source))
	}
	return b.String()
}

func (p *blockParser) code(language, source string, at standing) {
	c := newCodeText(language, source)
	p.add(block{kind: codeHead, code: c}, at)
	for from := 0; from < len(c.lines); {
		to := c.rowEnd(from)
		p.add(block{kind: codeLines, code: c, from: from, to: to, joined: true},
			standing{indent: at.indent, quotes: at.quotes})
		from = to
	}
}

func (p *blockParser) table(n *tables.Table, at standing) {
	t := &tableText{}
	for _, a := range n.Alignments {
		t.aligns = append(t.aligns, map[tables.Alignment]align{
			tables.AlignRight: alignRight, tables.AlignCenter: alignCentre,
		}[a])
	}
	for row := n.FirstChild(); row != nil; row = row.NextSibling() {
		var cells [][]run
		for cell := row.FirstChild(); cell != nil; cell = cell.NextSibling() {
			style := runStyle(0)
			if len(t.rows) == 0 {
				style = bold
			}
			cells = append(cells, p.inline(cell, style, nil))
		}
		t.rows = append(t.rows, cells)
	}
	for i := range t.rows {
		p.add(block{kind: tableRow, table: t, row: i, joined: i > 0}, standing{indent: at.indent, quotes: at.quotes})
	}
}

// inline appends the text of a node's children as runs.
func (p *blockParser) inline(parent ast.Node, style runStyle, runs []run) []run {
	for n := parent.FirstChild(); n != nil; n = n.NextSibling() {
		switch n := n.(type) {
		case *ast.Text:
			value := string(unescape(n.Segment.Value(p.source), n.IsRaw()))
			switch {
			case n.HardLineBreak():
				value += "\n"
			case n.SoftLineBreak():
				value += " "
			}
			runs = addRun(runs, run{text: value, style: style})
		case *ast.String:
			runs = addRun(runs, run{text: string(n.Value), style: style})
		case *ast.Emphasis:
			runs = p.inline(n, style|map[bool]runStyle{true: bold, false: italic}[n.Level == 2], runs)
		case *tables.Strikethrough:
			runs = p.inline(n, style|struck, runs)
		case *ast.CodeSpan:
			var code bytes.Buffer
			for c := n.FirstChild(); c != nil; c = c.NextSibling() {
				if t, ok := c.(*ast.Text); ok {
					code.Write(t.Segment.Value(p.source))
				}
			}
			runs = addRun(runs, run{text: strings.ReplaceAll(code.String(), "\n", " "), style: style | mono | chip})
		case *ast.Link:
			runs = linked(runs, p.inline(n, style, nil), string(n.Destination))
		case *ast.AutoLink:
			runs = linked(runs, []run{{text: string(n.Label(p.source)), style: style}}, string(n.URL(p.source)))
		case *ast.Image: // never fetched: its description leads to it
			words := p.inline(n, style, nil)
			if len(words) == 0 {
				words = []run{{text: string(n.Destination), style: style}}
			}
			runs = linked(runs, words, string(n.Destination))
		case *ast.RawHTML:
			for i := range n.Segments.Len() {
				segment := n.Segments.At(i)
				tag := string(segment.Value(p.source))
				if strings.HasPrefix(strings.ToLower(tag), "<br") {
					tag = "\n"
				}
				runs = addRun(runs, run{text: tag, style: style})
			}
		case *tables.TaskCheckBox:
			// Is the item's marker.
		default:
			runs = p.inline(n, style, runs)
		}
	}
	return runs
}

// addRun appends text, to the last run where it is written alike.
func addRun(runs []run, r run) []run {
	r.text = visible(r.text)
	if r.text == "" {
		return runs
	}
	if n := len(runs); n > 0 && runs[n-1].style == r.style && runs[n-1].link == r.link && runs[n-1].tint == r.tint {
		runs[n-1].text += r.text
		return runs
	}
	return append(runs, r)
}

func linked(runs, words []run, address string) []run {
	for _, w := range words {
		w.link, w.tint = address, linkTint
		runs = append(runs, w)
	}
	return runs
}
