package models

import (
	"os"
	"path/filepath"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/gguf"
	"paddock/words"
)

// filesPage lists the files of the row, and those that should be there.
func (d *detail) filesPage() fyne.CanvasObject {
	m := d.row.Model
	open := widgets.NewSmallButton(words.T("models.files.open"), theme.IconFolder, widgets.Edged, func() { d.hooks.openFolder(d.row.Path) })
	page := widgets.VGap(10, widgets.HGap(8, widgets.Grow(widgets.Text(widgets.Quiet, words.T("models.files.title")).Ellipsis()), open))
	d.lines = nil
	for _, path := range m.Files {
		line := d.newFileLine(path)
		line.show(d.hashes[path])
		d.lines = append(d.lines, line)
		page.Add(line.box)
	}
	d.showSizes(d.lines)
	for _, name := range m.Missing {
		page.Add(widgets.NewReason(widgets.Bad, words.T("models.files.missing", map[string]any{"File": gguf.Printable(name)})))
	}
	if len(m.Files) > 1 {
		page.Add(factLine(words.T("models.files.total"),
			widgets.Paragraph(widgets.Body, words.T("models.gib", map[string]any{"GiB": words.GiB(m.SizeBytes)}))))
	}
	return page
}

// A fileLine is one file: its name, size and folder, and its SHA-256 once that is
// asked for.
type fileLine struct {
	path     string
	size     *widgets.TextLabel
	start    *fyne.Container // the button that asks for it
	stop     *widgets.Button
	progress *widgets.Progress
	done     *widgets.TextLabel
	running  *fyne.Container
	sum      *fyne.Container // what it came to
	shown    Hash
	drawn    bool
	copyText func(label, text string) *widgets.Button
	box      *fyne.Container
}

func (d *detail) newFileLine(path string) *fileLine {
	l := &fileLine{
		path:     path,
		size:     widgets.Text(widgets.Quiet, "").Reserve("999.9 GiB").Align(fyne.TextAlignTrailing),
		progress: widgets.NewProgress(40),
		done:     widgets.Text(widgets.Hint, ""),
		sum:      widgets.VGap(4),
		copyText: d.copyButton,
	}
	l.start = container.New(&flow{}, widgets.NewSmallButton(words.T("models.hash.start"), "", widgets.Edged, func() { d.hooks.hash(path) }))
	l.stop = widgets.NewSmallButton(words.T("models.cancel"), "", widgets.Edged, func() { d.hooks.stopHash(path) })
	l.running = widgets.HGap(8, widgets.Grow(l.progress), l.done, l.stop)
	l.box = widgets.VGap(4,
		widgets.VGap(0,
			widgets.HGap(4,
				widgets.Grow(widgets.Text(widgets.Mono, gguf.Printable(filepath.Base(path))).Ellipsis()),
				l.size,
				d.copyButton(words.T("models.files.copy"), path),
			),
			widgets.Paragraph(widgets.Hint, words.Path(filepath.Dir(path))),
		),
		l.start,
		l.running,
		l.sum,
	)
	return l
}

// show draws what is known of the file's SHA-256: nothing, how far it is, or what
// it came to.
func (l *fileLine) show(h Hash) {
	if l.drawn && h == l.shown {
		return
	}
	l.drawn, l.shown = true, h
	running := h.Asked && h.Running()
	widgets.SetShown(l.start, !h.Asked)
	widgets.SetShown(l.running, running)
	l.sum.RemoveAll()
	switch {
	case running && h.TotalBytes > 0:
		share := float64(h.DoneBytes) / float64(h.TotalBytes)
		l.progress.Set(share)
		l.done.SetText(words.T("models.hash.progress", map[string]any{"Percent": int(100 * share)}))
	case running:
		l.progress.Set(0)
		l.done.SetText(words.T("models.hash.progress", map[string]any{"Percent": 0}))
	case h.Problem != "":
		l.sum.Add(widgets.NewReason(widgets.Bad, h.Problem))
	case h.Sum != "":
		l.sum.Add(widgets.HGapTop(4, widgets.Grow(widgets.Paragraph(widgets.Mono, h.Sum)), l.copyText(words.T("models.hash.copy"), h.Sum)))
		switch h.Name {
		case Matches:
			l.sum.Add(widgets.NewReason(widgets.Good, words.T("models.hash.matches")))
		case Differs:
			l.sum.Add(widgets.NewReason(widgets.Bad, words.T("models.hash.differs")))
		}
	}
	l.sum.Hidden = len(l.sum.Objects) == 0
	l.box.Refresh()
}

// showSizes looks up how large files are now, beside the UI goroutine, and writes
// it into labels. A file that is gone has no size.
func (d *detail) showSizes(lines []*fileLine) {
	go func() {
		texts := make([]string, len(lines))
		for i, line := range lines {
			if info, err := os.Stat(line.path); err == nil {
				texts[i] = words.T("models.gib", map[string]any{"GiB": words.GiB(uint64(info.Size()))})
			}
		}
		d.hooks.do(func() {
			for i, line := range lines {
				line.size.SetText(texts[i])
			}
		})
	}()
}
