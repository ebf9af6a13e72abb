package models

import (
	"cmp"
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

// A Sort is the order of the rows.
type Sort struct {
	Column     Column
	Descending bool
}

// sortRows orders rows in place. Rows that are alike in the column keep the order
// of their names, then of their paths, so that the order never depends on the
// order in which files were found.
func sortRows(rows []Row, by Sort) {
	slices.SortFunc(rows, func(a, b Row) int {
		order := compare(a, b, by.Column)
		if by.Descending {
			order = -order
		}
		return cmp.Or(order, compare(a, b, ColumnName), cmp.Compare(a.Path, b.Path))
	})
}

func compare(a, b Row, column Column) int {
	switch column {
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
		return fold(a.Name, b.Name)
	}
}

func fold(a, b string) int {
	return cmp.Compare(strings.ToLower(a), strings.ToLower(b))
}
