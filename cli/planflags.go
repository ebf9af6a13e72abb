package cli

import (
	"fmt"
	"math"
	"slices"
	"strconv"
	"strings"

	"paddock/engine/build"
	"paddock/engine/plan"
)

// planFlags are the settings a plan is made of. What is not given is chosen.
type planFlags struct {
	Context   *int   `placeholder:"TOKENS" help:"${context}"`
	Devices   string `placeholder:"CPU|ID,…" help:"${devices}"`
	GPULayers string `name:"gpu-layers" placeholder:"auto|all|N" help:"${gpuLayers}"`
	CacheK    string `name:"cache-k" enum:",f32,f16,bf16,q8_0,q5_1,q5_0,q4_1,q4_0,iq4_nl" default:"" placeholder:"TYPE" help:"${cacheK}"`
	CacheV    string `name:"cache-v" enum:",f32,f16,bf16,q8_0,q5_1,q5_0,q4_1,q4_0,iq4_nl" default:"" placeholder:"TYPE" help:"${cacheV}"`
	FlashAttn string `name:"flash-attn" enum:",auto,on,off" default:"" placeholder:"auto|on|off" help:"${flashAttn}"`
	Slots     *int   `placeholder:"N" help:"${slots}"`
}

// Validate is called by kong after parsing.
func (f *planFlags) Validate() error {
	for _, n := range []*int{f.Context, f.Slots} {
		if n != nil && (*n < 1 || *n > math.MaxInt32) {
			return fmt.Errorf("--context and --slots are numbers from 1 to %d", math.MaxInt32)
		}
	}
	if f.GPULayers != "" && f.GPULayers != "auto" && f.GPULayers != "all" {
		if n, err := strconv.Atoi(f.GPULayers); err != nil || n < 0 {
			return fmt.Errorf("--gpu-layers is auto, all or a number, not %q", f.GPULayers)
		}
	}
	return nil
}

// plan is what the flags ask for, still to be completed. devices are those of
// the build: naming another one is wrong usage.
func (f *planFlags) plan(devices []build.Device) (plan.Plan, error) {
	p := plan.Plan{
		Devices: f.Devices, GPULayers: f.GPULayers, CacheK: f.CacheK, CacheV: f.CacheV, FlashAttn: f.FlashAttn,
	}
	if f.Context != nil {
		p.ContextTokens = *f.Context
	}
	if f.Slots != nil {
		p.Slots = *f.Slots
	}
	if strings.EqualFold(p.Devices, plan.CPU) {
		p.Devices = plan.CPU
	}
	ids := p.DeviceIDs()
	for i, id := range ids {
		if slices.Contains(ids[:i], id) {
			return p, usageError{fmt.Errorf("device %q is named twice", id)}
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
