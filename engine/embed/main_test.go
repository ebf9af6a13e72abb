package embed

import (
	"os"
	"testing"

	"paddock/engine/build/buildtest"
	"paddock/engine/embed/document"
	"paddock/engine/embed/document/documenttest"
)

func TestMain(m *testing.M) {
	document.CacheIn(documenttest.Translations())
	buildtest.RestThreads()
	os.Exit(m.Run())
}
