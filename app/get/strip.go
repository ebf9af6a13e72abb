package get

import (
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A strip is the downloads at the lower end of the page.
type strip struct {
	do   func(id int, a Action)
	rows *fyne.Container
	fits *atMost
	box  *fyne.Container
	jobs map[int]*jobView
}

func newStrip(do func(id int, a Action)) *strip {
	s := &strip{do: do, rows: widgets.VGap(0), jobs: map[int]*jobView{}}
	s.fits = &atMost{rows: s.rows, most: stripMost}
	scroll := container.New(s.fits, container.NewVScroll(s.rows))
	s.box = widgets.Background(theme.Surface, widgets.VGap(0, widgets.Line(), scroll))
	s.box.Hide()
	return s
}

// show draws the downloads. A view stays with its download, so that its buttons
// keep the focus.
func (s *strip) show(jobs []Job) {
	views := map[int]*jobView{}
	var rows []fyne.CanvasObject
	for _, j := range jobs {
		v := s.jobs[j.ID]
		if v == nil {
			v = newJobView(j.ID, s.do)
		}
		v.set(j)
		views[j.ID] = v
		rows = append(rows, v.box)
	}
	s.jobs = views
	widgets.SetShown(s.box, len(jobs) > 0)
	if !slices.Equal(rows, s.rows.Objects) {
		s.rows.Objects = rows
		s.rows.Refresh()
	}
}

// A jobView is one download: what it is, how far it is, and what can be done.
type jobView struct {
	job      Job
	title    *widgets.TextLabel
	line     *widgets.Reason
	progress *widgets.Progress
	buttons  []*widgets.Button
	box      fyne.CanvasObject
}

// allActions are the buttons in their order. Keep is where Discard was, for a hand
// that presses twice.
var allActions = []Action{SetUp, Resume, Again, Cancel, Discard, Dismiss, Sure, Keep}

const progressWidth = 160

func newJobView(id int, do func(int, Action)) *jobView {
	v := &jobView{
		title:    widgets.Text(widgets.Bold, "").Ellipsis(),
		line:     widgets.NewReason(widgets.Info, ""),
		progress: widgets.NewProgress(progressWidth),
	}
	right := []fyne.CanvasObject{v.progress}
	for _, a := range allActions {
		b := widgets.NewSmallButton(words.T(string(a)), "", widgets.Edged, func() { do(id, a) })
		v.buttons = append(v.buttons, b)
		right = append(right, b)
	}
	text := widgets.Grow(widgets.VGap(1, v.title, v.line))
	v.box = widgets.VGap(0, widgets.Inset(theme.PaneMargin, 8, theme.PaneMargin, 8,
		widgets.HGap(8, append([]fyne.CanvasObject{text}, right...)...)), widgets.Line())
	return v
}

func (v *jobView) set(j Job) {
	v.job = j
	v.title.SetText(j.Title)
	v.line.Set(j.Kind.reason(), j.Line)
	v.progress.Set(j.Done)
	widgets.SetShown(v.progress, j.Runs || j.Done > 0 && j.Done < 1)
	for i, a := range allActions {
		widgets.SetShown(v.buttons[i], slices.Contains(j.Does, a))
	}
}

// atMost gives its object the height of the rows in it, as long as there is room.
type atMost struct {
	rows  fyne.CanvasObject
	width float32 // of the last layout
	most  float32
}

func (l *atMost) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	l.width = size.Width
	for _, o := range objects {
		o.Resize(size)
	}
}

func (l *atMost) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(0, min(l.most, widgets.HeightAt(l.rows, l.width)))
}
