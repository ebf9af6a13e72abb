package widgets

import (
	"image"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
)

// A Thumb shows a small picture of a file: an icon until it is read, and for a
// file that is none.
type Thumb struct {
	widget.BaseWidget
	from *Thumbnails
	path string
	size fyne.Size
	icon theme.IconName
	img  image.Image

	whole bool
}

// NewThumb makes a thumbnail of a size; the icon stands where there is no
// picture.
func NewThumb(from *Thumbnails, width, height float32, icon theme.IconName) *Thumb {
	t := &Thumb{from: from, size: fyne.NewSize(width, height), icon: icon}
	t.ExtendBaseWidget(t)
	return t
}

// Whole shows all of a picture, in a frame, where otherwise its ends are cut off.
func (t *Thumb) Whole() *Thumb {
	t.whole = true
	return t
}

// thumbScale is how many pixels a thumbnail has for one of the design, so that it
// is sharp on a dense screen.
const thumbScale = 2

// SetPath shows another file's picture; none when the path is empty.
func (t *Thumb) SetPath(path string) {
	if t.path == path {
		return
	}
	t.path, t.img = path, nil
	t.fetch()
	t.Refresh()
}

func (t *Thumb) fetch() {
	if t.path == "" || t.from == nil {
		return
	}
	path := t.path
	side := int(thumbScale * max(t.size.Width, t.size.Height))
	wants := func() bool { return t.path == path }
	img, ready := t.from.Get(path, side, wants, func() {
		if wants() {
			t.fetch()
			t.Refresh()
		}
	})
	if ready {
		t.img = img
	}
}

// CreateRenderer draws the picture, cut to the thumbnail's shape or whole in it.
func (t *Thumb) CreateRenderer() fyne.WidgetRenderer {
	back := box(theme.RadiusBadge)
	icon := iconImage(t.icon, theme.TextQuiet)
	img := &canvas.Image{FillMode: canvas.ImageFillCover, CornerRadius: theme.RadiusBadge, ScaleMode: canvas.ImageScaleSmooth}
	var edge fyne.ThemeColorName
	if t.whole {
		img.FillMode, edge = canvas.ImageFillContain, theme.ButtonEdge
	}
	layout := func(size fyne.Size) {
		putAt(back, 0, 0, size.Width, size.Height)
		putAt(img, 0, 0, size.Width, size.Height)
		side := theme.IconSizeButton
		putAt(icon, (size.Width-side)/2, (size.Height-side)/2, side, side)
	}
	refresh := func() {
		paint(back, theme.Hover, edge)
		icon.Resource = theme.Icon(t.icon, theme.TextQuiet)
		icon.Hidden, img.Hidden = t.img != nil, t.img == nil
		back.Hidden = t.img != nil && !t.whole // it would be covered, and painted for nothing
		img.Image = t.img
		img.Refresh()
		icon.Refresh()
	}
	refresh()
	return &renderer{
		objects: []fyne.CanvasObject{back, icon, img},
		layout:  layout,
		min:     func() fyne.Size { return t.size },
		refresh: refresh,
	}
}
