// Package gguf reads what a GGUF file says about itself: its header only, never
// its weights, and never trusting it.
package gguf

// A Kind says what a GGUF file is for. It follows from tensors and metadata,
// never from the file's name.
type Kind string

// The kinds of file.
const (
	Model      Kind = "model"      // loads by itself
	Projector  Kind = "projector"  // a vision or audio encoder (mmproj)
	MTPHead    Kind = "mtp"        // nextn layers only, or an MTP assistant
	Draft      Kind = "draft"      // a draft that only works beside its target: EAGLE-3, DFlash
	LoRA       Kind = "lora"       // an adapter
	Vocabulary Kind = "vocabulary" // a vocabulary without weights
	Imatrix    Kind = "imatrix"    // an importance matrix, made for quantising
	Part       Kind = "part"       // a later part of a split set
	Other      Kind = "other"      // nothing of a language model: a control vector, an image model
)

// Facts are what the header of one GGUF file says.
type Facts struct {
	Path         string
	SizeBytes    uint64 // of the file
	Version      uint32
	Kind         Kind
	Architecture string
	Name         string // general.name, or the file's base name
	Licence      string
	Parameters   uint64 // sum of the tensors' elements
	Quantisation string // from the share of tensor types: "Q4_K_M", "F16"
	WeightsBytes uint64 // sum of the tensors' bytes
	TensorTypes  []TypeShare
	TensorCount  int

	ContextTokens   int   // trained context; 0 when the file does not say
	Layers          int   // block count, nextn layers included
	EmbeddingLength int   // a projector's sizes are its encoder's
	Heads           []int // per layer, one entry when all are alike
	KVHeads         []int // per layer, one entry when all are alike
	HeadSizeK       int   // the largest where layers differ
	HeadSizeV       int
	Experts         int
	ExpertsUsed     int
	NextNLayers     int // layers for multi-token prediction whose tensors are in the file
	DeclaredNextN   int // as many the header speaks of, there or not
	DeepstackLayers int // layers that take in more of a picture than the first does

	ActiveParameters uint64 // of Parameters, those a token passes through: of the experts only the used ones
	ActiveBytes      uint64 // of WeightsBytes, what is read for a token; of a token table one row, which is nothing
	Network          Network
	Encoder          Encoder // of a projector

	Split         Split
	ChatTemplate  string
	TemplateKnows []string // of "chat", "tools", "thinking", "images", by the template's text
	Pooling       string   // "", "none", "mean", "cls", "last", "rank"
	HasClassifier bool     // a reranker's or classifier's head is among the tensors
	Vocabulary    Vocab
	Origin        Origin
	Projection    Projection // of a projector
	Target        Target     // of a draft or an MTP head
	Matrices      []Matrix   // of the layers of a model or adapter, each shape once
	Metadata      []Entry    // scalar and string keys in file order; arrays as their length
}

// A TypeShare is how much of a file's weights are of one tensor type.
type TypeShare struct {
	Type    string
	Bytes   uint64
	Tensors int
}

// A Split places a file in a set of parts. Count is 0 or 1 for a whole file.
type Split struct {
	Index int // from 0
	Count int
}

// An Entry is one metadata key, its value written for a person to read.
type Entry struct {
	Key, Value string
}
