package hardware

import (
	"testing"
)

func BenchmarkLive(b *testing.B) {
	for b.Loop() {
		Live()
	}
}

func BenchmarkUsers(b *testing.B) {
	root := thisMachine.root
	for b.Loop() {
		drmUsers(root, 1)
	}
}
