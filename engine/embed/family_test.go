package embed

import (
	"errors"
	"testing"

	"paddock/engine/gguf"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

func TestFamiliesAreRecognised(t *testing.T) {
	tests := []struct {
		name, architecture, file string
		want                     string
	}{
		{"nomic-embed-text-v1.5", "nomic-bert", "x.gguf", "nomic-1.5"},
		{"nomic-embed-text-v1", "nomic-bert", "x.gguf", "nomic-1"},
		{"Nomic Embed Text v2 Moe", "nomic-bert-moe", "x.gguf", "nomic-2"},
		{"model", "nomic-bert", "nomic-embed-text-v1.5.Q8_0.gguf", "nomic-1.5"},
		{"model", "nomic-bert", "x.gguf", "nomic-1"},
		{"model", "nomic-bert-moe", "x.gguf", "nomic-2"},
		{"Nomic Embed Code", "qwen2", "x.gguf", "nomic-code"},
		{"E5 Base v2", "bert", "x.gguf", "e5"},
		{"multilingual-e5-large", "bert", "x.gguf", "e5"},
		{"multilingual-e5-large-instruct", "bert", "x.gguf", "e5-instruct"},
		{"e5-mistral-7b-instruct", "llama", "x.gguf", "e5-mistral"},
		{"Qwen3 Embedding 0.6B", "qwen3", "x.gguf", "qwen3"},
		{"Qwen3-Embedding-8B", "qwen3", "x.gguf", "qwen3"},
		{"Embeddinggemma 300M", "gemma-embedding", "x.gguf", "embedding-gemma"},
		{"model", "gemma-embedding", "x.gguf", "embedding-gemma"},
		{"bge-small-en-v1.5", "bert", "x.gguf", "bge"},
		{"Bge M3", "bert", "x.gguf", "bge-m3"},
		{"bge-base-zh-v1.5", "bert", "x.gguf", "bge-zh"},
		{"jina-embeddings-v2-base-en", "jina-bert-v2", "x.gguf", "jina-2"},
		{"Jina Embeddings v3", "jina-bert-v3", "x.gguf", "jina-3"},
		{"model", "jina-bert-v2", "x.gguf", "jina-2"},
		{"mxbai-embed-large-v1", "bert", "x.gguf", "mxbai"},
		{"snowflake-arctic-embed-l-v2.0", "bert", "x.gguf", "arctic-2"},
		{"snowflake-arctic-embed-m", "bert", "x.gguf", "arctic"},
		{"all-MiniLM-L6-v2", "bert", "x.gguf", ""},
		{"Llama 3.2 1B Instruct", "llama", "x.gguf", ""},
		{"Hanse5000", "bert", "x.gguf", ""},
	}
	for _, test := range tests {
		t.Run(test.name+" of "+test.architecture, func(t *testing.T) {
			got := FamilyOf(gguf.Facts{Name: test.name, Architecture: test.architecture, Path: "/models/" + test.file})
			if got.ID != test.want || got.Name == "" {
				t.Errorf("%q, want %q", got.ID, test.want)
			}
		})
	}
}

func TestPresetsAreThoseOfTheModelsCards(t *testing.T) {
	tests := map[string]Settings{
		"nomic-embed-text-v1.5":  {Family: "nomic-1.5", Prefix: "search_document: ", QueryPrefix: "search_query: ", Pooling: "mean", Normalise: L2, LayerNorm: true},
		"nomic-embed-text-v1":    {Family: "nomic-1", Prefix: "search_document: ", QueryPrefix: "search_query: ", Pooling: "mean", Normalise: L2},
		"e5-large-v2":            {Family: "e5", Prefix: "passage: ", QueryPrefix: "query: ", Pooling: "mean", Normalise: L2},
		"Qwen3-Embedding-0.6B":   {Family: "qwen3", QueryPrefix: "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery:", Pooling: "last", Normalise: L2},
		"embeddinggemma-300m":    {Family: "embedding-gemma", Prefix: "title: none | text: ", QueryPrefix: "task: search result | query: ", Pooling: "mean", Normalise: L2},
		"bge-large-en-v1.5":      {Family: "bge", QueryPrefix: "Represent this sentence for searching relevant passages: ", Pooling: "cls", Normalise: L2},
		"jina-embeddings-v2-big": {Family: "jina-2", Pooling: "mean", Normalise: L2},
		"something else":         {Normalise: L2},
	}
	for name, want := range tests {
		t.Run(name, func(t *testing.T) {
			f := gguf.Facts{Name: name}
			if got := SettingsOf(FamilyOf(f), f); got != want {
				t.Errorf("%+v", got)
			}
		})
	}
	f := gguf.Facts{Name: "bge-large", Pooling: "mean"}
	if got := SettingsOf(FamilyOf(f), f); got.Pooling != "mean" || Pooling(FamilyOf(f), f) != "" {
		t.Errorf("what the file says of pooling does not count: %+v", got)
	}
	f.Pooling = ""
	if Pooling(FamilyOf(f), f) != "cls" {
		t.Error("a file that says nothing of pooling is not helped")
	}
}

func TestDimensionsAreOnlyThoseTheFamilyWasTrainedFor(t *testing.T) {
	model := func(name string, width int) gguf.Facts { return gguf.Facts{Name: name, EmbeddingLength: width} }
	tests := []struct {
		facts gguf.Facts
		n     int
		want  DimensionsProblem
	}{
		{model("nomic-embed-text-v1.5", 768), 0, ""},
		{model("nomic-embed-text-v1.5", 768), 768, ""},
		{model("nomic-embed-text-v1.5", 768), 256, ""},
		{model("nomic-embed-text-v1.5", 768), 300, NotTrained},
		{model("nomic-embed-text-v1.5", 768), 1024, TooMany},
		{model("nomic-embed-text-v1.5", 768), -1, TooMany},
		{model("nomic-embed-text-v1", 768), 256, NotTrained},
		{model("Qwen3-Embedding-0.6B", 1024), 300, ""},
		{model("Qwen3-Embedding-0.6B", 1024), 16, NotTrained},
		{model("all-MiniLM-L6-v2", 384), 128, NotTrained},
	}
	for _, test := range tests {
		family := FamilyOf(test.facts)
		err := Settings{Dimensions: test.n}.Check(family, test.facts)
		var got *DimensionsError
		if errors.As(err, &got); err == nil && test.want != "" || err != nil && (got == nil || got.Problem != test.want) {
			t.Errorf("%d of %s: %v, want %q", test.n, test.facts.Name, err, test.want)
		}
	}
}

func TestARerankerIsRefused(t *testing.T) {
	for path, want := range map[string]bool{gguftest.Reranker(t): true, gguftest.BERT(t): false, gguftest.CausalEmbedder(t): false} {
		f, err := gguf.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		var refused *ModelError
		if got := errors.As(Usable(f), &refused); got != want || got && (refused.Problem != IsReranker || refused.Path != path) {
			t.Errorf("%s: %v", path, refused)
		}
	}
}

func TestThePlanTakesTheLargestChunkInOneGo(t *testing.T) {
	for name, path := range map[string]string{"an encoder": gguftest.BERT(t), "a causal model": gguftest.CausalEmbedder(t)} {
		f, err := gguf.Read(path)
		if err != nil {
			t.Fatal(err)
		}
		given := plan.Given{Model: f}
		for _, largest := range []int{0, 64, 300, f.ContextTokens, 100 * f.ContextTokens} {
			for _, slots := range []int{1, 2, 4} {
				p, _ := plan.Complete(PlanFor(f, FamilyOf(f), largest, slots), given)
				if v := plan.Check(p, given); !v.Valid() {
					t.Errorf("%s, %d tokens, %d slots: refused by %v", name, largest, slots, v.Refusals)
				}
				limit := ChunkLimit(p, f)
				_, physical := p.Batch()
				longest := f.ContextTokens
				if f.Network.Causal {
					longest--
				}
				if want := min(largest, longest); limit < want || limit > physical || limit == 0 {
					t.Errorf("%s, %d tokens, %d slots: a chunk may have %d, and %d are computed at a time", name, largest, slots, limit, physical)
				}
			}
		}
	}
}
