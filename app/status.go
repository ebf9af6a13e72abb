package app

import (
	"slices"
	"time"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/layout"

	"paddock/app/theme"
	"paddock/app/widgets"
)

// How long a notice stays in the status line, and one that matters for a moment
// and on its tab only.
const noticeTime, mentionTime = 10 * time.Second, 5 * time.Second

// A statusLine shows the keys that matter at its left and one calm fact at its
// right. A notice takes their place for a while, in as many lines as it needs.
type statusLine struct {
	content *fyne.Container
	calm    *fyne.Container
	keys    *fyne.Container
	fact    *widgets.TextLabel
	notice  *fyne.Container
	said    *widgets.ParagraphText
	shown   []widgets.Key
	notices int  // how many there have been, to know the latest
	passing bool // the notice goes when the tab does
	do      func(func())
}

func newStatusLine(do func(func())) *statusLine {
	s := &statusLine{
		keys: widgets.HGap(theme.GapGroup),
		fact: widgets.Text(widgets.Hint, "").Ellipsis(),
		said: widgets.Paragraph(widgets.Hint, "").Colour(theme.Text),
		do:   do,
	}
	s.calm = widgets.Fixed(0, theme.StatusHeight-1, widgets.Inset(theme.PaneMargin, 0, theme.PaneMargin, 0,
		widgets.HGap(theme.GapInside, s.keys, layout.NewSpacer(), s.fact)))
	mark := widgets.Fixed(0, theme.LineHint, widgets.NewIcon(theme.IconInfoRing, theme.Text, theme.IconSizeText))
	const above = (theme.StatusHeight - 1 - theme.LineHint) / 2
	s.notice = widgets.Inset(theme.PaneMargin, above, theme.PaneMargin, above, widgets.HGapTop(theme.GapInside, mark, widgets.Grow(s.said)))
	s.notice.Hide()
	s.content = widgets.Borders(widgets.Line(), nil, nil, nil,
		widgets.Background(theme.Window, widgets.VGap(0, s.calm, s.notice)))
	return s
}

// show draws a page's keys and fact.
func (s *statusLine) show(keys []widgets.Key, fact string) {
	if !slices.Equal(s.shown, keys) {
		s.shown = keys
		s.keys.Objects = nil
		for _, k := range keys {
			s.keys.Add(widgets.HGap(theme.Gap, widgets.NewKeyCap(k.Cap), widgets.Text(widgets.Hint, k.Text)))
		}
	}
	s.fact.SetText(fact)
}

// say shows a notice for a while.
func (s *statusLine) say(text string, stays time.Duration) {
	s.notices++
	latest := s.notices
	s.passing = stays < noticeTime
	s.said.SetText(text)
	s.swap(s.calm, s.notice)
	time.AfterFunc(stays, func() {
		s.do(func() {
			if latest == s.notices {
				s.calmDown()
			}
		})
	})
}

// turn takes away what was said about the tab before.
func (s *statusLine) turn() {
	if s.notice.Visible() && s.passing {
		s.calmDown()
	}
}

// calmDown shows keys and fact in the notice's place.
func (s *statusLine) calmDown() {
	s.notices++
	s.swap(s.notice, s.calm)
}

func (s *statusLine) swap(hidden, shown *fyne.Container) {
	hidden.Hide()
	shown.Show()
	s.content.Refresh()
}
