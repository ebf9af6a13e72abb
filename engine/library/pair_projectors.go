package library

import (
	"slices"

	"paddock/engine/gguf"
)

// A seenBy says which models a type of projector speaks to, by architecture.
// Every model of an own architecture has such an encoder. Of the shared ones
// some do, and nothing in an engine tells which: a projector of the right width
// is accepted by any.
type seenBy struct {
	own, shared []string
}

// projectorTypes are the engine's (tools/mtmd/clip-impl.h and the strings of
// b11669) with the models its converter (conversion/*.py) makes them beside.
var projectorTypes = map[string]seenBy{
	"mlp":              {shared: []string{"llama", "qwen2", "phi2", "phi3", "stablelm", "gemma", "command-r", "cohere2"}},
	"ldp":              {shared: []string{"llama"}},
	"ldpv2":            {shared: []string{"llama"}},
	"resampler":        {shared: []string{"llama", "minicpm", "minicpm3", "qwen2", "qwen3"}},
	"adapter":          {shared: []string{"chatglm", "glm4", "llama"}},
	"qwen2vl_merger":   {own: []string{"qwen2vl"}},
	"qwen2.5vl_merger": {own: []string{"qwen2vl"}},
	"qwen3vl_merger":   {own: []string{"qwen3vl", "qwen3vlmoe", "qwen35", "qwen35moe", "qwen4exp"}},
	"step3vl":          {own: []string{"step35"}, shared: []string{"qwen3"}},
	"gemma3":           {own: []string{"gemma3"}},
	"gemma3nv":         {own: []string{"gemma3n"}},
	"gemma3na":         {own: []string{"gemma3n"}},
	"gemma4v":          {own: []string{"gemma4"}},
	"gemma4a":          {own: []string{"gemma4"}},
	"gemma4uv":         {own: []string{"gemma4"}},
	"gemma4ua":         {own: []string{"gemma4"}},
	"phi4":             {shared: []string{"phi3"}},
	"idefics3":         {shared: []string{"llama", "smollm3", "granite", "granitehybrid"}},
	"pixtral":          {own: []string{"mistral3", "mistral4"}, shared: []string{"llama", "deepseek2"}},
	"ultravox":         {shared: []string{"llama", "gemma3", "qwen3", "glm4", "glm4moe"}},
	"internvl":         {shared: []string{"internlm2", "llama", "qwen2", "qwen3", "qwen3moe", "gpt-oss", "phi3"}},
	"llama4":           {own: []string{"llama4"}},
	"qwen2a":           {own: []string{"qwen2vl"}, shared: []string{"qwen2"}},
	"qwen3a":           {own: []string{"qwen3vl", "qwen3vlmoe"}, shared: []string{"qwen3"}},
	"glma":             {shared: []string{"llama"}},
	"voxtral":          {shared: []string{"llama"}},
	"meralion":         {shared: []string{"gemma2"}},
	"musicflamingo":    {shared: []string{"qwen2"}},
	"lfm2":             {shared: []string{"lfm2", "lfm2moe"}},
	"lfm2a":            {shared: []string{"lfm2", "lfm2moe"}},
	"kimivl":           {shared: []string{"deepseek2"}},
	"kimik25":          {own: []string{"kimi-k3"}, shared: []string{"deepseek2"}},
	"paddleocr":        {own: []string{"paddleocr"}, shared: []string{"ernie4_5"}},
	"lightonocr":       {shared: []string{"qwen3"}},
	"cogvlm":           {own: []string{"cogvlm"}},
	"janus_pro":        {shared: []string{"llama"}},
	"dots_ocr":         {shared: []string{"qwen2"}},
	"dots3note_v":      {own: []string{"dots3note"}},
	"dots3note_a":      {own: []string{"dots3note"}},
	"deepseekocr":      {own: []string{"deepseek2-ocr"}},
	"deepseekocr2":     {own: []string{"deepseek2-ocr"}},
	"deepseek4v":       {shared: []string{"deepseek4"}},
	"glm4v":            {shared: []string{"glm4", "glm4moe"}},
	"glm5v":            {own: []string{"glm5-next"}, shared: []string{"glm-dsa"}},
	"youtuvl":          {shared: []string{"deepseek2"}},
	"yasa2":            {shared: []string{"llama", "qwen2", "qwen3"}},
	"nemotron_v2_vl":   {shared: []string{"nemotron_h"}},
	"nemotron_omni":    {shared: []string{"nemotron_h", "nemotron_h_moe"}},
	"parakeet":         {shared: []string{"nemotron_h", "nemotron_h_moe"}},
	"exaone4_5":        {shared: []string{"exaone4"}},
	"hunyuanocr":       {own: []string{"hunyuan_vl"}, shared: []string{"hunyuan-dense"}},
	"hunyuanvl":        {own: []string{"hunyuan_vl"}, shared: []string{"hunyuan-dense", "hunyuan-moe"}},
	"minicpmv4_6":      {shared: []string{"qwen35"}},
	"minicpmv4_7":      {shared: []string{"qwen35"}},
	"granite_speech":   {shared: []string{"granite", "granitehybrid"}},
	"granite4_vision":  {shared: []string{"granite", "granitehybrid"}},
	"mimovl":           {shared: []string{"mimo2"}},
	"mimo_audio":       {shared: []string{"mimo2", "qwen2"}},
	"minimax_m3":       {own: []string{"minimax-m3"}},
	"muse-glimmer":     {own: []string{"muse-glimmer"}},
	"cohere2v":         {shared: []string{"cohere2", "cohere2moe"}},
	"ling3vl":          {shared: []string{"bailingmoe3"}},
}

