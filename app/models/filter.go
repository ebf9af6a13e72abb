package models

import (
	"slices"
	"strconv"
	"strings"

	"paddock/words"
)

// A filter is what the user typed into the filter box: words that must all be in
// the row, and limits of size such as "< 20 GiB".
type filter struct {
	words  []string
	limits []limit
}

// A limit compares a row's size with a number.
type limit struct {
	above bool // larger than, not smaller than
	bytes float64
}

// units are what may stand behind a number. Without one it is in GiB, and nobody
// who types GB means a billion.
var units = []unit{
	{"mib", 1 << 20}, {"mb", 1 << 20}, {"m", 1 << 20},
	{"gib", 1 << 30}, {"gb", 1 << 30}, {"g", 1 << 30}, {"", 1 << 30},
}

// A unit is what sizes may be given in.
type unit struct {
	name  string
	bytes float64
}

// parseFilter never fails: what is not a limit is a word.
func parseFilter(text string) filter {
	text = strings.ToLower(text)
	text = strings.NewReplacer("<=", "<", ">=", ">").Replace(text)
	text = strings.NewReplacer("<", " <", ">", " >").Replace(text)
	var f filter
	fields := strings.Fields(text)
	for i := 0; i < len(fields); i++ {
		field := fields[i]
		if field[0] != '<' && field[0] != '>' {
			f.words = append(f.words, field)
			continue
		}
		number := field[1:]
		if number == "" && i+1 < len(fields) { // "< 20"
			i++
			number = fields[i]
		}
		if i+1 < len(fields) && isUnit(fields[i+1]) { // "20 gib"
			i++
			number += fields[i]
		}
		if bytes, ok := parseSize(number); ok { // one still being typed hides nothing
			f.limits = append(f.limits, limit{above: field[0] == '>', bytes: bytes})
		}
	}
	return f
}

func isUnit(word string) bool {
	return slices.ContainsFunc(units, func(u unit) bool { return u.name == word })
}

func parseSize(text string) (bytes float64, ok bool) {
	for _, unit := range units {
		number, has := strings.CutSuffix(text, unit.name)
		if !has {
			continue
		}
		n, err := strconv.ParseFloat(number, 64)
		return n * unit.bytes, err == nil
	}
	return 0, false
}

// matches says whether a row passes every word and limit.
func (f filter) matches(r *Row) bool { return f.allows(r) && f.says(r) }

// allows says whether a row is of a size the limits let through. A folder has
// none.
func (f filter) allows(r *Row) bool {
	size := float64(r.Model.SizeBytes)
	return !slices.ContainsFunc(f.limits, func(l limit) bool {
		return r.Folder || l.above && size <= l.bytes || !l.above && size >= l.bytes
	})
}

// says whether every word is in a row.
func (f filter) says(r *Row) bool {
	return !slices.ContainsFunc(f.words, func(w string) bool { return !strings.Contains(r.searchable, w) })
}

// searchable is everything a filter word may be part of, in lower case.
func searchable(r Row) string {
	parts := []string{r.Name, strings.ReplaceAll(r.Parameters, " ", ""), r.Model.Alias, r.Architecture, r.Quantisation, r.Where, r.Path, r.Problem}
	for _, badge := range r.Badges {
		parts = append(parts, badge, words.T("models.can."+badge))
	}
	return strings.ToLower(strings.Join(parts, "\n"))
}
