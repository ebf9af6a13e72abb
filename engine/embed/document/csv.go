package document

import (
	"bufio"
	"bytes"
	"errors"
	"io"
	"path/filepath"
	"strconv"
	"strings"
)

// rowBytes bounds a row of a table, and a value of JSON.
const rowBytes = 4 << 20

var (
	errFields    = errors.New("another number of columns than the first row")
	errQuote     = errors.New("a quote that is not closed")
	errAfter     = errors.New("text behind a closing quote")
	errNotParsed = errors.New("not valid JSON")
)

// A table is what was found out of a CSV by its start.
type table struct {
	delimiter byte
	header    bool // the first row names the columns
	columns   []string
	text, id  int // columns, -1 for none
}

// A rowReader takes a CSV apart. It goes on after a broken row, at the next line.
type rowReader struct {
	r         *bufio.Reader
	delimiter byte
	offset    int64
	line      int // of the next row, from 1
}

// next is the fields of a row with where it begins, or partial, what is wrong with
// it. Blank lines are no rows. At the end err is io.EOF.
func (c *rowReader) next() (fields []string, place Place, partial *Error, err error) {
	for {
		record, err := c.record()
		if err != nil {
			return nil, Place{}, nil, err
		}
		place = Place{Start: c.offset, End: c.offset + int64(len(record)), Line: c.line}
		var wrong error
		fields, wrong = parseRow(record, c.delimiter)
		if wrong != nil {
			// The quote may be a typing error of this line: the next one is a new row.
			record = record[:firstLine(record)]
			if c.delimiter == '\t' { // many write TSV without any quoting
				fields, wrong = strings.Split(strings.TrimRight(string(record), "\r\n"), "\t"), nil
			}
			place.End = c.offset + int64(len(record))
		}
		text := string(record)
		c.offset += int64(len(text))
		c.line += strings.Count(text, "\n")
		if _, err := c.r.Discard(len(text)); err != nil {
			return nil, Place{}, nil, err
		}
		switch {
		case wrong != nil:
			return nil, place, &Error{Problem: BrokenRow, Line: place.Line, Offset: place.Start, Err: wrong}, nil
		case strings.TrimSpace(text) == "":
			continue
		}
		return fields, place, nil, nil
	}
}

// record looks at the bytes of the next row, with its line end.
func (c *rowReader) record() ([]byte, error) {
	data, err := c.r.Peek(c.r.Buffered())
	if end := recordEnd(data, c.delimiter); err == nil && end > 0 {
		return data[:end], nil
	}
	data, err = c.r.Peek(c.r.Size())
	switch end := recordEnd(data, c.delimiter); {
	case end > 0:
		return data[:end], nil
	case err != nil && !errors.Is(err, io.EOF):
		return nil, err
	case len(data) == 0:
		return nil, io.EOF
	}
	return data, nil // the last one, or one that is too long
}

// recordEnd is how long the first row is, with its line end, 0 when that is not
// there.
func recordEnd(data []byte, delimiter byte) int {
	at := 0
	for at < len(data) {
		if data[at] == '"' { // at the start of a field
			at++
			for {
				quote := bytes.IndexByte(data[at:], '"')
				if quote < 0 {
					return 0
				}
				at += quote + 1
				if at < len(data) && data[at] == '"' {
					at++
					continue
				}
				break
			}
		}
		for at < len(data) && data[at] != delimiter {
			if data[at] == '\n' {
				return at + 1
			}
			at++
		}
		at++
	}
	return 0
}

func firstLine(record []byte) int {
	if end := bytes.IndexByte(record, '\n'); end >= 0 {
		return end + 1
	}
	return len(record)
}

