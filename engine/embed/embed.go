// Package embed turns files into vectors: it has them cut into chunks, asks an
// engine for the vector of each, keeps what came in a file it can go on from, and
// writes the results for other programs to read.
package embed

import "context"

// A Chunk is a text to embed and its place in a file.
type Chunk struct {
	Index      int    // in the file, from 0
	ID         string // of a row that has one, else empty
	Start, End int64  // of the range in the file, as the reader of its kind counts
	Tokens     int    // by the model's own tokenizer, prefix and special tokens included
	Text       string // without the prefix

	// Where that is, for a person; 0 and "" where it means nothing.
	Page, Row, Line int    // from 1
	Heading         string // the headings above, outermost first
}

// A Cutter opens files to be cut into chunks. What is wrong with a file is a
// *document.Error or a *chunk.Error, or what an engine says of a text; any other
// error ends the run, which can go on from there.
type Cutter interface {
	// Open finds out which content a file has, and no more of it than that takes.
	Open(ctx context.Context, path string) (Source, error)
}

// A Source is a file that is being cut. It is used by one goroutine, and closed.
type Source interface {
	// SHA256 is of the content, in hexadecimal.
	SHA256() string
	// Cut gives the chunks in order, with indexes from 0, and tells what of the file
	// could not be read while the rest could. The error of each ends it and is
	// returned; any other means that the chunks so far are not to be used.
	Cut(ctx context.Context, each func(Chunk) error, partial func(error)) error
	Close()
}

// An Embedder gives the vector of each text, of length 1, in the order of the texts.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
}

// A RawEmbedder can also give vectors as the network makes them, of any length.
type RawEmbedder interface {
	EmbedRaw(ctx context.Context, texts []string) ([][]float32, error)
}

// A Meta is what has to be known of vectors to make others that can be compared
// with them. It is stored with every output.
type Meta struct {
	Model       string        `json:"model"` // its name
	ModelPath   string        `json:"modelPath"`
	ModelSHA256 string        `json:"modelSha256"` // of the file, of a split model its first part
	Family      string        `json:"family"`
	Dimensions  int           `json:"dimensions"`
	Pooling     string        `json:"pooling"`
	Normalise   Normalisation `json:"normalise"`
	LayerNorm   bool          `json:"layerNorm"` // before vectors were shortened
	Prefix      string        `json:"prefix"`
	QueryPrefix string        `json:"queryPrefix"`
	Chunker     string        `json:"chunker"`
	Engine      string        `json:"engine"` // build
	App         string        `json:"app"`    // version
}

// A Row is a chunk with its vector, as outputs have it.
type Row struct {
	Path string
	Chunk
	Vector []float32
}

// RowID names a row in outputs: the id the file has for it, or path and number.
func (r Row) RowID() string {
	if r.ID != "" {
		return r.ID
	}
	return r.Path + "#" + itoa(r.Index)
}
