package plan_test

import (
	"testing"

	"paddock/engine/build"
	"paddock/engine/gguf/gguftest"
	"paddock/engine/plan"
)

// The proofs of rules/projector.toml, each on the real engine.

func TestEngineNeedsAProjectorFile(t *testing.T) {
	for _, test := range []wrongFile{
		{"a model", gguftest.Draft(t)},
		{"an MTP head", gguftest.MTPHead(t)},
		{"a draft", gguftest.EAGLE3(t)},
		{"an adapter", gguftest.LoRA(t)},
		{"a vocabulary", gguftest.VocabularyOnly(t)},
		{"an importance matrix", gguftest.Imatrix(t)},
	} {
		t.Run(test.name, func(t *testing.T) {
			wantRefused(t, "projector-file", gguftest.Llama(t), plan.Plan{ProjectorPath: test.path}, "failed to load multimodal model", test.path)
		})
	}
}

func TestEngineNeedsAProjectorOfTheModelsWidth(t *testing.T) {
	eyes := gguftest.WideProjector(t)
	wantRefused(t, "projector-width", gguftest.Gemma3(t), plan.Plan{ProjectorPath: eyes}, "mismatch between text model", eyes)
}

func TestEngineNeedsAProjectorOfTheModelsParts(t *testing.T) {
	const wide, width = 256, 128 // four patches of 64, and the model's
	f := generated(t, "mmproj-qwen35")
	f.Set("clip.vision.is_deepstack_layers", []bool{true, false})
	for name, dimensions := range map[string][]uint64{
		"norm.weight": {wide}, "norm.bias": {wide}, "fc1.weight": {wide, wide}, "fc1.bias": {wide}, "fc2.weight": {wide, width}, "fc2.bias": {width},
	} {
		tensor := gguftest.Tensor{Name: "v.deepstack.0." + name, Dimensions: dimensions, Type: gguftest.F32}
		values := uint64(1)
		for _, n := range dimensions {
			values *= n
		}
		tensor.Data = make([]byte, 4*values)
		f.Tensors = append(f.Tensors, tensor)
	}
	eyes := written(t, f, "deepstack")
	wantRefused(t, "projector-parts", gguftest.Qwen35(t), plan.Plan{ProjectorPath: eyes}, "mismatch between text model", eyes)
}

func TestEngineSeesWithTheProjectorOnTheProcessor(t *testing.T) {
	eyes := gguftest.Qwen35Projector(t)
	p, g := complete(t, gguftest.Qwen35(t), twoServers(t, plan.Plan{}), eyes)
	p.Devices = "RPC0"
	g.Devices, g.Integrated = []build.Device{{ID: "RPC0"}, {ID: "RPC1"}}, []string{"RPC0"}
	if v := plan.Check(p, g); !v.Valid() || !has(v.Cautions, "projector-integrated") {
		t.Errorf("refused by %v, cautions %v", ids(v.Refusals), ids(v.Cautions))
	}
	instead, foreseen, ok := plan.Fallback(p, g)
	if !ok || foreseen.Rule != "projector-integrated" || instead.ProjectorDevice != plan.ProjectorCPU || has(plan.Check(instead, g).Cautions, "projector-integrated") {
		t.Fatalf("the fallback is %+v by %s", instead, foreseen.Rule)
	}
	r := started(t, start(t, instead))
	r.answers(t, question{picture: true}, false)
	r.answers(t, question{}, false)
}

// What it sees with such a projector is anything: here only that it is taken.
func TestEngineTakesAProjectorOfAnotherModel(t *testing.T) {
	eyes := gguftest.Qwen35Projector(t)
	p, g := complete(t, gguftest.Gemma3(t), plan.Plan{ProjectorPath: eyes}, eyes)
	if v := plan.Check(p, g); !v.Valid() || has(v.Cautions, "projector-foreign") {
		t.Errorf("paired: refused by %v, cautions %v", ids(v.Refusals), ids(v.Cautions))
	}
	g.Unpaired = []string{eyes}
	if v := plan.Check(p, g); !v.Valid() || !has(v.Cautions, "projector-foreign") {
		t.Errorf("refused by %v, cautions %v", ids(v.Refusals), ids(v.Cautions))
	}
	r := started(t, start(t, p))
	r.answers(t, question{picture: true}, false)
}
