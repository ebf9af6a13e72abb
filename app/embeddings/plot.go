package embeddings

import (
	"image"
	"image/color"
	"math"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/canvas"
	"fyne.io/fyne/v2/driver/desktop"
	"fyne.io/fyne/v2/widget"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/embed"
	"paddock/words"
)

// A plot draws the points of an index on a map, in a colour for each of the files with
// the most. A point is chosen with the mouse or with the arrow keys, and several at once
// by dragging a rectangle around them, or with + and - around the chosen one.
type plot struct {
	widget.BaseWidget
	choose  func(number int64)
	several func(numbers []int64) // none when nothing is in the rectangle
	point   func(path string)     // told the file of the point under the mouse, or ""
	points  []embed.Point
	found   map[int64]bool
	asked   *embed.Point
	colours map[string]fyne.ThemeColorName
	names   []keyed
	at      int // the chosen point, -1 for none
	focused bool
	raster  *canvas.Raster // the points
	over    *canvas.Raster // the marks on them
	ringed  []int          // the points that were found
	height  float32

	drag   *fyne.Position // where a rectangle was begun, nil while none is drawn
	region *region        // what is in it was chosen, nil for none
	reach  float32        // half the side of the rectangle around the chosen point
	waits  bool           // what was chosen is not read yet

	moves, changes int // of the points, and of the marks, but for the colours
	base, marks    layer
}

// A layer is a picture that is drawn anew only when something in it has changed: all
// points take long, and marks move with the mouse.
type layer struct {
	drawn   drawing // what the picture is of
	picture image.Image
}

func (l *layer) draw(now drawing, paint func(w, h int) image.Image) image.Image {
	if l.picture == nil || l.drawn != now {
		l.drawn, l.picture = now, paint(now.width, now.height)
	}
	return l.picture
}

// stale says whether its picture, in its size, is of something else than now.
func (l *layer) stale(p *plot, changes int) bool {
	return l.picture == nil || l.drawn != p.drawing(changes, l.drawn.width, l.drawn.height)
}

// A region is a rectangle on the map, in the plot's own units.
type region struct{ left, top, right, bottom float32 }

func regionOf(a, b fyne.Position) *region {
	return &region{min(a.X, b.X), min(a.Y, b.Y), max(a.X, b.X), max(a.Y, b.Y)}
}

// A drawing is all that a picture of the map depends on: one is drawn when it has
// changed, and not whenever something else on the screen has.
type drawing struct {
	changes, width, height int
	points, text           color.Color
}

// A keyed is a line of the legend.
type keyed struct {
	name   string
	colour fyne.ThemeColorName
}

// legendRunes is how much of a file's name the legend has in its narrowest width.
const legendRunes = 26

// plotColours are those of the files, in order. All others are quiet.
var plotColours = []fyne.ThemeColorName{
	theme.SliceWeights, theme.SliceKV, theme.SliceDraft, theme.SliceProjector, theme.SliceCompute, theme.SliceHost,
}

func newPlot(choose func(int64), several func([]int64), point func(path string)) *plot {
	p := &plot{choose: choose, several: several, point: point, at: -1, height: plotTall}
	p.ExtendBaseWidget(p)
	return p
}

// set shows points, those that were found and the question; it says whether the
// points are others than before.
func (p *plot) set(points []embed.Point, found []int64, asked *embed.Point) (others bool) {
	others = len(points) != len(p.points) || len(points) > 0 && &points[0] != &p.points[0]
	same := !others && len(found) == len(p.found) && (asked == nil) == (p.asked == nil)
	if same && asked != nil {
		same = *asked == *p.asked
	}
	for _, n := range found {
		same = same && p.found[n]
	}
	if same {
		return false
	}
	p.points, p.found, p.asked = points, map[int64]bool{}, nil
	for _, n := range found {
		p.found[n] = true
	}
	if asked != nil {
		at := *asked
		p.asked = &at
	}
	if others {
		p.at, p.region, p.drag = -1, nil, nil
		p.colours, p.names = map[string]fyne.ThemeColorName{}, nil
		p.colour()
	}
	p.ringed = nil
	for i, q := range points {
		if p.found[q.Number] {
			p.ringed = append(p.ringed, i)
		}
	}
	p.moves++
	p.changed()
	return others
}

// colour gives the files with the most points a colour of their own, of those with as
// many the first.
func (p *plot) colour() {
	count := map[string]int{}
	var paths []string
	for _, point := range p.points {
		if count[point.Path]++; count[point.Path] == 1 {
			paths = append(paths, point.Path)
		}
	}
	slices.SortStableFunc(paths, func(a, b string) int { return count[b] - count[a] })
	for i, path := range paths {
		if i == len(plotColours) {
			p.names = append(p.names, keyed{words.T("embeddings.map.others"), theme.SliceOther})
		}
		if p.colours[path] = theme.SliceOther; i < len(plotColours) {
			p.colours[path] = plotColours[i]
			p.names = append(p.names, keyed{shortened(fileName(path), legendRunes), plotColours[i]})
		}
	}
}

