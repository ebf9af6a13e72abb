package widgets

import (
	"slices"

	"fyne.io/fyne/v2/canvas"

	"paddock/app/theme"
)

const (
	bubbleWidth   = 560
	bubblePadding = 14
	bubbleEdge    = 10 // above and below the text

	photoWidth, photoHeight = 112, 80
	photoGap                = 12
	fewestLetters           = 160 // of width for text beside a picture or tools
)

// bubble draws what the user wrote, or the part of it a row holds. One picture
// stands beside the text, several above it.
func (p pen) bubble(r *row) float32 {
	m := r.message
	whole := !r.block.joined && r.last
	inner := p
	inner.width = p.bubbleInside(m)
	pictures := m.Pictures
	if r.block.joined {
		pictures = nil
	}
	beside := len(pictures) == 1 && whole
	shift := float32(0) // of the text, for the picture beside it
	if beside {
		shift = photoWidth + photoGap
	}
	lines := wrapRuns(r.block.runs, inner.width-shift, p.ruler.of(bodyFace))
	width := float32(0)
	for _, line := range lines {
		width = max(width, ceil(lineWidth(line))+shift)
	}
	width = max(width, p.widthOf(m, beside))
	if len(pictures) > 1 {
		width = max(width, float32(min(len(pictures), photosIn(inner.width)))*(photoWidth+photoGap)-photoGap)
	}
	if !whole {
		width = inner.width
	}
	inner.width = min(width, inner.width)
	width = inner.width + 2*bubblePadding
	x := p.x + p.width - width
	edge := theme.Separator
	if m.Marked {
		edge = theme.Accent
	}
	fill := p.rect(x, p.y, width, 0, theme.Raised, "", theme.RadiusMessage)
	if whole {
		fill.StrokeColor, fill.StrokeWidth = theme.Color(edge), 1
	} else {
		corners(fill, theme.RadiusMessage, !r.block.joined, r.last)
	}
	inner.x, inner.y = x+bubblePadding, p.y
	if !r.block.joined {
		inner.y += bubbleEdge
	}
	bottom := inner.y
	if beside {
		inner.photoOf(pictures[0], inner.x-2, inner.y, photoWidth, photoHeight)
		bottom += photoHeight
		inner.x += shift
		inner.width -= shift
	} else if len(pictures) > 0 {
		inner.y += inner.photos(pictures)
	}
	for _, line := range lines {
		inner.line(r.block.runs, joinSpans(line, false), bodyFace, inner.y)
		inner.y += bodyFace.line
	}
	if beside {
		if caption := pictures[0].caption(); caption != "" {
			inner.hint(caption)
			inner.y += hintFace.line
		}
	}
	if r.last {
		inner.y = p.files(m, inner)
	}
	bottom = max(bottom, inner.y)
	if r.last {
		bottom += bubbleEdge
		p.tools(m, x-8, bottom-theme.ControlHeightSmall-2)
	}
	setAt(fill, x, p.y, width, bottom-p.y)
	canvas.Refresh(fill)
	return bottom - p.y
}

// bubbleInside is how wide what is in a bubble can be, with its tools beside it.
func (p pen) bubbleInside(m *shownMessage) float32 {
	room := p.width - p.toolsWidth(m) - 16
	return max(min(room, bubbleWidth)-2*bubblePadding, fewestLetters)
}

// widthOf is the width that captions need.
func (p pen) widthOf(m *shownMessage, beside bool) float32 {
	width := float32(0)
	measure := p.ruler.of(hintFace)
	if beside {
		width = ceil(measure(m.Pictures[0].caption(), 0)) + photoWidth + photoGap
	}
	for _, f := range m.Files {
		width = max(width, ceil(measure(f, 0))+20)
	}
	return width
}

func (p pen) files(m *shownMessage, inner pen) float32 {
	for _, f := range m.Files {
		inner.y += 4
		p.icon(inner.x, inner.y+1, theme.IconSizeText, theme.IconFile, theme.TextQuiet)
		line := inner
		line.x += 20
		line.width -= 20
		line.hint(f)
		inner.y += hintFace.line
	}
	return inner.y
}

// hint draws a line of quiet text, shortened to the width.
func (p pen) hint(text string) {
	text = shorten(text, p.width, roleStyles[Hint])
	p.text(p.x, p.y, p.width, text, hintFace, 0, theme.TextQuiet)
}

func (m MessagePicture) caption() string {
	switch {
	case m.Name == "":
		return m.Text
	case m.Text == "":
		return m.Name
	}
	return m.Name + " · " + m.Text
}

// photosIn is how many pictures stand side by side.
func photosIn(width float32) int {
	return max(1, int((width+photoGap)/(photoWidth+photoGap)))
}

// photos draws several pictures in a grid, with a line below each, and returns its
// height.
func (p pen) photos(pictures []MessagePicture) float32 {
	const cell = photoHeight + 2 + 16
	columns := photosIn(p.width)
	for i, picture := range pictures {
		x := p.x + float32(i%columns)*(photoWidth+photoGap)
		y := p.y + float32(i/columns)*(cell+8)
		p.photoOf(picture, x, y, photoWidth, photoHeight)
		line := p
		line.x, line.y, line.width = x, y+photoHeight+2, photoWidth
		line.hint(picture.caption())
	}
	return float32((len(pictures)+columns-1)/columns) * (cell + 8)
}

// photoOf draws a picture, or what stands for it while it is read.
func (p pen) photoOf(m MessagePicture, x, y, w, h float32) {
	p.rect(x, y, w, h, theme.Hover, "", theme.RadiusBadge)
	icon := func(name theme.IconName) {
		side := theme.IconSizeRail
		p.icon(x+(w-side)/2, y+(h-side)/2, side, name, theme.TextQuiet)
	}
	if m.Path == "" || p.hooks.Thumbnails == nil {
		icon(theme.IconNoEntry)
		return
	}
	list, path := p.list, m.Path
	wants := func() bool { return slices.ContainsFunc(list.live, func(r *row) bool { return r.shows(path) }) }
	img, ready := p.hooks.Thumbnails.Get(path, thumbScale*photoWidth, wants, func() { list.pictureCame(path) })
	switch {
	case img != nil:
		p.photo(x, y, w, h, img)
	case ready:
		icon(theme.IconNoEntry)
		return
	default:
		icon(theme.IconImage)
	}
	if p.hooks.Picture != nil {
		p.link(x, y, w, h, m.caption(), func() { p.hooks.Picture(path) })
	}
}

// shows says whether a picture is in a row.
func (r *row) shows(path string) bool {
	return r.kind == bubbleRow && slices.ContainsFunc(r.message.Pictures, func(m MessagePicture) bool { return m.Path == path })
}

// pictureCame draws the bubbles in sight again that have a picture.
func (l *BlockList) pictureCame(path string) {
	drawn := false
	for _, r := range l.live {
		if r.shows(path) {
			r.stale, drawn = true, true
		}
	}
	if drawn {
		l.lay()
	}
}
