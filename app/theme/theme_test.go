package theme

import (
	"encoding/xml"
	"go/ast"
	"go/parser"
	"go/token"
	"image/color"
	"io/fs"
	"math"
	"strconv"
	"strings"
	"testing"

	"fyne.io/fyne/v2"
	"fyne.io/fyne/v2/test"
	fynetheme "fyne.io/fyne/v2/theme"

	"paddock/assets"
)

func TestTextIsReadableOnEveryGroundInBothSets(t *testing.T) {
	grounds := []fyne.ThemeColorName{Window, Surface, Raised, Hover, Selected}
	inks := []fyne.ThemeColorName{Text, TextQuiet, Accent, OK, Caution, Refuse}
	for _, light := range []bool{false, true} {
		for _, ground := range grounds {
			for _, ink := range inks {
				if c := contrast(shades[ink].color(light), shades[ground].color(light)); c < 4.5 {
					t.Errorf("%s on %s (light: %t): contrast %.2f, want 4.5", ink, ground, light, c)
				}
			}
		}
	}
	fills := map[fyne.ThemeColorName]fyne.ThemeColorName{OK: OKFill, Caution: CautionFill, Refuse: RefuseFill, OnAccent: Accent}
	for ink, fill := range fills {
		for _, light := range []bool{false, true} {
			if c := contrast(shades[ink].color(light), shades[fill].color(light)); c < 4.5 {
				t.Errorf("%s on %s (light: %t): contrast %.2f, want 4.5", ink, fill, light, c)
			}
		}
	}
}

// contrast is WCAG's ratio of two colours.
func contrast(a, b color.Color) float64 {
	la, lb := luminance(a), luminance(b)
	return (max(la, lb) + 0.05) / (min(la, lb) + 0.05)
}

func luminance(c color.Color) float64 {
	linear := func(v uint32) float64 {
		f := float64(v) / 0xffff
		if f <= 0.03928 {
			return f / 12.92
		}
		return math.Pow((f+0.055)/1.055, 2.4)
	}
	r, g, b, _ := c.RGBA()
	return 0.2126*linear(r) + 0.7152*linear(g) + 0.0722*linear(b)
}

func TestTheVariantDecidesTheSetAndSystemFollowsTheDesktop(t *testing.T) {
	dark, light := shades[Window].color(false), shades[Window].color(true)
	for _, c := range []struct {
		variant string
		desktop fyne.ThemeVariant
		want    color.Color
	}{
		{Dark, fynetheme.VariantLight, dark},
		{Light, fynetheme.VariantDark, light},
		{System, fynetheme.VariantDark, dark},
		{System, fynetheme.VariantLight, light},
		{"", fynetheme.VariantLight, light},
	} {
		if got := New(c.variant).Color(Window, c.desktop); got != c.want {
			t.Errorf("%q on desktop %d: %v, want %v", c.variant, c.desktop, got, c.want)
		}
	}
}

func TestFynesOwnWidgetsGetOurColours(t *testing.T) {
	th := New(Dark)
	for name, own := range fyneNames {
		if got, want := th.Color(name, 0), th.Color(own, 0); got != want {
			t.Errorf("%s is %v, want that of %s, %v", name, got, own, want)
		}
	}
	if th.Font(fyne.TextStyle{Monospace: true}).Name() != "NotoSansMono-Regular.ttf" {
		t.Error("monospace text is not in our font")
	}
}

func TestEveryIconHasAFileThatParsesAndEveryFileAName(t *testing.T) {
	test.NewTempApp(t).Settings().SetTheme(New(Dark))
	names := iconNames(t)
	files, err := fs.Glob(assets.Icons, "icons/*.svg")
	if err != nil {
		t.Fatal(err)
	}
	for _, file := range files {
		name := strings.TrimSuffix(strings.TrimPrefix(file, "icons/"), ".svg")
		if !names[name] {
			t.Errorf("%s has no IconName", file)
		}
		delete(names, name)
		content := Icon(IconName(name), Text).Content()
		if err := xml.Unmarshal(content, new(struct{})); err != nil {
			t.Errorf("%s: %v", file, err)
		}
		for _, left := range []string{"currentColor", "fenceColor", "eyeColor"} {
			if strings.Contains(string(content), left) {
				t.Errorf("%s still has %s in it", file, left)
			}
		}
	}
	for name := range names {
		t.Errorf("there is no file for the icon %q", name)
	}
}

// iconNames reads the constants from the source.
func iconNames(t *testing.T) map[string]bool {
	t.Helper()
	file, err := parser.ParseFile(token.NewFileSet(), "icons.go", nil, 0)
	if err != nil {
		t.Fatal(err)
	}
	names := map[string]bool{}
	ast.Inspect(file, func(n ast.Node) bool {
		spec, ok := n.(*ast.ValueSpec)
		if !ok || len(spec.Values) != 1 {
			return true
		}
		if kind, ok := spec.Type.(*ast.Ident); ok && kind.Name == "IconName" {
			if name, err := strconv.Unquote(spec.Values[0].(*ast.BasicLit).Value); err == nil {
				names[name] = true
			}
		}
		return true
	})
	if len(names) == 0 {
		t.Fatal("no icon names found")
	}
	return names
}

func TestAnIconChangesWithTheTheme(t *testing.T) {
	app := test.NewTempApp(t)
	icon := Icon(IconCopy, Text)
	app.Settings().SetTheme(New(Dark))
	dark, darkName := string(icon.Content()), icon.Name()
	app.Settings().SetTheme(New(Light))
	if string(icon.Content()) == dark || icon.Name() == darkName {
		t.Error("the icon is the same in both themes")
	}
}
