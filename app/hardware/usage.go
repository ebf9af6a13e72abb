package hardware

import (
	"paddock/app/theme"
	"paddock/engine/gguf"
	machine "paddock/hardware"
	"paddock/words"
)

// tellBytes is the least that gets a line of its own: what the numbers shown can
// tell from nothing.
const tellBytes = 1 << 30 / 10

// usage is who holds a pool's memory, as far as it is known: other programs, what
// Paddock runs, and on a card that shares RAM what RAM can't give it now.
func usage(gpu machine.GPU, pool machine.Pool) []Slice {
	if pool.UsedUnknown {
		return nil
	}
	ours := uint64(0)
	for _, p := range gpu.Users {
		if p.Ours {
			ours += p.Bytes()
		}
	}
	ours = min(ours, pool.UsedBytes)
	slices := []Slice{{
		Colour: theme.SliceOther, Bytes: pool.UsedBytes - ours, Text: words.T("hardware.slice.other", gib(pool.UsedBytes-ours)),
	}}
	if ours > 0 {
		slices = append(slices, Slice{Colour: theme.SliceWeights, Bytes: ours, Text: words.T("hardware.slice.ours", gib(ours))})
	}
	free := pool.TotalBytes - pool.UsedBytes
	if held := free - min(free, pool.UsableBytes); held >= tellBytes {
		slices = append(slices, Slice{Colour: theme.SliceShared, Bytes: held, Text: words.T("hardware.slice.heldRAM", gib(held))})
	}
	return slices
}

// shownUsers is how many programs get a line; the rest share one.
const shownUsers = 4

// users are the programs that hold a card's memory, each name once, and what no
// program Paddock may look into accounts for.
func users(gpu machine.GPU, pool machine.Pool, looked bool) []Term {
	if !looked {
		return nil
	}
	var names []string
	held := map[string]uint64{}
	accounted := uint64(0)
	for _, p := range gpu.Users {
		name := gguf.Printable(p.Name)
		switch {
		case p.Ours:
			name = words.T("hardware.user.ours")
		case name == "":
			name = words.T("hardware.user.nameless")
		}
		if held[name] == 0 {
			names = append(names, name)
		}
		held[name] += p.Bytes()
		accounted += p.Bytes()
	}
	var terms []Term
	others, rest := 0, uint64(0)
	for i, name := range names {
		if i >= shownUsers && len(names) > shownUsers+1 {
			others++
			rest += held[name]
			continue
		}
		terms = append(terms, Term{Name: name, GiB: words.GiB(held[name])})
	}
	if others > 0 {
		terms = append(terms, Term{Name: words.T("hardware.user.others", map[string]any{"Count": others}), GiB: words.GiB(rest)})
	}
	if !pool.UsedUnknown && pool.UsedBytes >= accounted+tellBytes {
		terms = append(terms, Term{Name: words.T("hardware.user.system"), GiB: words.GiB(pool.UsedBytes - accounted)})
	}
	if len(terms) == 0 {
		terms = append(terms, Term{Name: words.T("hardware.user.none")})
	}
	return terms
}
