package main

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"slices"
	"strings"

	"paddock/engine/gguf"
	"paddock/engine/plan"
)

// A hall is a set of devices.
type hall struct {
	name    string
	devices []string
	rpc     int // RPC servers
	vulkan  int // software Vulkan devices
}

var halls = []hall{
	{name: "CPU"},
	{name: "1 RPC device", devices: []string{"RPC0"}, rpc: 1},
	{name: "2 RPC devices", devices: []string{"RPC0", "RPC1"}, rpc: 2},
	{name: "3 RPC devices", devices: []string{"RPC0", "RPC1", "RPC2"}, rpc: 3},
	{name: "1 Vulkan device", devices: []string{"Vulkan0"}, vulkan: 1},
	{name: "2 Vulkan devices", devices: []string{"Vulkan0", "Vulkan1"}, vulkan: 2},
}

// A cell is one plan on one set of devices. Its plan is complete.
type cell struct {
	hall  hall
	model string // name of the generated model
	what  string // the options chosen, beside what Complete chooses
	plan  plan.Plan
	given plan.Given
}

// key names a cell for good: the same plan has the same key in every run.
func (c cell) key(build string) string {
	args := strings.Join(plan.Arguments(c.plan), " ")
	if c.plan.RPCServers != "" { // their ports differ from run to run
		args = strings.ReplaceAll(args, c.plan.RPCServers, "rpc")
	}
	for _, f := range append(slices.Clone(c.given.Beside), c.given.Model) {
		args = strings.ReplaceAll(args, f.Path, f.Name)
	}
	sum := sha256.Sum256([]byte(build + "\n" + c.hall.name + "\n" + c.model + "\n" + args))
	return hex.EncodeToString(sum[:8])
}

// An option is one choice a user can make.
type option struct {
	group string // of which a plan has one
	name  string
	set   func(*plan.Plan)
}

// hosts are the models that are loaded by themselves, by name.
var hosts = []string{
	"llama", "llama-head80", "gemma3", "gemma4", "qwen35-mtp", "qwen35moe-mtp", "qwen35-mtp-missing",
	"bert", "bert-reranker", "qwen3-embedding",
}

// slowHosts are those that are tried on software Vulkan, one option at a time: there a
// plan takes a hundred times as long.
var slowHosts = []string{"llama"}

// companions are tried with every host: those that are made for it and those
// that are not.
func companionOptions(files []gguf.Facts) []option {
	var list []option
	for _, f := range files {
		name, path := f.Name, f.Path
		switch method := plan.SpecOf(f); {
		case f.Kind == gguf.Projector:
			list = append(list, option{"projector", "projector " + name, func(p *plan.Plan) { p.ProjectorPath = path }})
		case f.Kind == gguf.LoRA:
			list = append(list, option{"lora", "LoRA " + name, func(p *plan.Plan) { p.LoRAPath = path }})
		case method != plan.NoSpec:
			list = append(list, option{"speculation", method + " with " + name, func(p *plan.Plan) { p.SpecTypes, p.DraftPath = method, path }})
			list = append(list, option{"speculation", "ngram-mod with " + name, func(p *plan.Plan) { p.SpecTypes, p.DraftPath = "ngram-mod", path }})
		}
	}
	return list
}

// planOptions are the settings that have nothing to do with files.
func planOptions(h hall) []option {
	var list []option
	add := func(group, name string, set func(*plan.Plan)) { list = append(list, option{group, name, set}) }
	for _, purpose := range plan.Purposes() {
		add("purpose", purpose, func(p *plan.Plan) { p.Purpose = purpose })
	}
	for _, pair := range [][2]string{
		{"q8_0", "q8_0"}, {"q4_0", "q4_0"}, {"q5_1", "q5_1"}, {"iq4_nl", "iq4_nl"}, {"bf16", "bf16"}, {"f32", "f32"},
		{"q8_0", "f16"}, {"f16", "q8_0"}, {"q8_0", "q4_0"},
	} {
		add("cache", "cache "+pair[0]+"/"+pair[1], func(p *plan.Plan) { p.CacheK, p.CacheV = pair[0], pair[1] })
	}
	for _, mode := range []string{"on", "off"} {
		add("flash", "flash attention "+mode, func(p *plan.Plan) { p.FlashAttn = mode })
	}
	for _, methods := range []string{"draft-mtp", "draft-mtp,ngram-mod", "ngram-simple", "ngram-map-k", "ngram-map-k4v", "ngram-mod", "ngram-mod,ngram-simple"} {
		add("speculation", methods, func(p *plan.Plan) { p.SpecTypes = methods })
	}
	for _, n := range []int{1, 8} {
		add("draft tokens", fmt.Sprintf("%d drafted", n), func(p *plan.Plan) { p.DraftMax = n })
	}
	add("draft cache", "draft cache q8_0/q8_0", func(p *plan.Plan) { p.DraftCacheK, p.DraftCacheV = "q8_0", "q8_0" })
	for _, n := range []int{2, 4} {
		add("slots", fmt.Sprintf("%d slots", n), func(p *plan.Plan) { p.Slots, p.ContextTokens = n, n*512 })
	}
	add("unified", "one cache for all slots", func(p *plan.Plan) { p.KVUnified = true })
	add("shift", "context shift", func(p *plan.Plan) { p.ContextShift = true; p.ContextTokens = 256 })
	add("reuse", "cache reuse", func(p *plan.Plan) { p.CacheReuseTokens = 16 })
	for _, pooling := range []string{"mean", "cls", "last", "rank"} {
		add("pooling", "pooling "+pooling, func(p *plan.Plan) { p.Pooling = pooling })
	}
	add("batch", "batches of 128", func(p *plan.Plan) { p.BatchTokens, p.PhysicalBatchTokens = 128, 128 })
	if len(h.devices) == 0 {
		return list
	}
	for _, split := range plan.SplitModes() {
		add("split", "split "+split, func(p *plan.Plan) { p.SplitMode = split })
	}
	for _, n := range []string{"0", "2"} {
		add("layers", n+" layers on devices", func(p *plan.Plan) { p.GPULayers = n })
	}
	add("projector device", "projector on the CPU", func(p *plan.Plan) { p.ProjectorDevice = plan.ProjectorCPU })
	return list
}

