package widgets

import (
	"image"
	"image/color"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"

	"paddock/app/theme"
)

// A sheet is what one row is drawn on. Each drawing starts over with begin, asks
// for what it needs and finishes with end; objects of the drawing before are used
// again, so that one more word costs one more object and not a row of them.
type sheet struct {
	box     *fyne.Container
	rects   []*canvas.Rectangle
	texts   []*canvas.Text
	icons   []*canvas.Image
	photos  []*canvas.Image
	links   []*linkArea
	buttons map[string]*Button
	order   []string                // of the buttons
	tools   []*Button               // those that are veiled until the message is pointed at
	reveal  func(y, height float32) // brings a part of the row into sight

	nRects, nTexts, nIcons, nPhotos, nLinks int
}

func newSheet() *sheet {
	return &sheet{box: &fyne.Container{}, buttons: map[string]*Button{}}
}

func (s *sheet) begin() {
	s.nRects, s.nTexts, s.nIcons, s.nPhotos, s.nLinks = 0, 0, 0, 0, 0
	s.order, s.tools = s.order[:0], s.tools[:0]
}

// end puts what was drawn into the box, fills below text, controls on top.
func (s *sheet) end() {
	s.rects, s.texts = s.rects[:s.nRects], s.texts[:s.nTexts]
	s.icons, s.photos, s.links = s.icons[:s.nIcons], s.photos[:s.nPhotos], s.links[:s.nLinks]
	objects := make([]fyne.CanvasObject, 0, len(s.rects)+len(s.texts)+len(s.icons)+len(s.photos)+len(s.links)+len(s.order))
	for _, o := range s.rects {
		objects = append(objects, o)
	}
	for _, o := range s.texts {
		objects = append(objects, o)
	}
	for _, o := range s.icons {
		objects = append(objects, o)
	}
	for _, o := range s.photos {
		objects = append(objects, o)
	}
	for _, o := range s.links {
		objects = append(objects, o)
	}
	for _, key := range s.order {
		objects = append(objects, s.buttons[key])
	}
	s.box.Objects = objects
}

// rect draws a rectangle. The caller may change its corners.
func (s *sheet) rect(x, y, w, h float32, fill, edge fyne.ThemeColorName, radius float32) *canvas.Rectangle {
	if s.nRects == len(s.rects) {
		s.rects = append(s.rects, &canvas.Rectangle{})
	}
	r := s.rects[s.nRects]
	s.nRects++
	want := canvas.Rectangle{FillColor: color.Transparent, CornerRadius: radius}
	if edge != "" {
		want.StrokeColor, want.StrokeWidth = theme.Color(edge), 1
		want.FillColor = theme.Unfilled(edge)
	}
	if fill != "" {
		want.FillColor = theme.Color(fill)
	}
	if r.FillColor != want.FillColor || r.StrokeColor != want.StrokeColor || r.CornerRadius != radius {
		r.FillColor, r.StrokeColor, r.StrokeWidth, r.CornerRadius = want.FillColor, want.StrokeColor, want.StrokeWidth, radius
		canvas.Refresh(r)
	}
	r.TopLeftCornerRadius, r.TopRightCornerRadius = 0, 0
	r.BottomLeftCornerRadius, r.BottomRightCornerRadius = 0, 0
	setAt(r, x, y, w, h)
	return r
}

// text draws text in the middle of a line that starts at x, y.
func (s *sheet) text(x, y, w float32, value string, f face, style runStyle, colour fyne.ThemeColorName) {
	if s.nTexts == len(s.texts) {
		s.texts = append(s.texts, &canvas.Text{})
	}
	t := s.texts[s.nTexts]
	s.nTexts++
	c, size, textStyle := theme.Color(colour), f.sizeOf(style), textStyleOf(style)
	if t.Text != value || t.Color != c || t.TextSize != size || t.TextStyle != textStyle {
		t.Text, t.Color, t.TextSize, t.TextStyle = value, c, size, textStyle
		canvas.Refresh(t)
	}
	putText(t, x, round(y), w, f.line)
}

