// Package words turns keys into what the user reads, in the user's language, and
// typed errors into a sentence and a next step. The window and the command line
// share it.
package words

import (
	"fyne.io/fyne/v2/lang"

	"paddock/assets"
)

func init() {
	if err := lang.AddTranslationsFS(assets.Translations, "translations"); err != nil {
		panic("embedded translations do not parse: " + err.Error())
	}
}

// T is the text of a key, with data's fields or map entries in its places.
func T(key string, data ...any) string {
	return lang.X(key, key, data...)
}
