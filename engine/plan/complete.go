package plan

import (
	"math"
	"slices"
	"strconv"
	"strings"
	"sync"

	"paddock/engine/build"
	"paddock/engine/gguf"
)

// Context lengths that are chosen when none is given. A longer one is the
// user's to ask for: it costs memory whether it is used or not.
const (
	defaultContextTokens = 8192
	unknownContextTokens = 4096 // when the file does not say what it was trained for
	vectorContextTokens  = 2048 // of embeddings and reranking: a text is computed in one go, which takes memory
)

// A Choice is a setting Complete decided on, and the key of the sentence that
// says why.
type Choice struct {
	Setting string `json:"setting"`
	Value   string `json:"value"`
	Reason  string `json:"reason"`
}

// A completion is a plan being completed.
type completion struct {
	Plan
	given    Given
	evidence func() *evidence // of given, worked out when a rule has to be asked
	choices  []Choice
}

// Complete fills in what p leaves open and lists what it chose. What p says
// explicitly stays, valid or not: judging is Check's part.
func Complete(p Plan, g Given) (Plan, []Choice) {
	return complete(p, g, sync.OnceValue(func() *evidence { return evidenceOf(g) }))
}

func (e *evidence) complete(p Plan) (Plan, []Choice) {
	return complete(p, e.given, func() *evidence { return e })
}

func complete(p Plan, g Given, e func() *evidence) (Plan, []Choice) {
	c := completion{Plan: p, given: g, evidence: e}
	if c.ModelPath == "" {
		c.ModelPath = g.Model.Path
	}
	c.purpose()
	c.memory()
	c.devices()
	c.draft()
	c.shares()
	c.projector()
	return c.Plan, c.choices
}

func (c *completion) choose(setting, value, reason string) string {
	c.choices = append(c.choices, Choice{setting, value, "choice." + reason})
	return value
}

// refusals are what the rules refuse of a plan.
func (c *completion) refusals(p Plan) []Finding { return c.evidence().check(p).Refusals }

func (c *completion) purpose() {
	if c.Purpose == "" {
		purpose, reason := purposeOf(c.given.Model)
		c.Purpose = c.choose("purpose", purpose, reason)
	}
}

// purposeOf is what a model was made for.
func purposeOf(f gguf.Facts) (purpose, reason string) {
	switch {
	case f.Pooling == "rank" || f.HasClassifier:
		return Rerank, "purpose-classifier"
	case f.Pooling != "" && f.Pooling != "none", len(f.Network.Blocks) > 0 && !f.Network.Causal:
		return Embeddings, "purpose-pooling"
	}
	return Chat, "purpose-chat"
}

// memory chooses context, batches, caches and slots.
func (c *completion) memory() {
	if c.ContextTokens == 0 {
		tokens, reason := defaultContext(c.given.Model.ContextTokens, c.Purpose)
		c.ContextTokens = tokens
		c.choose("contextTokens", strconv.Itoa(tokens), reason)
	}
	if c.CacheK == "" {
		c.CacheK = c.choose("cacheK", "f16", "cache-f16")
	}
	if c.CacheV == "" {
		c.CacheV = c.choose("cacheV", "f16", "cache-f16")
	}
	if c.FlashAttn == "" {
		c.FlashAttn = c.choose("flashAttn", "auto", "flash-auto")
	}
	if c.Slots == 0 {
		c.Slots = 1
		c.choose("slots", "1", "slots-one")
	}
	if c.Purpose != Chat && c.PhysicalBatchTokens == 0 {
		// A text that is longer than the physical batch is refused by the engine.
		// With mean pooling the batch must be a multiple of the slots.
		tokens, slots := c.textTokens(c.given.Model.ContextTokens), max(c.Slots, 1)
		c.PhysicalBatchTokens = (tokens + slots - 1) / slots * slots
		c.BatchTokens = max(c.BatchTokens, c.PhysicalBatchTokens)
		c.choose("physicalBatchTokens", strconv.Itoa(c.PhysicalBatchTokens), "batch-whole")
	}
	if c.Purpose != Chat && c.PromptCacheMiB == 0 {
		c.PromptCacheMiB = NoPromptCache
		c.choose("promptCacheMiB", strconv.Itoa(NoPromptCache), "prompt-cache-none")
	}
}

func defaultContext(trainedTokens int, purpose string) (tokens int, reason string) {
	limit, limited := defaultContextTokens, "context-default"
	if purpose != Chat {
		limit, limited = vectorContextTokens, "context-vectors"
	}
	switch {
	case trainedTokens <= 0:
		return min(unknownContextTokens, limit), "context-unknown"
	case trainedTokens <= limit:
		return trainedTokens, "context-trained"
	default:
		return limit, limited
	}
}

