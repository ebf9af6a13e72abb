package words

import (
	"strings"
	"testing"
)

func TestWhatACardNeedsFitsTheSystem(t *testing.T) {
	for _, c := range []struct {
		name, system  string
		debian        bool
		want, without string
	}{
		{"Debian and what comes of it", "linux", true, "mesa-vulkan-drivers", "winget"},
		{"another Linux", "linux", false, "Vulkan driver: Mesa's", "mesa-vulkan-drivers"},
		{"Windows", "windows", false, "Vulkan build", "Mesa"},
		{"macOS", "darwin", false, "Metal", "Vulkan"},
	} {
		said := cardNeeds(c.system, c.debian)
		if !strings.Contains(said, c.want) || strings.Contains(said, c.without) || (strings.Contains(said, "paddock-vulkan") != c.debian) {
			t.Errorf("%s: %q", c.name, said)
		}
	}
}
