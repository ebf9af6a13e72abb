package widgets

import (
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/driver/desktop"
)

func TestCtrlIsTheKeyOfAShortcutWithNothingElse(t *testing.T) {
	custom := func(m fyne.KeyModifier) fyne.Shortcut {
		return &desktop.CustomShortcut{KeyName: fyne.KeyF, Modifier: m}
	}
	for name, c := range map[string]struct {
		shortcut fyne.Shortcut
		want     fyne.KeyName
	}{
		"Ctrl F":            {custom(fyne.KeyModifierShortcutDefault), fyne.KeyF},
		"Ctrl Shift F":      {custom(fyne.KeyModifierShortcutDefault | fyne.KeyModifierShift), ""},
		"Alt F":             {custom(fyne.KeyModifierAlt), ""},
		"one of Fyne's own": {&fyne.ShortcutCopy{}, ""},
	} {
		if got := Ctrl(c.shortcut); got != c.want {
			t.Errorf("%s: %q", name, got)
		}
	}
}