func (c *completion) devices() {
	if c.Devices == "" {
		value, reason := defaultDevices(c.given)
		c.Devices = c.choose("devices", value, reason)
	}
	if c.GPULayers == "" || c.GPULayers == "auto" {
		if c.Devices == CPU {
			c.GPULayers = c.choose("gpuLayers", "0", "layers-none")
		} else {
			c.GPULayers = c.choose("gpuLayers", "all", "layers-all")
		}
	}
}

// shares are by memory under tensor split, where the rules allow that with the
// rest: even ones, as the engine has them, make the smallest card the limit. Other
// splits go by memory themselves.
func (c *completion) shares() {
	if c.TensorSplit != "" || c.SplitMode != "tensor" {
		return
	}
	shares, known := sharesByMemory(c.DeviceIDs(), c.given.Devices)
	tried := c.Plan
	tried.TensorSplit = shares
	if known && len(c.refusals(tried)) <= len(c.refusals(c.Plan)) {
		c.TensorSplit = c.choose("tensorSplit", shares, "split-by-memory")
	}
}

// sharesByMemory are the shares of several devices by what is free on each, in
// twentieths, so that cards just alike get the same.
func sharesByMemory(ids []string, devices []build.Device) (shares string, known bool) {
	var free []uint64
	var sum uint64
	for _, id := range ids {
		i := slices.IndexFunc(devices, func(d build.Device) bool { return d.ID == id })
		if i < 0 || devices[i].FreeBytes == 0 {
			return "", false
		}
		free = append(free, devices[i].FreeBytes)
		sum += devices[i].FreeBytes
	}
	var texts []string
	for _, bytes := range free {
		twentieths := math.Round(20 * float64(bytes) / float64(sum))
		texts = append(texts, strconv.Itoa(max(int(twentieths), 1)))
	}
	return strings.Join(texts, ","), len(texts) > 1
}

// defaultDevices are all hardware devices, each card once, and the processor's own
// graphics only where there is nothing else. A software device is a processor
// pretending to be a graphics card: slower than the CPU itself.
func defaultDevices(g Given) (value, reason string) {
	var hardware []build.Device
	for _, d := range g.Devices {
		if !d.Software {
			hardware = append(hardware, d)
		}
	}
	var ids, discrete []string
	for _, d := range cards(hardware) {
		ids = append(ids, d.ID)
		if !slices.Contains(g.Integrated, d.ID) {
			discrete = append(discrete, d.ID)
		}
	}
	switch {
	case len(discrete) > 0 && len(discrete) < len(ids):
		return strings.Join(discrete, ","), "devices-discrete"
	case len(ids) > 0:
		return strings.Join(ids, ","), "devices-hardware"
	case len(g.Devices) > 0:
		return CPU, "devices-software"
	default:
		return CPU, "devices-none"
	}
}

// draft chooses how to guess by the draft that is given, and a draft by the way
// of guessing.
func (c *completion) draft() {
	if c.SpecTypes == "" {
		method, reason := NoSpec, "spec-off"
		if f := c.given.Draft(c.Plan); f != nil {
			method, reason = SpecOf(*f), "spec-of-file"
		}
		c.SpecTypes = c.choose("specTypes", method, reason)
	}
	if c.DraftPath != "" {
		return
	}
	for _, method := range c.SpecMethods() {
		if method == SpecMTP && c.given.Model.NextNLayers > 0 {
			continue // its own layers do
		}
		if f := c.given.first(func(f gguf.Facts) bool { return SpecOf(f) == method }); f != nil {
			c.DraftPath = c.choose("draftPath", f.Path, "draft-beside")
		}
	}
}

// SpecOf is the way of guessing a file is made for, by its content; NoSpec when
// it is none that guesses.
func SpecOf(f gguf.Facts) string {
	switch {
	case f.Kind == gguf.MTPHead:
		return SpecMTP
	case f.Kind == gguf.Draft && f.Architecture == "dflash":
		return SpecDFlash
	case f.Kind == gguf.Draft:
		return SpecEAGLE3
	case f.Kind == gguf.Model:
		return SpecDraft
	}
	return NoSpec
}

// projector takes the best projector of pictures that the rules allow with the
// rest.
func (c *completion) projector() {
	if c.ProjectorPath != "" {
		return
	}
	c.ProjectorPath = NoProjector
	f := c.given.first(func(f gguf.Facts) bool { return f.Kind == gguf.Projector })
	if c.Purpose != Chat || f == nil {
		c.choose("projectorPath", NoProjector, "projector-none")
		return
	}
	tried := c.Plan
	tried.ProjectorPath = f.Path
	if len(c.refusals(tried)) > len(c.refusals(c.Plan)) {
		c.choose("projectorPath", NoProjector, "projector-refused")
		return
	}
	c.ProjectorPath = c.choose("projectorPath", f.Path, "projector-beside")
}
