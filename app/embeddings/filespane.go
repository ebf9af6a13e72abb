package embeddings

import (
	"fmt"
	"path/filepath"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/embed"
	"paddock/engine/embed/document"
	"paddock/engine/library"
	"paddock/words"
)

// A filesPane is the middle one: what is read, how far it is, and what came of it.
type filesPane struct {
	tab *Tab
	box fyne.CanvasObject

	engine   *fyne.Container // says that there is no engine, and how to get one
	why      *widgets.Reason
	models   *fyne.Container
	shown    []string // the models on offer: how the first is, and their paths
	main     *widgets.Button
	cancel   *widgets.Button
	clear    *widgets.Button
	adding   *fyne.Container
	progress *widgets.Progress
	totals   *widgets.ParagraphText
	totalBox *fyne.Container
	list     *fileList
	head     fyne.CanvasObject
	empty    fyne.CanvasObject
	first    *widgets.Button // adds files, as what to do next
	later    *widgets.Button // the same, while a model is what is wanted first
	problem  *widgets.Reason
	offer    *widgets.Button
	problems *fyne.Container
	detail   *fyne.Container
	details  *fyne.Container
	said     []Note // in details
	fits     *upTo  // their height
	preview  *previewPane
	outputs  *fyne.Container
	wrote    *widgets.TextLabel // how much is in each
	written  *fyne.Container
	holds    *upTo // its height
	rows     []Row
	choosing bool
}

func newFilesPane(t *Tab) *filesPane {
	p := &filesPane{tab: t}
	p.why = widgets.NewReason(widgets.Info, "")
	p.models = widgets.VGap(6)
	p.engine = widgets.Background(theme.Raised, widgets.VGap(0, widgets.Inset(16, 12, 16, 12, widgets.VGap(8, p.why, p.models)), widgets.Line()))

	p.main = widgets.NewButton(words.T("embeddings.start"), theme.IconPlay, widgets.Filled, p.press)
	p.cancel = widgets.NewButton(words.T("embeddings.cancel"), "", widgets.Edged, t.Cancel)
	p.adding = widgets.HGap(8,
		widgets.NewButton(words.T("embeddings.add.files"), theme.IconPlus, widgets.Edged, t.pickFile),
		widgets.NewButton(words.T("embeddings.add.folder"), "", widgets.Edged, t.pickFolder))
	p.progress = widgets.NewProgress(70)
	p.totals = widgets.Paragraph(widgets.Quiet, "")
	p.clear = widgets.NewRowButton(words.T("embeddings.clear"), "", widgets.Plain, t.Clear)
	p.totalBox = widgets.VGap(0, widgets.Inset(16, 4, 10, 8, widgets.HGap(8, p.progress, widgets.Grow(p.totals), p.clear)))
	header := widgets.VGap(0, widgets.Inset(16, 11, 16, 8, widgets.HGap(8, p.main, p.cancel, layout.NewSpacer(), p.adding)), p.totalBox, widgets.Line())

	p.head = widgets.Fixed(0, theme.TableHeaderHeight, container.New(columns{},
		widgets.Text(widgets.Quiet, ""), widgets.Text(widgets.Quiet, words.T("embeddings.column.file")),
		widgets.Text(widgets.Quiet, words.T("embeddings.column.size")).Align(fyne.TextAlignTrailing),
		widgets.Text(widgets.Quiet, words.T("embeddings.column.chunks")).Align(fyne.TextAlignTrailing),
		widgets.Text(widgets.Quiet, ""), widgets.Text(widgets.Quiet, words.T("embeddings.column.state"))))
	p.list = newFileList(t.TypedKey, func() int { return len(p.rows) }, newCell, func(id widget.ListItemID, o fyne.CanvasObject) {
		if id < len(p.rows) {
			o.(*cell).set(p.rows[id])
		}
	})
	p.list.OnSelected = func(id widget.ListItemID) {
		if !p.choosing {
			t.ChooseRow(id)
		}
	}
	p.first = widgets.NewButton(words.T("embeddings.add.files"), theme.IconPlus, widgets.Filled, t.pickFile)
	p.later = widgets.NewButton(words.T("embeddings.add.files"), theme.IconPlus, widgets.Edged, t.pickFile)
	folder := widgets.NewButton(words.T("embeddings.add.folder"), theme.IconFolder, widgets.Edged, t.pickFolder)
	p.empty = widgets.VGap(0, widgets.Inset(24, 40, 24, 24, widgets.VGap(12,
		widgets.Text(widgets.Title, words.T("embeddings.empty.title")),
		widgets.Paragraph(widgets.Body, words.T("embeddings.empty.text")),
		widgets.Flow(8, p.first, p.later, folder),
	)), layout.NewSpacer())

	p.problem = widgets.NewReason(widgets.Bad, "")
	p.offer = widgets.NewSmallButton("", "", widgets.Edged, t.Take)
	p.problems = widgets.VGap(0, widgets.Line(), widgets.Inset(16, 8, 16, 8, widgets.HGapTop(8, widgets.Grow(p.problem), p.offer)))
	p.details = widgets.VGap(4)
	inside := widgets.Inset(16, 8, 16, 8, p.details)
	p.fits = &upTo{inside: inside, most: detailMost}
	p.detail = widgets.VGap(0, widgets.Line(), container.New(p.fits, container.NewVScroll(inside)))
	p.preview = newPreviewPane(t)
	p.wrote = widgets.Text(widgets.Quiet, "").Ellipsis()
	p.written = widgets.VGap(2)
	p.holds = &upTo{inside: p.written}
	p.outputs = widgets.Background(theme.Surface, widgets.VGap(0, widgets.Line(), widgets.Inset(16, 10, 10, 10,
		widgets.VGap(4, widgets.HGap(8, widgets.Text(widgets.Bold, words.T("embeddings.outputs")), widgets.Grow(p.wrote)), container.New(p.holds, container.NewVScroll(p.written))))))
	table := widgets.VGap(0, p.head, widgets.Line(), widgets.Grow(p.list))
	p.box = widgets.VGap(0, p.engine, header, widgets.Grow(widgets.Stack(table, p.empty)), p.problems, p.detail, p.preview.box, p.outputs)
	return p
}

