package load

import (
	"reflect"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A panel is the memory the plan needs, in the right column.
type panel struct {
	apply func(Remedy)
	undo  func()

	age    *widgets.TextLabel
	body   *fyne.Container
	scroll *container.Scroll
	shown  panelState
}

// panelState is what the panel's body is made of.
type panelState struct {
	known    bool
	pools    []Pool
	remedies []Remedy
	problem  string
	hopeless bool // it does not fit, and there is no remedy
	applied  string
	notice   Note
	finding  bool
	sources  []string
	narrow   bool
}

func newPanel(apply func(Remedy), undo func()) *panel {
	p := &panel{
		apply: apply, undo: undo,
		age:  widgets.Text(widgets.Quiet, "").Ellipsis().Align(fyne.TextAlignTrailing),
		body: widgets.VGap(12),
	}
	age := widgets.HGap(8, widgets.Grow(p.age), widgets.NewIcon(theme.IconGauge, theme.TextQuiet, theme.IconSizeText))
	head := widgets.HGap(8, widgets.Text(widgets.Section, words.T("load.memory")), widgets.Grow(age))
	p.scroll = container.NewVScroll(widgets.Inset(16, 12, 16, 16, widgets.VGap(8, head, p.body)))
	return p
}

// show draws a state. In a narrow window the remedies stand under the pool that
// does not fit.
func (p *panel) show(s State, narrow bool) {
	age := s.Memory.Age
	if s.Memory.Measuring {
		age = words.T("load.measuring", map[string]any{"Known": s.Memory.Known})
	}
	p.age.SetText(age)

	next := panelState{s.Memory.Known, s.Memory.Pools, s.Remedies, s.Memory.Problem, s.hopeless(), s.Applied, s.Notice, s.Finding, s.Memory.Sources, narrow}
	if reflect.DeepEqual(p.shown, next) {
		return
	}
	p.shown = next
	p.body.RemoveAll()
	if next.problem != "" {
		p.body.Add(widgets.NewReason(widgets.Cautious, next.problem))
	}
	if next.finding {
		p.body.Add(widgets.NewReason(widgets.Info, words.T("load.finding")))
	}
	if next.notice.Text != "" {
		p.body.Add(widgets.NewReason(next.notice.Kind.reason(), next.notice.Text))
	}
	if next.applied != "" {
		p.body.Add(widgets.HGapTop(8, widgets.Grow(widgets.NewReason(widgets.Good, next.applied)),
			widgets.NewSmallButton(words.T("load.undo"), "", widgets.Edged, p.undo)))
	}
	remedies := p.remedies()
	for _, pool := range next.pools {
		p.body.Add(poolView(pool, next.known))
		if v, _ := pool.Verdict(); narrow && v == TooMuch && remedies != nil {
			p.body.Add(remedies)
			remedies = nil
		}
	}
	if remedies != nil {
		p.body.Add(remedies)
	}
	p.body.Add(table(next.pools, next.known))
	sources := widgets.VGap(2, widgets.Text(widgets.QuietBold, words.T("load.source.head")))
	for _, source := range next.sources {
		sources.Add(widgets.Paragraph(widgets.Quiet, source))
	}
	p.body.Add(sources)
	p.body.Refresh()
	p.scroll.Refresh()
}

// remedies are what makes the plan fit, nil when it does.
func (p *panel) remedies() fyne.CanvasObject {
	s := p.shown
	if s.hopeless {
		return widgets.NewReason(widgets.Info, words.T("load.remedies.none"))
	}
	if len(s.remedies) == 0 {
		return nil
	}
	head := widgets.HGap(8, widgets.Text(widgets.Bold, words.T("load.remedies")),
		widgets.Text(widgets.Quiet, words.T("load.remedies.about")).Ellipsis())
	list := widgets.VGap(4, widgets.Inset(0, 0, 0, 2, head))
	for _, r := range s.remedies {
		style := widgets.Edged
		if r.Best {
			style = widgets.Filled
		}
		spare := widgets.Text(widgets.Quiet, r.Spare).Colour(theme.OK)
		if r.Tight {
			spare.Colour(theme.Caution)
		}
		button := widgets.NewSmallButton(words.T("load.remedy.apply"), "", style, func() { p.apply(r) })
		list.Add(widgets.Stack(
			widgets.NewFill(theme.Raised, theme.Separator, theme.RadiusControl),
			widgets.Inset(10, 3, 4, 3, widgets.HGap(8,
				widgets.Text(widgets.Body, r.Label),
				widgets.Grow(widgets.Text(widgets.Quiet, r.Cost).Ellipsis()),
				spare,
				button,
			)),
		))
	}
	return list
}

// poolView is one pool: its name, the verdict, its bar. While it is not known
// what the plan needs, there is no verdict, only what is free.
func poolView(p Pool, known bool) fyne.CanvasObject {
	verdict, bytes := p.Verdict()
	icon, colour, key := verdict.look()
	about, kind := p.About, widgets.Panel
	switch {
	case !known:
		icon, colour, key = theme.IconInfoRing, theme.TextQuiet, "load.verdict.free"
	case verdict == Unused:
		about, kind = words.T("load.pool.unused"), widgets.Unused
	}
	bar := widgets.NewMemoryBar(kind)
	slices := []widgets.Slice{{Color: theme.SliceOther, Bytes: p.OtherBytes, Label: words.GiB(p.OtherBytes)}}
	for i, s := range p.Slices {
		label := words.GiB(s.Bytes)
		if i == 0 {
			label = s.Label + " " + label
		}
		slices = append(slices, widgets.Slice{Color: s.Colour, Bytes: s.Bytes, Label: label})
	}
	if p.SharedBytes > 0 {
		label := words.T("load.slice.shared", map[string]any{"Pool": p.Shared}) + " " + words.GiB(p.SharedBytes)
		slices = append(slices, widgets.Slice{Color: theme.SliceShared, Bytes: p.SharedBytes, Label: label})
	}
	bar.Set(p.TotalBytes, slices, p.MarginBytes, p.ActualBytes)
	head := widgets.HGap(8,
		widgets.Text(widgets.Bold, p.Name).Ellipsis(),
		widgets.Grow(widgets.Text(widgets.Quiet, about).Ellipsis()),
		widgets.HGap(6, widgets.NewIcon(icon, colour, theme.IconSizeText),
			widgets.Text(widgets.QuietBold, words.T(key, map[string]any{"GiB": words.GiB(bytes)})).Colour(colour)),
	)
	column := widgets.VGap(4, head, bar)
	if p.ActualBytes > 0 {
		column.Add(widgets.Text(widgets.Quiet, words.T("load.pool.actual", map[string]any{
			"Actual": words.MiB(p.ActualBytes), "Expected": words.MiB(p.BufferBytes),
		})).Ellipsis())
	}
	return column
}

// look is how a verdict is told: never by colour alone.
func (v Verdict) look() (icon theme.IconName, colour fyne.ThemeColorName, key string) {
	switch v {
	case TooMuch:
		return theme.IconRefuseRing, theme.Refuse, "load.verdict.tooMuch"
	case Tight:
		return theme.IconTriangle, theme.Caution, "load.verdict.tight"
	case Fits:
		return theme.IconCheckRing, theme.OK, "load.verdict.fits"
	case Unknown:
		return theme.IconInfoRing, theme.TextQuiet, "load.verdict.unknown"
	default:
		return theme.IconCheckRing, theme.OK, "load.verdict.unused"
	}
}

// table has every number behind the bars; while it is not known what the plan
// needs, those of other programs alone.
func table(pools []Pool, known bool) fyne.CanvasObject {
	columns := tableColumns{pools: len(pools)}
	line := func(label fyne.CanvasObject, cell func(Pool) fyne.CanvasObject) fyne.CanvasObject {
		row := container.New(columns, label)
		for _, p := range pools {
			row.Objects = append(row.Objects, cell(p))
		}
		return row
	}
	number := func(bytes uint64) fyne.CanvasObject {
		text := widgets.Text(widgets.Quiet, "–").Align(fyne.TextAlignTrailing)
		if bytes > 0 {
			text.SetText(words.GiB(bytes))
			text.Colour(theme.Text)
		}
		return text
	}
	named := func(colour, edge fyne.ThemeColorName, name string) fyne.CanvasObject {
		square := widgets.Fixed(10, 10, widgets.NewFill(colour, edge, 2))
		return widgets.HGap(8, square, widgets.Text(widgets.Quiet, name).Colour(theme.Text))
	}

	list := widgets.VGap(2, line(widgets.Text(widgets.Quiet, words.T("load.table.gib")), func(p Pool) fyne.CanvasObject {
		return widgets.Text(widgets.Quiet, p.Name).Ellipsis().Align(fyne.TextAlignTrailing)
	}), widgets.Line())
	list.Add(line(named(theme.SliceOther, "", words.T("load.slice.other")), func(p Pool) fyne.CanvasObject { return number(p.OtherBytes) }))
	for i, kind := range sliceKinds {
		bytes := func(p Pool) uint64 {
			if len(p.Slices) == 0 {
				return 0
			}
			return p.Slices[i].Bytes
		}
		any := uint64(0)
		for _, p := range pools {
			any += bytes(p)
		}
		if any > 0 || known && i < alwaysShown {
			list.Add(line(named(kind.colour, "", words.T(kind.label)), func(p Pool) fyne.CanvasObject { return number(bytes(p)) }))
		}
	}
	for _, pool := range pools {
		if pool.SharedBytes > 0 {
			name := words.T("load.slice.shared", map[string]any{"Pool": pool.Shared})
			list.Add(line(named(theme.SliceShared, "", name), func(p Pool) fyne.CanvasObject { return number(p.SharedBytes) }))
		}
	}
	list.Add(line(named(theme.SliceMargin, theme.SliceMarginEdge, words.T("load.slice.margin")), func(p Pool) fyne.CanvasObject { return number(p.MarginBytes) }))
	if !known {
		return list
	}
	list.Add(widgets.Line())
	list.Add(line(widgets.Text(widgets.QuietBold, words.T("load.table.needed")).Colour(theme.Text), neededOfTotal))
	return list
}

// alwaysShown are the slices every plan has: weights, KV cache, compute.
const alwaysShown = 3

func neededOfTotal(p Pool) fyne.CanvasObject {
	text := words.GiB(p.OtherBytes+p.NeededBytes+p.SharedBytes+p.MarginBytes) + " / " + words.GiB(p.TotalBytes)
	label := widgets.Text(widgets.QuietBold, text).Align(fyne.TextAlignTrailing).Colour(theme.Text)
	if v, _ := p.Verdict(); v == TooMuch {
		label.Colour(theme.Refuse)
	}
	return label
}

// tableColumns lays out a line of the table: its name, then a number a pool.
type tableColumns struct{ pools int }

const (
	widestColumn = 120
	nameColumn   = 170
	tableLine    = 17
)

func (tableColumns) MinSize([]fyne.CanvasObject) fyne.Size { return fyne.NewSize(0, tableLine) }

func (l tableColumns) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	column := float32(0)
	if l.pools > 0 {
		column = max(0, min(widestColumn, (size.Width-nameColumn)/float32(l.pools)))
	}
	x := size.Width - column*float32(l.pools)
	for i, o := range objects {
		at, width := float32(0), x
		if i > 0 {
			at, width = x+column*float32(i-1)+8, column-8
		}
		height := o.MinSize().Height
		o.Move(fyne.NewPos(at, (size.Height-height)/2))
		o.Resize(fyne.NewSize(width, height))
	}
}
