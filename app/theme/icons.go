package theme

import (
	"bytes"
	"fmt"
	"image/color"

	"fyne.io/fyne/v2"

	"paddock/assets"
)

// An IconName is an icon of the design: a file in assets/icons, drawn on a grid
// of 24 with a line of 1.6.
type IconName string

// The icons.
const (
	IconBolt         IconName = "bolt"
	IconChat         IconName = "chat"
	IconCheck        IconName = "check"      // a bare tick
	IconCheckRing    IconName = "check-ring" // fits, ready, done
	IconChevronDown  IconName = "chevron-down"
	IconChevronLeft  IconName = "chevron-left"
	IconChevronRight IconName = "chevron-right"
	IconChevronUp    IconName = "chevron-up"
	IconChip         IconName = "chip"
	IconClose        IconName = "close"
	IconContinue     IconName = "continue"
	IconCopy         IconName = "copy"
	IconDisk         IconName = "disk" // memory, a database
	IconDots         IconName = "dots"
	IconDownload     IconName = "download"
	IconExport       IconName = "export"
	IconFile         IconName = "file"
	IconFolder       IconName = "folder"
	IconGauge        IconName = "gauge" // measured
	IconImage        IconName = "image"
	IconInfoRing     IconName = "info-ring"
	IconLayers       IconName = "layers"
	IconLogo         IconName = "logo" // a llama behind a fence, in two colours
	IconNodes        IconName = "nodes"
	IconNoEntry      IconName = "no-entry" // a choice that is off
	IconPaperclip    IconName = "paperclip"
	IconPause        IconName = "pause"
	IconPencil       IconName = "pencil"
	IconPin          IconName = "pin"
	IconPlay         IconName = "play"
	IconPlus         IconName = "plus"
	IconRefresh      IconName = "refresh"
	IconRefuseRing   IconName = "refuse-ring" // failed, does not fit
	IconSearch       IconName = "search"
	IconSend         IconName = "send"
	IconSliders      IconName = "sliders"
	IconStop         IconName = "stop"
	IconTerminal     IconName = "terminal"
	IconThought      IconName = "thought"
	IconTrash        IconName = "trash"
	IconTriangle     IconName = "triangle" // caution
)

// Icon is the icon in one of the design's colours. It changes with the theme.
func Icon(name IconName, colour fyne.ThemeColorName) fyne.Resource {
	return icon{name: name, colour: colour}
}

// Logo is the program's mark: the head in the accent, the fence in quiet text.
func Logo() fyne.Resource { return Icon(IconLogo, Accent) }

type icon struct {
	name   IconName
	colour fyne.ThemeColorName
}

// Name tells icons apart in Fyne's caches, in which the light and the dark one
// must not meet.
func (i icon) Name() string {
	return fmt.Sprintf("%s-%s-%s.svg", i.name, i.colour, hex(Color(i.colour)))
}

// Content is the SVG with its colours filled in.
func (i icon) Content() []byte {
	svg, err := assets.Icons.ReadFile("icons/" + string(i.name) + ".svg")
	if err != nil {
		panic("no icon called " + string(i.name))
	}
	svg = bytes.ReplaceAll(svg, []byte("currentColor"), []byte(hex(Color(i.colour))))
	svg = bytes.ReplaceAll(svg, []byte("fenceColor"), []byte(hex(Color(TextQuiet))))
	return bytes.ReplaceAll(svg, []byte("eyeColor"), []byte(hex(Color(Window))))
}

func hex(c color.Color) string {
	n := color.NRGBAModel.Convert(c).(color.NRGBA)
	return fmt.Sprintf("#%02x%02x%02x", n.R, n.G, n.B)
}
