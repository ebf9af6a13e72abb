package widgets

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"
)

// natural is implemented by what can be narrower than it wants to be.
type natural interface {
	NaturalWidth() float32
}

// naturalWidth is the width an object wants.
func naturalWidth(o fyne.CanvasObject) float32 {
	switch c := o.(type) {
	case natural:
		return c.NaturalWidth()
	case *fyne.Container:
		if l, ok := c.Layout.(hgap); ok {
			return l.naturalWidth(c.Objects)
		}
	}
	return o.MinSize().Width
}

// trace is a share of the width something wants that is too small to be seen.
// What can be narrower than its text adds it to its least width, because Fyne
// lays a row out anew only when a least size in it has changed.
func trace(wanted float32) float32 { return wanted / 4096 }

// HeightAt is the height an object needs when it is that wide.
func HeightAt(o fyne.CanvasObject, width float32) float32 {
	switch c := o.(type) {
	case heightFor:
		return c.HeightFor(width)
	case *fyne.Container:
		if l, ok := c.Layout.(interface {
			heightAt([]fyne.CanvasObject, float32) float32
		}); ok {
			return l.heightAt(c.Objects, width)
		}
	}
	return o.MinSize().Height
}

// Inset puts room around an object.
func Inset(left, top, right, bottom float32, obj fyne.CanvasObject) *fyne.Container {
	return container.New(inset{left, top, right, bottom}, obj)
}

type inset struct{ left, top, right, bottom float32 }

func (l inset) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objs {
		o.Move(fyne.NewPos(l.left, l.top))
		o.Resize(fyne.NewSize(max(0, size.Width-l.left-l.right), max(0, size.Height-l.top-l.bottom)))
	}
}

func (l inset) MinSize(objs []fyne.CanvasObject) fyne.Size {
	m := fyne.Size{}
	for _, o := range objs {
		if o.Visible() {
			m = m.Max(o.MinSize())
		}
	}
	return m.AddWidthHeight(l.left+l.right, l.top+l.bottom)
}

func (l inset) heightAt(objs []fyne.CanvasObject, width float32) float32 {
	h := float32(0)
	for _, o := range objs {
		if o.Visible() {
			h = max(h, HeightAt(o, width-l.left-l.right))
		}
	}
	return h + l.top + l.bottom
}

// HGap is a row: objects side by side, gap apart, each in the middle of the
// row's height. A spacer or an object wrapped in Grow takes the room that is
// left; labels with an ellipsis and paragraphs give way when there is too little.
func HGap(gap float32, objs ...fyne.CanvasObject) *fyne.Container {
	return container.New(hgap{gap: gap}, objs...)
}

// HGapTop is HGap with the objects at the top of the row.
func HGapTop(gap float32, objs ...fyne.CanvasObject) *fyne.Container {
	return container.New(hgap{gap: gap, top: true}, objs...)
}

type hgap struct {
	gap float32
	top bool
}

func isSpacer(o fyne.CanvasObject) bool {
	s, ok := o.(layout.SpacerObject)
	return ok && s.ExpandHorizontal()
}

func isGrow(o fyne.CanvasObject) bool {
	c, ok := o.(*fyne.Container)
	if !ok {
		return false
	}
	_, ok = c.Layout.(grow)
	return ok
}

// widths shares width out among the visible objects; hidden ones get -1.
func (l hgap) widths(objs []fyne.CanvasObject, width float32) []float32 {
	ws := make([]float32, len(objs))
	left, growing, count := width, 0, 0
	room := float32(0) // what the objects that can give way take above their least
	for i, o := range objs {
		if !o.Visible() {
			ws[i] = -1
			continue
		}
		if isSpacer(o) {
			growing++
			continue // a spacer has no gap of its own
		}
		count++
		least := o.MinSize().Width
		ws[i] = least
		if isGrow(o) {
			growing++
		} else if wanted := naturalWidth(o); wanted > least {
			ws[i] = wanted
			room += wanted - least
		}
		left -= ws[i]
	}
	left -= l.gap * float32(max(0, count-1))
	if left < 0 && room > 0 {
		share := min(1, -left/room)
		for i, o := range objs {
			if ws[i] >= 0 && !isSpacer(o) && !isGrow(o) {
				ws[i] -= (ws[i] - o.MinSize().Width) * share
			}
		}
	} else if left > 0 && growing > 0 {
		for i, o := range objs {
			if ws[i] >= 0 && (isSpacer(o) || isGrow(o)) {
				ws[i] += left / float32(growing)
			}
		}
	}
	return ws
}

