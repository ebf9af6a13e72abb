package app

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine"
	"paddock/engine/plan"
	"paddock/words"
)

// A strip says under the engine bar what failed, why, and what to do; or that a
// model runs in place of what failed.
type strip struct {
	content *fyne.Container
	fill    *widgets.Fill
	icon    *widgets.Icon
	bold    *widgets.ParagraphText
	detail  *widgets.ParagraphText
	options [stripOptions]*widgets.Button // ways out of a failure, before the others
	retry   *widgets.Button
	change  *widgets.Button
	forget  *widgets.Button
	logs    *widgets.Button
	shown   stripState
	open    bool // the log is
}

// stripOptions is how many ways out of a failure there is room for.
const stripOptions = 2

// stripHooks are what the strip's buttons do.
type stripHooks struct {
	retry, change, forget, toggleLog, dismiss func()
	instead                                   func(plan.Plan)
}

func newStrip(hooks stripHooks) *strip {
	s := &strip{
		fill:   widgets.NewFill(theme.RefuseFill, "", 0),
		icon:   widgets.NewIcon(theme.IconRefuseRing, theme.Refuse, theme.IconSize),
		bold:   widgets.Paragraph(widgets.Bold, ""),
		detail: widgets.Paragraph(widgets.Quiet, "").Colour(theme.Text),
		retry:  widgets.NewButton(words.T("shell.retry"), "", widgets.Filled, hooks.retry),
		change: widgets.NewButton(words.T("shell.change"), "", widgets.Edged, hooks.change),
		forget: widgets.NewButton(words.T("shell.forget"), "", widgets.Edged, hooks.forget),
		logs:   widgets.NewButton("", theme.IconTerminal, widgets.Edged, hooks.toggleLog),
	}
	closer := widgets.NewButton("", theme.IconClose, widgets.Plain, hooks.dismiss).Label(words.T("shell.dismiss"))
	icon := widgets.Fixed(theme.IconSize, theme.LineBody, s.icon)
	text := widgets.Grow(widgets.VGap(2, s.bold, s.detail))
	row := []fyne.CanvasObject{icon, text}
	for i := range s.options {
		kind := widgets.Edged
		if i == 0 {
			kind = widgets.Filled
		}
		s.options[i] = widgets.NewButton("", "", kind, func() { hooks.instead(s.shown.Options[i].Plan) })
		row = append(row, s.options[i])
	}
	row = append(row, s.retry, s.change, s.forget, s.logs, closer)
	s.content = widgets.VGap(0,
		widgets.Stack(s.fill, widgets.Inset(theme.PaneMargin, 12, 12, 12, widgets.HGapTop(theme.GapControl+4, row...))),
		widgets.Line())
	s.content.Hide()
	s.show(stripState{}, false)
	return s
}

// show draws a failure or a notice, or hides the strip. Where there are ways out of
// a failure, the same load again is not offered, nor its settings where two of them
// take the room.
func (s *strip) show(v stripState, on bool) {
	s.shown = v
	s.fill.SetColours(theme.RefuseFill, "")
	s.icon.Set(theme.IconRefuseRing, theme.Refuse)
	if v.Notice {
		s.fill.SetColours(theme.CautionFill, "")
		s.icon.Set(theme.IconTriangle, theme.Caution)
	}
	s.bold.SetText(v.Bold)
	s.detail.SetText(v.Detail)
	s.detail.Hidden = v.Detail == ""
	for i, option := range s.options {
		if option.Hidden = i >= len(v.Options); !option.Hidden {
			option.SetText(words.T(v.Options[i].Label))
		}
	}
	s.retry.Hidden = v.Notice || len(v.Options) > 0
	s.change.Hidden = v.Notice || len(v.Options) > 1
	s.forget.Hidden = !v.Kept
	s.logOpen(s.open)
	s.content.Hidden = !on
	s.content.Refresh()
}

// logOpen says on the button what it would do now.
func (s *strip) logOpen(open bool) {
	s.open = open
	key := map[bool]string{false: "shell.log.show", true: "shell.log.hide"}[open]
	if s.shown.Notice {
		key = map[bool]string{false: "shell.details", true: "shell.hideDetails"}[open]
	}
	s.logs.SetText(words.T(key))
}

// A logPanel shows the engine's last words.
type logPanel struct {
	content *fyne.Container
	title   *widgets.TextLabel
	full    *widgets.Button
	scroll  *container.Scroll
	lines   *fyne.Container
	text    string
}

const logLinesShown = 7

func newLogPanel(copyText func(string), openFull func()) *logPanel {
	p := &logPanel{
		title: widgets.Text(widgets.Quiet, "").Ellipsis(),
		lines: widgets.VGap(1),
	}
	p.full = widgets.NewButton(words.T("shell.log.full"), theme.IconFile, widgets.Plain, openFull)
	copied := widgets.NewButton(words.T("shell.log.copy"), theme.IconCopy, widgets.Plain, func() { copyText(p.text) })
	p.scroll = container.NewScroll(widgets.Inset(theme.PaneMargin, 0, theme.PaneMargin, 12, p.lines))
	head := widgets.Inset(theme.PaneMargin, 2, theme.GapControl, 2,
		widgets.HGap(theme.GapControl, p.title, layout.NewSpacer(), copied, p.full))
	const height = 35 + logLinesShown*(theme.LineMono+1) + 12
	p.content = widgets.Fixed(0, height, widgets.Background(theme.Code,
		widgets.Borders(head, widgets.Line(), nil, nil, p.scroll)))
	p.content.Hide()
	return p
}

// show draws the engine's last words.
func (p *logPanel) show(s engine.State) {
	title := words.T("shell.log.title")
	if s.Build.Path != "" {
		title += " · " + buildName(s.Build)
	}
	p.title.SetText(title)
	p.full.SetEnabled(s.LogPath != "")
	text := strings.Join(s.LastWords, "\n")
	if text == p.text && len(p.lines.Objects) > 0 {
		return
	}
	p.text = text
	p.lines.Objects = nil
	for _, line := range logLines(s.LastWords) {
		colour := theme.TextQuiet
		if line.Error {
			colour = theme.Refuse
		}
		p.lines.Add(widgets.Text(widgets.Mono, line.Text).Colour(colour))
	}
	if len(s.LastWords) == 0 {
		p.lines.Add(widgets.Text(widgets.Quiet, words.T("shell.log.empty")))
	}
	p.scroll.ScrollToBottom()
}

// toggle opens or closes the panel and says which.
func (p *logPanel) toggle() (open bool) {
	p.content.Hidden = !p.content.Hidden
	p.content.Refresh()
	return !p.content.Hidden
}