// parseRow takes a row apart. Quotes inside of a field that does not begin with
// one are letters like others.
func parseRow(record []byte, delimiter byte) ([]string, error) {
	text := strings.TrimSuffix(strings.TrimSuffix(string(record), "\n"), "\r")
	var fields []string
	for {
		if !strings.HasPrefix(text, `"`) {
			field, rest, more := strings.Cut(text, string(delimiter))
			if strings.Contains(field, "\n") {
				return nil, errQuote
			}
			fields = append(fields, field)
			if !more {
				return fields, nil
			}
			text = rest
			continue
		}
		var field strings.Builder
		for text = text[1:]; ; {
			end := strings.IndexByte(text, '"')
			if end < 0 {
				return nil, errQuote
			}
			field.WriteString(text[:end])
			text = text[end+1:]
			if !strings.HasPrefix(text, `"`) {
				break
			}
			field.WriteByte('"')
			text = text[1:]
		}
		fields = append(fields, field.String())
		switch {
		case text == "":
			return fields, nil
		case text[0] != delimiter:
			return nil, errAfter
		}
		text = text[1:]
	}
}

// findColumns finds out delimiter, columns and header by the file's start. whole
// is whether that is all of it.
func (d *Document) findColumns(start string, whole bool) error {
	start = strings.TrimPrefix(start, "\ufeff")
	if !whole {
		if start = start[:strings.LastIndexByte(start, '\n')+1]; start == "" {
			e := d.failed(TooLarge, nil)
			e.Line, e.LimitBytes = 1, headBytes
			return e
		}
	}
	t := table{delimiter: delimiterOf(d.path, start)}
	rows := sampleRows(start, t.delimiter)
	if len(rows) == 0 {
		return d.failed(Broken, errQuote)
	}
	t.header = headerOf(rows, d.opts)
	for i, name := range rows[0] {
		if !t.header {
			name = strconv.Itoa(i + 1)
		}
		t.columns = append(t.columns, strings.TrimSpace(name))
	}
	if t.header {
		rows = rows[1:]
	}
	var err error
	if t.id, err = d.column(d.opts.IDColumn, t.columns); err != nil {
		return err
	}
	if t.text, err = d.column(d.opts.TextColumn, t.columns); err != nil {
		return err
	}
	if d.opts.IDColumn == "" {
		t.id = named(t.columns, idNames)
	}
	if d.opts.TextColumn == "" {
		if t.text = named(t.columns, textNames); t.text < 0 || t.text == t.id {
			t.text = longest(rows, len(t.columns), t.id)
		}
	}
	d.Columns, d.TextColumn = t.columns, t.columns[t.text]
	if t.id >= 0 {
		d.IDColumn = t.columns[t.id]
	}
	d.table = t
	return nil
}

// column is the position of a chosen column, -1 when none was chosen.
func (d *Document) column(chosen string, columns []string) (int, error) {
	if chosen == "" {
		return -1, nil
	}
	for _, same := range []func(string, string) bool{func(a, b string) bool { return a == b }, strings.EqualFold} {
		for i, name := range columns {
			if same(name, chosen) {
				return i, nil
			}
		}
	}
	if n, err := strconv.Atoi(chosen); err == nil && n >= 1 && n <= len(columns) {
		return n - 1, nil
	}
	e := d.failed(NoColumn, nil)
	e.Column, e.Columns = chosen, columns
	return 0, e
}

// Names that columns of texts and of IDs have, the surest first.
var (
	textNames = strings.Fields("text content body document passage chunk sentence paragraph abstract message description comment review question summary title")
	idNames   = strings.Fields("id _id uuid guid key docid doc_id document_id pid passage_id")
)

func named(columns, names []string) int {
	for _, name := range names {
		for i, column := range columns {
			if strings.EqualFold(strings.TrimSpace(column), name) {
				return i
			}
		}
	}
	return -1
}

// longest is the column with the most text.
func longest(rows [][]string, columns, except int) int {
	sums := make([]int, columns)
	for _, row := range rows {
		for i, field := range row[:min(len(row), columns)] {
			if _, err := strconv.ParseFloat(field, 64); err != nil {
				sums[i] += len(field)
			}
		}
	}
	best := 0
	if best == except && columns > 1 {
		best = 1
	}
	for i, sum := range sums {
		if i != except && sum > sums[best] {
			best = i
		}
	}
	return best
}

// sampleRowCount is how many rows of a table are looked at before it is read.
const sampleRowCount = 100

