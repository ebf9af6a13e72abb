package embed

import (
	"path/filepath"
	"regexp"
	"slices"
	"strings"

	"paddock/engine/gguf"
)

// A Family is how models of one kind want to be used. What it presets a user may
// change.
type Family struct {
	ID          string // "nomic-1.5"; Unknown's is empty
	Name        string
	Prefix      string // before a document
	QueryPrefix string // before what is searched for
	Pooling     string // "mean", "cls" or "last"; empty for what the file says
	LayerNorm   bool   // vectors are layer-normalised before they are shortened
	// Shorter are the dimensions besides all of them that the model was trained to
	// be cut to (Matryoshka); none where its vectors can't be shortened.
	Shorter []int
	// AnyFrom is the least number of dimensions where any from there on is good.
	AnyFrom int
}

// Shortens says whether vectors of the family may be cut to n dimensions.
func (f Family) Shortens(n int) bool {
	return slices.Contains(f.Shorter, n) || f.AnyFrom > 0 && n >= f.AnyFrom
}

// Unknown is the family of models nothing is known of: no prefix, whole vectors.
var Unknown = Family{Name: "Unknown"}

// defaultTask is what models that are told their task are told by default.
const defaultTask = "Given a web search query, retrieve relevant passages that answer the query"

const bgeQuery = "Represent this sentence for searching relevant passages: "

// A pattern recognises a family by architecture and names, in lower case. The first
// that matches counts.
type pattern struct {
	architecture string // a part of it, "" for any
	name         *regexp.Regexp
	Family
}

// The prefixes, poolings and dimensions are those of the models' cards and of their
// sentence-transformers configurations.
var patterns = []pattern{
	{"", regexp.MustCompile(`nomic.?embed.?code`), Family{ID: "nomic-code", Name: "Nomic Embed Code", QueryPrefix: "Represent this query for searching relevant code: ", Pooling: "last"}},
	{"nomic-bert-moe", nil, Family{ID: "nomic-2", Name: "Nomic Embed 2", Prefix: "search_document: ", QueryPrefix: "search_query: ", Pooling: "mean", Shorter: []int{512, 256}}},
	{"", regexp.MustCompile(`nomic.?embed.*v?2.?moe`), Family{ID: "nomic-2", Name: "Nomic Embed 2", Prefix: "search_document: ", QueryPrefix: "search_query: ", Pooling: "mean", Shorter: []int{512, 256}}},
	{"", regexp.MustCompile(`nomic.*v?1\.5`), Family{ID: "nomic-1.5", Name: "Nomic Embed 1.5", Prefix: "search_document: ", QueryPrefix: "search_query: ", Pooling: "mean", LayerNorm: true, Shorter: []int{512, 256, 128, 64}}},
	{"nomic-bert", nil, Family{ID: "nomic-1", Name: "Nomic Embed 1", Prefix: "search_document: ", QueryPrefix: "search_query: ", Pooling: "mean"}},
	{"", regexp.MustCompile(`nomic.?embed`), Family{ID: "nomic-1", Name: "Nomic Embed 1", Prefix: "search_document: ", QueryPrefix: "search_query: ", Pooling: "mean"}},
	{"", regexp.MustCompile(`\be5\b.*mistral`), Family{ID: "e5-mistral", Name: "E5 Mistral", QueryPrefix: "Instruct: " + defaultTask + "\nQuery: ", Pooling: "last"}},
	{"", regexp.MustCompile(`\be5\b.*instruct`), Family{ID: "e5-instruct", Name: "E5 Instruct", QueryPrefix: "Instruct: " + defaultTask + "\nQuery: ", Pooling: "mean"}},
	{"", regexp.MustCompile(`\be5\b`), Family{ID: "e5", Name: "E5", Prefix: "passage: ", QueryPrefix: "query: ", Pooling: "mean"}},
	// The card of Qwen3-Embedding has no blank after "Query:".
	{"", regexp.MustCompile(`qwen3.*embedding`), Family{ID: "qwen3", Name: "Qwen3 Embedding", QueryPrefix: "Instruct: " + defaultTask + "\nQuery:", Pooling: "last", Shorter: []int{512, 256, 128}, AnyFrom: 32}},
	{"gemma-embedding", nil, embeddingGemma},
	{"", regexp.MustCompile(`embedding.?gemma`), embeddingGemma},
	{"", regexp.MustCompile(`\bbge.?m3\b`), Family{ID: "bge-m3", Name: "BGE M3", Pooling: "cls"}},
	{"", regexp.MustCompile(`\bbge\b.*\bzh\b`), Family{ID: "bge-zh", Name: "BGE Chinese", QueryPrefix: "为这个句子生成表示以用于检索相关文章：", Pooling: "cls"}},
	{"", regexp.MustCompile(`\bbge\b`), Family{ID: "bge", Name: "BGE", QueryPrefix: bgeQuery, Pooling: "cls"}},
	{"jina-bert-v3", nil, jina3},
	{"", regexp.MustCompile(`jina.*embeddings?.v3`), jina3},
	{"", regexp.MustCompile(`jina.*embeddings?.v4`), Family{ID: "jina-4", Name: "Jina 4", Prefix: "Passage: ", QueryPrefix: "Query: ", Pooling: "mean", Shorter: []int{1024, 512, 256, 128}}},
	{"jina-bert", nil, Family{ID: "jina-2", Name: "Jina 2", Pooling: "mean"}},
	{"", regexp.MustCompile(`jina.*embeddings?`), Family{ID: "jina-2", Name: "Jina 2", Pooling: "mean"}},
	{"", regexp.MustCompile(`mxbai.?embed`), Family{ID: "mxbai", Name: "mxbai Embed", QueryPrefix: bgeQuery, Pooling: "cls", Shorter: []int{512, 256, 128, 64}}},
	{"", regexp.MustCompile(`arctic.?embed.*v?2\.0`), Family{ID: "arctic-2", Name: "Arctic Embed 2", QueryPrefix: "query: ", Pooling: "cls", Shorter: []int{256}}},
	{"", regexp.MustCompile(`arctic.?embed`), Family{ID: "arctic", Name: "Arctic Embed", QueryPrefix: bgeQuery, Pooling: "cls"}},
}

