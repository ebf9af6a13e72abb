package plan

import (
	"math"
	"slices"
	"strconv"
	"strings"

	"paddock/engine/build"
	"paddock/engine/gguf"
)

// subjects are what rules look at, in the order of subjectNames. Plans are checked
// by the dozen while somebody chooses, so they are no map.
type subjects []subject

// A subject is a text, a number or a list of texts; what is not known is none.
type subject struct {
	kind   subjectKind
	text   string
	number int
	list   []string
}

type subjectKind uint8

const (
	unknown subjectKind = iota
	aText
	aNumber
	aList
)

// subjectNames are the names a rule may use. Those of settings are the plan's own.
var subjectNames = func() []string {
	names := []string{
		// Of the model.
		"kind", "architecture", "modelPooling", "classifier", "trainedContextTokens", "declaredContext", "headSizeK", "headSizeV",
		"nextN", "declaredNextN", "recurrent", "attention", "causal", "modelWidth", "modelParts", "ropeSections", "latent",
		// Of the files beside it; their kind is "none" where the plan names none, and
		// "unknown" where nothing is known of it.
		"draftKind", "draftArchitecture", "draftTarget", "draftNextN", "draftVocabulary", "draftWidth", "draftHeadSizeK", "draftHeadSizeV",
		"projectorKind", "projectorVision", "projectorAudio", "projectorWidth", "projectorParts",
		"loraKind", "loraArchitecture",
		// Of the plan, as numbers and lists.
		"slotTokens", "textTokens", "leastContextTokens", "computedTokens", "sharedTokens", "batchRemainder", "deviceCount", "backends", "softwareDevices", "integratedDevices", "split", "splitShares",
		"spec", "drafts", "draftTokens", "projectorOn", "poolingUsed", "rpc",
		// Of the engine.
		"build", "buildKnown", "newestKnownBuild",
		// Of guessing.
		"draftMethods", "specKnown", "guessTokens", "guessRows", "batchUsed", "physicalBatchUsed",
		"draftAssistant", "draftRecurrent", "draftRopeSections", "draftOwnWidth", "draftLeastLayers", "modelTrunk", "vocabularyTokens",
		// Of the projector and the adapter.
		"projectorDeviceUsed", "projectorPaired", "loraShapes",
		// Of caches and devices.
		"kvHeads", "slidingWindow", "shares",
	}
	for _, s := range settings {
		names = append(names, s.name)
	}
	return names
}()

// firstSetting is where the settings begin among the subjects.
var firstSetting = len(subjectNames) - len(settings)

// places are where the subjects are, by name.
var places = func() map[string]int {
	at := make(map[string]int, len(subjectNames))
	for i, name := range subjectNames {
		at[name] = i
	}
	return at
}()

// yesNo is the value of a subject that holds or doesn't.
func yesNo(holds bool) string {
	if holds {
		return "yes"
	}
	return "no"
}

// An evidence is what is known of a plan's files, worked out once for all plans
// that are checked with them. It is for one goroutine.
type evidence struct {
	given  Given
	model  subjects          // what follows from the model alone
	shapes map[string]string // what loraShapes says, by an adapter's path
}

func evidenceOf(g Given) *evidence {
	e := &evidence{given: g, model: make(subjects, len(subjectNames)), shapes: map[string]string{}}
	e.model.count("newestKnownBuild", NewestKnownBuild)
	e.model.countKnown("build", g.Build)
	e.model.say("buildKnown", yesNo(g.Build > 0))
	e.model.ofModel(g.Model)
	return e
}