// cells are every option by itself on every model and set of devices, and then so
// many combinations of two and three, the same in every run.
func cells(models map[string]gguf.Facts, h hall, combined int) []cell {
	var all []cell
	tried := hosts
	if h.vulkan > 0 {
		tried, combined = slowHosts, 0
	}
	for _, host := range tried {
		var beside []gguf.Facts
		for name, f := range models {
			if name != host && f.Kind != gguf.Part {
				beside = append(beside, f)
			}
		}
		slices.SortFunc(beside, func(a, b gguf.Facts) int { return cmp.Compare(a.Path, b.Path) })
		options := append(planOptions(h), companionOptions(beside)...)
		given := plan.Given{Model: models[host], Beside: beside}
		for _, id := range h.devices {
			given.Devices = append(given.Devices, device(id))
		}
		seen := map[string]bool{}
		keep := func(c cell) {
			if key := c.key(""); !seen[key] {
				seen[key] = true
				all = append(all, c)
			}
		}
		add := func(chosen ...option) {
			c := newCell(h, host, given, chosen)
			keep(c.plain())
			keep(c)
		}
		add()
		for _, o := range options {
			add(o)
		}
		for _, chosen := range combinations(options, h.name+host, combined) {
			add(chosen...)
		}
	}
	return all
}

// newCell is the plan with options chosen. It is complete, but for files the
// user would have to choose: nothing is chosen beside what was asked for.
func newCell(h hall, host string, given plan.Given, chosen []option) cell {
	p := plan.Plan{ContextTokens: 512, Devices: plan.CPU, ProjectorPath: plan.NoProjector}
	if len(h.devices) > 0 {
		p.Devices = strings.Join(h.devices, ",")
	}
	if h.rpc > 0 {
		p.RPCServers = rpcPlaceholder
	}
	var names []string
	for _, o := range chosen {
		o.set(&p)
		names = append(names, o.name)
	}
	p, _ = plan.Complete(p, given)
	return cell{hall: h, model: host, what: strings.Join(names, ", "), plan: p, given: given}
}

// plain is the cell without speculation, whose answer must be the same.
func (c cell) plain() cell {
	if len(c.plan.SpecMethods()) == 0 {
		return c
	}
	c.what += ", without speculation"
	c.plan = c.plan.WithoutSpec()
	return c
}

// rpcPlaceholder stands for the addresses of RPC servers until they run.
const rpcPlaceholder = "127.0.0.1:1"

// combinations are so many sets of two or three options of different groups. They
// are picked by the hash of their names, so that they are the same in every run
// and more of them hold the fewer.
func combinations(options []option, salt string, count int) [][]option {
	type ranked struct {
		rank   string
		chosen []option
	}
	var all []ranked
	add := func(chosen ...option) {
		names := salt
		for _, o := range chosen {
			names += "\n" + o.name
		}
		sum := sha256.Sum256([]byte(names))
		all = append(all, ranked{hex.EncodeToString(sum[:8]), chosen})
	}
	for i, a := range options {
		for j, b := range options[:i] {
			if a.group == b.group {
				continue
			}
			add(b, a)
			// A third for every seventh pair: the more there are, the less each tells.
			if (i+j)%7 == 0 {
				c := options[(i*31+j*17)%len(options)]
				if c.group != a.group && c.group != b.group {
					add(b, a, c)
				}
			}
		}
	}
	slices.SortFunc(all, func(a, b ranked) int { return cmp.Compare(a.rank, b.rank) })
	var picked [][]option
	for _, r := range all[:min(count, len(all))] {
		picked = append(picked, r.chosen)
	}
	return picked
}
