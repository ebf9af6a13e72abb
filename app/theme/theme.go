package theme

import (
	"image/color"

	"fyne.io/fyne/v2"
	fynetheme "fyne.io/fyne/v2/theme"

	"paddock/assets"
)

// The variants New knows.
const (
	System = "system"
	Dark   = "dark"
	Light  = "light"
)

type paddock struct {
	variant string
}

// New makes the theme for "dark", "light" or "system"; system, and anything
// else, follows the desktop's setting.
func New(variant string) fyne.Theme {
	return paddock{variant: variant}
}

// fyneNames are the names under which Fyne's own widgets ask for our colours.
var fyneNames = map[fyne.ThemeColorName]fyne.ThemeColorName{
	fynetheme.ColorNameBackground:          Window,
	fynetheme.ColorNameMenuBackground:      Raised,
	fynetheme.ColorNameOverlayBackground:   Surface,
	fynetheme.ColorNameHeaderBackground:    Surface,
	fynetheme.ColorNameButton:              Separator, // in dialogs: raised hardly shows on their surface
	fynetheme.ColorNameInputBackground:     Raised,
	fynetheme.ColorNameInputBorder:         InputEdge,
	fynetheme.ColorNameSeparator:           Separator,
	fynetheme.ColorNameHover:               Hover,
	fynetheme.ColorNamePressed:             Selected,
	fynetheme.ColorNameSelection:           Selected,
	fynetheme.ColorNamePrimary:             Accent,
	fynetheme.ColorNameHyperlink:           Accent,
	fynetheme.ColorNameForeground:          Text,
	fynetheme.ColorNameForegroundOnPrimary: OnAccent,
	fynetheme.ColorNameFocus:               Selected,
	fynetheme.ColorNameSuccess:             OK,
	fynetheme.ColorNameWarning:             Caution,
	fynetheme.ColorNameError:               Refuse,
	fynetheme.ColorNamePlaceHolder:         TextQuiet,
	fynetheme.ColorNameDisabled:            Disabled,
	fynetheme.ColorNameDisabledButton:      Surface,
	fynetheme.ColorNameScrollBar:           ButtonEdge,
}

// Color is a colour of the design or, by Fyne's names, of a Fyne widget.
func (p paddock) Color(name fyne.ThemeColorName, variant fyne.ThemeVariant) color.Color {
	if own, ok := fyneNames[name]; ok {
		name = own
	}
	switch name {
	case fynetheme.ColorNameScrollBarBackground:
		return color.Transparent
	case fynetheme.ColorNameShadow: // lifts a menu off the page; Fyne's scrollers have it at their ends, too
		return color.NRGBA{A: 0x12}
	}
	if s, ok := shades[name]; ok {
		return s.color(p.light(variant))
	}
	return fynetheme.DefaultTheme().Color(name, p.fyneVariant(variant))
}

func (p paddock) light(variant fyne.ThemeVariant) bool {
	return p.fyneVariant(variant) == fynetheme.VariantLight
}

func (p paddock) fyneVariant(system fyne.ThemeVariant) fyne.ThemeVariant {
	switch p.variant {
	case Dark:
		return fynetheme.VariantDark
	case Light:
		return fynetheme.VariantLight
	}
	return system
}

// Font is Noto Sans, which Fyne carries, and our Noto Sans Mono for code.
func (p paddock) Font(style fyne.TextStyle) fyne.Resource {
	if style.Monospace && !style.Symbol {
		return mono
	}
	return fynetheme.DefaultTheme().Font(style)
}

var mono = fyne.NewStaticResource("NotoSansMono-Regular.ttf", assets.NotoSansMono)

// Size is a size of a Fyne widget.
func (p paddock) Size(name fyne.ThemeSizeName) float32 {
	switch name {
	case fynetheme.SizeNameText:
		return TextBody
	case fynetheme.SizeNameSubHeadingText:
		return TextSection
	case fynetheme.SizeNameHeadingText:
		return TextTitle
	case fynetheme.SizeNameCaptionText:
		return TextHint
	case fynetheme.SizeNamePadding:
		return Gap
	case fynetheme.SizeNameInnerPadding:
		return GapInside
	case fynetheme.SizeNameLineSpacing:
		return 2
	case fynetheme.SizeNameInputRadius, fynetheme.SizeNameSelectionRadius, fynetheme.SizeNameButtonRadius,
		fynetheme.SizeNameMenuRadius, fynetheme.SizeNamePopupRadius:
		return RadiusControl
	case fynetheme.SizeNameCardRadius, fynetheme.SizeNameDialogRadius:
		return RadiusCard
	case fynetheme.SizeNameSeparatorThickness:
		return SeparatorWidth
	case fynetheme.SizeNameInlineIcon:
		return IconSizeButton
	case fynetheme.SizeNameScrollBar:
		return 8
	case fynetheme.SizeNameScrollBarSmall:
		return 6
	case fynetheme.SizeNameScrollBarRadius:
		return 3
	case fynetheme.SizeNameModalBlurRadius:
		return 0
	}
	return fynetheme.DefaultTheme().Size(name)
}

// Icon is one of Fyne's own icons, or ours in its place.
func (p paddock) Icon(name fyne.ThemeIconName) fyne.Resource {
	switch name {
	case fynetheme.IconNameArrowDropDown:
		return Icon(IconChevronDown, Text)
	case fynetheme.IconNameSearch:
		return Icon(IconSearch, TextQuiet)
	case fynetheme.IconNameFolder:
		return Icon(IconFolder, Accent)
	case fynetheme.IconNameFolderOpen:
		return Icon(IconFolder, Accent)
	}
	return fynetheme.DefaultTheme().Icon(name)
}

// Color is the value of a name in the theme in use. When the running program has
// another theme, as in a test without one, it is the dark set's.
func Color(name fyne.ThemeColorName) color.Color {
	settings := fyne.CurrentApp().Settings()
	if p, ok := settings.Theme().(paddock); ok {
		return p.Color(name, settings.ThemeVariant())
	}
	return paddock{variant: Dark}.Color(name, fynetheme.VariantDark)
}

// Unfilled is the fill of what has an edge only: that edge's colour, too faint to
// be seen. Fyne blends an edge with its fill, and what is quite transparent
// darkens it, being black.
func Unfilled(edge fyne.ThemeColorName) color.Color {
	c := color.NRGBAModel.Convert(Color(edge)).(color.NRGBA)
	c.A = 1
	return c
}

// Veil lies over the window under a dialog.
func Veil() color.Color { return color.NRGBA{A: 0x80} }

// Faded is a colour that lies over something and lets a little of it through.
func Faded(name fyne.ThemeColorName) color.Color {
	c := color.NRGBAModel.Convert(Color(name)).(color.NRGBA)
	c.A = 0xee
	return c
}
