package models

import (
	"fmt"
	"os"
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
	"paddock/words"
)

// monoSize is the size of mono text in the pane.
const monoSize = fynetheme.SizeNameCaptionText

// factsPage says what the header does, and in short what the other pages do.
func (d *detail) factsPage() fyne.CanvasObject {
	page := widgets.VGap(4)
	for _, f := range facts(d.row.Model.Facts) {
		page.Add(factLine(f.label, f.value))
	}
	if types := d.row.Model.Facts.TensorTypes; len(types) > 0 {
		page.Add(widgets.Inset(0, 8, 0, 0, widgets.VGap(6, tensorBar(types), tensorLegend(types))))
	}
	page.Add(widgets.Inset(0, 8, 0, 0, widgets.Text(widgets.Quiet, words.T("models.files.title"))))
	for _, path := range d.row.Model.Files {
		page.Add(widgets.Text(widgets.Mono, words.Path(path)).Ellipsis())
	}
	return page
}

// A fact is a line of the facts page.
type fact struct{ label, value string }

// facts are the lines of the facts page; what a file does not say has none.
func facts(f gguf.Facts) []fact {
	var list []fact
	add := func(key, value string) {
		if value != "" {
			list = append(list, fact{words.T("models.fact." + key), value})
		}
	}
	number := func(n int) string {
		if n == 0 {
			return ""
		}
		return words.Count(n)
	}
	add("architecture", architectureFact(f))
	if f.Parameters > 0 {
		add("parameters", words.Parameters(f.Parameters))
	}
	if f.Experts > 0 {
		add("experts", words.T("models.fact.expertsUsed", map[string]any{"Experts": f.Experts, "Used": f.ExpertsUsed}))
	}
	add("heads", headsFact(f))
	add("embedding", number(f.EmbeddingLength))
	switch {
	case f.ContextTokens > 0:
		add("context", words.Count(f.ContextTokens))
	case f.Kind == gguf.Model:
		add("context", words.T("models.fact.contextUnknown"))
	}
	add("vocabulary", vocabularyFact(f.Vocabulary))
	add("pooling", gguf.Printable(f.Pooling))
	if f.Kind == gguf.Model {
		template := words.T("models.fact.templateNone")
		if f.ChatTemplate != "" {
			template = words.T("models.fact.templateLength", map[string]any{"Characters": words.Count(len([]rune(f.ChatTemplate)))})
		}
		add("template", template)
	}
	add("licence", gguf.Printable(clip(f.Licence, 60)))
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
	case f.NextNLayers > 0:
		return words.T("models.fact.layersMTP", data)
	default:
		return words.T("models.fact.layers", data)
	}
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
func perLayer(numbers []int) string {
	if len(numbers) == 0 {
		return "0"
	}
	least, most := slices.Min(numbers), slices.Max(numbers)
	if least == most {
		return strconv.Itoa(most)
	}
	return words.T("models.fact.varies", map[string]any{"Least": least, "Most": most})
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

// tensorsPage lists the weights by type.
func (d *detail) tensorsPage() fyne.CanvasObject {
	types := d.row.Model.Facts.TensorTypes
	if len(types) == 0 {
		return widgets.Paragraph(widgets.Quiet, words.T("models.tensors.none"))
	}
	page := widgets.VGap(4, tensorBar(types), widgets.Inset(0, 8, 0, 2, tensorLine(widgets.Quiet, "",
		words.T("models.tensors.type"), words.T("models.tensors.count"), words.T("models.tensors.size"), words.T("models.tensors.share"))))
	var bytes uint64
	tensors := 0
	for _, t := range types {
		bytes += t.Bytes
		tensors += t.Tensors
	}
	for i, t := range largestFirst(types) {
		share := fmt.Sprintf("%.1f %%", 100*float64(t.Bytes)/float64(max(bytes, 1)))
		page.Add(tensorLine(widgets.Body, tensorColour(i), gguf.Printable(t.Type), words.Count(t.Tensors), words.GiB(t.Bytes), share))
	}
	page.Add(widgets.Line())
	page.Add(tensorLine(widgets.Bold, "", words.T("models.tensors.total"), words.Count(tensors), words.GiB(bytes), ""))
	return page
}

func tensorLine(role widgets.Role, square fyne.ThemeColorName, kind, count, gib, share string) fyne.CanvasObject {
	number := func(text string) fyne.CanvasObject {
		return widgets.Fixed(58, 0, widgets.Text(role, text).Align(fyne.TextAlignTrailing))
	}
	return widgets.HGap(8, square10(square), widgets.Grow(widgets.Text(role, kind).Ellipsis()), number(count), number(gib), number(share))
}

// square10 is the square of a legend.
func square10(colour fyne.ThemeColorName) fyne.CanvasObject {
	return widgets.Fixed(10, 10, widgets.NewFill(colour, "", 2))
}

// templatePage shows the chat template.
func (d *detail) templatePage() fyne.CanvasObject {
	template := d.row.Model.Facts.ChatTemplate
	if template == "" {
		return widgets.Paragraph(widgets.Quiet, words.T("models.template.none"))
	}
	text, cut := cutTemplate(template)
	copyAll := widgets.NewSmallButton(words.T("models.template.copy"), theme.IconCopy, widgets.Edged, nil)
	copyAll.SetTapped(func() {
		d.copy(template)
		copyAll.SetText(words.T("models.copied"))
	})
	page := widgets.VGap(8, container.New(&flow{}, copyAll), widgets.Background(theme.Code, monoText(text)))
	if cut > 0 {
		page.Add(widgets.NewReason(widgets.Info, words.T("models.template.cut", map[string]any{"Lines": words.Count(cut)})))
	}
	return page
}

// How much of a template is shown: drawing text takes time by the line and by
// the character, and nobody reads further in a pane.
const (
	templateLines = 300
	templateBytes = 32 << 10
)

// cutTemplate makes a template safe to draw. cut is how many lines are shown when
// that is not all of them, else 0.
func cutTemplate(template string) (text string, cut int) {
	lines := strings.Split(strings.TrimRight(template, "\n"), "\n")
	if len(lines) > templateLines {
		lines, cut = lines[:templateLines], templateLines
	}
	left := templateBytes
	for i, line := range lines {
		if left -= min(len(line), 2000); left < 0 {
			return strings.Join(lines[:i], "\n"), max(i, 1)
		}
		lines[i] = gguf.Printable(clip(strings.ReplaceAll(strings.TrimRight(line, "\r"), "\t", "    "), 2000))
	}
	return strings.Join(lines, "\n"), cut
}

// filesPage lists the files of the row, and those that should be there.
func (d *detail) filesPage() fyne.CanvasObject {
	m := d.row.Model
	page := widgets.VGap(10, widgets.Text(widgets.Quiet, words.T("models.files.title")))
	var sizes []*widgets.TextLabel
	for _, path := range m.Files {
		size := widgets.Text(widgets.Quiet, "").Reserve("999.9 GiB").Align(fyne.TextAlignTrailing)
		sizes = append(sizes, size)
		page.Add(widgets.VGap(0,
			widgets.HGap(4,
				widgets.Grow(widgets.Text(widgets.Mono, gguf.Printable(filepath.Base(path))).Ellipsis()),
				size,
				d.copyButton(words.T("models.files.copy"), path),
			),
			widgets.Paragraph(widgets.Hint, words.Path(filepath.Dir(path))),
		))
	}
	d.showSizes(m.Files, sizes)
	for _, name := range m.Missing {
		page.Add(widgets.NewReason(widgets.Bad, words.T("models.files.missing", map[string]any{"File": gguf.Printable(name)})))
	}
	if len(m.Files) > 1 {
		page.Add(factLine(words.T("models.files.total"), words.T("models.gib", map[string]any{"GiB": words.GiB(m.SizeBytes)})))
	}
	if d.row.Source == sourceOpened {
		forget := widgets.NewSmallButton(words.T("models.files.forget"), "", widgets.Edged, func() { d.forget(d.row) })
		page.Add(widgets.VGap(4, container.New(&flow{}, forget), widgets.Text(widgets.Hint, words.T("models.files.forgetNote"))))
	}
	return page
}

// showSizes looks up how large files are now, beside the UI goroutine, and writes
// it into labels. A file that is gone has no size.
func (d *detail) showSizes(paths []string, labels []*widgets.TextLabel) {
	go func() {
		texts := make([]string, len(paths))
		for i, path := range paths {
			if info, err := os.Stat(path); err == nil {
				texts[i] = words.T("models.gib", map[string]any{"GiB": words.GiB(uint64(info.Size()))})
			}
		}
		d.do(func() {
			for i, label := range labels {
				label.SetText(texts[i])
			}
		})
	}()
}
