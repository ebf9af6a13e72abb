package embeddings

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/embed"
	"paddock/engine/gguf"
	"paddock/words"
)

// A cell is a row of the list.
type cell struct {
	widget.BaseWidget
	icon         *widgets.Icon
	name         *widgets.TextLabel
	size, chunks *widgets.TextLabel
	progress     *widgets.Progress
	state        *widgets.TextLabel
	box          *fyne.Container
}

func newCell() fyne.CanvasObject {
	c := &cell{
		icon:     widgets.NewIcon(theme.IconFile, theme.TextQuiet, theme.IconSizeText),
		name:     widgets.Text(widgets.Body, "").Ellipsis(),
		size:     widgets.Text(widgets.Quiet, "").Ellipsis().Align(fyne.TextAlignTrailing),
		chunks:   widgets.Text(widgets.Body, "").Ellipsis().Align(fyne.TextAlignTrailing),
		progress: widgets.NewProgress(40),
		state:    widgets.Text(widgets.Quiet, "").Ellipsis(),
	}
	c.box = widgets.Fixed(0, theme.SubRowHeight, container.New(columns{}, c.icon, c.name, c.size, c.chunks, c.progress, c.state))
	c.ExtendBaseWidget(c)
	return c
}

// CreateRenderer draws the row.
func (c *cell) CreateRenderer() fyne.WidgetRenderer { return widget.NewSimpleRenderer(c.box) }

func (c *cell) set(r Row) {
	icon, colour := theme.IconFile, theme.TextQuiet
	switch {
	case r.Phase == embed.FileFailed:
		icon, colour = theme.IconRefuseRing, theme.Refuse
	case r.ChunksFailed > 0 || r.ProblemCount > 0:
		icon, colour = theme.IconTriangle, theme.Caution
	case r.Phase == embed.FileDone || r.Phase == embed.FileKept:
		icon, colour = theme.IconCheckRing, theme.OK
	case r.Phase == embed.FileEmbedding && (r.ChunksDone > 0 || r.Begun) || r.Phase == embed.FileReading:
		icon, colour = theme.IconPlay, theme.Accent
	}
	c.icon.Set(icon, colour)
	c.name.SetText(gguf.Printable(r.Name))
	c.size.SetText(size(r.SizeBytes))
	chunks, done := "", 0.0
	if r.Chunks > 0 {
		chunks, done = words.Count(r.Chunks), float64(r.ChunksDone)/float64(r.Chunks)
	}
	c.chunks.SetText(chunks)
	c.progress.Set(done)
	if colour == theme.Accent {
		colour = theme.Text
	}
	c.state.Colour(colour)
	c.state.SetText(standing(r))
}

// columns lays out icon, name, size, chunks, progress and state. Size and progress
// go first where there is no room.
type columns struct{}

func (columns) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(300, 20) }

func (columns) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	wide := size.Width >= 500
	widths := []float32{14, 0, 70, 56, 64, 120}
	if !wide {
		widths = []float32{14, 0, -1, 46, -1, 120}
	}
	room := size.Width - 32
	for _, w := range widths {
		if w >= 0 {
			room -= w + 8
		}
	}
	widths[1] = room + 8
	x := float32(16)
	for i, o := range objects {
		if widths[i] < 0 {
			o.Hide()
			continue
		}
		o.Show()
		height := min(o.MinSize().Height, size.Height)
		o.Move(fyne.NewPos(x, (size.Height-height)/2))
		o.Resize(fyne.NewSize(widths[i], height))
		x += widths[i] + 8
	}
}
