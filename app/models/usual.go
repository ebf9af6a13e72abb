package models

import (
	"context"

	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/engine/library"
	"paddock/words"
)

// A UsualPlace is a folder of the user's that has GGUF files, and that is not
// searched yet.
type UsualPlace struct {
	Folder string
	Shown  string // as people write it
	Files  int
}

// usual is the look for such folders. There is one for every scan that ends with
// the first page on view.
type usual struct {
	round  int // of the scan it was for
	cancel context.CancelFunc
}

// findUsual looks beside the UI goroutine where the user may have models.
func (p *Presenter) findUsual() {
	if p.seams.Usual == nil || p.usual.round == p.scanning.round {
		return
	}
	p.usual.cancel()
	ctx, cancel := context.WithCancel(context.Background())
	round := p.scanning.round
	p.usual = usual{round, cancel}
	go func() {
		defer cancel()
		var places []UsualPlace
		for _, found := range p.seams.Usual(ctx) {
			places = append(places, UsualPlace{found.Folder, words.Path(found.Folder), found.Files})
		}
		p.do(func() {
			if p.usual.round == round && !p.closed {
				p.state.Usual = places
				p.show(p.state)
			}
		})
	}()
}

// UsualFunc looks for folders with models: library.FindUsual, or a script in tests.
type UsualFunc func(context.Context) []library.Usual

// usualLine offers a folder.
func usualLine(place UsualPlace, add func(folder string)) fyne.CanvasObject {
	count := words.T("models.file")
	if place.Files != 1 {
		count = words.T("models.files", map[string]any{"Count": words.Count(place.Files)})
	}
	return widgets.HGap(8,
		widgets.NewIcon(theme.IconCheck, theme.TextQuiet, theme.IconSizeText),
		widgets.Grow(widgets.Text(widgets.Mono, place.Shown).EllipsisAhead()),
		widgets.Text(widgets.Quiet, count),
		widgets.NewSmallButton(words.T("models.first.usual.add"), "", widgets.Edged, func() { add(place.Folder) }),
	)
}
