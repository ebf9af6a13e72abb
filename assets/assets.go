// Package assets holds what is compiled into the program: translations, fonts,
// icons.
package assets

import "embed"

// Translations are the texts of the user interface, a JSON file a language.
//
//go:embed translations
var Translations embed.FS

// Icons are SVG files in the folder icons, a file an icon. "currentColor" in
// them stands for the colour an icon is asked for in.
//
//go:embed icons
var Icons embed.FS

// NotoSansMono is the font of code, paths and logs. Its licence lies beside it.
//
//go:embed fonts/NotoSansMono-Regular.ttf
var NotoSansMono []byte

// AppIcon is the program's icon, 256 pixels square; app.svg is its drawing.
//
//go:embed app.png
var AppIcon []byte
