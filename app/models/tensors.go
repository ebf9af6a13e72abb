package models

import (
	"cmp"
	"slices"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/gguf"
	"paddock/words"
)

// tensorColours are given to types from the largest share down; what comes after
// them is "other".
var tensorColours = []fyne.ThemeColorName{
	theme.SliceWeights, theme.SliceCompute, theme.SliceKV, theme.SliceDraft, theme.SliceProjector, theme.SliceHost,
}

func tensorColour(i int) fyne.ThemeColorName {
	if i < len(tensorColours) {
		return tensorColours[i]
	}
	return theme.SliceOther
}

func largestFirst(types []gguf.TypeShare) []gguf.TypeShare {
	sorted := slices.Clone(types)
	slices.SortStableFunc(sorted, func(a, b gguf.TypeShare) int { return cmp.Compare(b.Bytes, a.Bytes) })
	return sorted
}

// largestTypes are the types a bar has a colour for, largest first, and the rest
// as one.
func largestTypes(types []gguf.TypeShare) []gguf.TypeShare {
	sorted := largestFirst(types)
	if n := len(tensorColours); len(sorted) > n {
		other := gguf.TypeShare{Type: words.T("models.tensors.other")}
		for _, t := range sorted[n:] {
			other.Bytes += t.Bytes
			other.Tensors += t.Tensors
		}
		sorted = append(sorted[:n:n], other)
	}
	return sorted
}

// tensorBar is the weights as one bar, a part a type.
func tensorBar(types []gguf.TypeShare) fyne.CanvasObject {
	layout := &shares{}
	bar := container.New(layout)
	for i, t := range largestTypes(types) {
		layout.bytes = append(layout.bytes, t.Bytes)
		bar.Objects = append(bar.Objects, widgets.NewFill(tensorColour(i), "", 0))
	}
	return widgets.VGap(6, widgets.Text(widgets.Quiet, words.T("models.tensors.title")), bar)
}

// tensorLegend names the parts of tensorBar.
func tensorLegend(types []gguf.TypeShare) fyne.CanvasObject {
	legend := container.New(&flow{gap: 10})
	for i, t := range largestTypes(types) {
		legend.Add(widgets.HGap(6, square10(tensorColour(i)),
			widgets.Text(widgets.Hint, gguf.Printable(t.Type)+" "+words.GiB(t.Bytes))))
	}
	return legend
}

// shares lays parts out side by side, each as wide as its share, 1 px apart.
type shares struct{ bytes []uint64 }

func (l *shares) MinSize([]fyne.CanvasObject) fyne.Size {
	return fyne.NewSize(0, theme.BarUnusedHeight)
}

func (l *shares) Layout(objects []fyne.CanvasObject, size fyne.Size) {
	total := uint64(0)
	for _, b := range l.bytes {
		total += b
	}
	x, sum := float32(0), uint64(0)
	for i, o := range objects {
		sum += l.bytes[i]
		end := size.Width * float32(float64(sum)/float64(max(total, 1)))
		o.Move(fyne.NewPos(x, 0))
		o.Resize(fyne.NewSize(max(1, end-x-1), size.Height))
		x = end
	}
}
