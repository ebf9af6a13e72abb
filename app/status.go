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
// right. A notice takes the fact's place for a while.
type statusLine struct {
	content fyne.CanvasObject
	keys    *fyne.Container
	fact    *widgets.TextLabel
	mark    *widgets.Icon
	shown   []widgets.Key
	notices int // how many there have been, to know the latest
	notice  bool
	passing bool // it goes when the tab does
	calm    string
	do      func(func())
}

func newStatusLine(do func(func())) *statusLine {
	s := &statusLine{
		keys: widgets.HGap(theme.GapGroup),
		fact: widgets.Text(widgets.Hint, "").Ellipsis(),
		mark: widgets.NewIcon(theme.IconInfoRing, theme.Text, theme.IconSizeText),
		do:   do,
	}
	s.mark.Hide()
	row := widgets.HGap(theme.GapInside, s.keys, layout.NewSpacer(), s.mark, s.fact)
	s.content = widgets.Fixed(0, theme.StatusHeight, widgets.Borders(widgets.Line(), nil, nil, nil,
		widgets.Background(theme.Window, widgets.Inset(theme.PaneMargin, 0, theme.PaneMargin, 0, row))))
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
	s.calm = fact
	if !s.notice {
		s.fact.SetText(fact)
	}
}

// say shows a notice for a while.
func (s *statusLine) say(text string, stays time.Duration) {
	s.notices++
	latest := s.notices
	s.notice, s.passing = true, stays < noticeTime
	s.fact.Colour(theme.Text)
	s.fact.SetText(text)
	s.mark.Show()
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
	if s.notice && s.passing {
		s.calmDown()
	}
}

// calmDown shows the fact in the notice's place.
func (s *statusLine) calmDown() {
	s.notices++
	s.notice = false
	s.mark.Hide()
	s.fact.Colour(theme.TextQuiet)
	s.fact.SetText(s.calm)
}
