package words

import (
	"os"
	"runtime"
)

// debian is whether this system has Debian's packages: Debian itself, Ubuntu and others
// that come of them.
var debian = isThere("/etc/debian_version")

func isThere(path string) bool {
	_, err := os.Stat(path)
	return err == nil
}

// CardNeeds says what an engine needs on this system to see a graphics card.
func CardNeeds() string { return cardNeeds(runtime.GOOS, debian) }

func cardNeeds(system string, debian bool) string {
	switch {
	case system == "windows":
		return T("card.needs.windows")
	case system == "darwin":
		return T("card.needs.darwin")
	case debian:
		return T("card.needs.debian")
	}
	return T("card.needs.other")
}