// changed has the marks drawn anew, and where points have moved those.
func (p *plot) changed() {
	p.changes++
	p.Refresh()
}

func (p *plot) legend() []keyed { return p.names }

// bounds are the corners of what is drawn.
func (p *plot) bounds() (left, top, right, bottom float64) {
	left, top, right, bottom = math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)
	take := func(q embed.Point) {
		left, right = min(left, q.X), max(right, q.X)
		top, bottom = min(top, q.Y), max(bottom, q.Y)
	}
	for _, q := range p.points {
		take(q)
	}
	if p.asked != nil {
		take(*p.asked)
	}
	return
}

// placer tells where a point is in a picture of a size, with a margin around it.
// Both directions have one scale.
func (p *plot) placer(width, height, margin float64) func(embed.Point) (x, y float64) {
	left, top, right, bottom := p.bounds()
	scale := math.Inf(1)
	if right > left {
		scale = (width - 2*margin) / (right - left)
	}
	if bottom > top {
		scale = min(scale, (height-2*margin)/(bottom-top))
	}
	if math.IsInf(scale, 0) {
		scale = 1
	}
	return func(q embed.Point) (x, y float64) {
		return width/2 + (q.X-(left+right)/2)*scale, height/2 - (q.Y-(top+bottom)/2)*scale
	}
}

const plotMargin = 14

// drawing is what a picture of that size would be of.
func (p *plot) drawing(changes, w, h int) drawing {
	return drawing{changes, w, h, theme.Color(plotColours[0]), theme.Color(theme.Text)}
}

// draw is the map's points in pixels.
func (p *plot) draw(w, h int) image.Image { return p.base.draw(p.drawing(p.moves, w, h), p.paint) }

// drawMarks is what stands on them.
func (p *plot) drawMarks(w, h int) image.Image {
	return p.marks.draw(p.drawing(p.changes, w, h), p.paintMarks)
}

func (p *plot) paint(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	if len(p.points) == 0 || p.Size().Width == 0 {
		return img
	}
	pixel := float64(w) / float64(p.Size().Width)
	at := p.placer(float64(w), float64(h), plotMargin*pixel)
	for _, q := range p.points {
		x, y := at(q)
		disc(img, x, y, 0, 2.2*pixel, theme.Color(p.colours[q.Path]))
	}
	return img
}

func (p *plot) paintMarks(w, h int) image.Image {
	img := image.NewNRGBA(image.Rect(0, 0, w, h))
	if len(p.points) == 0 || p.Size().Width == 0 {
		return img
	}
	pixel := float64(w) / float64(p.Size().Width)
	at := p.placer(float64(w), float64(h), plotMargin*pixel)
	for _, i := range p.ringed {
		x, y := at(p.points[i])
		ring(img, x, y, pixel, theme.Text)
	}
	if p.at >= 0 {
		x, y := at(p.points[p.at])
		ring(img, x, y, pixel, theme.Focus)
	}
	if p.asked != nil {
		x, y := at(*p.asked)
		plus(img, x, y, pixel)
	}
	if r := p.region; r != nil {
		outline(img, float64(r.left)*pixel, float64(r.top)*pixel, float64(r.right)*pixel, float64(r.bottom)*pixel, max(1, int(pixel)), theme.Color(theme.Focus))
	}
	return img
}

// near is the point at a place, -1 where there is none.
func (p *plot) near(pos fyne.Position) int {
	size := p.Size()
	at := p.placer(float64(size.Width), float64(size.Height), plotMargin)
	best, distance := -1, 9.0
	for i, q := range p.points {
		x, y := at(q)
		if d := math.Hypot(x-float64(pos.X), y-float64(pos.Y)); d < distance {
			best, distance = i, d
		}
	}
	return best
}

func (p *plot) pick(i int) {
	if i < 0 || i >= len(p.points) {
		return
	}
	p.at, p.region, p.reach = i, nil, 0
	p.choose(p.points[i].Number)
	p.changed()
}

// inside are the numbers of the points in a region.
func (p *plot) inside(r region) (numbers []int64) {
	size := p.Size()
	at := p.placer(float64(size.Width), float64(size.Height), plotMargin)
	for _, q := range p.points {
		x, y := at(q)
		if x >= float64(r.left) && x <= float64(r.right) && y >= float64(r.top) && y <= float64(r.bottom) {
			numbers = append(numbers, q.Number)
		}
	}
	return numbers
}

// clearRegion takes the rectangle away, unless it is being drawn.
func (p *plot) clearRegion() {
	if p.region != nil && p.drag == nil && !p.waits {
		p.region, p.reach = nil, 0
		p.changed()
	}
}

// takeRegion chooses what is in the rectangle.
func (p *plot) takeRegion() {
	numbers := p.inside(*p.region)
	if p.at = -1; len(numbers) == 0 {
		p.region = nil
	}
	p.waits = p.region != nil
	p.several(numbers)
	p.changed()
}

// Dragged draws a rectangle.
func (p *plot) Dragged(ev *fyne.DragEvent) {
	if p.drag == nil {
		begun := ev.Position.Subtract(ev.Dragged)
		p.drag, p.reach = &begun, 0
	}
	p.region = regionOf(*p.drag, ev.Position)
	p.changed()
}