// press does what the filled button says, and nothing while that is off.
func (p *filesPane) press() {
	s := p.tab.State()
	switch _, _, on := main(s); {
	case !on:
	case s.Loadable():
		p.tab.Start()
	case s.Run == Working || s.Run == Paused:
		p.tab.Pause()
	default:
		p.tab.Start()
	}
}

func (p *filesPane) show(s State) {
	p.showEngine(s)
	key, icon, on := main(s)
	p.main.SetText(words.T(key))
	p.main.SetIcon(icon)
	p.main.SetEnabled(on)
	widgets.SetShown(p.cancel, s.Runs() || s.Loading)
	widgets.SetShown(p.clear, !s.Runs())
	widgets.SetShown(p.adding, !s.Runs() && len(s.Sources) > 0)
	line := totals(s)
	widgets.SetShown(p.totalBox, line != "")
	p.totals.SetText(line)
	widgets.SetShown(p.progress, s.Run == Working || s.Run == Paused)
	if s.Job.Chunks > 0 {
		p.progress.Set(float64(s.Job.ChunksDone) / float64(s.Job.Chunks))
	} else {
		p.progress.Set(0)
	}
	p.rows = s.Rows
	p.choosing = true
	if s.At < 0 {
		p.list.UnselectAll()
	} else {
		p.list.Select(s.At)
	}
	p.choosing = false
	p.list.Refresh()
	widgets.SetShown(p.list, len(s.Sources) > 0)
	widgets.SetShown(p.head, len(s.Sources) > 0)
	widgets.SetShown(p.empty, len(s.Sources) == 0)
	widgets.SetShown(p.first, s.Ready)
	widgets.SetShown(p.later, !s.Ready)
	p.showProblems(s)
	p.preview.show(s)
	p.showOutputs(s)
}

// problemsShown is how many files with problems are listed at once; a file that is
// chosen shows all of its own.
const problemsShown = 50

// The heights of the problems and of the outputs, in a tall window and in a short one;
// more of them scroll.
const (
	detailMost, detailShort   = 110, 62
	outputsMost, outputsShort = 140, 52
)

// upTo gives its object the height of what is in it, as long as there is room.
type upTo struct {
	inside fyne.CanvasObject
	width  float32 // of the pane
	most   float32
	whole  bool // always all of it: what is above stays where it is
}

func (l *upTo) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	objects[0].Resize(size)
}

func (l *upTo) MinSize([]fyne.CanvasObject) fyne.Size {
	if l.whole {
		return fyne.NewSize(0, l.most)
	}
	return fyne.NewSize(0, min(l.most, widgets.HeightAt(l.inside, l.width)))
}

// modelsShown is how many models are offered right here.
const modelsShown = 4

func (p *filesPane) showEngine(s State) {
	why := whyNot(s)
	p.why.SetText(why)
	widgets.SetShown(p.engine, why != "")
	stopping := s.Run == Preparing || s.Run == Working
	widgets.SetShown(p.models, (s.Refused != nil || s.noEngine()) && !s.Loading && !stopping)
	first := widgets.Filled
	if s.Loadable() { // Go on is what to do first
		first = widgets.Edged
	}
	paths := []string{fmt.Sprint(first)}
	for _, m := range s.Models {
		paths = append(paths, m.Facts.Path)
	}
	if slices.Equal(paths, p.shown) {
		return
	}
	p.shown = paths
	p.models.Objects = nil
	for i, m := range s.Models {
		if i == modelsShown {
			break
		}
		style := widgets.Edged
		if i == 0 {
			style = first
		}
		p.models.Add(p.modelRow(m, style))
	}
	label, style := "embeddings.models", widgets.Plain
	if len(s.Models) == 0 {
		label, style = "embeddings.models.none", widgets.Edged
	}
	p.models.Add(widgets.HGap(0, widgets.NewSmallButton(words.T(label), "", style, p.tab.options.GoModels)))
	p.models.Refresh()
}

