package models

import (
	"paddock/app/theme"
	"paddock/words"
)

// A span is where one column stands in a row.
type span struct {
	column Column
	x, w   float32
	right  bool // its cells are right aligned
}

const (
	columnGap    = 14
	nameWidth    = 160 // below it other columns give way
	canWidth     = 164 // three badges
	canNarrowest = 58  // one badge, and "+2"
)

// fixedWidths are the columns with a width of their own; Name and Can do share
// what is left.
var fixedWidths = map[Column]float32{
	ColumnArchitecture: 86,
	ColumnParameters:   54,
	ColumnQuantisation: 58,
	ColumnSize:         54,
	ColumnContext:      56,
	ColumnWhere:        66,
}

var rightAligned = map[Column]bool{ColumnParameters: true, ColumnSize: true, ColumnContext: true}

// givesWay is the order in which columns are left out of a narrow table. The
// detail pane says what they would.
var givesWay = []Column{ColumnWhere, ColumnArchitecture, ColumnContext, ColumnQuantisation}

// columnsFor lays the columns out in a row of a width.
func columnsFor(width float32) []span {
	left := map[Column]bool{}
	for c := range columnCount {
		left[c] = true
	}
	room := func() float32 { // for Name and Can do together
		r := width - 2*theme.PaneMargin + columnGap
		for c := range left {
			r -= fixedWidths[c] + columnGap
		}
		return r
	}
	for _, c := range givesWay {
		narrowest := float32(nameWidth + canNarrowest)
		if c == ColumnWhere || c == ColumnArchitecture {
			narrowest = nameWidth + canWidth
		}
		if room() >= narrowest {
			break
		}
		delete(left, c)
	}
	both := room()
	can := min(canWidth, max(canNarrowest, both-nameWidth))
	x := theme.PaneMargin
	var spans []span
	for c := range columnCount {
		if !left[c] {
			continue
		}
		w := fixedWidths[c]
		switch c {
		case ColumnName:
			w = max(0, both-can)
		case ColumnCan:
			w = can
		}
		spans = append(spans, span{c, x, w, rightAligned[c]})
		x += w + columnGap
	}
	return spans
}

// columnTitle is the word above a column.
func columnTitle(c Column) string {
	return words.T([...]string{
		"models.column.name", "models.column.architecture", "models.column.parameters", "models.column.quantisation",
		"models.column.size", "models.column.context", "models.column.can", "models.column.where",
	}[c])
}
