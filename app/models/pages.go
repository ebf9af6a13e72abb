package models

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/gguf"
	"paddock/words"
)

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
		d.hooks.copy(template)
		copyAll.SetText(words.T("models.copied"))
	})
	page := widgets.VGap(8,
		factLine(words.T("models.template.knows"), widgets.Paragraph(widgets.Body, templateFact(d.row.Model.Facts))),
		container.New(&flow{}, copyAll),
		codeBox(text),
	)
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
