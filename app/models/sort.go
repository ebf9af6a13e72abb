package models

import (
	"cmp"
	"math"
	"slices"
	"strings"
)

// A Column is one column of the table.
type Column int

// The columns, from left to right.
const (
	ColumnName Column = iota
	ColumnArchitecture
	ColumnParameters
	ColumnQuantisation
	ColumnSize
	ColumnContext
	ColumnCan
	ColumnWhere
	columnCount
)

// RecentFirst is the order without a chosen column: what was used last comes
// first, then the others by name, then files with a problem, then the model
// that comes with the program.
const RecentFirst Column = -1

// A Sort is the order of the rows.
type Sort struct {
	Column     Column
	Descending bool
}

// next is the order after a press on a column: up, down, and back to what was
// used last.
func (s Sort) next(column Column) Sort {
	switch {
	case s.Column != column:
		return Sort{Column: column}
	case !s.Descending:
		return Sort{Column: column, Descending: true}
	default:
		return Sort{Column: RecentFirst}
	}
}

// An order compares rows.
type order struct {
	by     Sort
	recent []string       // paths, what was used last first
	ages   map[string]int // where each is in recent
}

func newOrder(by Sort, recent []string) order {
	o := order{by: by, recent: recent, ages: map[string]int{}}
	for i, path := range recent {
		o.ages[path] = i
	}
	return o
}

// same says whether two orders put all rows the same way.
func (o order) same(other order) bool {
	return o.by == other.by && (o.by.Column != RecentFirst || slices.Equal(o.recent, other.recent))
}

// sort orders rows in place. Rows of which the column is not known, as of files
// that can't be read, come last in both directions. Rows that are alike in the column keep the order of
// their names, then of their paths, so that the order never depends on the order
// in which files were found.
func (o order) sort(rows []*Row) {
	slices.SortFunc(rows, func(a, b *Row) int {
		first := o.compare(a, b)
		if o.by.Descending {
			first = -first
		}
		return cmp.Or(o.blank(a)-o.blank(b), first, cmp.Compare(a.folded, b.folded), cmp.Compare(a.Path, b.Path))
	})
}

func (o order) compare(a, b *Row) int {
	switch o.by.Column {
	case RecentFirst:
		return cmp.Or(cmp.Compare(o.age(a), o.age(b)), cmp.Compare(rank(a), rank(b)))
	case ColumnArchitecture:
		return fold(a.Architecture, b.Architecture)
	case ColumnParameters:
		return cmp.Compare(a.Model.Facts.Parameters, b.Model.Facts.Parameters)
	case ColumnQuantisation:
		return fold(a.Quantisation, b.Quantisation)
	case ColumnSize:
		return cmp.Compare(a.Model.SizeBytes, b.Model.SizeBytes)
	case ColumnContext:
		return cmp.Compare(a.Model.Facts.ContextTokens, b.Model.Facts.ContextTokens)
	case ColumnCan:
		return fold(strings.Join(a.Badges, " "), strings.Join(b.Badges, " "))
	case ColumnWhere:
		return fold(a.Where, b.Where)
	default:
		return cmp.Compare(a.folded, b.folded)
	}
}

// blank is 1 where a row has nothing in the column, and 0 otherwise.
func (o order) blank(r *Row) int {
	facts := &r.Model.Facts
	switch {
	case o.by.Column == ColumnArchitecture && r.Architecture == "",
		o.by.Column == ColumnParameters && facts.Parameters == 0,
		o.by.Column == ColumnQuantisation && r.Quantisation == "",
		o.by.Column == ColumnSize && r.Model.SizeBytes == 0,
		o.by.Column == ColumnContext && facts.ContextTokens == 0,
		o.by.Column == ColumnCan && len(r.Badges) == 0:
		return 1
	}
	return 0
}

func (o order) age(r *Row) int {
	if i, used := o.ages[r.Path]; used {
		return i
	}
	return math.MaxInt
}

func rank(r *Row) int {
	switch {
	case r.Source == sourceBuiltIn:
		return 2
	case r.Problem != "":
		return 1
	}
	return 0
}

func fold(a, b string) int {
	return cmp.Compare(strings.ToLower(a), strings.ToLower(b))
}
