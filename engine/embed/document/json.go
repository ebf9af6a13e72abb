package document

import (
	"bufio"
	"bytes"
	"encoding/json"
	"errors"
	"io"
	"sort"
	"strconv"
	"strings"
)

// looksLikeLines is whether a text is one JSON value a line.
func looksLikeLines(start string) bool {
	line, rest, more := strings.Cut(start, "\n")
	return more && strings.HasPrefix(line, "{") && json.Valid([]byte(line)) && strings.HasPrefix(strings.TrimSpace(rest), "{")
}

// looksLikeJSON is whether a text begins as JSON that has texts in it.
func looksLikeJSON(start string) bool {
	if !strings.HasPrefix(start, "{") && !strings.HasPrefix(start, "[") {
		return false
	}
	decoder := json.NewDecoder(strings.NewReader(start))
	for range 4 {
		if _, err := decoder.Token(); err != nil {
			return errors.Is(err, io.EOF)
		}
	}
	return true
}

// fields takes texts out of JSON values. Which field is the text is settled by
// the first object that has one.
type fields struct {
	d     *Document
	row   int
	mixed bool // the objects have no field of a known name: all their texts count
}

// emit gives the text of a value.
func (f *fields) emit(y yield, raw []byte, place Place) bool {
	f.row++
	place.Row, place.ID = f.row, strconv.Itoa(f.row)
	partial := &Error{Row: f.row, Line: place.Line, Offset: place.Start}
	decoder := json.NewDecoder(bytes.NewReader(raw))
	decoder.UseNumber()
	var value any
	if err := decoder.Decode(&value); err != nil {
		partial.Problem, partial.Err = BrokenRow, err
		return y(Piece{}, partial)
	}
	object, isObject := value.(map[string]any)
	if !isObject {
		text := strings.Join(texts(value, nil), "\n")
		return text == "" || emitRow(y, text, place)
	}
	f.settle(object)
	if id := scalar(object[f.d.IDColumn]); f.d.IDColumn != "" && id != "" {
		place.ID = id
	}
	if f.mixed {
		delete(object, f.d.IDColumn)
		text := strings.Join(texts(object, nil), "\n")
		return text == "" || emitRow(y, text, place)
	}
	found, ok := inside(object, f.d.TextColumn)
	if !ok {
		partial.Problem, partial.Column = NoField, f.d.TextColumn
		return y(Piece{}, partial)
	}
	return emitRow(y, strings.Join(texts(found, nil), "\n"), place)
}

// settle finds out which fields are text and ID, by the first object.
func (f *fields) settle(object map[string]any) {
	d := f.d
	if d.Columns != nil {
		return
	}
	for name := range object {
		d.Columns = append(d.Columns, name)
	}
	sort.Strings(d.Columns)
	d.TextColumn, d.IDColumn = d.opts.TextColumn, d.opts.IDColumn
	if d.IDColumn == "" {
		if at := named(d.Columns, idNames); at >= 0 {
			d.IDColumn = d.Columns[at]
		}
	}
	if d.TextColumn != "" {
		return
	}
	f.mixed = true
	for _, name := range textNames {
		for _, column := range d.Columns {
			if text, ok := object[column].(string); ok && strings.EqualFold(column, name) && text != "" {
				d.TextColumn, f.mixed = column, false
				return
			}
		}
	}
}

// inside is a field of an object, or with dots one of an object in it.
func inside(object map[string]any, name string) (any, bool) {
	if value, ok := object[name]; ok {
		return value, value != nil
	}
	outer, inner, dotted := strings.Cut(name, ".")
	if deeper, ok := object[outer].(map[string]any); dotted && ok {
		return inside(deeper, inner)
	}
	return nil, false
}

// texts are all strings in a value, objects in the order of their names.
func texts(value any, all []string) []string {
	switch v := value.(type) {
	case string:
		if !blank(v) {
			all = append(all, v)
		}
	case []any:
		for _, item := range v {
			all = texts(item, all)
		}
	case map[string]any:
		names := make([]string, 0, len(v))
		for name := range v {
			names = append(names, name)
		}
		sort.Strings(names)
		for _, name := range names {
			all = texts(v[name], all)
		}
	}
	return all
}

func scalar(value any) string {
	switch v := value.(type) {
	case string:
		return v
	case json.Number:
		return v.String()
	}
	return ""
}

// readJSONLines reads a JSON value a line. A broken line is reported.
func readJSONLines(d *Document, y yield) error {
	plain, offset, err := d.text()
	if err != nil {
		return err
	}
	r := bufio.NewReaderSize(plain, rowBytes)
	f := fields{d: d}
	for line := 1; ; line++ {
		data, err := r.ReadSlice('\n')
		place := Place{Start: offset, End: offset + int64(len(data)), Line: line}
		offset = place.End
		if errors.Is(err, bufio.ErrBufferFull) {
			f.row++
			if !y(Piece{}, &Error{Problem: TooLarge, Row: f.row, Line: line, Offset: place.Start, LimitBytes: rowBytes}) {
				return nil
			}
			for errors.Is(err, bufio.ErrBufferFull) {
				data, err = r.ReadSlice('\n')
				offset += int64(len(data))
			}
			data = nil
		}
		if err != nil && !errors.Is(err, io.EOF) {
			return err
		}
		if len(bytes.TrimSpace(data)) > 0 {
			switch {
			case d.doubtful() && garbled(string(data)):
				return &Error{Problem: Mixed, Line: line}
			case !json.Valid(data):
				f.row++
				if !y(Piece{}, &Error{Problem: BrokenRow, Row: f.row, Line: line, Offset: place.Start, Err: errNotParsed}) {
					return nil
				}
			case !f.emit(y, data, place):
				return nil
			}
		}
		if err != nil {
			return nil
		}
	}
}