// icon draws an icon.
func (s *sheet) icon(x, y, size float32, name theme.IconName, colour fyne.ThemeColorName) {
	if s.nIcons == len(s.icons) {
		s.icons = append(s.icons, &canvas.Image{FillMode: canvas.ImageFillContain})
	}
	img := s.icons[s.nIcons]
	s.nIcons++
	if want := theme.Icon(name, colour); img.Resource == nil || img.Resource.Name() != want.Name() {
		img.Resource = want
		img.Refresh()
	}
	setAt(img, x, y, size, size)
}

// photo draws a picture, whole, in the middle of a place.
func (s *sheet) photo(x, y, w, h float32, picture image.Image) {
	if s.nPhotos == len(s.photos) {
		s.photos = append(s.photos, &canvas.Image{FillMode: canvas.ImageFillContain, ScaleMode: canvas.ImageScaleSmooth, CornerRadius: theme.RadiusBadge})
	}
	img := s.photos[s.nPhotos]
	s.nPhotos++
	if img.Image != picture {
		img.Image = picture
		img.Refresh()
	}
	setAt(img, x, y, w, h)
}

// link makes an area do something when tapped, or when Space or Enter is pressed
// on it. The label says what.
func (s *sheet) link(x, y, w, h float32, label string, tapped func()) {
	if s.nLinks == len(s.links) {
		s.links = append(s.links, newLinkArea())
	}
	a := s.links[s.nLinks]
	s.nLinks++
	reveal := s.reveal
	a.label, a.tapped, a.gained = label, tapped, func() { reveal(y, h) }
	setAt(a, x, y, w, h)
}

// button places the sheet's button of that key, made on its first use. Where it
// is, setAt says.
func (s *sheet) button(key string, make func() *Button) *Button {
	b := s.buttons[key]
	if b == nil {
		b = make()
		s.buttons[key] = b
	}
	reveal := s.reveal
	b.OnFocus(func() { reveal(b.Position().Y, b.Size().Height) })
	s.order = append(s.order, key)
	return b
}

// A face is a size of type and the height of its lines.
type face struct{ size, line float32 }

var (
	bodyFace = face{theme.TextBody, theme.LineBody}
	codeFace = face{theme.TextMono, theme.LineMono}
	hintFace = face{theme.TextHint, theme.LineHint}
)

// headingFace is the face of a heading of a level from 1 to 6.
func headingFace(level int) face {
	switch level {
	case 1:
		return face{theme.TextTitle, theme.LineTitle}
	case 2:
		return face{theme.TextSection, theme.LineSection}
	}
	return bodyFace
}

// sizeOf is the size of text in a style: code is a little smaller than the words
// around it.
func (f face) sizeOf(style runStyle) float32 {
	if style&mono != 0 && f.size > theme.TextMono {
		return f.size - 1
	}
	return f.size
}

func textStyleOf(style runStyle) fyne.TextStyle {
	return fyne.TextStyle{Bold: style&bold != 0, Italic: style&italic != 0, Monospace: style&mono != 0}
}

// maxWords is how many widths of words are remembered.
const maxWords = 20_000

// A ruler measures words and remembers their widths.
type ruler struct{ widths map[word]float32 }

type word struct {
	text  string
	style runStyle
	size  float32
}

// of gives the measure of a face.
func (r *ruler) of(f face) measure {
	return func(text string, style runStyle) float32 {
		key := word{text, style &^ (struck | chip), f.sizeOf(style)}
		if w, ok := r.widths[key]; ok {
			return w
		}
		if r.widths == nil || len(r.widths) >= maxWords {
			r.widths = make(map[word]float32)
		}
		w := fyne.MeasureText(text, key.size, textStyleOf(style)).Width
		r.widths[key] = w
		return w
	}
}

// setAt puts an object on whole pixels.
func setAt(o fyne.CanvasObject, x, y, w, h float32) {
	o.Move(fyne.NewPos(round(x), round(y)))
	o.Resize(fyne.NewSize(w, h))
}