// DragEnd chooses what is in it.
func (p *plot) DragEnd() {
	if p.drag == nil {
		return
	}
	p.drag = nil
	widgets.Focus(p)
	p.takeRegion()
}

// reachStep is by how much + and - change the rectangle around the chosen point.
const reachStep = 8

// grow makes the rectangle around the chosen point larger or smaller.
func (p *plot) grow(by float32) {
	if p.at < 0 && p.region == nil || len(p.points) == 0 {
		return
	}
	size := p.Size()
	var x, y float32
	if p.at >= 0 {
		px, py := p.placer(float64(size.Width), float64(size.Height), plotMargin)(p.points[p.at])
		x, y = float32(px), float32(py)
	} else {
		x, y = (p.region.left+p.region.right)/2, (p.region.top+p.region.bottom)/2
		p.reach = max(p.reach, (p.region.right-p.region.left)/2)
	}
	p.reach = max(p.reach+by, reachStep)
	p.region = regionOf(fyne.NewPos(x-p.reach, y-p.reach), fyne.NewPos(x+p.reach, y+p.reach))
	p.takeRegion()
}

// Tapped chooses the point at the pointer.
func (p *plot) Tapped(ev *fyne.PointEvent) {
	widgets.Focus(p)
	p.pick(p.near(ev.Position))
}

// TypedKey goes from point to point with the arrows.
func (p *plot) TypedKey(ev *fyne.KeyEvent) {
	switch ev.Name {
	case fyne.KeyRight, fyne.KeyDown:
		p.pick(min(p.at+1, len(p.points)-1))
	case fyne.KeyLeft, fyne.KeyUp:
		p.pick(max(p.at-1, 0))
	case fyne.KeyEscape:
		if p.region == nil {
			widgets.PassKey(p, ev)
			return
		}
		p.region, p.waits = nil, false
		p.several(nil)
		p.changed()
	default:
		widgets.PassKey(p, ev)
	}
}

// TypedRune makes the rectangle around the chosen point larger or smaller.
func (p *plot) TypedRune(r rune) {
	switch r {
	case '+':
		p.grow(reachStep)
	case '-':
		p.grow(-reachStep)
	}
}

// FocusGained draws the focus ring.
func (p *plot) FocusGained() { p.focused = true; p.Refresh() }

// FocusLost takes it away.
func (p *plot) FocusLost() { p.focused = false; p.Refresh() }

// MouseIn tells which file the point under the mouse is of.
func (p *plot) MouseIn(ev *desktop.MouseEvent) { p.MouseMoved(ev) }

// MouseMoved does the same.
func (p *plot) MouseMoved(ev *desktop.MouseEvent) {
	path := ""
	if i := p.near(ev.Position); i >= 0 {
		path = p.points[i].Path
	}
	p.point(path)
}

// MouseOut says that there is none.
func (p *plot) MouseOut() { p.point("") }

// Cursor is a cross: a point is chosen with it.
func (p *plot) Cursor() desktop.Cursor { return desktop.CrosshairCursor }

// AccessibilityLabel names the map.
func (p *plot) AccessibilityLabel() string { return words.T("embeddings.map") }

// AccessibilityRole is that of a button: a point is chosen on it.
func (p *plot) AccessibilityRole() fyne.AccessibleRole { return fyne.AccessibleRoleButton }

// CreateRenderer draws the map in a frame.
func (p *plot) CreateRenderer() fyne.WidgetRenderer {
	p.raster, p.over = canvas.NewRaster(p.draw), canvas.NewRaster(p.drawMarks)
	frame := &canvas.Rectangle{CornerRadius: theme.RadiusControl, StrokeWidth: 1}
	r := &plotRenderer{plot: p, frame: frame}
	r.Refresh()
	return r
}

type plotRenderer struct {
	plot  *plot
	frame *canvas.Rectangle
}

func (r *plotRenderer) Destroy()           {}
func (r *plotRenderer) MinSize() fyne.Size { return fyne.NewSize(180, r.plot.height) }
func (r *plotRenderer) Objects() []fyne.CanvasObject {
	return []fyne.CanvasObject{r.frame, r.plot.raster, r.plot.over}
}

// The map's heights, in a tall window and in a short one.
const plotTall, plotShort = 230, 110

func (r *plotRenderer) Layout(size fyne.Size) {
	r.frame.Resize(size)
	r.plot.raster.Resize(size)
	r.plot.over.Resize(size)
}

func (r *plotRenderer) Refresh() {
	r.frame.FillColor = theme.Color(theme.Window)
	r.frame.StrokeColor, r.frame.StrokeWidth = theme.Color(theme.Separator), 1
	if r.plot.focused {
		r.frame.StrokeColor, r.frame.StrokeWidth = theme.Color(theme.Focus), theme.FocusRingWidth
	}
	canvas.Refresh(r.frame)
	p := r.plot
	if p.base.stale(p, p.moves) {
		p.raster.Refresh()
	}
	if p.marks.stale(p, p.changes) {
		p.over.Refresh()
	}
}
