package app

import (
	"fmt"
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine"
	"paddock/engine/gguf"
	"paddock/hardware"
	"paddock/words"
)

// A bar is the engine bar on top: the model, its state, the memory of every pool
// and the one button that makes sense.
type bar struct {
	content  fyne.CanvasObject
	title    *widgets.TextLabel
	quant    *widgets.TextLabel
	pill     *widgets.Pill
	second   *tippedPill // the engine beside the chat's
	progress *widgets.Progress
	button   *widgets.Button
	more     *widgets.Button
	row      *fyne.Container
	pools    []*poolBar

	state    engine.State
	last     gguf.Facts   // the model to offer while none is loaded
	vectors  engine.State // of the engine beside
	snapshot hardware.Snapshot
	holdings map[string]holding // of the loaded model, by pool
	narrow   bool
	act      func(action)
	action   action
}

func newBar(act func(action), menu func(under fyne.CanvasObject)) *bar {
	b := &bar{
		title:    widgets.Text(widgets.Bold, "").Ellipsis(),
		quant:    widgets.Text(widgets.Quiet, ""),
		pill:     widgets.NewPill("", "", theme.Hover, theme.TextQuiet),
		second:   newTippedPill(),
		progress: widgets.NewProgress(120),
		act:      act,
	}
	b.button = widgets.NewSmallButton("", "", widgets.Edged, func() { b.act(b.action) })
	b.more = widgets.NewSmallButton("", theme.IconChevronDown, widgets.Plain, nil).Label(words.T("shell.more"))
	b.more.SetTapped(func() { menu(b.more) })
	b.row = container.New(barLayout{b})
	b.second.Hide()
	b.arrange()
	b.content = widgets.Fixed(0, theme.BarHeight, widgets.Borders(nil, widgets.Line(), nil, nil,
		widgets.Background(theme.Surface, widgets.Inset(theme.PaneMargin, 0, theme.PaneMargin, 0, b.row))))
	b.show(engine.State{Phase: engine.NotLoaded})
	return b
}

// arrange puts the bar's parts in order, with the pools there are.
func (b *bar) arrange() {
	objs := []fyne.CanvasObject{widgets.HGap(10, b.title, b.quant), b.pill, b.progress, b.second, layout.NewSpacer()}
	for _, p := range b.pools {
		objs = append(objs, p.content)
	}
	b.row.Objects = append(objs, widgets.HGap(5, b.button, b.more))
	b.row.Refresh()
}

// show draws a state of the engine.
func (b *bar) show(s engine.State) {
	b.state = s
	if s.Phase != engine.Ready {
		b.holdings = nil
	}
	v := barFor(s).offering(b.last)
	b.title.SetText(v.Title)
	b.title.Colour(theme.Text)
	if v.Quiet {
		b.title.Colour(theme.TextQuiet)
	}
	b.quant.SetText(v.Quant)
	b.quant.Hidden = v.Quant == ""
	b.pill.SetDot(v.Pill.Icon, v.Pill.Text, v.Pill.Fill, v.Pill.Ink, v.Pill.Mark)
	b.progress.Hidden = v.Progress < 0
	b.progress.Set(v.Progress)
	b.action = v.Action
	b.button.SetText(words.T(map[action]string{
		actChoose: "shell.load.choose", actLast: "shell.load", actCancel: "shell.cancel", actUnload: "shell.unload",
		actRetry: "shell.load", actNone: "shell.unload",
	}[v.Action]))
	b.button.SetEnabled(v.Action != actNone)
	b.showPools()
	b.row.Refresh()
}

// offer draws the model to load again, where none is loaded.
func (b *bar) offer(last gguf.Facts) {
	b.last = last
	b.show(b.state)
}

// showVectors draws a state of the engine beside the chat's.
func (b *bar) showVectors(s engine.State) {
	b.vectors = s
	b.showSecond()
	b.row.Refresh()
}

// showSecond draws the second pill, in a narrow bar without the model's name.
func (b *bar) showSecond() {
	p, on := vectorsFor(b.vectors, b.narrow)
	full, _ := vectorsFor(b.vectors, false)
	b.second.Hidden = !on
	b.second.pill.SetDot(p.Icon, p.Text, p.Fill, p.Ink, p.Mark)
	b.second.tip.SetText(full.Text + "\n" + words.T("shell.vectors.tip", map[string]any{"Name": modelName(b.vectors.Model)}))
}

// showMachine draws what the machine's memory holds now.
func (b *bar) showMachine(s hardware.Snapshot) {
	b.snapshot = s
	if len(s.Pools) != len(b.pools) {
		b.pools = nil
		for range s.Pools {
			b.pools = append(b.pools, newPoolBar())
		}
		b.arrange()
	}
	b.showPools()
}

