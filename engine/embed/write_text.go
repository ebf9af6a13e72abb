package embed

import (
	"cmp"
	"context"
	"encoding/csv"
	"encoding/json"
	"io"
	"strconv"
)

// columns are those of every output, in their order. Where a format has room, what
// else is known of a row's place comes behind them.
var columns = []string{"id", "path", "chunk", "start", "end", "tokens", "text", "vector"}

// A jsonRow is a row in JSONL, as in the texts of an NPY, where the vector is left
// out.
type jsonRow struct {
	ID      string          `json:"id"`
	Path    string          `json:"path"`
	Chunk   int             `json:"chunk"`
	Start   int64           `json:"start"`
	End     int64           `json:"end"`
	Tokens  int             `json:"tokens"`
	Text    string          `json:"text"`
	Vector  json.RawMessage `json:"vector,omitempty"`
	Page    int             `json:"page,omitempty"`
	Row     int             `json:"row,omitempty"`
	Line    int             `json:"line,omitempty"`
	Heading string          `json:"heading,omitempty"`
}

func jsonOf(r Row) jsonRow {
	return jsonRow{
		ID: r.RowID(), Path: r.Path, Chunk: r.Index, Start: r.Start, End: r.End, Tokens: r.Tokens, Text: r.Text,
		Page: r.Page, Row: r.Chunk.Row, Line: r.Line, Heading: r.Heading,
	}
}

// numbers is a vector as a JSON array, each value with as many digits as it takes
// to read the same float32 again.
func numbers(b []byte, v []float32) []byte {
	b = append(b, '[')
	for i, x := range v {
		if i > 0 {
			b = append(b, ',')
		}
		b = strconv.AppendFloat(b, float64(x), 'g', -1, 32)
	}
	return append(b, ']')
}

func writeJSONL(ctx context.Context, f *files, o Output, rows rowsOf) error {
	out, err := f.create(o.Path)
	if err != nil {
		return err
	}
	if err := writeMeta(f, o, rows.meta); err != nil {
		return err
	}
	encoder := lines(out)
	var vector []byte
	return rows.each(ctx, func(r Row) error {
		vector = numbers(vector[:0], r.Vector)
		row := jsonOf(r)
		row.Vector = vector
		return encoder.Encode(row)
	})
}

func lines(out io.Writer) *json.Encoder {
	encoder := json.NewEncoder(out)
	encoder.SetEscapeHTML(false)
	return encoder
}

func writeCSV(ctx context.Context, f *files, o Output, rows rowsOf) error {
	out, err := f.create(o.Path)
	if err != nil {
		return err
	}
	if err := writeMeta(f, o, rows.meta); err != nil {
		return err
	}
	table := csv.NewWriter(out)
	if err := table.Write(columns); err != nil {
		return err
	}
	var vector []byte
	err = rows.each(ctx, func(r Row) error {
		vector = numbers(vector[:0], r.Vector)
		return table.Write([]string{
			r.RowID(), r.Path, itoa(r.Index), strconv.FormatInt(r.Start, 10), strconv.FormatInt(r.End, 10),
			itoa(r.Tokens), r.Text, string(vector),
		})
	})
	table.Flush()
	return cmp.Or(err, table.Error())
}
