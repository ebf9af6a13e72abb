package plan

import (
	"strconv"
	"strings"
)

// PromptCacheMiB caps the host memory the engine may keep earlier prompts in.
// Its own default is 8192 MiB, which no memory bar would show.
const PromptCacheMiB = 1024

// ContextCheckpoints are kept per slot, in host memory, for models that can't
// rewind their context (sliding windows, recurrent state). The engine's own
// default of 32 can reach several GiB; the newest ones are the useful ones.
const ContextCheckpoints = 4

// Sizes in tokens, the engine's defaults.
const (
	batchTokens         = 2048
	physicalBatchTokens = 512
	draftTokens         = 3
)

// Arguments are the engine's arguments for a complete plan: the model and every
// setting that matters, also where it is the default, because a user's
// environment may have changed the default. Socket, key and logging are added
// by whoever starts the process.
func Arguments(p Plan) []string {
	args := append(MemoryArguments(p), unified(p),
		"--cache-ram", strconv.FormatUint(p.PromptCacheBytes()>>20, 10),
		"--ctx-checkpoints", strconv.Itoa(ContextCheckpoints),
		"--cache-reuse", strconv.Itoa(p.CacheReuseTokens),
		contextShift(p),
	)
	args = append(args, purpose(p)...)
	args = append(args, speculation(p)...)
	if p.LoRAPath != "" {
		args = append(args, "--lora", p.LoRAPath)
	}
	return append(args, projector(p)...)
}

func contextShift(p Plan) string {
	if p.ContextShift {
		return "--context-shift"
	}
	return "--no-context-shift"
}

func purpose(p Plan) []string {
	var args []string
	switch p.Purpose {
	case Embeddings:
		args = append(args, "--embeddings")
	case Rerank:
		args = append(args, "--reranking")
	default:
		return nil
	}
	if p.Pooling != "" {
		args = append(args, "--pooling", p.Pooling)
	}
	return args
}

func unified(p Plan) string {
	if p.KVUnified {
		return "--kv-unified"
	}
	return "--no-kv-unified"
}

func speculation(p Plan) []string {
	methods := p.SpecMethods()
	if len(methods) == 0 {
		return []string{"--spec-type", NoSpec}
	}
	args := []string{"--spec-type", strings.Join(methods, ",")}
	if p.Drafts() {
		if p.DraftPath != "" {
			args = append(args, "-md", p.DraftPath)
		}
		args = append(args, "--spec-draft-n-max", strconv.Itoa(p.DraftTokens()),
			"-ctkd", orF16(p.DraftCacheK), "-ctvd", orF16(p.DraftCacheV))
	}
	return args
}

func orF16(cacheType string) string {
	if cacheType == "" {
		return "f16"
	}
	return cacheType
}

func projector(p Plan) []string {
	if p.Projector() == "" {
		return []string{"--no-mmproj"}
	}
	args := []string{"--mmproj", p.Projector()}
	if p.ProjectorDevice == ProjectorCPU || len(p.DeviceIDs()) == 0 {
		return append(args, "--no-mmproj-offload")
	}
	return append(args, "--mmproj-offload")
}

// ProjectorDevices are the values of Plan.ProjectorDevice.
func ProjectorDevices() []string { return []string{ProjectorGPU, ProjectorCPU} }

// Where a projector can be.
const (
	ProjectorCPU = "cpu"
	ProjectorGPU = "gpu"
)

// MemoryArguments is the part of Arguments that llama-fit-params knows too: what
// decides the memory of weights, KV cache and compute.
func MemoryArguments(p Plan) []string {
	devices, layers := "none", "0"
	if ids := p.DeviceIDs(); len(ids) > 0 {
		devices, layers = strings.Join(ids, ","), p.GPULayers
	}
	logical, physical := p.Batch()
	var args []string
	if p.RPCServers != "" {
		args = append(args, "--rpc", p.RPCServers) // before the devices it makes known
	}
	args = append(args,
		"-m", p.ModelPath,
		"-c", strconv.Itoa(p.ContextTokens),
		"-np", strconv.Itoa(p.Slots),
		"-b", strconv.Itoa(logical),
		"-ub", strconv.Itoa(physical),
		"-dev", devices,
		"-ngl", layers,
		"-sm", p.Split(),
		"-fa", p.FlashAttn,
		"-ctk", p.CacheK,
		"-ctv", p.CacheV,
		"-fit", "off",
	)
	if p.TensorSplit != "" {
		args = append(args, "-ts", p.TensorSplit)
	}
	return args
}