func sampleRows(start string, delimiter byte) [][]string {
	reader := rowReader{r: bufio.NewReaderSize(strings.NewReader(start), headBytes*4), delimiter: delimiter}
	var rows [][]string
	for len(rows) < sampleRowCount {
		fields, _, partial, err := reader.next()
		if err != nil {
			break
		}
		if partial == nil {
			rows = append(rows, fields)
		}
	}
	return rows
}

// delimiterOf is the sign that takes most rows apart into the same number of
// columns.
func delimiterOf(path, start string) byte {
	if suffix := strings.ToLower(filepath.Ext(path)); suffix == ".tsv" || suffix == ".tab" {
		return '\t'
	}
	best, most := byte(','), 0
	for _, delimiter := range []byte(",;\t|") {
		rows := sampleRows(start, delimiter)
		if len(rows) == 0 || len(rows[0]) < 2 {
			continue
		}
		same := 0
		for _, row := range rows {
			if len(row) == len(rows[0]) {
				same++
			}
		}
		if score := same*1000/len(rows) + min(len(rows[0]), 20); score > most {
			best, most = delimiter, score
		}
	}
	return best
}

// headerOf guesses whether the first row names the columns: short, different words
// that are no numbers. A column chosen by a name that stands there settles it.
func headerOf(rows [][]string, opts Options) bool {
	seen := map[string]bool{}
	for _, field := range rows[0] {
		field = strings.TrimSpace(field)
		if field != "" && (strings.EqualFold(field, opts.TextColumn) || strings.EqualFold(field, opts.IDColumn)) {
			return true
		}
	}
	for _, field := range rows[0] {
		field = strings.TrimSpace(field)
		if _, err := strconv.ParseFloat(field, 64); err == nil || field == "" || len(field) > 64 || seen[field] ||
			strings.Contains(field, "\n") {
			return false
		}
		seen[field] = true
	}
	return named(rows[0], textNames) >= 0 || named(rows[0], idNames) >= 0 || len(rows) == 1 || overNumbers(rows) || shorter(rows)
}

// overNumbers is whether a column is of numbers, below its first row.
func overNumbers(rows [][]string) bool {
	for i := range rows[0] {
		numbers := 0
		for _, row := range rows[1:] {
			if i < len(row) {
				if _, err := strconv.ParseFloat(strings.Replace(row[i], ",", ".", 1), 64); err == nil {
					numbers++
				}
			}
		}
		if numbers > 0 && numbers == len(rows)-1 {
			return true
		}
	}
	return false
}

// shorter is whether the first row is as short as names are, beside the others.
func shorter(rows [][]string) bool {
	size := func(row []string) int { return len(strings.Join(row, "")) }
	others := 0
	for _, row := range rows[1:] {
		others += size(row)
	}
	return size(rows[0])*(len(rows)-1) <= others
}

// readCSV gives the text column of every row.
func readCSV(d *Document, y yield) error {
	plain, skipped, err := d.text()
	if err != nil {
		return err
	}
	t := d.table
	rows := rowReader{r: bufio.NewReaderSize(plain, rowBytes), delimiter: t.delimiter, offset: skipped, line: 1}
	for row := 0; ; {
		fields, place, partial, err := rows.next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if row == 0 && t.header && partial == nil {
			t.header = false
			continue
		}
		row++
		place.Row = row
		if partial == nil && len(fields) != len(t.columns) {
			partial = &Error{Problem: BrokenRow, Line: place.Line, Offset: place.Start, Err: errFields}
		}
		if partial != nil {
			partial.Row = row
			if !y(Piece{}, partial) {
				return nil
			}
			continue
		}
		place.ID = strconv.Itoa(row)
		if t.id >= 0 && strings.TrimSpace(fields[t.id]) != "" {
			place.ID = fields[t.id]
		}
		if d.doubtful() && garbled(fields[t.text]) {
			return &Error{Problem: Mixed, Line: place.Line, Row: row}
		}
		if !emitRow(y, fields[t.text], place) {
			return nil
		}
	}
}

// emitRow gives a row's text.
func emitRow(y yield, text string, place Place) bool {
	return y(Piece{Text: text + "\n", Place: place, Paragraph: true}, nil)
}
