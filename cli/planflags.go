package cli

import (
	"errors"
	"fmt"
	"math"
	"net"
	"slices"
	"strconv"
	"strings"
	"unicode"

	"paddock/engine/build"
	"paddock/engine/plan"
)

// planFlags are the settings a plan is made of. What is not given, or empty, is
// chosen.
type planFlags struct {
	Purpose         string `enum:",chat,embeddings,rerank" default:"" placeholder:"chat|embeddings|rerank" help:"${purpose}"`
	Context         *int   `placeholder:"TOKENS" help:"${context}"`
	Devices         string `placeholder:"CPU|ID,…" help:"${devices}"`
	Split           string `enum:",none,layer,row,tensor" default:"" placeholder:"none|layer|row|tensor" help:"${split}"`
	TensorSplit     string `name:"tensor-split" placeholder:"3,1" help:"${tensorSplit}"`
	GPULayers       string `name:"gpu-layers" placeholder:"auto|all|N" help:"${gpuLayers}"`
	CacheK          string `name:"cache-k" enum:",f32,f16,bf16,q8_0,q5_1,q5_0,q4_1,q4_0,iq4_nl" default:"" placeholder:"TYPE" help:"${cacheK}"`
	CacheV          string `name:"cache-v" enum:",f32,f16,bf16,q8_0,q5_1,q5_0,q4_1,q4_0,iq4_nl" default:"" placeholder:"TYPE" help:"${cacheV}"`
	FlashAttn       string `name:"flash-attn" enum:",auto,on,off" default:"" placeholder:"auto|on|off" help:"${flashAttn}"`
	Spec            string `placeholder:"none|mtp|draft|…" help:"${spec}"`
	Draft           string `placeholder:"FILE" help:"${draft}"`
	DraftMax        *int   `name:"draft-max" placeholder:"N" help:"${draftMax}"`
	DraftCacheK     string `name:"draft-cache-k" enum:",f32,f16,bf16,q8_0,q5_1,q5_0,q4_1,q4_0,iq4_nl" default:"" placeholder:"TYPE" help:"${draftCacheK}"`
	DraftCacheV     string `name:"draft-cache-v" enum:",f32,f16,bf16,q8_0,q5_1,q5_0,q4_1,q4_0,iq4_nl" default:"" placeholder:"TYPE" help:"${draftCacheV}"`
	Projector       string `placeholder:"FILE|none" help:"${projector}"`
	ProjectorDevice string `name:"projector-device" enum:",gpu,cpu" default:"" placeholder:"gpu|cpu" help:"${projectorDevice}"`
	Slots           *int   `placeholder:"N" help:"${slots}"`
	Pooling         string `enum:",mean,cls,last,rank" default:"" placeholder:"mean|cls|last|rank" help:"${pooling}"`
	ContextShift    bool   `name:"context-shift" negatable:"" help:"${contextShift}"`
	CacheReuse      *int   `name:"cache-reuse" placeholder:"N" help:"${cacheReuse}"`
	PromptCache     string `name:"prompt-cache" placeholder:"MIB|none" help:"${promptCache}"`
	LoRA            string `name:"lora" placeholder:"FILE" help:"${lora}"`
	RPC             string `name:"rpc" placeholder:"HOST:PORT,…" help:"${rpc}"`
	TryAgain        bool   `name:"try-again" help:"${tryAgain}"`
}

// noPromptCache is the value of --prompt-cache that keeps no earlier prompts.
const noPromptCache = "none"

// maxDraft is the most tokens --draft-max takes: no draft is as long as a batch.
const maxDraft = 512

// Validate is called by kong after parsing.
func (f *planFlags) Validate() error {
	for _, flag := range []struct {
		name string
		n    *int
	}{{"--context", f.Context}, {"--slots", f.Slots}} {
		if flag.n != nil && (*flag.n < 1 || *flag.n > math.MaxInt32) {
			return fmt.Errorf("%s is a number from 1 to %d", flag.name, math.MaxInt32)
		}
	}
	if _, err := promptCacheMiB(f.PromptCache); err != nil {
		return err
	}
	if f.GPULayers != "" && f.GPULayers != "auto" && f.GPULayers != "all" {
		if n, err := strconv.Atoi(f.GPULayers); err != nil || n < 0 {
			return fmt.Errorf("--gpu-layers is auto, all or a number, not %q", f.GPULayers)
		}
	}
	if f.DraftMax != nil && (*f.DraftMax < 1 || *f.DraftMax > maxDraft) {
		return fmt.Errorf("--draft-max is a number from 1 to %d", maxDraft)
	}
	if f.CacheReuse != nil && (*f.CacheReuse < 0 || *f.CacheReuse > math.MaxInt32) {
		return fmt.Errorf("--cache-reuse is a number from 0 to %d", math.MaxInt32)
	}
	if _, err := engineSpec(f.Spec); err != nil {
		return err
	}
	if err := validShares(f.TensorSplit); err != nil {
		return err
	}
	return validServers(f.RPC)
}

// promptCacheMiB is the RAM for earlier prompts that --prompt-cache means.
func promptCacheMiB(text string) (int, error) {
	switch text {
	case "":
		return 0, nil
	case noPromptCache:
		return plan.NoPromptCache, nil
	}
	n, err := strconv.Atoi(text)
	if err != nil || n < 1 || n > maxPromptCacheMiB {
		return 0, fmt.Errorf("--prompt-cache is none or a number of MiB from 1 to %d, not %q", maxPromptCacheMiB, text)
	}
	return n, nil
}

