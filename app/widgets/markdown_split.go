package widgets

import "strings"

// maxOpenBytes is how much of an answer may be unfinished before it is cut
// anyway: the unfinished part is parsed again at every update.
const maxOpenBytes = 16 << 10

// finalBefore returns the offset before which blocks of text no longer change
// while more of it is being written: the start of the last block. It looks for
// blank lines outside fences, from an offset it returned before. Lines that may
// still belong to a list above a blank line keep that list open. A last block
// longer than limit is cut, unless a cut would make something else of it.
func finalBefore(text string, from, limit int) int {
	final := from
	var b openBlock
	blank := false // the line before was blank
	for at := from; at < len(text); {
		end := strings.IndexByte(text[at:], '\n')
		if end < 0 {
			end = len(text)
		} else {
			end += at + 1
		}
		line := strings.TrimRight(text[at:end], " \t\r\n")
		if line == "" && b.fence == "" {
			blank = true
		} else {
			if b.fence == "" && (blank || at == from) && !(b.list && continuesList(line)) {
				final = at
				b = openBlock{list: startsItem(line)}
			}
			b.add(line)
			blank = false
		}
		at = end
	}
	for b.fence == "" && !b.table && len(text)-final > limit {
		final += mustCut(text[final:], limit)
	}
	return final
}

// An openBlock is what is known of the block being written.
type openBlock struct {
	lines int
	fence string // what the fence is made of that isn't closed yet
	list  bool
	table bool
}

func (b *openBlock) add(line string) {
	b.lines++
	switch {
	case b.fence == "":
		b.fence = opensFence(line)
		b.table = b.table || b.lines == 2 && underlinesTable(line)
	case closesFence(line, b.fence):
		b.fence = ""
	}
}

// underlinesTable tells whether a line is the one below the head of a table.
func underlinesTable(line string) bool {
	return strings.Contains(line, "|") && strings.Contains(line, "-") && strings.Trim(line, "|-: \t") == ""
}

// opensFence returns the characters of the fence a line opens: a list item may
// stand before it.
func opensFence(line string) string {
	line = strings.TrimLeft(line, " \t>")
	for startsItem(line) {
		line = strings.TrimLeft(line[strings.IndexAny(line, " \t"):], " \t")
	}
	for _, c := range []string{"`", "~"} {
		n := len(line) - len(strings.TrimLeft(line, c))
		if n >= 3 && !(c == "`" && strings.Contains(line[n:], "`")) {
			return line[:n]
		}
	}
	return ""
}

func closesFence(line, fence string) bool {
	line = strings.TrimLeft(line, " \t>")
	return strings.HasPrefix(line, fence) && strings.Trim(line, fence[:1]) == ""
}

// startsItem tells whether a line starts an item of a list.
func startsItem(line string) bool {
	line = strings.TrimLeft(line, " \t")
	if len(line) < 2 {
		return false
	}
	if strings.IndexByte("-*+", line[0]) >= 0 {
		return line[1] == ' ' || line[1] == '\t'
	}
	digits := len(line) - len(strings.TrimLeft(line, "0123456789"))
	return digits > 0 && digits < 10 && len(line) > digits+1 &&
		(line[digits] == '.' || line[digits] == ')') && (line[digits+1] == ' ' || line[digits+1] == '\t')
}

// continuesList tells whether a line after a blank one can still be of a list.
func continuesList(line string) bool {
	return line[0] == ' ' || line[0] == '\t' || startsItem(line)
}
