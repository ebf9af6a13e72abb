package widgets

import "paddock/app/theme"

const (
	cellPadding     = 8
	cellEdge        = 2  // above and below the text of a cell
	wishColumnWidth = 80 // of a column with little in it, where there is room
	minColumnWidth  = 56
	maxSizedRows    = 200 // rows that have a say in how wide columns are
)

// A tableLayout is how wide a table's columns are drawn.
type tableLayout struct {
	width   float32   // what there was
	columns []float32 // nil when that many columns don't fit side by side
}

// columnWidths shares width out among columns: each gets what it wants when there
// is room, otherwise the narrow ones do and the rest share what is left.
func columnWidths(wanted []float32, width float32) []float32 {
	if float32(len(wanted))*minColumnWidth > width {
		return nil
	}
	columns := make([]float32, len(wanted))
	left, open := width, len(wanted)
	for settled := true; settled && open > 0; {
		settled = false
		share := left / float32(open)
		for i, w := range wanted {
			if columns[i] == 0 && w <= share {
				columns[i] = max(w, 1)
				left -= columns[i]
				open--
				settled = true
			}
		}
	}
	for i := range columns {
		if columns[i] == 0 {
			columns[i] = left / float32(open)
		}
	}
	return columns
}

func (t *tableText) layOut(width float32, m measure) {
	if t.layout.width == width {
		return
	}
	var wanted []float32
	for _, row := range t.rows[:min(len(t.rows), maxSizedRows)] {
		for len(wanted) < len(row) {
			wanted = append(wanted, wishColumnWidth)
		}
		for i, cell := range row {
			for _, line := range wrapRuns(cell, 1e6, m) {
				wanted[i] = max(wanted[i], ceil(lineWidth(line))+2*cellPadding+1)
			}
		}
	}
	t.layout = tableLayout{width, columnWidths(wanted, width)}
}

// lineWidth is how wide a line is without the spaces at its end.
func lineWidth(line []span) float32 {
	for i := len(line) - 1; i >= 0; i-- {
		if line[i].text[0] != ' ' {
			return line[i].x + line[i].width
		}
	}
	return 0
}

// tableRow draws one row of a table with the lines around it.
func (p pen) tableRow(b *block) float32 {
	m := p.ruler.of(bodyFace)
	b.table.layOut(p.width, m)
	cells := b.table.rows[b.row]
	if b.table.layout.columns == nil {
		return p.tableRowAsText(cells)
	}
	height := bodyFace.line
	lines := make([][][]span, len(cells))
	for i, cell := range cells {
		lines[i] = wrapRuns(cell, b.table.layout.columns[i]-2*cellPadding, m)
		height = max(height, float32(len(lines[i]))*bodyFace.line)
	}
	height += 2 * cellEdge
	x := p.x
	for i, cell := range cells {
		width := b.table.layout.columns[i]
		for n, line := range lines[i] {
			pen := p
			pen.x = x + cellPadding
			switch free := width - 2*cellPadding - lineWidth(line); b.table.alignOf(i) {
			case alignRight:
				pen.x += free
			case alignCentre:
				pen.x += free / 2
			}
			pen.line(cell, joinSpans(line, false), bodyFace, p.y+cellEdge+float32(n)*bodyFace.line)
		}
		p.rect(x, p.y, 1, height, theme.Separator, "", 0)
		x += width
	}
	p.rect(x, p.y, 1, height, theme.Separator, "", 0)
	if b.row == 0 {
		p.rect(p.x, p.y, x-p.x, 1, theme.Separator, "", 0)
	}
	p.rect(p.x, p.y+height-1, x-p.x+1, 1, theme.Separator, "", 0)
	return height
}

// tableRowAsText draws a row with too many columns as its cells one after the
// other.
func (p pen) tableRowAsText(cells [][]run) float32 {
	var runs []run
	for i, cell := range cells {
		if i > 0 {
			runs = append(runs, run{text: " | ", tint: quietTint})
		}
		runs = append(runs, cell...)
	}
	return p.runs(runs, bodyFace)
}

func (t *tableText) alignOf(column int) align {
	if column < len(t.aligns) {
		return t.aligns[column]
	}
	return alignLeft
}