// maxPromptCacheMiB is the most that --prompt-cache takes, a TiB.
const maxPromptCacheMiB = 1 << 20

// specName is what --spec calls a way of guessing: the engine's name but for
// "draft-", and "draft" for a smaller model.
func specName(method string) string {
	if method == plan.SpecDraft {
		return "draft"
	}
	return strings.TrimPrefix(method, "draft-")
}

// specNames is specName for several with commas.
func specNames(methods string) string {
	names := strings.Split(methods, ",")
	for i, method := range names {
		names[i] = specName(method)
	}
	return strings.Join(names, ",")
}

// engineSpec is what the engine calls the ways of guessing that --spec names.
func engineSpec(names string) (string, error) {
	if names == "" || names == plan.NoSpec {
		return names, nil
	}
	var methods []string
	for name := range strings.SplitSeq(names, ",") {
		at := slices.IndexFunc(plan.SpecMethods(), func(m string) bool { return specName(m) == name })
		switch {
		case name == plan.NoSpec:
			return "", errors.New("--spec none stands by itself")
		case at < 0:
			return "", fmt.Errorf("--spec is none, or one or more of %s, not %q", specNames(strings.Join(plan.SpecMethods(), ",")), name)
		case slices.Contains(methods, plan.SpecMethods()[at]):
			return "", fmt.Errorf("--spec names %s twice", name)
		}
		methods = append(methods, plan.SpecMethods()[at])
	}
	return strings.Join(methods, ","), nil
}

// validShares says what is wrong with the shares of devices. How many there are
// is for the rules to judge.
func validShares(shares string) error {
	if shares == "" {
		return nil
	}
	sum := 0.0
	for share := range strings.SplitSeq(shares, ",") {
		digits := strings.Trim(share, "0123456789.") == ""
		n, err := strconv.ParseFloat(share, 32)
		if err != nil || !digits {
			return fmt.Errorf("--tensor-split is numbers with commas, such as 3,1, not %q", shares)
		}
		sum += n
	}
	if sum == 0 {
		return errors.New("--tensor-split gives no device a share")
	}
	return nil
}

// validServers says what is wrong with the addresses of other computers.
func validServers(servers string) error {
	if servers == "" {
		return nil
	}
	list := strings.Split(servers, ",")
	for i, server := range list {
		host, port, err := net.SplitHostPort(server)
		n, notNumber := strconv.Atoi(port)
		odd := strings.ContainsFunc(host, func(r rune) bool { return unicode.IsSpace(r) || !unicode.IsPrint(r) || r == '/' })
		switch {
		case err != nil || notNumber != nil || host == "" || odd || n < 1 || n > math.MaxUint16:
			return fmt.Errorf("--rpc is HOST:PORT, not %q", server)
		case slices.Contains(list[:i], server):
			return fmt.Errorf("--rpc names %s twice", server)
		}
	}
	return nil
}

// plan is what the flags ask for, still to be completed. devices are those of
// the build: naming another one is wrong usage.
func (f *planFlags) plan(devices []build.Device) (plan.Plan, error) {
	p := plan.Plan{
		Purpose: f.Purpose, Devices: f.Devices, SplitMode: f.Split, TensorSplit: f.TensorSplit,
		GPULayers: f.GPULayers, CacheK: f.CacheK, CacheV: f.CacheV, FlashAttn: f.FlashAttn,
		DraftPath: f.Draft, DraftCacheK: f.DraftCacheK, DraftCacheV: f.DraftCacheV,
		ProjectorPath: f.Projector, ProjectorDevice: f.ProjectorDevice,
		Pooling: f.Pooling, ContextShift: f.ContextShift, LoRAPath: f.LoRA, RPCServers: f.RPC,
	}
	for _, number := range []struct {
		from *int
		to   *int
	}{
		{f.Context, &p.ContextTokens}, {f.Slots, &p.Slots}, {f.DraftMax, &p.DraftMax}, {f.CacheReuse, &p.CacheReuseTokens},
	} {
		if number.from != nil {
			*number.to = *number.from
		}
	}
	var err error
	if p.SpecTypes, err = engineSpec(f.Spec); err != nil {
		return p, usageError{err}
	}
	if p.PromptCacheMiB, err = promptCacheMiB(f.PromptCache); err != nil {
		return p, usageError{err}
	}
	if strings.EqualFold(p.Devices, plan.CPU) {
		p.Devices = plan.CPU
	}
	ids := p.DeviceIDs()
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return p, usageError{fmt.Errorf("device %q is named twice", id)}
		}
		if strings.EqualFold(id, plan.CPU) {
			return p, usageError{fmt.Errorf("--devices is %s alone, or other devices: %s", plan.CPU, deviceNames(devices))}
		}
		if id == "" {
			return p, usageError{fmt.Errorf("--devices has an empty name, the engine has %s", deviceNames(devices))}
		}
		if !slices.ContainsFunc(devices, func(d build.Device) bool { return d.ID == id }) {
			return p, usageError{fmt.Errorf("the engine has no device %q, it has %s", id, deviceNames(devices))}
		}
	}
	return p, nil
}

func deviceNames(devices []build.Device) string {
	names := []string{plan.CPU}
	for _, d := range devices {
		names = append(names, d.ID)
	}
	return strings.Join(names, ", ")
}
