package hardware

import (
	"slices"
	"strconv"
	"strings"

	"paddock/engine/budget"
	"paddock/engine/build"
	"paddock/engine/gguf"
	machine "paddock/hardware"
	"paddock/words"
)

// matched is the machine with what the builds' lists add to it.
func matched(s machine.Snapshot, seen []Seen) machine.Snapshot {
	for _, one := range seen {
		s = budget.MatchDevices(s, one.Devices)
	}
	return s
}

// devices is the table of what the builds call the machine's cards; s is matched.
// Software that computes on the processor follows, then the processor, which is
// in every build though none lists it.
func devices(s machine.Snapshot, seen []Seen, asking bool) Table {
	t := Table{Asking: asking, Heads: []string{words.T("hardware.device")}}
	if len(seen) == 0 {
		if !asking {
			t.Problem = words.T("hardware.noEngine")
		}
		return t
	}
	for _, one := range seen {
		t.Heads = append(t.Heads, buildHead(one.Build))
	}
	t.Heads = append(t.Heads, words.T("hardware.memory"))

	bare := s
	bare.GPUs = slices.Clone(s.GPUs)
	for i := range bare.GPUs {
		bare.GPUs[i].EngineDevices, bare.GPUs[i].MaybeDevices = nil, nil
	}
	rows := make([][]string, len(s.GPUs))
	for i, gpu := range s.GPUs {
		rows[i] = append(rows[i], gpuName(gpu))
	}
	for _, one := range seen {
		for i, gpu := range budget.MatchDevices(bare, one.Devices).GPUs[:len(rows)] {
			rows[i] = append(rows[i], cell(gpu))
		}
	}
	for i, gpu := range s.GPUs {
		t.Rows = append(t.Rows, append(rows[i], poolText(gpu, s)))
	}
	t.Rows = append(t.Rows, softwareRows(seen)...)
	row := []string{words.T("hardware.processor")}
	for _, one := range seen {
		if one.Err != nil {
			row = append(row, words.T("hardware.noAnswer"))
		} else {
			row = append(row, "CPU")
		}
	}
	t.Rows = append(t.Rows, append(row, words.T("hardware.ram")))
	return t
}

// cell is what one build calls a card.
func cell(gpu machine.GPU) string {
	switch {
	case len(gpu.EngineDevices) > 0:
		return strings.Join(gpu.EngineDevices, ", ")
	case len(gpu.MaybeDevices) > 0:
		return words.T("hardware.devices.maybe", map[string]any{"Devices": strings.Join(gpu.MaybeDevices, ", ")})
	}
	return "–"
}

func poolText(gpu machine.GPU, s machine.Snapshot) string {
	pool, known := s.PoolOf(gpu)
	if !known {
		return words.T("hardware.notKnown")
	}
	return words.T("hardware.onePool", gib(pool.TotalBytes))
}

// softwareRows are devices that are the processor under another name.
func softwareRows(seen []Seen) [][]string {
	var names []string
	rows := map[string][]string{}
	for column, one := range seen {
		for _, d := range one.Devices {
			if !d.Software {
				continue
			}
			if rows[d.Name] == nil {
				names = append(names, d.Name)
				rows[d.Name] = make([]string, len(seen))
			}
			if rows[d.Name][column] != "" {
				rows[d.Name][column] += ", "
			}
			rows[d.Name][column] += d.ID
		}
	}
	var list [][]string
	for _, name := range names {
		row := []string{gguf.Printable(name)}
		for _, id := range rows[name] {
			if id == "" {
				id = "–"
			}
			row = append(row, id)
		}
		list = append(list, append(row, words.T("hardware.software")))
	}
	return list
}

// buildHead names a build in a few words: "b11669 Vulkan, bundled".
func buildHead(b build.Build) string {
	name := "b" + strconv.Itoa(b.Number)
	for _, backend := range b.Backends {
		if backend != "CPU" && backend != "RPC" { // every build has them
			name += " " + gguf.Printable(backend)
		}
	}
	return words.T("hardware.build", map[string]any{"Build": name, "Source": words.T("hardware.source." + string(b.Source))})
}
