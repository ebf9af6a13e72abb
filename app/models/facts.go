package models

import (
	"fmt"
	"path/filepath"
	"slices"
	"strconv"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	fynetheme "fyne.io/fyne/v2/theme"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/gguf"
	"paddock/engine/library"
	"paddock/words"
)

// monoSize is the size of mono text in the pane.
const monoSize = fynetheme.SizeNameCaptionText

// factsPage says what the header does, what works beside the file, and in short
// what the other pages do.
func (d *detail) factsPage() fyne.CanvasObject {
	page := widgets.VGap(4)
	for _, f := range facts(d.row) {
		value := widgets.Paragraph(widgets.Body, f.value)
		if f.good {
			value.Colour(theme.OK)
		}
		page.Add(factLine(f.label, value))
	}
	if len(d.row.Works) > 0 {
		page.Add(widgets.Inset(0, 8, 0, 0, d.worksList()))
	}
	if types := d.row.Model.Facts.TensorTypes; len(types) > 0 {
		page.Add(widgets.Inset(0, 8, 0, 0, widgets.VGap(6, tensorBar(types), tensorLegend(types))))
	}
	page.Add(widgets.Inset(0, 8, 0, 0, widgets.Text(widgets.Quiet, words.T("models.files.title"))))
	for _, path := range d.row.Model.Files {
		page.Add(widgets.Text(widgets.Mono, words.Path(path)).EllipsisAhead())
	}
	if keys := d.row.Model.Facts.Metadata; len(keys) > 0 {
		page.Add(widgets.Inset(0, 8, 0, 0, d.header(keys)))
	}
	return page
}

// worksShown is how many files that work together with this one are named.
const worksShown = 12

// worksList names the files that work beside the row's, or those it works beside.
func (d *detail) worksList() fyne.CanvasObject {
	title := "models.works"
	if d.row.Companion {
		title = "models.worksBeside"
	}
	list := widgets.VGap(6, widgets.Text(widgets.Quiet, words.T(title)))
	works := d.row.Works
	for _, w := range works[:min(len(works), worksShown)] {
		show := widgets.NewRowButton("", theme.IconChevronRight, widgets.Plain, func() { d.hooks.choose(w.Path) })
		show.Label(words.T("models.works.show", map[string]any{"Name": clip(w.Name, 60)}))
		line := widgets.HGap(8, widgets.Grow(widgets.VGap(0,
			widgets.Text(widgets.Body, w.Name).Ellipsis(),
			widgets.Text(widgets.Hint, strings.Trim(w.Quantisation+" · "+w.Reason, " ·")).Ellipsis(),
		)), widgets.NewBadge(badge(w.Kind)), show)
		list.Add(line)
	}
	if more := len(works) - worksShown; more > 0 {
		list.Add(widgets.Text(widgets.Hint, words.T("models.works.more", map[string]any{"Count": words.Count(more)})))
	}
	return list
}

// keysShown is how many keys of a header are listed. Ordinary ones have fewer
// than a hundred.
const keysShown = 200

// header is all of the file's header but its tensors, once that is asked for.
func (d *detail) header(keys []gguf.Entry) fyne.CanvasObject {
	text := words.T("models.keys.show", map[string]any{"Count": words.Count(len(keys))})
	if d.keys {
		text = words.T("models.keys.hide")
	}
	toggle := widgets.NewSmallButton(text, "", widgets.Edged, func() {
		d.keys = !d.keys
		d.fillPage()
	})
	if !d.keys {
		return container.New(&flow{}, toggle)
	}
	copyAll := widgets.NewSmallButton(words.T("models.keys.copy"), theme.IconCopy, widgets.Edged, nil)
	copyAll.SetTapped(func() {
		var all strings.Builder
		for _, k := range keys {
			fmt.Fprintf(&all, "%s = %s\n", k.Key, k.Value)
		}
		d.hooks.copy(all.String())
		copyAll.SetText(words.T("models.copied"))
	})
	list := widgets.VGap(6, container.New(&flow{gap: 8}, toggle, copyAll))
	for _, k := range keys[:min(len(keys), keysShown)] {
		list.Add(widgets.VGap(0,
			widgets.Paragraph(widgets.Hint, gguf.Printable(clip(k.Key, 120))),
			widgets.Paragraph(widgets.Body, gguf.Printable(clip(k.Value, 200))),
		))
	}
	if len(keys) > keysShown {
		list.Add(widgets.NewReason(widgets.Info, words.T("models.keys.cut", map[string]any{"Count": words.Count(keysShown)})))
	}
	return list
}

// A fact is a line of the facts page.
type fact struct {
	label, value string
	good         bool
}

// facts are the lines of the facts page; what a file does not say has none.
func facts(r Row) []fact {
	f := r.Model.Facts
	var list []fact
	add := func(key, value string) {
		if value != "" {
			list = append(list, fact{label: words.T("models.fact." + key), value: value})
		}
	}
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return words.Count(n)
	}
	add("architecture", architectureFact(f))
	add("parameters", parametersFact(f))
	add("experts", expertsFact(f))
	add("attention", attentionFact(f))
	add("heads", headsFact(f))
	add("embedding", number(f.EmbeddingLength))
	switch {
	case f.ContextTokens > 0:
		add("context", words.Count(f.ContextTokens))
	case f.Kind == gguf.Model:
		add("context", words.T("models.fact.contextUnknown"))
	}
	add("mtp", mtpFact(r))
	add("vocabulary", vocabularyFact(f.Vocabulary))
	add("pooling", gguf.Printable(f.Pooling))
	if f.ChatTemplate != "" || slices.Contains(r.Badges, library.Chat) {
		add("template", templateFact(f))
		list[len(list)-1].good = len(f.TemplateKnows) > 0
	}
	add("licence", gguf.Printable(clip(f.Licence, 60)))
	add("alias", gguf.Printable(clip(r.Model.Alias, 80)))
	if f.Version > 0 {
		add("version", strconv.Itoa(int(f.Version)))
	}
	return list
}

