package embeddings

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/gguf"
	"paddock/words"
)

// A previewPane shows the first chunks of a file as they will be.
type previewPane struct {
	tab *Tab
	box *fyne.Container

	title      *widgets.TextLabel
	about      *widgets.ParagraphText
	problem    *widgets.Reason
	head       fyne.CanvasObject
	framed     fyne.CanvasObject
	text       *widgets.ParagraphText
	back, next *widgets.Button
	fits       *upTo
	scroll     *container.Scroll
	inside     fyne.CanvasObject
}

// previewMost and previewLeast are the heights of a chunk's text, in a tall window
// and in a short one; more of it scrolls.
const previewMost, previewLeast = 96, 40

func newPreviewPane(t *Tab) *previewPane {
	p := &previewPane{tab: t}
	p.title = widgets.Text(widgets.Bold, "")
	p.about = widgets.Paragraph(widgets.Quiet, "")
	p.text = widgets.Paragraph(widgets.Mono, "")
	p.back = widgets.NewRowButton("", theme.IconChevronLeft, widgets.Plain, func() { t.StepPreview(-1) }).Label(words.T("embeddings.preview.back"))
	p.next = widgets.NewRowButton("", theme.IconChevronRight, widgets.Plain, func() { t.StepPreview(1) }).Label(words.T("embeddings.preview.next"))
	p.inside = widgets.Inset(10, 6, 10, 6, p.text)
	p.fits = &upTo{inside: p.inside, most: previewMost, whole: true}
	p.scroll = container.NewVScroll(p.inside)
	p.problem = widgets.NewReason(widgets.Bad, "")
	p.head = widgets.HGapTop(8, p.title, widgets.Grow(p.about), p.back, p.next)
	p.framed = widgets.Stack(widgets.NewFill(theme.Raised, theme.Separator, theme.RadiusControl), container.New(p.fits, p.scroll))
	p.box = widgets.VGap(0, widgets.Line(), widgets.Inset(16, 8, 16, 10, widgets.VGap(6, p.problem, p.head, p.framed)))
	return p
}

// columnRunes is how much is said of the columns that are left out.
const columnRunes = 60

func (p *previewPane) show(s State) {
	v := s.Preview
	// A run has said of a file by itself why it can't be read.
	problem := v.Problem
	if s.At >= 0 && len(s.Rows[s.At].problems()) > 0 {
		problem = ""
	}
	on := v.Path != "" && (len(v.Chunks) > 0 || v.Making || problem != "")
	widgets.SetShown(p.box, on)
	if !on {
		return
	}
	file := fileName(v.Path)
	p.problem.SetText(problem)
	widgets.SetShown(p.head, problem == "")
	widgets.SetShown(p.framed, problem == "")
	if len(v.Chunks) == 0 {
		p.title.SetText(words.T("embeddings.preview.title"))
		p.about.SetText(words.T("embeddings.preview.making", map[string]any{"File": file}))
		p.text.SetText("")
	} else {
		c := v.Chunks[v.At]
		known := words.Count(len(v.Chunks))
		if v.More {
			known += "+"
		}
		p.title.SetText(words.T("embeddings.preview.chunk", map[string]any{"Number": words.Count(c.Index + 1), "Chunks": known}))
		column, others := "", strings.Join(v.Info.Unread(), ", ")
		if others != "" {
			column = gguf.Printable(v.Info.TextColumn)
		}
		p.about.SetText(words.T("embeddings.preview.about", map[string]any{
			"Place": file + words.Passage(c.Page, c.Row, c.Line), "Tokens": words.Count(c.Tokens), "Most": words.Count(s.Limit),
			"Column": column, "Others": shortened(gguf.Printable(others), columnRunes),
		}))
		text := gguf.Printable(passage(s.Choices.Settings.Prefix + c.Text))
		if p.text.String() != text {
			p.text.SetText(text)
			p.scroll.ScrollToTop()
		}
	}
	p.back.SetEnabled(v.At > 0)
	p.next.SetEnabled(v.At+1 < len(v.Chunks))
}