// projectors pairs projectors. Width and type against architecture decide. For
// architectures that not all models of have an encoder there must be more: the
// same name, a folder with nothing else in it, or a template that speaks of
// pictures.
func (s *shelf) projectors() map[*shelved][]Companion {
	found := map[*shelved][]match{}
	for _, p := range s.companions[gguf.Projector] {
		var fitting []match
		var models []*shelved
		inFolder := 0
		for _, model := range s.byWidth[p.Facts.Projection.Width] {
			if m, fits := projects(p, model); fits {
				fitting, models = append(fitting, m), append(models, model)
				if model.folder == p.folder {
					inFolder++
				}
			}
		}
		for i, m := range fitting {
			if m.sure < alone && m.together && inFolder == s.inFolder[p.folder] {
				m.sure = alone
			}
			if m.sure == unsure {
				continue
			}
			if m.madeFor != "" {
				m.reason = SameFamily
			}
			found[models[i]] = append(found[models[i]], m)
		}
	}
	return bestOf(found)
}

func bestOf(found map[*shelved][]match) map[*shelved][]Companion {
	all := make(map[*shelved][]Companion, len(found))
	for model, matches := range found {
		all[model] = best(matches)
	}
	return all
}

// projects says whether the projector's output is the model's input.
func projects(p, model *shelved) (match, bool) {
	is := p.Facts.Projection
	// The engine compares the width times the parts with the model's embedding
	// length times its deepstack layers and one.
	if is.Width == 0 || is.Width != model.Facts.EmbeddingLength || is.Parts != 1+model.Facts.DeepstackLayers {
		return match{}, false
	}
	if contradict(p.names, model.names) {
		return match{}, false
	}
	known, ownKind := true, true
	for _, kind := range []string{is.Vision, is.Audio} {
		if kind == "" {
			continue
		}
		by, listed := projectorTypes[kind]
		architecture := model.Facts.Architecture
		switch {
		case !listed:
			known = false // newer than this table
		case slices.Contains(by.own, architecture):
		case slices.Contains(by.shared, architecture):
			ownKind = false
		default:
			return match{}, false
		}
	}
	ownKind = known && (ownKind || is.Vision != "" && model.knowsImages())
	m := matched(model, p, ownKind, Fits)
	m.order = precision(p.Facts.Quantisation)
	return m, known || m.sure == sameName
}

// precision orders projectors of one model. An encoder is small and sensitive:
// F16 is exact enough and fast everywhere, BF16 is slow where a device lacks it,
// F32 is twice the memory.
func precision(quantisation string) int {
	if at := slices.Index([]string{"F16", "BF16", "Q8_0", "F32"}, quantisation); at >= 0 {
		return at
	}
	return 4
}
