package get

import (
	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/container"
	"fyne.io/fyne/v2/layout"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// files is the right pane: the files of the repository, and what happens to the
// chosen one.
type files struct {
	title, about *widgets.TextLabel
	note         *widgets.Reason
	again        *widgets.Button
	noteBox      *fyne.Container
	head         *fyne.Container
	list         *list[fileView]
	empty        fyne.CanvasObject
	folder       *widgets.TextLabel
	reason       *widgets.Reason
	button       *widgets.Button
	act          *fyne.Container
	box          fyne.CanvasObject
}

func newFiles(p *Presenter, pickFolder func(), key func(*fyne.KeyEvent) bool) *files {
	f := &files{
		title:  widgets.Text(widgets.Section, "").Ellipsis(),
		about:  widgets.Text(widgets.Quiet, "").Ellipsis(),
		note:   widgets.NewReason(widgets.Info, ""),
		again:  widgets.NewSmallButton(words.T("get.again"), theme.IconRefresh, widgets.Edged, p.OpenAgain),
		empty:  emptyText(words.T("get.files.empty")),
		folder: widgets.Text(widgets.Mono, "").Ellipsis(),
		reason: widgets.NewReason(widgets.Info, ""),
	}
	f.list = newList(theme.ConversationHeight, listActions{
		choose: p.ChooseFile, move: p.MoveFile, open: p.Press, key: key,
	}, newFileCell)
	f.noteBox = widgets.HGapTop(8, widgets.Grow(f.note), f.again)
	f.head = widgets.VGap(0, widgets.Inset(16, 12, 16, 8, widgets.VGap(4,
		f.title, f.about, f.noteBox,
	)), widgets.Line())

	f.button = widgets.NewButton("", "", widgets.Filled, p.Press)
	change := widgets.NewSmallButton(words.T("get.change"), "", widgets.Edged, pickFolder)
	place := widgets.HGap(8,
		widgets.NewIcon(theme.IconFolder, theme.TextQuiet, theme.IconSizeText),
		widgets.Text(widgets.Quiet, words.T("get.to")), widgets.Grow(f.folder), change)
	f.act = widgets.HGap(8, f.reason, layout.NewSpacer(), f.button)
	foot := widgets.Background(theme.Surface, widgets.VGap(0, widgets.Line(), widgets.Inset(16, 8, 16, 10, widgets.VGap(8,
		place, f.act,
	))))
	column := widgets.VGap(0, f.head, widgets.Grow(container.NewStack(f.list, f.empty)), foot)
	f.box = widgets.Borders(nil, nil, widgets.Line(), nil, column)
	return f
}

func (f *files) show(s State) {
	f.title.SetText(s.Repo)
	f.about.SetText(s.About)
	note := s.FilesNote
	if s.Listing {
		note = Note{Info, words.T("get.listing")}
	}
	f.note.Set(note.Kind.reason(), note.Text)
	widgets.SetShown(f.noteBox, note.Text != "")
	widgets.SetShown(f.about, s.About != "")
	widgets.SetShown(f.title, s.Repo != "")
	widgets.SetShown(f.again, s.FilesNote.Kind == Failed && len(s.Files) == 0 && s.Repo != "" && !s.Listing)
	widgets.SetShown(f.head, s.Repo != "" || note.Text != "")
	rows := make([]fileView, len(s.Files))
	for i, file := range s.Files {
		rows[i] = viewOf(file)
	}
	f.list.set(rows, s.FileAt)
	widgets.SetShown(f.empty, s.Repo == "")
	f.folder.SetText(s.Folder)
	f.reason.Set(s.Offer.Note.Kind.reason(), s.Offer.Note.Text)
	widgets.SetShown(f.act, s.Offer.Label != "")
	f.button.SetText(s.Offer.Label)
	f.button.SetEnabled(!s.Offer.Off)
}
