package embed

import (
	"os"
	"testing"

	"paddock/engine/embed/document"
	"paddock/engine/embed/document/documenttest"
)

func TestMain(m *testing.M) {
	document.CacheIn(documenttest.Translations())
	// Threads of the engine that spin while they wait for each other make a tiny model
	// many times slower on a machine that has other things to do.
	os.Setenv("OMP_WAIT_POLICY", "passive")
	os.Exit(m.Run())
}
