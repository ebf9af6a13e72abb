package chunk

import (
	"os"
	"testing"

	"paddock/engine/build/buildtest"
)

func TestMain(m *testing.M) {
	buildtest.RestThreads()
	os.Exit(m.Run())
}
