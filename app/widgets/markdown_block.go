package widgets

import "slices"

// A blockKind says how one row of Markdown is drawn.
type blockKind uint8

const (
	textBlock blockKind = iota // a paragraph, heading, list item or quote
	codeHead                   // the head of a code box: language and copy button
	codeLines                  // some lines of a code box
	tableRow                   // one row of a table
	ruleBlock                  // a horizontal rule
)

// A block is a piece of Markdown that is drawn as one row of a BlockList. Lists
// and quotes are flattened, long paragraphs, code boxes and tables are cut, so
// that no row grows beyond about a screen.
type block struct {
	kind    blockKind
	level   int    // of a heading, 1 to 6; 0 otherwise
	indent  int    // how many lists it is in
	quotes  int    // how many quotes it is in
	marker  string // stands before the first line of a list item
	joined  bool   // belongs to the row above: no gap between them
	compact bool   // in a tight list: a small gap
	runs    []run
	code    *codeText
	from    int // first line of a codeLines row
	to      int // the line after its last one
	table   *tableText
	row     int // of a tableRow, 0 being the head
}

// A run is text in one style.
type run struct {
	text  string
	style runStyle
	tint  tint
	link  string // where it leads when tapped
}

// A runStyle is a set of ways to write text.
type runStyle uint8

const (
	bold runStyle = 1 << iota
	italic
	mono
	struck
	chip // on a fill of its own: code inside a sentence
)

// A tint is the colour of a run by meaning; drawing looks it up in the theme.
type tint uint8

const (
	plainTint tint = iota
	quietTint
	linkTint
	keywordTint
	nameTint
	typeTint
	literalTint
)

// A tableText is a table as it was written, shared by its rows.
type tableText struct {
	rows   [][][]run // rows, cells, runs; the first row is the head
	aligns []align
	layout tableLayout // for the width it was last drawn at
}

// An align is where a table column's text stands.
type align uint8

const (
	alignLeft align = iota
	alignCentre
	alignRight
)

// same tells whether two blocks are drawn alike, so that the height of one is the
// height of the other.
func (b *block) same(o *block) bool {
	if b.kind != o.kind || b.level != o.level || b.indent != o.indent || b.quotes != o.quotes ||
		b.marker != o.marker || b.joined != o.joined || b.compact != o.compact ||
		b.from != o.from || b.to != o.to || b.row != o.row || !slices.Equal(b.runs, o.runs) {
		return false
	}
	switch b.kind {
	case codeHead:
		return b.code.language == o.code.language
	case codeLines:
		return b.code.language == o.code.language &&
			slices.Equal(b.code.lines[b.from:b.to], o.code.lines[o.from:o.to])
	case tableRow:
		return slices.Equal(b.table.aligns, o.table.aligns) &&
			slices.EqualFunc(b.table.rows[b.row], o.table.rows[o.row], slices.Equal[[]run])
	}
	return true
}