func (l hgap) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	ws := l.widths(objs, size.Width)
	lowest := l.baselines(objs)
	x, first := float32(0), true
	for i, o := range objs {
		if ws[i] < 0 {
			continue
		}
		if isSpacer(o) {
			x += ws[i]
			continue
		}
		if !first {
			x += l.gap
		}
		first = false
		h := HeightAt(o, ws[i])
		y := float32(0)
		if !l.top {
			y = round((size.Height - h) / 2)
		}
		if fills, ok := o.(filler); ok && fills.fillsHeight() || isGrow(o) {
			y, h = 0, size.Height
		}
		if own := baseline(o); own > 0 && !l.top {
			y += lowest[i] - own
		}
		o.Resize(fyne.NewSize(ws[i], h))
		o.Move(fyne.NewPos(round(x), y))
		x += ws[i]
	}
}

// baselines are where the labels of a row stand, so that those of different sizes
// stand on one line. A spacer parts those that have nothing to do with each other.
func (l hgap) baselines(objs []fyne.CanvasObject) []float32 {
	list := make([]float32, len(objs))
	from, lowest := 0, float32(0)
	for i, o := range objs {
		if isSpacer(o) {
			from, lowest = i+1, 0
		} else if o.Visible() {
			lowest = max(lowest, baseline(o))
		}
		for j := from; j <= i; j++ {
			list[j] = lowest
		}
	}
	return list
}

// baseline is how far below its middle a label's text stands, 0 for what has
// none.
func baseline(o fyne.CanvasObject) float32 {
	switch c := o.(type) {
	case *TextLabel:
		st := roleStyles[c.role]
		return textTop(st.size, st.line) + round(fontAscent*st.size) - st.line/2
	case *fyne.Container:
		lowest := float32(0)
		if row, ok := c.Layout.(hgap); ok && !row.top || isGrow(c) {
			for _, part := range c.Objects {
				lowest = max(lowest, baseline(part))
			}
		}
		return lowest
	}
	return 0
}

// filler is implemented by what wants the whole height of a row.
type filler interface{ fillsHeight() bool }

func (l hgap) MinSize(objs []fyne.CanvasObject) fyne.Size {
	m, count := fyne.Size{}, 0
	for _, o := range objs {
		if !o.Visible() || isSpacer(o) {
			continue
		}
		s := o.MinSize()
		m.Width += s.Width
		m.Height = max(m.Height, s.Height)
		count++
	}
	m.Width += l.gap * float32(max(0, count-1))
	return m
}

func (l hgap) naturalWidth(objs []fyne.CanvasObject) float32 {
	w, count := float32(0), 0
	for _, o := range objs {
		if o.Visible() && !isSpacer(o) {
			w += naturalWidth(o)
			count++
		}
	}
	return w + l.gap*float32(max(0, count-1))
}

func (l hgap) heightAt(objs []fyne.CanvasObject, width float32) float32 {
	h := float32(0)
	for i, w := range l.widths(objs, width) {
		if w >= 0 && !isSpacer(objs[i]) {
			h = max(h, HeightAt(objs[i], w))
		}
	}
	return h
}

// Grow lets an object in a row or column take the room that is left.
func Grow(obj fyne.CanvasObject) *fyne.Container {
	return container.New(grow{}, obj)
}

type grow struct{}

func (grow) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objs {
		h := size.Height
		if !fillsBoth(o) {
			h = min(h, HeightAt(o, size.Width))
		}
		o.Resize(fyne.NewSize(size.Width, h))
		o.Move(fyne.NewPos(0, round((size.Height-h)/2)))
	}
}

