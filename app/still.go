package app

import "fyne.io/fyne/v2"

// A stillApp is a Fyne app without animations. A text cursor that fades draws the
// whole window over and over, which costs a part of a core where the processor
// draws.
type stillApp struct{ fyne.App }

// Settings are the app's, without animations.
func (a stillApp) Settings() fyne.Settings { return stillSettings{a.App.Settings()} }

type stillSettings struct{ fyne.Settings }

// ShowAnimations is what Fyne's widgets ask before they begin one.
func (stillSettings) ShowAnimations() bool { return false }