// A limitedReader ends in an error when a value takes too much of it.
type limitedReader struct {
	r    io.Reader
	left int
}

var errTooLarge = &Error{Problem: TooLarge, LimitBytes: rowBytes}

func (l *limitedReader) Read(p []byte) (int, error) {
	if l.left <= 0 {
		return 0, errTooLarge
	}
	n, err := l.r.Read(p[:min(len(p), l.left)])
	l.left -= n
	return n, err
}

// readJSON reads a JSON document: the items of a list, also of a list inside of
// the object that is the document, are rows; other texts of that object are one.
func readJSON(d *Document, y yield) error {
	plain, skipped, err := d.text()
	if err != nil {
		return err
	}
	limited := &limitedReader{r: plain, left: rowBytes}
	decoder := json.NewDecoder(limited)
	reader := jsonReader{fields: fields{d: d}, decoder: decoder, limited: limited, skipped: skipped, y: y}
	err = reader.document()
	var syntax *json.SyntaxError
	switch {
	case reader.stopped:
		return nil
	case errors.Is(err, errTooLarge):
		return &Error{Problem: TooLarge, LimitBytes: rowBytes, Offset: reader.offset()}
	case errors.As(err, &syntax):
		return &Error{Problem: Broken, Offset: skipped + syntax.Offset, Err: err}
	case errors.Is(err, io.ErrUnexpectedEOF), errors.Is(err, io.EOF):
		return &Error{Problem: Broken, Offset: d.src.size, Err: io.ErrUnexpectedEOF}
	}
	return err
}

type jsonReader struct {
	fields
	decoder *json.Decoder
	limited *limitedReader
	skipped int64
	y       yield
	stopped bool
}

func (j *jsonReader) offset() int64 { return j.skipped + j.decoder.InputOffset() }

// value reads the next value whole.
func (j *jsonReader) value() (json.RawMessage, Place, error) {
	j.limited.left = rowBytes
	var raw json.RawMessage
	err := j.decoder.Decode(&raw)
	end := j.offset()
	return raw, Place{Start: end - int64(len(raw)), End: end}, err
}

func (j *jsonReader) row() error {
	raw, place, err := j.value()
	if err != nil {
		return err
	}
	if j.d.doubtful() && garbled(string(raw)) {
		return &Error{Problem: Mixed, Offset: place.Start}
	}
	j.stopped = !j.emit(j.y, raw, place)
	return nil
}

// token is the next token of the document.
func (j *jsonReader) token() (json.Token, error) {
	j.limited.left = rowBytes
	return j.decoder.Token()
}

// list reads the items of a list that has begun.
func (j *jsonReader) list() error {
	for j.decoder.More() {
		if err := j.row(); err != nil || j.stopped {
			return err
		}
	}
	_, err := j.token()
	return err
}

func (j *jsonReader) document() error {
	token, err := j.token()
	if err != nil {
		return err
	}
	switch token {
	case json.Delim('['):
		err = j.list()
	case json.Delim('{'):
		err = j.object()
	default:
		if text, ok := token.(string); ok {
			j.others(text, Place{End: j.offset()})
		}
	}
	if err != nil || j.stopped {
		return err
	}
	if _, err := j.token(); !errors.Is(err, io.EOF) {
		return &Error{Problem: Broken, Offset: j.offset(), Err: errNotParsed}
	}
	return nil
}

// object reads the members of the object that is the document.
func (j *jsonReader) object() error {
	start := j.offset()
	var loose []string // texts that are in no list of the document's
	size := 0
	for j.decoder.More() {
		if _, err := j.token(); err != nil { // the name
			return err
		}
		token, err := j.token()
		if err != nil {
			return err
		}
		switch v := token.(type) {
		case json.Delim:
			if v == '[' {
				err = j.list()
			} else {
				loose, err = j.nested(loose)
			}
		case string:
			loose = append(loose, v)
		}
		if err != nil || j.stopped {
			return err
		}
		if size++; size > 1000 {
			j.others(strings.Join(loose, "\n"), Place{Start: start, End: j.offset()})
			start, loose, size = j.offset(), nil, 0
		}
	}
	if _, err := j.token(); err != nil {
		return err
	}
	j.others(strings.Join(loose, "\n"), Place{Start: start, End: j.offset()})
	return nil
}

// nested adds the texts of an object that has begun.
func (j *jsonReader) nested(loose []string) ([]string, error) {
	value := map[string]any{}
	for j.decoder.More() {
		name, err := j.token()
		if err != nil {
			return nil, err
		}
		var member any
		if err := j.decoder.Decode(&member); err != nil {
			return nil, err
		}
		key, _ := name.(string) // a member's name is one
		value[key] = member
	}
	_, err := j.token()
	return texts(value, loose), err
}

func (j *jsonReader) others(text string, place Place) {
	if j.stopped || blank(text) {
		return
	}
	j.fields.row++
	place.Row, place.ID = j.fields.row, strconv.Itoa(j.fields.row)
	j.stopped = !emitRow(j.y, text, place)
}
