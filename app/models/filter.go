package models

import (
	"strconv"
	"strings"

	"paddock/words"
)

// A filter is what the user typed into the filter box: words that must all be in
// the row, and limits of size such as "< 20 GiB".
type filter struct {
	words []string
	limit []limit
}

// A limit compares a row's size with a number.
type limit struct {
	above bool // larger than, not smaller than
	bytes float64
}

const bytesPerGiB = 1 << 30

// parseFilter never fails: what is not a limit is a word.
func parseFilter(text string) filter {
	text = strings.ToLower(text)
	for _, sign := range []string{"<", ">"} {
		text = strings.ReplaceAll(text, sign+" ", sign)
	}
	var f filter
	fields := strings.Fields(text)
	for i, field := range fields {
		number, isLimit := strings.CutPrefix(field, "<")
		above := false
		if !isLimit {
			number, isLimit = strings.CutPrefix(field, ">")
			above = true
		}
		if isLimit {
			if gib, err := strconv.ParseFloat(strings.TrimSuffix(number, "gib"), 64); err == nil {
				f.limit = append(f.limit, limit{above: above, bytes: gib * bytesPerGiB})
			}
			continue // a limit still being typed hides nothing
		}
		if field == "gib" && i > 0 && strings.ContainsAny(fields[i-1], "<>") {
			continue
		}
		f.words = append(f.words, field)
	}
	return f
}

// matches says whether a row passes every word and limit.
func (f filter) matches(r Row) bool {
	size := float64(r.Model.SizeBytes)
	for _, l := range f.limit {
		if l.above && size <= l.bytes || !l.above && size >= l.bytes {
			return false
		}
	}
	for _, w := range f.words {
		if !strings.Contains(r.searchable, w) {
			return false
		}
	}
	return true
}

// searchable is everything a filter word may be part of, in lower case.
func searchable(r Row) string {
	parts := []string{r.Name, r.Architecture, r.Quantisation, r.Where, r.Path}
	for _, badge := range r.Badges {
		parts = append(parts, badge, words.T("models.can."+badge))
	}
	return strings.ToLower(strings.Join(parts, "\n"))
}