// subjects are those of a plan.
func (e *evidence) subjects(p Plan) subjects {
	g, s := e.given, slices.Clone(e.model)
	for i, setting := range settings {
		s[firstSetting+i].put(setting.value(p))
	}
	s.countKnown("slotTokens", p.ContextTokens/max(p.Slots, 1))
	s.countKnown("textTokens", p.textTokens(g.Model.ContextTokens))
	_, computed := p.Batch()
	s.countKnown("computedTokens", computed)
	s.count("sharedTokens", p.graphTokens())
	s.count("batchRemainder", p.graphTokens()%max(p.Slots, 1))
	s.have("spec", p.SpecMethods())
	s.say("drafts", yesNo(p.Drafts()))
	s.count("draftTokens", p.DraftTokens())
	s.say("split", p.Split())
	s.count("splitShares", len(strings.FieldsFunc(p.TensorSplit, func(r rune) bool { return r == ',' })))
	s.put("shares", sharesKind(p.TensorSplit))
	s.say("rpc", yesNo(p.RPCServers != ""))
	s.say("poolingUsed", firstOf(p.Pooling, g.Model.Pooling, "none"))
	if p.Purpose == Rerank && p.Pooling == "" {
		s.say("poolingUsed", "rank") // whatever the file says
	}
	s.ofDraft(g, p)
	s.ofProjector(g, p)
	s.ofLoRA(e, p)
	s.ofDevices(g, p)
	s.ofGuessing(g, p)
	return s
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

// say, count and have make a subject known.
func (s subjects) say(name, text string) { s[places[name]] = subject{kind: aText, text: text} }

func (s subjects) count(name string, n int) { s[places[name]] = subject{kind: aNumber, number: n} }

func (s subjects) have(name string, list []string) {
	s[places[name]] = subject{kind: aList, list: list}
}

// put says a text that is not empty, as a number where it is one.
func (s subjects) put(name, text string) { s[places[name]].put(text) }

func (s *subject) put(text string) {
	if text == "" {
		return
	}
	if c := text[0]; c >= '0' && c <= '9' || c == '-' || c == '+' {
		if number, err := strconv.Atoi(text); err == nil {
			*s = subject{kind: aNumber, number: number}
			return
		}
	}
	*s = subject{kind: aText, text: text}
}

// countKnown counts what is known: more than 0.
func (s subjects) countKnown(name string, n int) {
	if n > 0 {
		s.count(name, n)
	}
}

func (s subjects) ofModel(f gguf.Facts) {
	s.put("kind", string(f.Kind))
	s.put("architecture", f.Architecture)
	s.say("modelPooling", firstOf(f.Pooling, "none"))
	whole := f.Split.Count <= 1 // else what is not here can be in another part
	if f.HasClassifier || whole || f.Pooling != "rank" {
		s.say("classifier", yesNo(f.HasClassifier))
	}
	s.countKnown("trainedContextTokens", f.ContextTokens)
	s.put("declaredContext", headerValue(f, f.Architecture+".context_length"))
	s.count("leastContextTokens", contextBlock)
	if f.ContextTokens > 0 {
		s.count("leastContextTokens", min(f.ContextTokens, contextBlock))
	}
	s.countKnown("headSizeK", f.HeadSizeK)
	s.countKnown("headSizeV", f.HeadSizeV)
	s.count("nextN", f.NextNLayers)
	s.count("declaredNextN", f.DeclaredNextN)
	s.countKnown("modelWidth", f.EmbeddingLength)
	s.count("modelParts", 1+f.DeepstackLayers)
	s.say("latent", yesNo(f.Network.LatentRank > 0))
	s.say("ropeSections", yesNo(turnsInSections(f)))
	s.count("vocabularyTokens", f.Vocabulary.Tokens)
	s.countKnown("modelTrunk", f.Layers-max(f.NextNLayers, f.DeclaredNextN))
	if len(f.Network.Blocks) > 0 || !whole {
		s.say("causal", yesNo(f.Network.Causal))
	}
	if len(f.Network.Blocks) > 0 {
		if recurrent := isRecurrent(f); recurrent || whole {
			s.say("recurrent", yesNo(recurrent))
		}
		s.say("attention", yesNo(slices.ContainsFunc(f.Network.Blocks, func(b gguf.Block) bool { return b.Attention })))
		s.say("slidingWindow", yesNo(slices.ContainsFunc(f.Network.Blocks, func(b gguf.Block) bool { return b.Windowed })))
		s.countKnown("kvHeads", leastKVHeads(f.Network.Blocks))
	}
}

// turnsInSections says whether positions have several dimensions, as those of
// pictures do.
func turnsInSections(f gguf.Facts) bool {
	key := f.Architecture + ".rope.dimension_sections"
	return slices.ContainsFunc(f.Metadata, func(e gguf.Entry) bool { return e.Key == key })
}

// headerValue is what a header says under a key, empty when it has not the key.
func headerValue(f gguf.Facts, key string) string {
	for _, e := range f.Metadata {
		if e.Key == key {
			return e.Value
		}
	}
	return ""
}

// isRecurrent says whether some layers keep a state, which can't be rewound.
func isRecurrent(f gguf.Facts) bool {
	return slices.ContainsFunc(f.Network.Blocks, func(b gguf.Block) bool { return b.Recurrent })
}

// leastKVHeads is the smallest number of KV heads a layer with attention has.
func leastKVHeads(blocks []gguf.Block) int {
	least := 0
	for _, b := range blocks {
		if b.KVHeads > 0 && (least == 0 || b.KVHeads < least) {
			least = b.KVHeads
		}
	}
	return least
}

// sharesKind says what shares of devices are like: "even" or "uneven" when each is
// a number above 0, "zero" when one is 0, else "garbage"; empty without any.
func sharesKind(shares string) string {
	if shares == "" {
		return ""
	}
	var numbers []float64
	for share := range strings.SplitSeq(shares, ",") {
		number, err := strconv.ParseFloat(strings.TrimSpace(share), 64)
		if err != nil || number < 0 || math.IsInf(number, 0) || math.IsNaN(number) {
			return "garbage"
		}
		numbers = append(numbers, number)
	}
	switch least, most := slices.Min(numbers), slices.Max(numbers); {
	case least == 0:
		return "zero"
	case least < most:
		return "uneven"
	}
	return "even"
}

func (s subjects) ofDraft(g Given, p Plan) {
	f := g.Draft(p)
	s.say("draftKind", kindOf(p.DraftPath, f))
	if f == nil {
		return
	}
	s.put("draftArchitecture", f.Architecture)
	s.put("draftTarget", f.Target.Architecture)
	s.count("draftNextN", f.NextNLayers)
	s.countKnown("draftHeadSizeK", f.HeadSizeK)
	s.countKnown("draftHeadSizeV", f.HeadSizeV)
	s.countKnown("draftWidth", f.Target.Width)
	s.countKnown("draftOwnWidth", f.EmbeddingLength)
	s.countKnown("draftLeastLayers", f.Target.LeastLayers)
	s.say("draftAssistant", yesNo(f.Kind == gguf.MTPHead && f.Target.Architecture != f.Architecture))
	s.say("draftRecurrent", yesNo(isRecurrent(*f)))
	s.say("draftRopeSections", yesNo(turnsInSections(*f)))
	switch {
	case f.Vocabulary.Tokens == 0:
		s.say("draftVocabulary", "none") // it uses its target's
	case g.Model.Vocabulary.Tokens > 0:
		s.say("draftVocabulary", "other")
		if f.Vocabulary.Agrees(g.Model.Vocabulary) {
			s.say("draftVocabulary", "same")
		}
	}
}

func (s subjects) ofProjector(g Given, p Plan) {
	f := g.Projector(p)
	s.say("projectorOn", yesNo(p.Projector() != ""))
	s.say("projectorKind", kindOf(p.Projector(), f))
	if f == nil {
		return
	}
	s.say("projectorPaired", yesNo(!slices.Contains(g.Unpaired, f.Path)))
	s.say("projectorVision", firstOf(f.Projection.Vision, "none"))
	s.say("projectorAudio", firstOf(f.Projection.Audio, "none"))
	s.countKnown("projectorWidth", f.Projection.Width)
	s.countKnown("projectorParts", f.Projection.Parts)
}

func (s subjects) ofLoRA(e *evidence, p Plan) {
	f := e.given.LoRA(p)
	s.say("loraKind", kindOf(p.LoRAPath, f))
	if f == nil {
		return
	}
	s.put("loraArchitecture", f.Architecture)
	shapes, known := e.shapes[f.Path]
	if !known {
		shapes = shapesOf(*f, e.given.Model)
		e.shapes[f.Path] = shapes
	}
	s.put("loraShapes", shapes)
}

// shapesOf says whether an adapter changes only what a model has: "same" or
// "other", empty where that is not known.
func shapesOf(f, model gguf.Facts) string {
	if f.Architecture != model.Architecture || len(f.Matrices) == 0 || len(model.Matrices) == 0 {
		return ""
	}
	has := make(map[gguf.Matrix]bool, len(model.Matrices))
	for _, m := range model.Matrices {
		has[m] = true
	}
	if f.Layers > model.Layers || slices.ContainsFunc(f.Matrices, func(m gguf.Matrix) bool { return !has[m] }) {
		return "other"
	}
	return "same"
}

// The most tokens that are guessed from the text alone at a time: the engine's
// defaults, which nothing changes.
var guessedFromText = map[string]int{"ngram-simple": 48, "ngram-map-k": 48, "ngram-map-k4v": 48, "ngram-mod": 64}

func (s subjects) ofGuessing(g Given, p Plan) {
	most, known, weights := 0, true, 0
	for _, method := range p.SpecMethods() {
		tokens := guessedFromText[method]
		if strings.HasPrefix(method, "draft-") {
			tokens = p.DraftTokens()
			weights++
		}
		most = max(most, tokens)
		known = known && slices.Contains(SpecMethods(), method)
	}
	s.count("draftMethods", weights)
	s.say("specKnown", yesNo(known))
	if most > 0 {
		s.count("guessTokens", max(p.Slots, 1)*(1+most))
	}
	s.count("guessRows", 2+p.DraftTokens())
	logical, physical := p.Batch()
	s.countKnown("batchUsed", logical)
	s.countKnown("physicalBatchUsed", min(physical, max(p.ContextTokens, 1)))
	if p.Speculates(SpecMTP) && p.DraftPath == "" {
		// Its layers are the model's, and so are their heads.
		s.countKnown("draftHeadSizeK", g.Model.HeadSizeK)
		s.countKnown("draftHeadSizeV", g.Model.HeadSizeV)
	}
	s.say("projectorDeviceUsed", ProjectorGPU)
	if p.ProjectorDevice == ProjectorCPU || len(p.DeviceIDs()) == 0 {
		s.say("projectorDeviceUsed", ProjectorCPU)
	}
}

func kindOf(path string, f *gguf.Facts) string {
	switch {
	case path == "":
		return "none"
	case f == nil:
		return "unknown"
	}
	return string(f.Kind)
}

func (s subjects) ofDevices(g Given, p Plan) {
	ids := p.DeviceIDs()
	s.count("deviceCount", len(ids))
	var backends []string
	software, integrated := false, false
	for _, id := range ids {
		if b := backend(build.Device{ID: id}); !slices.Contains(backends, b) {
			backends = append(backends, b)
		}
		software = software || slices.ContainsFunc(g.Devices, func(d build.Device) bool { return d.ID == id && d.Software })
		integrated = integrated || slices.Contains(g.Integrated, id)
	}
	s.have("backends", backends)
	s.say("softwareDevices", yesNo(software))
	s.say("integratedDevices", yesNo(integrated))
}

// among says whether a subject is one of some texts; of a list, whether any is.
func (s subject) among(texts []string) bool {
	switch s.kind {
	case aNumber:
		return slices.Contains(texts, strconv.Itoa(s.number))
	case aList:
		return slices.ContainsFunc(s.list, func(text string) bool { return slices.Contains(texts, text) })
	}
	return slices.Contains(texts, s.text)
}

func (s subject) equal(other subject) bool {
	return s.kind == other.kind && s.text == other.text && s.number == other.number && slices.Equal(s.list, other.list)
}

// data are the known subjects by name, for sentences.
func (s subjects) data() map[string]any {
	data := make(map[string]any, len(s)+4)
	for i, value := range s {
		switch value.kind {
		case aText:
			data[subjectNames[i]] = value.text
		case aNumber:
			data[subjectNames[i]] = value.number
		case aList:
			data[subjectNames[i]] = value.list
		}
	}
	return data
}
