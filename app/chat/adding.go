package chat

import (
	"reflect"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

const (
	addingWidth     = 520
	addingMaxHeight = 420
	frameMargin     = 12
)

// A frame is what lies over the chat while files are dropped: it dims the chat,
// has a green edge, and keeps the pointer from what is under it.
type frame struct {
	widget.BaseWidget
	fill fyne.ThemeColorName
}

func newFrame(fill fyne.ThemeColorName) *frame {
	f := &frame{fill: fill}
	f.ExtendBaseWidget(f)
	return f
}

// CreateRenderer draws the veil and the edge.
func (f *frame) CreateRenderer() fyne.WidgetRenderer {
	veil := canvas.NewRectangle(nil)
	edge := &canvas.Rectangle{StrokeWidth: 2, CornerRadius: theme.RadiusCard}
	r := &frameRenderer{frame: f, veil: veil, edge: edge}
	r.Refresh()
	return r
}

type frameRenderer struct {
	frame      *frame
	veil, edge *canvas.Rectangle
}

func (r *frameRenderer) Destroy()                     {}
func (r *frameRenderer) MinSize() fyne.Size           { return fyne.Size{} }
func (r *frameRenderer) Objects() []fyne.CanvasObject { return []fyne.CanvasObject{r.veil, r.edge} }

func (r *frameRenderer) Layout(size fyne.Size) {
	r.veil.Resize(size)
	r.edge.Move(fyne.NewPos(frameMargin, frameMargin))
	r.edge.Resize(size.SubtractWidthHeight(2*frameMargin, 2*frameMargin))
}

func (r *frameRenderer) Refresh() {
	r.veil.FillColor = theme.Faded(r.frame.fill)
	r.edge.StrokeColor, r.edge.FillColor = theme.Color(theme.Accent), theme.Unfilled(theme.Accent)
	r.veil.Refresh()
	r.edge.Refresh()
}

// Tapped keeps taps from what is under it.
func (f *frame) Tapped(*fyne.PointEvent) {}

// Scrolled does the same with the wheel.
func (f *frame) Scrolled(*fyne.ScrollEvent) {}

// A dropPage stands over the chat while files are dragged over the window.
type dropPage struct {
	content *fyne.Container
	title   *widgets.TextLabel
	text    *widgets.ParagraphText
	icon    *widgets.Icon
	drawn   func() // it is there, or no longer
}

func newDropPage() *dropPage {
	d := &dropPage{
		title: widgets.Text(widgets.Title, "").Align(fyne.TextAlignCenter).Ellipsis(),
		text:  widgets.Paragraph(widgets.Body, "").Align(fyne.TextAlignCenter).Colour(theme.TextQuiet),
		icon:  widgets.NewIcon(theme.IconImage, theme.Accent, 36),
	}
	middle := widgets.VGap(14, layout.NewSpacer(), widgets.HGap(0, layout.NewSpacer(), d.icon, layout.NewSpacer()), d.title, d.text, layout.NewSpacer())
	d.content = widgets.Stack(newFrame(theme.OKFill), container.New(column{}, middle))
	d.content.Hide()
	return d
}

func (d *dropPage) show(s Drop, on bool) {
	if on {
		text := s.Text
		if s.Note != "" {
			text += "\n" + s.Note
		}
		d.title.SetText(s.Title)
		d.text.SetText(text)
		icon, colour := theme.IconImage, theme.Accent
		if !s.Sees {
			icon, colour = theme.IconNoEntry, theme.Caution
		}
		d.icon.Set(icon, colour)
	}
	if d.content.Visible() != on {
		widgets.SetShown(d.content, on)
		d.drawn()
	}
}

// An addingPage lists the files that were dropped, and how far each of them is.
type addingPage struct {
	content *fyne.Container
	title   *widgets.TextLabel
	close   *widgets.Button
	rows    *fyne.Container
	scroll  *container.Scroll
	sized   *fyne.Container
	thumbs  *widgets.Thumbnails
	shown   *Adding
	drawn   func()          // it is there, or no longer
	busy    []*widgets.Busy // of the rows, nil for those that are done
}

func newAddingPage(thumbs *widgets.Thumbnails, closed func()) *addingPage {
	a := &addingPage{
		thumbs: thumbs,
		title:  widgets.Text(widgets.Section, "").Ellipsis(),
		close:  widgets.NewButton(words.T("chat.adding.cancel"), "", widgets.Edged, closed),
		rows:   widgets.VGap(0),
	}
	a.scroll = container.NewVScroll(a.rows)
	a.sized = container.New(&addingHeight{rows: a.rows}, a.scroll)
	card := widgets.Stack(widgets.NewFill(theme.Surface, theme.Separator, theme.RadiusCard),
		widgets.Inset(16, 14, 16, 10, widgets.VGap(10, widgets.HGap(8, widgets.Grow(a.title), a.close), a.sized)))
	a.content = widgets.Stack(newFrame(theme.Window), container.New(middle{}, card))
	a.content.Hide()
	return a
}

// middle puts a card in the middle.
type middle struct{}

func (middle) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	width := min(addingWidth, size.Width-4*frameMargin)
	for _, o := range objs {
		height := min(widgets.HeightAt(o, width), size.Height-4*frameMargin)
		o.Resize(fyne.NewSize(width, height))
		o.Move(fyne.NewPos(float32(int((size.Width-width)/2)), float32(int((size.Height-height)/2))))
	}
}

