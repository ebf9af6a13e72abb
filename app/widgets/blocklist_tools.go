package widgets

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"

	"paddock/app/theme"
	"paddock/words"
)

const toolSize = theme.ControlHeightSmall

// toolsWidth is the room the tools beside a bubble take.
func (p pen) toolsWidth(m *shownMessage) float32 {
	width := float32(1+len(m.Tools)) * toolSize
	if m.Branch.Of > 1 {
		width += p.branchWidth(m.Branch)
	}
	return width
}

func branchText(b Branch) string {
	return words.T("chat.branch", map[string]any{"At": words.Count(b.At), "Of": words.Count(b.Of)})
}

func (p pen) branchWidth(b Branch) float32 {
	return 2*toolSize + ceil(p.ruler.of(face{theme.TextLabel, toolSize})(branchText(b), 0))
}

// tools draws what can be done with a message, up to a right end, and returns
// where they begin. The icons are seen when the message is pointed at, or one of
// them has the focus; the versions always.
func (p pen) tools(m *shownMessage, right, y float32) float32 {
	x := right
	if m.Branch.Of > 1 && m.User {
		x -= p.branchWidth(m.Branch)
		p.branch(m, x, y)
	}
	tools := p.toolButtons(m)
	if !m.User { // copy first, the menu at the end
		x -= float32(len(tools)) * toolSize
		for i, b := range tools {
			setAt(b, x+float32(i)*toolSize, y, toolSize, toolSize)
		}
		if m.Branch.Of > 1 {
			x -= p.branchWidth(m.Branch)
			p.branch(m, x, y)
		}
		return x
	}
	x -= float32(len(tools)) * toolSize
	for i, b := range tools {
		setAt(b, x+float32(i)*toolSize, y, toolSize, toolSize)
	}
	return x
}

// toolButtons are the icons, the one that copies among them.
func (p pen) toolButtons(m *shownMessage) []*Button {
	label := words.T("chat.copy_answer")
	if m.User {
		label = words.T("chat.copy_message")
	}
	copies := p.button("copy", func() *Button { return NewSmallButton("", theme.IconCopy, Plain, nil).Label(label) })
	text := m.Text
	copies.SetTapped(func() {
		if p.hooks.CopyMessage != nil {
			p.hooks.CopyMessage(m.ID)
			return
		}
		p.hooks.Copy(text)
	})
	var buttons []*Button
	for _, a := range m.Tools {
		b := p.button("tool "+a.ID, func() *Button { return NewSmallButton("", a.Icon, Plain, nil) })
		name := a.Label
		if a.Off != "" {
			name += ": " + a.Off
		}
		b.Label(name)
		b.SetEnabled(a.Off == "")
		b.SetTapped(func() {
			if a.Menu {
				p.hooks.Menu(m.ID, a.ID, b)
				return
			}
			p.hooks.Act(m.ID, a.ID)
		})
		buttons = append(buttons, b)
	}
	before := 0
	if m.User { // editing comes first
		before = min(1, len(buttons))
	}
	buttons = slices.Insert(buttons, before, copies)
	if m.User {
		p.sheet.tools = append(p.sheet.tools, buttons...)
		for _, b := range buttons {
			b.SetVeiled(p.list.pointed != m.ID)
		}
	}
	return buttons
}

// branch draws the versions of a message, with arrows between them.
func (p pen) branch(m *shownMessage, x, y float32) {
	text := branchText(m.Branch)
	f := face{theme.TextLabel, toolSize}
	width := ceil(p.ruler.of(f)(text, 0))
	arrow := func(action, label string, icon theme.IconName, at float32, on bool) {
		b := p.button(action, func() *Button { return NewSmallButton("", icon, Plain, nil).Label(label) })
		b.SetEnabled(on && m.Branch.Off == "")
		b.SetTapped(func() { p.hooks.Act(m.ID, action) })
		setAt(b, at, y, toolSize, toolSize)
	}
	arrow(ActEarlier, words.T("chat.branch.earlier"), theme.IconChevronLeft, x, m.Branch.At > 1)
	p.text(x+toolSize, y, width, text, f, 0, theme.TextQuiet)
	arrow(ActLater, words.T("chat.branch.later"), theme.IconChevronRight, x+toolSize+width, m.Branch.At < m.Branch.Of)
}

// FocusArrow gives the focus to an arrow of a message's versions, or to the other
// one at the first and the last version.
func (l *BlockList) FocusArrow(id int, action string) {
	other := ActLater
	if action == ActLater {
		other = ActEarlier
	}
	for _, r := range l.live {
		if r.message.ID != id {
			continue
		}
		for _, a := range []string{action, other} {
			if b := r.sheet.buttons[a]; b != nil && !b.Disabled() {
				Focus(b)
				return
			}
		}
	}
}

// reveal brings a part of a row into sight.
func (l *BlockList) reveal(r *row, y, height float32) {
	const room = 24
	for i, other := range l.rows {
		if other != r {
			continue
		}
		top := l.heights.top(i) + float64(y)
		bottom := top + float64(height)
		view := float64(l.Size().Height)
		switch {
		case top < l.offset:
			l.scrollTo(top - room)
		case bottom > l.offset+view:
			l.scrollTo(bottom - view + room)
		}
		return
	}
}

// MouseIn is MouseMoved.
func (l *BlockList) MouseIn(ev *desktop.MouseEvent) { l.MouseMoved(ev) }

// MouseMoved shows the tools of the message under the pointer.
func (l *BlockList) MouseMoved(ev *desktop.MouseEvent) {
	if len(l.rows) == 0 {
		return
	}
	id := l.rows[l.heights.at(l.offset+float64(ev.Position.Y))].message.ID
	if id == l.pointed {
		return
	}
	l.pointed = id
	for _, r := range l.live {
		for _, b := range r.sheet.tools {
			b.SetVeiled(r.message.ID != id)
		}
	}
}

// MouseOut leaves the tools: the pointer may be on them now.
func (l *BlockList) MouseOut() {}

var (
	_ desktop.Hoverable = (*BlockList)(nil)
	_ fyne.Scrollable   = (*BlockList)(nil)
)
