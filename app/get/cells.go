package get

import (
	"fyne.io/fyne/v2"

	"paddock/app/theme"
	"paddock/app/widgets"
	"paddock/words"
)

// A repoCell shows a repository that was found: its name, and below it whose it
// is and how much it is used.
type repoCell struct {
	name, about *widgets.TextLabel
	gated       *widgets.Badge
	box         fyne.CanvasObject
}

func newRepoCell() cell[Row] {
	c := &repoCell{
		name:  widgets.Text(widgets.Body, "").Ellipsis(),
		about: widgets.Text(widgets.Quiet, "").Ellipsis(),
		gated: widgets.NewBadge(words.T("get.gated"), theme.Caution),
	}
	c.box = widgets.Inset(theme.PaneMargin, 5, 12, 5, widgets.VGap(0,
		widgets.HGap(8, widgets.Grow(c.name), c.gated),
		c.about,
	))
	return c
}

func (c *repoCell) Content() fyne.CanvasObject { return c.box }

func (c *repoCell) Set(r Row) {
	role := widgets.Body
	if r.Opened {
		role = widgets.Bold
	}
	c.name.SetRole(role)
	c.name.SetText(r.Name)
	c.about.SetText(r.About)
	widgets.SetShown(c.gated, r.Gated)
}

// A fileView is what a fileCell shows: all of a FileRow that can be compared.
type fileView struct {
	label, name, size, here, off string
	parts                        int
	whole                        bool
	verdict                      Verdict
}

func viewOf(f FileRow) fileView {
	return fileView{f.Label, f.Name, f.Size, f.Here, f.Off, f.Parts, f.Whole, f.Verdict}
}

// A fileCell shows a file of a repository: its quantisation and size, and below
// them whether it fits and what is there of it.
type fileCell struct {
	label, name, size, verdict, here *widgets.TextLabel
	parts                            *widgets.Badge
	mark                             *widgets.Icon
	box                              fyne.CanvasObject
}

func newFileCell() cell[fileView] {
	c := &fileCell{
		label:   widgets.Text(widgets.Bold, "").Reserve("IQ3_XXS"),
		name:    widgets.Text(widgets.Quiet, "").Ellipsis(),
		size:    widgets.Text(widgets.Body, "").Align(fyne.TextAlignTrailing),
		verdict: widgets.Text(widgets.Quiet, "").Ellipsis(),
		here:    widgets.Text(widgets.QuietBold, ""),
		parts:   widgets.NewBadge("", ""),
		mark:    widgets.NewIcon(theme.IconInfoRing, theme.TextQuiet, theme.IconSizeText),
	}
	c.box = widgets.Inset(theme.PaneMargin, 5, theme.PaneMargin, 5, widgets.VGap(1,
		widgets.HGap(10, c.label, widgets.Grow(c.name), c.parts, c.size),
		widgets.HGap(6, c.mark, widgets.Grow(c.verdict), c.here),
	))
	return c
}

func (c *fileCell) Content() fyne.CanvasObject { return c.box }

func (c *fileCell) Set(f fileView) {
	c.label.SetText(f.label)
	c.name.SetText(f.name)
	c.size.SetText(f.size)
	c.parts.Set(words.T("get.parts", map[string]any{"Count": f.parts}), "")
	widgets.SetShown(c.parts, f.parts > 1)
	text := f.verdict.Text
	icon, colour := f.verdict.Fit.look()
	if f.off != "" {
		text, icon, colour = f.off, theme.IconNoEntry, theme.TextQuiet
	}
	c.mark.Set(icon, colour)
	c.verdict.SetText(text)
	c.verdict.Colour(colour)
	c.here.SetText(f.here)
	c.here.Colour(theme.TextQuiet)
	if f.whole {
		c.here.Colour(theme.OK)
	}
}

// look is how a verdict is told: never by colour alone.
func (f Fit) look() (theme.IconName, fyne.ThemeColorName) {
	switch f {
	case Fits:
		return theme.IconCheckRing, theme.OK
	case Slow:
		return theme.IconTriangle, theme.Caution
	case TooLarge:
		return theme.IconRefuseRing, theme.Refuse
	}
	return theme.IconInfoRing, theme.TextQuiet
}

// reason is the kind of line a note is.
func (k NoteKind) reason() widgets.ReasonKind {
	switch k {
	case Good:
		return widgets.Good
	case Caution:
		return widgets.Cautious
	case Off:
		return widgets.Off
	case Failed:
		return widgets.Bad
	}
	return widgets.Info
}