func (middle) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(240, 120) }

// addingHeight is as high as the rows, up to what scrolls.
type addingHeight struct{ rows *fyne.Container }

func (l *addingHeight) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objs {
		o.Move(fyne.Position{})
		o.Resize(size)
	}
}

func (l *addingHeight) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(200, min(l.rows.MinSize().Height, addingMaxHeight))
}

func (a *addingPage) show(s *Adding) {
	if s == nil {
		a.shown = nil
		a.rows.RemoveAll()
		a.settle(0)
		if a.content.Visible() {
			a.content.Hide()
			a.drawn()
		}
		return
	}
	if a.shown != nil && reflect.DeepEqual(*a.shown, *s) {
		return
	}
	a.title.SetText(words.T("chat.adding", map[string]any{"Count": len(s.Rows)}))
	key := "chat.adding.cancel"
	if s.Done {
		key = "chat.close"
	}
	a.close.SetText(words.T(key))
	if a.shown == nil || len(a.shown.Rows) != len(s.Rows) {
		a.rows.RemoveAll()
		a.settle(len(s.Rows))
		for range s.Rows {
			a.rows.Add(newFileRow(a.thumbs).content)
		}
		a.shown = &Adding{Rows: make([]AddingRow, len(s.Rows))}
		for i := range a.shown.Rows {
			a.shown.Rows[i].Name = "\x00" // unlike any file's
		}
	}
	for i, row := range s.Rows {
		if !reflect.DeepEqual(a.shown.Rows[i], row) {
			r := newFileRow(a.thumbs)
			r.set(row)
			a.rows.Objects[i] = r.content
			if a.busy[i] != nil {
				a.busy[i].Stop()
			}
			a.busy[i] = r.busy
		}
	}
	a.shown = s
	a.rows.Refresh()
	if !a.content.Visible() {
		a.content.Show() // the keyboard stays in the composer: Enter there must not cancel
	}
	a.drawn()
}

// settle ends all movement and makes room for that many rows.
func (a *addingPage) settle(rows int) {
	for _, b := range a.busy {
		if b != nil {
			b.Stop()
		}
	}
	a.busy = make([]*widgets.Busy, rows)
}

// An fileRow is one of the files.
type fileRow struct {
	busy    *widgets.Busy // while it is read
	content *fyne.Container
	thumbs  *widgets.Thumbnails
}

func newFileRow(thumbs *widgets.Thumbnails) *fileRow {
	return &fileRow{content: widgets.VGap(0), thumbs: thumbs}
}

func (r *fileRow) set(row AddingRow) {
	icon := theme.IconFile
	if row.Picture {
		icon = theme.IconImage
	}
	thumb := widgets.NewThumb(r.thumbs, 44, 32, icon)
	thumb.SetPath(row.Path)
	name := widgets.Text(widgets.Body, shownLine(row.Name)).Ellipsis()
	line := widgets.HGap(8, thumb, widgets.Grow(name))
	failed := row.Problem.Message != ""
	switch {
	case failed:
		line.Add(widgets.NewIcon(theme.IconNoEntry, theme.Refuse, theme.IconSizeButton))
		line.Add(widgets.Text(widgets.Body, row.Short).Colour(theme.Refuse))
	case row.Reading:
		r.busy = widgets.NewBusy(96)
		line.Add(r.busy)
		line.Add(widgets.Text(widgets.Body, words.T("chat.adding.reading")).Colour(theme.TextQuiet))
	default:
		text := words.T("chat.adding.added")
		if row.Tokens > 0 {
			text = tokensText("chat.tokens", row.TheTokens)
		}
		line.Add(widgets.NewIcon(theme.IconCheckRing, theme.OK, theme.IconSizeButton))
		line.Add(widgets.Text(widgets.Body, text).Colour(theme.OK))
	}
	r.content.Add(widgets.Line())
	r.content.Add(widgets.Inset(0, 6, 0, 6, line))
	if failed {
		r.content.Add(widgets.Inset(52, 0, 0, 6, widgets.Paragraph(widgets.Quiet, row.Problem.Text())))
	}
}