// showHoldings draws what the loaded model holds of each pool.
func (b *bar) showHoldings(held map[string]holding) {
	b.holdings = held
	b.showPools()
}

func (b *bar) showPools() {
	changed := false
	for i, p := range b.pools {
		changed = p.show(b.snapshot.Pools[i], b.holdings[b.snapshot.Pools[i].ID], b.narrow) || changed
		hide := b.narrow && !usesPool(b.state, b.snapshot, b.snapshot.Pools[i])
		if p.content.Hidden != hide {
			p.content.Hidden = hide
			changed = true
		}
	}
	if changed {
		b.row.Refresh()
	}
}

// usesPool says whether a pool is of interest to the loaded model. While none is
// loaded, every pool is.
func usesPool(s engine.State, m hardware.Snapshot, p hardware.Pool) bool {
	if p.Kind == hardware.RAM || s.Phase == engine.NotLoaded || s.Plan.Devices == "" {
		return true
	}
	for _, gpu := range m.GPUs {
		if gpu.Pool != p.ID {
			continue
		}
		if len(gpu.EngineDevices) == 0 {
			return s.Plan.Devices != "CPU"
		}
		for _, id := range gpu.EngineDevices {
			if strings.Contains(","+s.Plan.Devices+",", ","+id+",") {
				return true
			}
		}
	}
	return false
}

// barLayout is a row that makes its pools narrow in a narrow window.
type barLayout struct{ bar *bar }

const barGap = theme.GapGroup

func (l barLayout) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	narrow := size.Width < theme.NarrowBelow-theme.RailWidth
	if narrow != l.bar.narrow {
		l.bar.narrow = narrow
		l.bar.showSecond()
		l.bar.showPools()
	}
	l.row().Layout(objs, size)
}

func (l barLayout) MinSize(objs []fyne.CanvasObject) fyne.Size { return l.row().MinSize(objs) }

func (l barLayout) row() fyne.Layout { return widgets.Row(barGap) }

// A tippedPill is a pill with a tip, which says it all where the pill has no room.
type tippedPill struct {
	widget.BaseWidget
	pill *widgets.Pill
	tip  *widgets.TipArea
}

func newTippedPill() *tippedPill {
	p := &tippedPill{pill: widgets.NewPill("", "", theme.Hover, theme.TextQuiet), tip: widgets.NewTipArea()}
	p.ExtendBaseWidget(p)
	return p
}

// NaturalWidth is the width in which the pill shows all its text.
func (p *tippedPill) NaturalWidth() float32 { return p.pill.NaturalWidth() }

// CreateRenderer draws the pill.
func (p *tippedPill) CreateRenderer() fyne.WidgetRenderer {
	return widget.NewSimpleRenderer(widgets.Stack(p.pill, p.tip))
}

// A poolBar is one pool of memory in the engine bar.
type poolBar struct {
	content *fyne.Container
	name    *widgets.TextLabel
	numbers *widgets.TextLabel
	bar     *widgets.MemoryBar
	width   *poolWidth
	tip     *widgets.TipArea
	shown   hardware.Pool
	held    holding
}

func newPoolBar() *poolBar {
	p := &poolBar{
		name:    widgets.Text(widgets.Hint, "").Ellipsis(),
		numbers: widgets.Text(widgets.Hint, ""),
		bar:     widgets.NewMemoryBar(widgets.Small),
		width:   &poolWidth{},
		tip:     widgets.NewTipArea(),
	}
	column := widgets.VGap(3, widgets.HGap(6, p.name, layout.NewSpacer(), p.numbers), p.bar)
	p.content = container.New(p.width, column, p.tip)
	return p
}

// show draws a pool, with what the loaded model holds of it, and says whether
// anything about it changed.
func (p *poolBar) show(pool hardware.Pool, held holding, narrow bool) bool {
	if p.shown == pool && p.held.same(held) && p.width.narrow == narrow {
		return false
	}
	p.shown, p.held, p.width.narrow = pool, held, narrow
	name := pool.Name
	if narrow {
		name, _, _ = strings.Cut(name, " ")
	}
	p.name.SetText(name)
	p.numbers.SetText(fmt.Sprintf("%s / %s", words.GiB(pool.UsedBytes), words.GiB(pool.TotalBytes)))
	p.bar.Set(pool.TotalBytes, poolSlices(pool, held), 0, 0)
	p.tip.SetText(poolTip(pool, held))
	return true
}

// poolWidth is how wide a pool is in the bar, whatever it says.
type poolWidth struct{ narrow bool }

func (w *poolWidth) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objs {
		o.Resize(size)
	}
}

func (w *poolWidth) MinSize(objs []fyne.CanvasObject) fyne.Size {
	width := float32(132)
	if w.narrow {
		width = 96
	}
	return fyne.NewSize(width, objs[0].MinSize().Height)
}