func (p *filesPane) modelRow(m library.Model, style widgets.Style) fyne.CanvasObject {
	return widgets.HGap(8,
		widgets.Text(widgets.Bold, modelName(m.Facts)).Ellipsis(),
		widgets.Grow(widgets.Text(widgets.Quiet, fileName(m.Facts.Path)).Ellipsis()),
		widgets.NewSmallButton(words.T("embeddings.setUp"), "", style, func() { p.tab.options.SetUp(m) }))
}

// showProblems says what stopped the run, and what is wrong with the chosen file or
// could not be listed.
func (p *filesPane) showProblems(s State) {
	text, kind := "", widgets.Bad
	switch {
	case s.Problem != nil && !s.Ready && ofEngine(s.Problem): // the strip above says what became of it
		text, kind = words.T("embeddings.ended", map[string]any{"Loads": s.Loadable()}), widgets.Cautious
	case s.Problem != nil:
		text = sentence(s.Problem)
	case s.Stranger:
		text, kind = words.T("embeddings.stranger", map[string]any{"Name": s.RunModel, "Other": modelName(s.Engine.Model)}), widgets.Cautious
	case s.Offer == GoOn && s.Job.Phase == embed.Done:
		text, kind = words.T("embeddings.retry"), widgets.Cautious
	case len(s.Job.Alarms) > 0:
		text, kind = sentence(s.Job.Alarms[0]), widgets.Cautious
	}
	p.problem.Set(kind, text)
	widgets.SetShown(p.problems, text != "")
	widgets.SetShown(p.offer, s.Offer == StartOver || s.Offer == WriteOver) // the filled button goes on
	switch s.Offer {
	case StartOver:
		p.offer.SetText(words.T("embeddings.offer.startOver"))
	case WriteOver:
		p.offer.SetText(words.T("embeddings.offer.writeOver"))
	}
	p.offer.SetEnabled(s.Startable())

	var said []Note
	say := func(text string, bad bool) { said = append(said, Note{text, bad}) }
	if s.At >= 0 && s.At < len(s.Rows) && len(s.Rows[s.At].problems()) > 0 {
		for _, err := range s.Rows[s.At].problems() {
			say(sentence(err), true)
		}
	} else {
		for _, r := range s.Rows {
			if all := r.problems(); len(all) > 0 && len(said) < problemsShown {
				say(sentence(all[0]), true)
			}
		}
	}
	for _, err := range s.Unlisted {
		say(sentence(err), !document.IsNotice(err))
	}
	if len(s.Sources) > 0 && len(s.Rows) == 0 && !s.Listing {
		say(words.T("embeddings.nothing"), false)
	}
	if s.LeftOut > 0 {
		say(words.T("embed.leftOut", map[string]any{"Count": s.LeftOut}), false)
	}
	for _, err := range []error{s.Damaged, s.Unkept} {
		if err != nil {
			say(sentence(err), true)
		}
	}
	widgets.SetShown(p.detail, len(said) > 0)
	if slices.Equal(said, p.said) {
		return
	}
	p.said = said
	p.details.Objects = nil
	for _, n := range said {
		kind := widgets.Info
		if n.Bad {
			kind = widgets.Bad
		}
		p.details.Add(widgets.NewReason(kind, n.Text))
	}
	p.details.Refresh()
}

func (p *filesPane) showOutputs(s State) {
	outputs := s.Job.Outputs
	on := s.Run == Ended && len(outputs) > 0
	widgets.SetShown(p.outputs, on)
	if !on {
		p.written.Objects = nil
		return
	}
	p.wrote.SetText(words.T("embeddings.output", map[string]any{
		"Rows": words.Count(outputs[0].Rows), "Count": outputs[0].Rows, "Dimensions": words.Count(s.Job.Meta.Dimensions),
	}))
	if len(p.written.Objects) == len(outputs) {
		return
	}
	p.written.Objects = nil
	for _, o := range outputs {
		p.written.Add(widgets.HGap(8,
			widgets.NewIcon(theme.IconFile, theme.TextQuiet, theme.IconSizeText),
			widgets.Grow(widgets.Text(widgets.Mono, fileName(o.Path)).Ellipsis()),
			widgets.Text(widgets.Quiet, size(o.SizeBytes)),
			widgets.NewRowButton(words.T("embeddings.output.show"), "", widgets.Plain, func() { p.tab.options.OpenPath(filepath.Dir(o.Path)) })))
	}
	p.written.Refresh()
}
