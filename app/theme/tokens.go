// Package theme is how Paddock looks: the colours, type, sizes and icons of its
// design, in a dark and a light set.
package theme

import (
	"image/color"

	"fyne.io/fyne/v2"
)

// The design's colours. Every one has a dark and a light value; Color gives the
// one in use.
const (
	Window      fyne.ThemeColorName = "paddock.window"  // rail, tables, status line
	Surface     fyne.ThemeColorName = "paddock.surface" // engine bar, side panes, cards, chat area
	Raised      fyne.ThemeColorName = "paddock.raised"  // inputs, buttons, remedies, user message
	Hover       fyne.ThemeColorName = "paddock.hover"
	Selected    fyne.ThemeColorName = "paddock.selected"
	Separator   fyne.ThemeColorName = "paddock.separator"  // 1 px lines, card edges
	ButtonEdge  fyne.ThemeColorName = "paddock.buttonEdge" // buttons and segments, whose label carries the meaning
	InputEdge   fyne.ThemeColorName = "paddock.inputEdge"  // inputs, selects, checkboxes
	Text        fyne.ThemeColorName = "paddock.text"
	TextQuiet   fyne.ThemeColorName = "paddock.textQuiet" // labels, units, reasons
	Disabled    fyne.ThemeColorName = "paddock.disabled"  // labels only, never a reason
	Code        fyne.ThemeColorName = "paddock.code"      // code blocks, logs, copyable lines
	Accent      fyne.ThemeColorName = "paddock.accent"
	OnAccent    fyne.ThemeColorName = "paddock.onAccent"
	Focus       fyne.ThemeColorName = "paddock.focus"
	OK          fyne.ThemeColorName = "paddock.ok"
	OKFill      fyne.ThemeColorName = "paddock.okFill"
	Caution     fyne.ThemeColorName = "paddock.caution"
	CautionFill fyne.ThemeColorName = "paddock.cautionFill"
	Refuse      fyne.ThemeColorName = "paddock.refuse"
	RefuseFill  fyne.ThemeColorName = "paddock.refuseFill"
	Overflow    fyne.ThemeColorName = "paddock.overflow" // what sticks out of a memory pool
)

// The slices of a memory bar, in the order in which they are drawn.
const (
	SliceOther      fyne.ThemeColorName = "paddock.slice.other" // other programs
	SliceWeights    fyne.ThemeColorName = "paddock.slice.weights"
	SliceKV         fyne.ThemeColorName = "paddock.slice.kv" // KV cache and recurrent state
	SliceCompute    fyne.ThemeColorName = "paddock.slice.compute"
	SliceProjector  fyne.ThemeColorName = "paddock.slice.projector"
	SliceDraft      fyne.ThemeColorName = "paddock.slice.draft"    // draft model or MTP
	SliceHost       fyne.ThemeColorName = "paddock.slice.host"     // host caches
	SliceOverhead   fyne.ThemeColorName = "paddock.slice.overhead" // of the engine
	SliceShared     fyne.ThemeColorName = "paddock.slice.shared"   // GPU pages held in RAM
	SliceMargin     fyne.ThemeColorName = "paddock.slice.margin"
	SliceMarginEdge fyne.ThemeColorName = "paddock.slice.marginEdge"
	Track           fyne.ThemeColorName = "paddock.track"   // what is free
	OnSlice         fyne.ThemeColorName = "paddock.onSlice" // a label on a slice
)

// A shade is one colour in both sets, as 0xRRGGBB.
type shade struct{ dark, light uint32 }

var shades = map[fyne.ThemeColorName]shade{
	Window:      {0x161815, 0xF3F3EE},
	Surface:     {0x1C1F1B, 0xFBFBF8},
	Raised:      {0x252923, 0xFFFFFF},
	Hover:       {0x2B302A, 0xEBECE5},
	Selected:    {0x28382A, 0xDFEBD9},
	Separator:   {0x30352E, 0xDADCD2},
	ButtonEdge:  {0x4A5146, 0xBFC4B6},
	InputEdge:   {0x737B6D, 0x868D80},
	Text:        {0xE9EBE4, 0x1B1F19},
	TextQuiet:   {0xAEB5A8, 0x545B4F},
	Disabled:    {0x80887B, 0x878E82},
	Code:        {0x121411, 0xF6F6F1},
	Accent:      {0x93CF82, 0x35702A},
	OnAccent:    {0x10200C, 0xFFFFFF},
	Focus:       {0xB5E8A5, 0x35702A},
	OK:          {0x93CF82, 0x2F7031},
	OKFill:      {0x22331F, 0xE2F0DD},
	Caution:     {0xF2B84B, 0x855500},
	CautionFill: {0x382D16, 0xFBF0D3},
	Refuse:      {0xF7948A, 0xB0302A},
	RefuseFill:  {0x3D2321, 0xFBE6E2},
	Overflow:    {0xD9584C, 0xC8443B},

	SliceOther:      {0x7D8579, 0x71776C},
	SliceWeights:    {0x74A3DC, 0x3B6EAF},
	SliceKV:         {0x4DB9A8, 0x1A796D},
	SliceCompute:    {0xB79BE8, 0x7C5CBD},
	SliceProjector:  {0xE792B4, 0xBA4B7B},
	SliceDraft:      {0xDDC878, 0x8F7214},
	SliceHost:       {0xCF9770, 0x9B5B36},
	SliceOverhead:   {0x93A6B0, 0x5E7480},
	SliceShared:     {0x4B5248, 0xC6CBBD},
	SliceMargin:     {0x2C312A, 0xE6E7DF},
	SliceMarginEdge: {0x8A9285, 0x7C8376},
	Track:           {0x2B302A, 0xE3E5DB},
	OnSlice:         {0x12150F, 0xFFFFFF},
}

func (s shade) color(light bool) color.Color {
	v := s.dark
	if light {
		v = s.light
	}
	return color.NRGBA{R: uint8(v >> 16), G: uint8(v >> 8), B: uint8(v), A: 0xff}
}
