package cli

import (
	"slices"
	"strings"
	"text/tabwriter"

	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/words"
)

// How wide the columns are at most, in letters: with the path, which stays whole
// to be copied, at the end of a line, the others fit a terminal of 120.
const (
	nameMost = 28
	wordMost = 12 // architecture, quantisation
	canMost  = 28
)

// printModels writes a table. What works beside a model, and not alone, stands
// under it, or where it works beside many by itself after them.
func (s *session) printModels(models []library.Model, pairs map[string]library.Companions) {
	if len(models) == 0 {
		s.print("%s\n", words.T("cli.models.none"))
		return
	}
	table := tabwriter.NewWriter(s.stdout, 0, 0, 2, ' ', 0)
	line := func(cells ...string) {
		for i, cell := range cells {
			cells[i] = gguf.Printable(cell)
		}
		// A terminal that has gone away is nobody's failure.
		_, _ = table.Write([]byte(strings.Join(cells, "\t") + "\n"))
	}
	line(words.T("cli.models.name"), words.T("cli.models.architecture"), words.T("cli.models.parameters"),
		words.T("cli.models.quantisation"), words.T("cli.models.size"), words.T("cli.models.context"),
		words.T("cli.models.can"), words.T("cli.models.path"))
	add := func(indent, can string, m library.Model) {
		context, parameters, path := "", "", m.Files[0]
		if m.Facts.ContextTokens > 0 {
			context = words.Count(m.Facts.ContextTokens)
		}
		if m.Facts.Parameters > 0 {
			parameters = words.Parameters(m.Facts.Parameters)
		}
		if m.Problem != nil { // a sentence, for which no other column has room
			can, path = "", path+"  "+words.Error(m.Problem).Message
		}
		line(indent+middle(nameOf(m), nameMost-len(indent)), middle(m.Facts.Architecture, wordMost), parameters,
			middle(m.Facts.Quantisation, wordMost), words.GiB(m.SizeBytes), context, middle(can, canMost), path)
	}
	attached, hosts := library.Attached(pairs), hostsOf(pairs)
	for _, m := range models {
		if attached[m.Files[0]] {
			continue
		}
		companions := pairs[m.Files[0]]
		add("", strings.Join(companions.Capabilities(m), ", "), m)
		for _, c := range allOf(companions) {
			if attached[c.Path] && hosts[c.Path] <= library.HostsShown {
				can := append(slices.Clone(c.Model.Capabilities), words.T("models.fits."+string(c.Reason)))
				add("  ", strings.Join(can, ", "), c.Model)
			}
		}
	}
	for _, m := range models {
		if n := hosts[m.Files[0]]; attached[m.Files[0]] && n > library.HostsShown {
			can := append(slices.Clone(m.Capabilities), words.T("models.alone.forMany", map[string]any{"Count": words.Count(n)}))
			add("", strings.Join(can, ", "), m)
		}
	}
	_ = table.Flush()
}

func allOf(c library.Companions) []library.Companion {
	return slices.Concat(c.Projectors, c.MTP, c.Drafts, c.LoRA)
}

// hostsOf counts by path of a companion the models it works beside.
func hostsOf(pairs map[string]library.Companions) map[string]int {
	hosts := map[string]int{}
	for _, c := range pairs {
		for _, companion := range allOf(c) {
			hosts[companion.Path]++
		}
	}
	return hosts
}

// nameOf is what a model is called: by itself, or by the app it is of where its
// file has no name to speak of.
func nameOf(m library.Model) string {
	if m.Facts.Origin.Name == "" && m.Alias != "" {
		return m.Alias
	}
	return m.Facts.Name
}

// middle cuts a long text in its middle: names differ at both ends.
func middle(text string, most int) string {
	runes := []rune(text)
	if len(runes) <= most {
		return text
	}
	head := most / 2
	return string(runes[:head]) + "…" + string(runes[len(runes)-(most-head-1):])
}
