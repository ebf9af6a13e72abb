package widgets

import (
	"testing"

	"fyne.io/fyne/v2"
)

// The window knows what is in it, the box, and not the entry inside: by that a key would
// be lost. Fyne's window for tests knows every object, so the object is looked at.
func TestKeysOfANumberBoxAreGivenOnAsTheBoxes(t *testing.T) {
	n, e := NewNumberBox(nil), NewEntry()
	if n.Entry.shown() != fyne.CanvasObject(n) || e.shown() != fyne.CanvasObject(e) {
		t.Error("a key is given on in the name of another object")
	}
}