func architectureFact(f gguf.Facts) string {
	data := map[string]any{"Architecture": gguf.Printable(f.Architecture), "Layers": f.Layers - f.NextNLayers, "MTP": f.NextNLayers}
	switch {
	case f.Layers == 0 || f.Architecture == "":
		return gguf.Printable(f.Architecture)
	case f.NextNLayers > 0 && f.NextNLayers < f.Layers:
		return words.T("models.fact.layersMTP", data)
	}
	data["Layers"] = f.Layers
	return words.T("models.fact.layers", data)
}

func parametersFact(f gguf.Facts) string {
	switch {
	case f.Parameters == 0:
		return ""
	case f.Experts == 0 || f.ActiveParameters == 0 || f.ActiveParameters >= f.Parameters:
		return words.Parameters(f.Parameters)
	}
	return words.T("models.fact.active", map[string]any{
		"All": words.Parameters(f.Parameters), "Active": words.Parameters(f.ActiveParameters),
	})
}

func expertsFact(f gguf.Facts) string {
	if f.Experts == 0 {
		return ""
	}
	data := map[string]any{"Experts": f.Experts, "Used": f.ExpertsUsed, "Shared": headerCount(f, "expert_shared_count")}
	if data["Shared"] != 0 {
		return words.T("models.fact.expertsShared", data)
	}
	return words.T("models.fact.expertsUsed", data)
}

// attentionFact says how layers look back, where that is not the ordinary way in
// all of them.
func attentionFact(f gguf.Facts) string {
	layers := f.Layers - f.NextNLayers
	none := 0 // layers without attention
	for _, n := range f.KVHeads {
		if len(f.KVHeads) > 1 && n == 0 {
			none++
		}
	}
	if every := headerCount(f, "full_attention_interval"); every > 1 && none == 0 {
		none = layers - layers/every
	}
	window := headerCount(f, "attention.sliding_window")
	switch {
	case none > 0 && none < layers:
		return words.T("models.fact.attentionHybrid", map[string]any{"Full": layers - none, "Recurrent": none})
	case len(f.Heads) == 0 && headerCount(f, "ssm.state_size") > 0:
		return words.T("models.fact.attentionNone")
	case window > 0:
		return words.T("models.fact.attentionWindow", map[string]any{"Tokens": words.Count(window)})
	}
	return ""
}

// headerCount is a number of the header under the architecture's name, 0 when it
// has none.
func headerCount(f gguf.Facts, key string) int {
	key = f.Architecture + "." + key
	at := slices.IndexFunc(f.Metadata, func(e gguf.Entry) bool { return e.Key == key })
	if at < 0 {
		return 0
	}
	n, err := strconv.Atoi(f.Metadata[at].Value)
	if err != nil || n < 0 {
		return 0 // an array, or no number
	}
	return n
}

// headsFact reads the heads of all layers: the first layer alone may have none.
func headsFact(f gguf.Facts) string {
	if len(f.Heads) == 0 {
		return ""
	}
	return words.T("models.fact.headsKV", map[string]any{
		"Heads": perLayer(f.Heads), "KV": perLayer(f.KVHeads), "Size": f.HeadSizeK,
	})
}

// perLayer writes a number per layer as one, or as the least and the most.
// Layers without any are those without attention.
func perLayer(numbers []int) string {
	var some []int
	for _, n := range numbers {
		if n > 0 {
			some = append(some, n)
		}
	}
	if len(some) == 0 {
		return "0"
	}
	least, most := slices.Min(some), slices.Max(some)
	if least == most {
		return strconv.Itoa(most)
	}
	return words.T("models.fact.varies", map[string]any{"Least": least, "Most": most})
}

// mtpFact says where the layers for multi-token prediction are that belong to a
// model.
func mtpFact(r Row) string {
	data := map[string]any{"Layers": r.Model.Facts.NextNLayers}
	if at := slices.IndexFunc(r.Works, func(w Work) bool { return w.Kind == library.MTP }); at >= 0 {
		data["File"] = gguf.Printable(clip(filepath.Base(r.Works[at].Path), 60))
	}
	if r.MTP == library.NoMTP || r.Companion {
		return ""
	}
	return words.T("models.fact.mtp."+string(r.MTP), data)
}

func vocabularyFact(v gguf.Vocab) string {
	if v.Tokens == 0 {
		return ""
	}
	data := map[string]any{"Tokens": words.Count(v.Tokens), "Model": gguf.Printable(v.Model), "Pre": gguf.Printable(v.Pre)}
	if v.Pre == "" {
		return words.T("models.fact.vocabularyOf", data)
	}
	return words.T("models.fact.vocabularyPre", data)
}

// templateFact says what the chat template knows of.
func templateFact(f gguf.Facts) string {
	if f.ChatTemplate == "" {
		return words.T("models.fact.templateNone")
	}
	var known []string
	for _, what := range f.TemplateKnows {
		known = append(known, words.T("models.knows."+what))
	}
	if len(known) == 0 {
		return words.T("models.fact.templateLength", map[string]any{"Characters": words.Count(len([]rune(f.ChatTemplate)))})
	}
	return strings.Join(known, ", ")
}
