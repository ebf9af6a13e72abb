package theme

// Sizes of the window's parts, in pixels at 100 %.
const (
	Gap        float32 = 4 // the grid everything sits on
	GapInside  float32 = 6 // inside a control
	GapControl float32 = 8 // between controls
	GapGroup   float32 = 16
	PaneMargin float32 = 16

	RailWidth      float32 = 84
	RailItemWidth  float32 = 72
	RailItemHeight float32 = 52
	BarHeight      float32 = 48 // engine bar
	HeaderHeight   float32 = 52 // page header and footer
	StatusHeight   float32 = 26

	RowHeight          float32 = 32 // table row
	SubRowHeight       float32 = 28
	TableHeaderHeight  float32 = 30
	ConversationHeight float32 = 46

	ControlHeight      float32 = 30
	ControlHeightSmall float32 = 26
	ControlHeightRow   float32 = 22 // in a table row
	PillHeight         float32 = 22
	BadgeHeight        float32 = 18

	BarPanelHeight  float32 = 22 // memory bars
	BarUnusedHeight float32 = 8
	BarSmallHeight  float32 = 6
	ProgressHeight  float32 = 4

	RadiusBadge   float32 = 4
	RadiusControl float32 = 6
	RadiusCard    float32 = 8
	RadiusMessage float32 = 10
	RadiusPill    float32 = 11

	IconSize       float32 = 18
	IconSizeButton float32 = 16
	IconSizeText   float32 = 14
	IconSizeRail   float32 = 20

	DetailWidth             float32 = 340 // detail pane of Models
	LoadControlsWidth       float32 = 536
	LoadControlsNarrow      float32 = 404
	ConversationsWidth      float32 = 248
	ConversationsNarrow     float32 = 200
	MessageColumnWidth      float32 = 720
	NarrowBelow             float32 = 1100 // window width under which the narrow layout is used
	MinWidth, MinHeight     float32 = 960, 600
	StartWidth, StartHeight float32 = 1280, 800
	FocusRingWidth          float32 = 2
	FocusRingDistance       float32 = 1
	SeparatorWidth          float32 = 1
)

// Sizes of type and the heights of their lines.
const (
	TextBig, LineBig         float32 = 34, 40
	TextEmpty, LineEmpty     float32 = 24, 32
	TextTitle, LineTitle     float32 = 18, 24
	TextSection, LineSection float32 = 15, 20
	TextBody, LineBody       float32 = 13, 20
	TextLabel, LineLabel     float32 = 12, 16
	TextHint, LineHint       float32 = 11, 16
	TextMono, LineMono       float32 = 12, 18
)
