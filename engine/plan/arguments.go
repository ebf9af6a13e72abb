package plan

import (
	"strconv"
	"strings"
)

// PromptCacheMiB caps the host memory the engine may keep earlier prompts in.
// Its own default is 8192 MiB, which no memory bar would show.
const PromptCacheMiB = 1024

// contextCheckpoints are kept per slot, in host memory, for models that can't
// rewind their context (sliding windows, recurrent state). The engine's own
// default of 32 can reach several GiB; the newest ones are the useful ones.
const contextCheckpoints = 4

// Batch sizes in tokens, the engine's defaults.
const (
	batchTokens         = 2048
	physicalBatchTokens = 512
)

// Arguments are the engine's arguments for a complete plan: the model and every
// setting that matters, also where it is the default, because a user's
// environment may have changed the default. Socket, key and logging are added
// by whoever starts the process.
func Arguments(p Plan) []string {
	return append(MemoryArguments(p),
		"--no-kv-unified",
		"--cache-ram", strconv.Itoa(PromptCacheMiB),
		"--ctx-checkpoints", strconv.Itoa(contextCheckpoints),
		"--cache-reuse", "0",
		"--no-context-shift",
		"--spec-type", "none",
	)
}

// MemoryArguments is the part of Arguments that llama-fit-params knows too: what
// decides the memory of weights, KV cache and compute.
func MemoryArguments(p Plan) []string {
	devices, layers := "none", "0"
	if ids := p.DeviceIDs(); len(ids) > 0 {
		devices, layers = strings.Join(ids, ","), p.GPULayers
	}
	return []string{
		"-m", p.ModelPath,
		"-c", strconv.Itoa(p.ContextTokens),
		"-np", strconv.Itoa(p.Slots),
		"-b", strconv.Itoa(batchTokens),
		"-ub", strconv.Itoa(physicalBatchTokens),
		"-dev", devices,
		"-ngl", layers,
		"-sm", p.Split(),
		"-fa", p.FlashAttn,
		"-ctk", p.CacheK,
		"-ctv", p.CacheV,
		"-fit", "off",
	}
}
