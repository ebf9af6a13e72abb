package budget

import (
	"bufio"
	"io"
	"regexp"
	"strconv"
	"strings"
)

// Actual is the source of numbers that a running engine reported.
const Actual = "actual"

var (
	// "load_tensors:   CPU_Mapped model buffer size =   821.98 MiB"
	// "llama_kv_cache:    Vulkan0 KV buffer size =   512.00 MiB"
	bufferLine = regexp.MustCompile(`(\w+): +(\S+) +(model|KV|RS|compute|output) buffer size = +([\d.]+) MiB`)
	// "using device RPC1 (127.0.0.1:50872) (unknown id) - 24105 MiB free"
	usingLine = regexp.MustCompile(`using device (\S+) \(([^)]*)\)`)
	// One for the model, one for a draft.
	contextLine = regexp.MustCompile(`llama_context: constructing llama_context`)
)

// A logReader takes in an engine's log.
type logReader struct {
	contexts int               // that were made so far
	memory   Memory            // all but compute buffers
	compute  []computeBuffer   // the newest of each context and buffer
	together bool              // a buffer was of all devices
	devices  map[string]string // ids by name: addresses of devices reached over the network
}

// A computeBuffer is one buffer of one context. It may be made again, larger or
// smaller, and replaces the one before.
type computeBuffer struct {
	context int
	buffer  string
	bytes   uint64
}

// FromLog is what a running engine says it allocated, out of its log at level 4
// (-lv 4), as it printed it or as package server keeps it. What a draft takes is
// in the slice of that name. A projector's memory is not in the log; neither is
// what drivers take for themselves. Under tensor split the engine has one buffer
// for all devices together, which says nothing of any: then there are no pools.
func FromLog(log io.Reader) (Memory, error) {
	r := logReader{memory: Memory{Source: Actual, Pools: []PoolNeed{}}, devices: map[string]string{}}
	lines := bufio.NewScanner(log)
	lines.Buffer(nil, 4<<20)
	for lines.Scan() {
		r.line(lines.Text())
	}
	if err := lines.Err(); err != nil {
		return Memory{}, err
	}
	if r.together {
		return Memory{Source: Actual, Pools: []PoolNeed{}}, nil
	}
	for _, b := range r.compute {
		r.add(b.context, b.buffer, Compute, b.bytes)
	}
	m := r.memory
	for i := range m.Pools {
		m.Pools[i].NeededBytes = m.Pools[i].Slices.Total()
	}
	return m, nil
}

func (r *logReader) line(text string) {
	if contextLine.MatchString(text) {
		r.contexts++
		return
	}
	if found := usingLine.FindStringSubmatch(text); found != nil {
		r.devices[found[2]] = found[1]
		return
	}
	found := bufferLine.FindStringSubmatch(text)
	if found == nil {
		return
	}
	mibs, err := strconv.ParseFloat(found[4], 64)
	if err != nil || mibs > 1<<30 {
		return
	}
	buffer, bytes := found[2], uint64(mibs*mib)
	r.together = r.together || ofAllDevices(buffer)
	context := max(r.contexts-1, 0)
	switch found[3] {
	case "model":
		// A draft's weights are loaded after the model's context was made.
		r.add(r.contexts, buffer, Weights, bytes)
	case "KV":
		r.add(context, buffer, KV, bytes)
	case "RS":
		r.add(context, buffer, Recurrent, bytes)
	case "output":
		r.add(context, buffer, Compute, bytes)
	case "compute":
		for i := range r.compute {
			if b := &r.compute[i]; b.context == context && b.buffer == buffer {
				b.bytes = bytes
				return
			}
		}
		r.compute = append(r.compute, computeBuffer{context, buffer, bytes})
	}
}

func (r *logReader) add(context int, buffer, slice string, bytes uint64) {
	if context > 0 {
		slice = Draft
	}
	r.memory.pool(poolID(r.deviceOf(buffer))).Slices[slice] += bytes
}

// deviceOf is the device of a buffer. Those reached over the network count their
// devices by server, "RPC0[127.0.0.1:50872]": the address tells which one it is.
func (r *logReader) deviceOf(buffer string) string {
	device, rest, found := strings.Cut(buffer, "[")
	if id, known := r.devices[strings.TrimSuffix(rest, "]")]; found && known {
		return id
	}
	return device
}

// Learn compares an estimate with what a running engine really holds in each
// pool, and returns the overheads that would have made the estimate right. held is
// in bytes by device id or RAM, as drivers and the system report it for the
// engine's process; where it says nothing, what the engine allocated counts, and
// the overhead stays as it was.
func Learn(estimate, actual Memory, held map[string]uint64) Overheads {
	learned := Overheads{}
	for _, pool := range estimate.Pools {
		planned := less(pool.NeededBytes, pool.Slices[Overhead], pool.Slices[Host])
		if bytes, known := held[pool.ID]; known {
			learned[pool.ID] = less(bytes, planned)
			continue
		}
		learned[pool.ID] = pool.Slices[Overhead]
		for _, real := range actual.Pools {
			if real.ID == pool.ID {
				learned[pool.ID] += less(real.NeededBytes, planned)
			}
		}
	}
	return learned
}