var (
	embeddingGemma = Family{
		ID: "embedding-gemma", Name: "EmbeddingGemma", Prefix: "title: none | text: ", QueryPrefix: "task: search result | query: ",
		Pooling: "mean", Shorter: []int{512, 256, 128},
	}
	jina3 = Family{
		ID: "jina-3", Name: "Jina 3", Prefix: "Represent the document for retrieval: ",
		QueryPrefix: "Represent the query for retrieving evidence documents: ", Pooling: "mean", Shorter: []int{768, 512, 256, 128, 64, 32},
	}
)

// Families are all that are known, each once, Unknown last.
func Families() []Family {
	var all []Family
	for _, p := range patterns {
		if !slices.ContainsFunc(all, func(f Family) bool { return f.ID == p.ID }) {
			all = append(all, p.Family)
		}
	}
	return append(all, Unknown)
}

// FamilyOf recognises a model's family by its metadata, or else by its file's name.
// It is Unknown for what it doesn't recognise.
func FamilyOf(f gguf.Facts) Family {
	names := []string{f.Name}
	for _, entry := range f.Metadata {
		if entry.Key == "general.basename" || entry.Key == "general.base_model.0.name" {
			names = append(names, entry.Value)
		}
	}
	// A file's name comes last: people rename files.
	names = append(names, strings.TrimSuffix(filepath.Base(f.Path), ".gguf"))
	for i, name := range names {
		names[i] = separators.ReplaceAllString(strings.ToLower(name), " ")
	}
	architecture := strings.ToLower(f.Architecture)
	for _, name := range names {
		for _, p := range patterns {
			if p.name != nil && p.name.MatchString(name) {
				return p.Family
			}
		}
	}
	for _, p := range patterns {
		if p.name == nil && strings.HasPrefix(architecture, p.architecture) {
			return p.Family
		}
	}
	return Unknown
}

// separators are what stands between the words of a name.
var separators = regexp.MustCompile(`[-_\s/]+`)