// fillsBoth says whether an object in Grow wants the height too: everything but
// text and controls, whose height is their own.
func fillsBoth(o fyne.CanvasObject) bool {
	switch o.(type) {
	case *TextLabel, *ParagraphText, *Reason, *Button, *SelectBox, *Entry, *Segments, *MemoryBar, *Slider, *Progress:
		return false
	}
	return true
}

func (grow) MinSize(objs []fyne.CanvasObject) fyne.Size {
	m := fyne.Size{}
	for _, o := range objs {
		m = m.Max(o.MinSize())
	}
	return m
}

func (grow) heightAt(objs []fyne.CanvasObject, width float32) float32 {
	h := float32(0)
	for _, o := range objs {
		h = max(h, HeightAt(o, width))
	}
	return h
}

// VGap is a column: objects below each other, gap apart, as wide as the column.
// A spacer or an object wrapped in Grow takes the height that is left.
func VGap(gap float32, objs ...fyne.CanvasObject) *fyne.Container {
	return container.New(&vgap{gap: gap}, objs...)
}

type vgap struct {
	gap   float32
	width float32 // of the last layout, for the height of wrapped text
}

func isVSpacer(o fyne.CanvasObject) bool {
	s, ok := o.(layout.SpacerObject)
	return ok && s.ExpandVertical()
}

func (l *vgap) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	growing := 0
	for _, o := range objs {
		if o.Visible() && (isVSpacer(o) || isGrow(o)) {
			growing++
		}
	}
	left := max(0, size.Height-l.heightAt(objs, size.Width))
	y, first := float32(0), true
	for _, o := range objs {
		if !o.Visible() {
			continue
		}
		if isVSpacer(o) {
			y += left / float32(growing)
			continue
		}
		if !first {
			y += l.gap
		}
		first = false
		h := HeightAt(o, size.Width)
		if isGrow(o) {
			h += left / float32(growing)
		}
		o.Resize(fyne.NewSize(size.Width, h))
		o.Move(fyne.NewPos(0, round(y)))
		y += h
	}
}

func (l *vgap) MinSize(objs []fyne.CanvasObject) fyne.Size {
	m := fyne.Size{}
	for _, o := range objs {
		if o.Visible() && !isVSpacer(o) {
			m.Width = max(m.Width, o.MinSize().Width)
		}
	}
	m.Height = l.heightAt(objs, max(m.Width, l.width))
	return m
}

func (l *vgap) heightAt(objs []fyne.CanvasObject, width float32) float32 {
	h, count := float32(0), 0
	for _, o := range objs {
		if !o.Visible() || isVSpacer(o) {
			continue
		}
		h += HeightAt(o, width)
		count++
	}
	return h + l.gap*float32(max(0, count-1))
}

// Fixed gives an object a size of its own; a width or height of 0 is the
// object's own.
func Fixed(width, height float32, obj fyne.CanvasObject) *fyne.Container {
	return container.New(fixed{width, height}, obj)
}

type fixed struct{ width, height float32 }

func (l fixed) Layout(objs []fyne.CanvasObject, size fyne.Size) {
	for _, o := range objs {
		o.Move(fyne.Position{})
		o.Resize(size)
	}
}

func (l fixed) MinSize(objs []fyne.CanvasObject) fyne.Size {
	m := fyne.Size{}
	for _, o := range objs {
		if o.Visible() {
			m = m.Max(o.MinSize())
		}
	}
	if l.width > 0 {
		m.Width = l.width
	}
	if l.height > 0 {
		m.Height = l.height
	}
	return m
}

func (l fixed) heightAt(objs []fyne.CanvasObject, width float32) float32 {
	if l.height > 0 {
		return l.height
	}
	h := float32(0)
	for _, o := range objs {
		h = max(h, HeightAt(o, width))
	}
	return h
}

// Stack puts objects over each other, the last on top. Unlike Fyne's own, its
// height follows wrapped text.
func Stack(objs ...fyne.CanvasObject) *fyne.Container {
	return container.New(inset{}, objs...)
}

// Row is the layout of HGap, for rows whose objects come and go.
func Row(gap float32) fyne.Layout { return hgap{gap: gap} }

// SetShown shows or hides an object.
func SetShown(o fyne.CanvasObject, on bool) {
	if on {
		o.Show()
	} else {
		o.Hide()
	}
}
