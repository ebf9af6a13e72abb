package apptest

import (
	"fmt"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"

	"paddock/app/widgets"
)

// What the shell leaves to a tab.
var (
	Wide   = fyne.NewSize(1196, 726) // of 1280×800
	Narrow = fyne.NewSize(876, 526)  // of 960×600
)

// Each visits an object and every visible one below it.
func Each(o fyne.CanvasObject, visit func(fyne.CanvasObject)) {
	if !o.Visible() {
		return
	}
	visit(o)
	switch o := o.(type) {
	case *fyne.Container:
		for _, child := range o.Objects {
			Each(child, visit)
		}
	case fyne.Widget:
		for _, child := range test.WidgetRenderer(o).Objects() {
			Each(child, visit)
		}
	}
}

// All are the visible objects of one type.
func All[T any](o fyne.CanvasObject) []T {
	var list []T
	Each(o, func(o fyne.CanvasObject) {
		if v, ok := o.(T); ok {
			list = append(list, v)
		}
	})
	return list
}

// Shown is every text, and the names of the buttons, a line each.
func Shown(o fyne.CanvasObject) string {
	var texts []string
	Each(o, func(o fyne.CanvasObject) {
		switch o := o.(type) {
		case *fyne.Container: // its name is its type
		case interface{ AccessibilityLabel() string }:
			texts = append(texts, o.AccessibilityLabel())
		case fmt.Stringer:
			texts = append(texts, o.String())
		}
	})
	return strings.Join(texts, "\n")
}

// Button is the first one of a name; the test ends where there is none.
func Button(t *testing.T, o fyne.CanvasObject, label string) *widgets.Button {
	t.Helper()
	for _, b := range All[*widgets.Button](o) {
		if b.AccessibilityLabel() == label {
			return b
		}
	}
	t.Fatalf("there is no button %q in\n%s", label, Shown(o))
	return nil
}

// Squeezed are the widgets that got less room than they need.
func Squeezed(o fyne.CanvasObject) []string {
	var list []string
	Each(o, func(o fyne.CanvasObject) {
		name := ""
		switch o := o.(type) {
		case *widgets.TextLabel:
			name = o.String()
		case *widgets.ParagraphText:
			name = o.String()
		case *widgets.Reason:
			name = o.String()
		case *widgets.Button:
			name = o.AccessibilityLabel()
		case *widgets.Badge:
			name = "badge"
		case *widgets.Segments:
			name = "segments"
		default:
			return
		}
		have, need := o.Size(), o.MinSize()
		if have.Width < need.Width-0.5 || have.Height < need.Height-0.5 {
			list = append(list, fmt.Sprintf("%s (%v of %v)", name, have, need))
		}
	})
	return list
}
