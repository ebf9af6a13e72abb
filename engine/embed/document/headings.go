package document

import "strings"

// headings is the path of headings down to where reading is.
type headings struct {
	levels []int
	titles []string
}

// path is the headings above a text, and including it when it is one itself:
// level is 0 of other texts. The slice is not changed later.
func (h *headings) path(level int, title string) []string {
	if level > 0 {
		keep := len(h.levels)
		for keep > 0 && h.levels[keep-1] >= level {
			keep--
		}
		h.levels = append(h.levels[:keep:keep], level)
		h.titles = append(h.titles[:keep:keep], clip(title))
	}
	return h.titles
}

// titleBytes bounds a heading in a path: some documents set whole paragraphs as
// headings.
const titleBytes = 200

// clip is a heading as one short line.
func clip(title string) string {
	title = strings.Join(strings.Fields(title), " ")
	if len(title) <= titleBytes {
		return title
	}
	return strings.ToValidUTF8(title[:titleBytes], "") + "…"
}

// markdown finds the headings of Markdown, line by line.
type markdown struct {
	headings
	fence  string // of a code block that is open
	lines  int
	matter bool // inside of the settings some files begin with
}

// level is the heading level of a line, 0 of others. It is called once a line.
func (m *markdown) level(line string) int {
	m.lines++
	text := strings.TrimSpace(line)
	if m.lines == 1 && text == "---" {
		m.matter = true
		return 0
	}
	if m.matter {
		m.matter = text != "---" && text != "..."
		return 0
	}
	if len(line)-len(strings.TrimLeft(line, " \t")) > 3 {
		return 0 // code
	}
	if m.fence != "" {
		if strings.HasPrefix(text, m.fence) && strings.Trim(text, m.fence[:1]) == "" {
			m.fence = ""
		}
		return 0
	}
	for _, mark := range []string{"```", "~~~"} {
		if strings.HasPrefix(text, mark) {
			m.fence = text[:len(text)-len(strings.TrimLeft(text, mark[:1]))]
			return 0
		}
	}
	hashes := len(text) - len(strings.TrimLeft(text, "#"))
	if hashes == 0 || hashes > 6 || len(text) > hashes && text[hashes] != ' ' && text[hashes] != '\t' {
		return 0
	}
	return hashes
}

// underlined is the level of a line that the line below makes a heading. When it
// is one, level is not called for it.
func (m *markdown) underlined(line, below string) int {
	text, under := strings.TrimSpace(line), strings.TrimRight(below, " \t\r\n")
	if text == "" || under == "" || m.fence != "" || m.matter || m.lines == 0 && text == "---" ||
		strings.HasPrefix(line, "    ") || strings.ContainsAny(text[:1], "#>-*+|`~") {
		return 0
	}
	level := 0
	switch {
	case strings.Trim(under, "=") == "":
		level = 1
	case strings.Trim(under, "-") == "":
		level = 2
	default:
		return 0
	}
	m.lines++
	return level
}

// path is as that of headings, of a line with Markdown's marks.
func (m *markdown) path(level int, line string) []string {
	return m.headings.path(level, strings.Trim(strings.TrimSpace(line), "# \t"))
}
