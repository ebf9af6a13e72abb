package embed

import (
	"context"

	"github.com/parquet-go/parquet-go"
)

// A parquetRow is a row in Parquet. The vector is a list of float.
type parquetRow struct {
	ID      string    `parquet:"id"`
	Path    string    `parquet:"path,dict"`
	Chunk   int64     `parquet:"chunk"`
	Start   int64     `parquet:"start"`
	End     int64     `parquet:"end"`
	Tokens  int64     `parquet:"tokens"`
	Text    string    `parquet:"text,zstd"`
	Vector  []float32 `parquet:"vector,list"`
	Page    int64     `parquet:"page"`
	Row     int64     `parquet:"row"`
	Line    int64     `parquet:"line"`
	Heading string    `parquet:"heading,dict"`
}

// groupBytes are how much of texts and vectors is in memory before it is written.
const groupBytes = 8 << 20

func writeParquet(ctx context.Context, f *files, o Output, rows rowsOf) error {
	out, err := f.create(o.Path)
	if err != nil {
		return err
	}
	options := []parquet.WriterOption{
		parquet.CreatedBy("paddock", rows.meta.App, ""),
		// The first and last text of every page would stay in memory until the end.
		parquet.SkipPageBounds("text"),
	}
	for key, value := range rows.meta.keys() {
		options = append(options, parquet.KeyValueMetadata("paddock."+key, value))
	}
	table := parquet.NewGenericWriter[parquetRow](out, options...)
	inGroup := 0
	err = rows.each(ctx, func(r Row) error {
		_, err := table.Write([]parquetRow{{
			ID: r.RowID(), Path: r.Path, Chunk: int64(r.Index), Start: r.Start, End: r.End, Tokens: int64(r.Tokens),
			Text: r.Text, Vector: r.Vector, Page: int64(r.Page), Row: int64(r.Chunk.Row), Line: int64(r.Line), Heading: r.Heading,
		}})
		if inGroup += len(r.Text) + 4*len(r.Vector); err == nil && inGroup >= groupBytes {
			inGroup = 0
			err = table.Flush()
		}
		return err
	})
	if err != nil {
		return err
	}
	return table.Close()
}
