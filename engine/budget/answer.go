package budget

import (
	"regexp"
	"slices"
	"strconv"
	"strings"
)

// An answer is what the engine says a plan needs.
type answer struct {
	contexts  [][]need // of the model, and of the draft after it
	projector uint64   // bytes
	complete  bool     // there is nothing more to come
}

// A need is one line of a table: what a device is to hold, in bytes.
type need struct {
	device                   string
	weights, context, buffer uint64
}

var (
	// "| memory breakdown [MiB] | total   free    self   model   context   compute    unaccounted |"
	tableHead = regexp.MustCompile(`\| memory breakdown \[MiB\]`)
	// "|   - Vulkan0 (RADV) |  2048 = 2048 + (20722 = 16342 +    2624 +    1756) +      -20722 |"
	// "|   - Host           |                 22559 = 20888 +    1531 +     140                |"
	tableLine = regexp.MustCompile(`\|\s+- (\S+)(?: \(.*\))?\s+\|.*?\(?\s*\d+ =\s*(\d+) \+\s*(\d+) \+\s*(\d+)\)?[^=]*\|`)
	// "[mtmd] estimated worst-case memory usage of mmproj is 851.97 MiB (took 2.03 ms)"
	mmprojLine = regexp.MustCompile(`estimated worst-case memory usage of mmproj is ([\d.]+) MiB`)
	// A line of llama-fit-params: device, model, context and compute in MiB. A
	// device's name may have blanks in other builds, so the numbers are taken from
	// the end.
	fitLine = regexp.MustCompile(`^\s*(\S.*?)\s+(\d+)\s+(\d+)\s+(\d+)\s*$`)
)

// serverLine takes in a line of llama-server's log.
func (a *answer) serverLine(line string) {
	if tableHead.MatchString(line) {
		a.contexts = append(a.contexts, nil)
		return
	}
	if found := mmprojLine.FindStringSubmatch(line); found != nil {
		if size, err := strconv.ParseFloat(found[1], 64); err == nil && size >= 0 && size < 1<<20 {
			a.projector = uint64(size * mib)
		}
		return
	}
	if len(a.contexts) > 0 {
		if found := tableLine.FindStringSubmatch(line); found != nil {
			last := len(a.contexts) - 1
			a.contexts[last] = append(a.contexts[last], newNeed(found))
		}
		a.complete = a.complete || strings.Contains(line, "projected to use") || strings.Contains(line, "projected memory use")
	}
}

// toolLine takes in a line of llama-fit-params.
func (a *answer) toolLine(line string) {
	if found := fitLine.FindStringSubmatch(line); found != nil {
		if len(a.contexts) == 0 {
			a.contexts = append(a.contexts, nil)
		}
		a.contexts[0] = append(a.contexts[0], newNeed(found))
	}
}

// newNeed reads name, weights, context and compute in MiB. What no machine has
// counts as nothing.
func newNeed(found []string) need {
	bytes := func(text string) uint64 {
		n, err := strconv.ParseUint(text, 10, 40)
		if err != nil {
			return 0
		}
		return n * mib
	}
	return need{found[1], bytes(found[2]), bytes(found[3]), bytes(found[4])}
}

// memory puts an answer into pools and slices, and adds what the engine does not
// say: what it keeps of earlier prompts, its overhead, and a draft it could not
// measure. It makes no context of an MTP assistant for its fitting, because there
// is no target whose cache it could read, and says nothing of it.
func (a answer) memory(r Request) Memory {
	m := Memory{Source: Measured, Pools: []PoolNeed{}}
	for _, id := range r.Plan.DeviceIDs() {
		m.pool(id)
	}
	e := newEstimate(r)
	for i, context := range a.contexts {
		for _, n := range context {
			pool := m.pool(poolID(n.device))
			switch {
			case i == 0:
				pool.Slices[Weights] += n.weights
				pool.Slices[KV] += n.context
				pool.Slices[Compute] += n.buffer
			case r.Plan.DraftPath == "": // the model's own layers: its weights are counted
				pool.Slices[Draft] += n.context + n.buffer
			default:
				pool.Slices[Draft] += n.weights + n.context + n.buffer
			}
		}
	}
	if a.projector > 0 {
		m.pool(e.poolID(e.projectorAt())).Slices[Projector] += a.projector
	}
	e.weights(r.Model, e.target, Weights)
	e.caches(e.target)
	e.host()
	if len(a.contexts) == 1 { // else the engine measured the draft
		e.speculation()
	}
	for i, known := range e.slices {
		pool := m.pool(e.poolID(i))
		states := min(known[Recurrent], pool.Slices[KV])
		pool.Slices[KV] -= states
		pool.Slices[Recurrent] += states
		pool.Slices[Host] += known[Host]
		pool.Slices[Overhead] += known[Overhead]
		pool.Slices[Draft] += known[Draft]
		pool.LargestBytes = e.largest[i]
	}
	m.pool(RAM).countOnce(e)
	for i := range m.Pools {
		m.Pools[i].NeededBytes = m.Pools[i].Slices.Total()
	}
	return m
}

// countOnce takes off embeddings that serve as output matrix too and are counted
// twice: in RAM both are the same pages of the file.
func (p *PoolNeed) countOnce(e *estimate) {
	n := e.Model.Network
	matrix, has := n.Input.Find("token_embd.weight")
	if !has || !n.TiedOutput || e.holds(e.target.place.output, matrix) {
		return
	}
	const slack = 4 * mib // every line of the table is rounded down
	if matrix.Bytes > slack && p.Slices[Weights]+slack > e.slices[e.ram()][Weights]+matrix.Bytes {
		p.Slices[Weights] -= matrix.Bytes
	}
}

// ofAllDevices says whether the engine means all its devices together, as it does
// under tensor split: "Meta()".
func ofAllDevices(device string) bool { return strings.HasPrefix(device, "Meta(") }

// poolID is where the memory of one of the engine's buffers is. "Host" is memory
// for the devices to reach, in RAM like the processor's own.
func poolID(device string) string {
	if device == "Host" || strings.HasPrefix(device, "CPU") || strings.HasSuffix(device, "_Host") {
		return RAM
	}
	return device
}

// pool is the pool of an id, added when it is not there yet; RAM stays the last.
func (m *Memory) pool(id string) *PoolNeed {
	i := slices.IndexFunc(m.Pools, func(p PoolNeed) bool { return p.ID == id })
	if i < 0 {
		i = len(m.Pools)
		if id != RAM && i > 0 && m.Pools[i-1].ID == RAM {
			i--
		}
		m.Pools = slices.Insert(m.Pools, i, PoolNeed{ID: id, Slices: noSlices()})
	}
	return &m.Pools[i]
}
