package images

import (
	"strings"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"

	"paddock/app/theme"
	"paddock/app/widgets"
	job "paddock/engine/images"
	"paddock/words"
)

const (
	detailWidth  = 300
	detailThumbW = detailWidth - 32
	detailThumbH = 120
)

// A detail is the chosen picture, with its text to edit.
type detail struct {
	tab  *Tab
	item *job.Item

	thumb   *widgets.Thumb
	name    *widgets.TextLabel
	mark    *widgets.Icon
	state   *widgets.TextLabel
	about   *widgets.Reason // what went wrong, or what was done to the picture
	answers *widgets.Reason // which instruction, where that isn't the one that is set
	text    *widgets.TextArea
	writing *widgets.ParagraphText
	stream  fyne.CanvasObject
	copy    *widgets.Button
	again   *widgets.Button
	remove  *widgets.Button
	box     fyne.CanvasObject
	filled  fyne.CanvasObject
	empty   fyne.CanvasObject
	setting bool // the text is being set, not typed
}

func newDetail(t *Tab) *detail {
	d := &detail{
		tab:     t,
		thumb:   widgets.NewThumb(t.thumbs, detailThumbW, detailThumbH, theme.IconFile).Whole(),
		name:    widgets.Text(widgets.Bold, "").Ellipsis(),
		mark:    widgets.NewIcon(theme.IconFile, theme.TextQuiet, theme.IconSizeText),
		state:   widgets.Text(widgets.Quiet, "").Ellipsis(),
		about:   widgets.NewReason(widgets.Info, ""),
		answers: widgets.NewReason(widgets.Info, ""),
		writing: widgets.Paragraph(widgets.Body, ""),
	}
	d.text = widgets.NewTextArea(words.T("pictures.text.hint"), 4, d.typed)
	d.stream = container.NewVScroll(d.writing)
	d.copy = widgets.NewSmallButton(words.T("pictures.copy"), theme.IconCopy, widgets.Edged, t.CopyOne)
	d.again = widgets.NewSmallButton(words.T("pictures.redo"), theme.IconRefresh, widgets.Edged, t.Again)
	d.remove = widgets.NewSmallButton(words.T("pictures.remove"), "", widgets.Plain, t.Remove)
	// In a low window the buttons stay and what is above them scrolls.
	above := container.NewVScroll(widgets.Inset(16, 14, 16, 8, widgets.VGap(8,
		d.thumb, d.name, widgets.HGap(6, d.mark, widgets.Grow(d.state)), d.about, d.answers,
		widgets.Grow(widgets.Stack(d.text, d.stream)),
	)))
	d.filled = widgets.Borders(nil, widgets.Inset(16, 4, 16, 12, widgets.HGap(6, d.copy, d.again, d.remove)), nil, nil, above)
	d.empty = widgets.Inset(16, 20, 16, 16, widgets.Paragraph(widgets.Quiet, words.T("pictures.choose")))
	d.box = widgets.Borders(nil, nil, widgets.Line(), nil, widgets.Background(theme.Surface, widgets.Stack(d.filled, d.empty)))
	return d
}

// show draws the chosen picture. What is being typed is left alone.
func (d *detail) show(s State) {
	item := s.Item()
	widgets.SetShown(d.filled, item != nil)
	widgets.SetShown(d.empty, item == nil)
	if item == nil {
		d.item = nil
		return
	}
	d.copy.SetEnabled(item.Text != "")
	d.again.SetEnabled(s.Run.Off == "" && (!s.Run.On || item.Phase == job.Failed && !item.Own()))
	again := words.T("pictures.redo")
	if item.Text == "" && item.Phase != job.Failed {
		again = words.T("pictures.one.run")
	}
	d.again.SetText(again)
	if text := otherInstruction(item, s.Instruction); text != d.answers.String() {
		d.answers.SetText(text)
	}
	if name := s.Name(item); name != d.name.String() {
		d.name.SetText(name)
	}
	if item == d.item {
		return
	}
	other := d.item == nil || d.item.ID != item.ID
	d.item = item
	d.thumb.SetPath(item.Path)
	look := lookOf(item)
	d.mark.Set(look.icon, look.colour)
	d.state.SetText(look.text)
	d.state.Colour(look.colour)
	d.about.Set(aboutOf(item))
	running := item.Phase == job.Running
	widgets.SetShown(d.stream, running)
	widgets.SetShown(d.text, !running)
	d.writing.SetText(item.Partial)
	if other || item.Phase != job.Edited {
		d.setting = true
		d.text.SetText(item.Text)
		d.setting = false
	}
}

// aboutOf is what there is to say of a picture beside its text.
func aboutOf(i *job.Item) (widgets.ReasonKind, string) {
	if i.Phase == job.Failed {
		return widgets.Bad, words.Error(i.Err).Text()
	}
	var notes []string
	for _, n := range i.Notes {
		notes = append(notes, words.PictureNote(n))
	}
	text := strings.Join(notes, ", ")
	if text != "" {
		text = words.T("pictures.notes", map[string]any{"Notes": text})
	}
	if i.Changed {
		text = strings.TrimSpace(text + " " + words.T("pictures.changed"))
	}
	return widgets.Info, text
}

// typed takes over what the user made of the text.
func (d *detail) typed(text string) {
	if !d.setting && d.item != nil {
		d.tab.Type(d.item.ID, text)
	}
}
