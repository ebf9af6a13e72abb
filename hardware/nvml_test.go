//go:build linux && (amd64 || arm64)

package hardware

import (
	"os/exec"
	"path/filepath"
	"testing"
	"time"
)

// fakeNVML compiles a library that answers as NVIDIA's does.
func fakeNVML(t *testing.T) *nvml {
	t.Helper()
	library := filepath.Join(t.TempDir(), "libnvidia-ml.so.1")
	if out, err := exec.Command("gcc", "-shared", "-fPIC", "-o", library, "testdata/nvml/fake.c").CombinedOutput(); err != nil {
		t.Fatalf("%v\n%s", err, out)
	}
	return &nvml{names: []string{"libmissing.so.1", library}, limit: nvidiaTime}
}

func TestCardsAreReadThroughNVIDIAsLibrary(t *testing.T) {
	cards, ok := fakeNVML(t).cards()
	if !ok || len(cards) != 3 {
		t.Fatalf("got %+v, %t", cards, ok)
	}
	big, small, gb10 := cards[0], cards[1], cards[2]
	if big.name != "NVIDIA GeForce RTX 4090" || big.pci != "0000:01:00.0" || big.driver != "580.95.05" || big.uuid != "GPU-0" || big.source != "NVML" {
		t.Errorf("got %+v", big)
	}
	// What the driver keeps for itself is in use too: free is what counts.
	if !big.knowsTotal || big.totalBytes != 24564*mib || big.usedBytes != (24564-23000)*mib {
		t.Errorf("its memory: %+v", big)
	}
	want := []Process{{PID: 4242, VRAMBytes: 800 * mib}, {PID: 4244, VRAMBytes: 64 * mib}}
	if len(big.users) != 2 || big.users[0] != want[0] || big.users[1] != want[1] {
		t.Errorf("its users: %+v", big.users)
	}
	if small.totalBytes != 12288*mib || small.usedBytes != 288*mib || small.unified || small.pci != "0000:0a:00.0" {
		t.Errorf("a driver without the newer call: %+v", small)
	}
	if !gb10.unified || gb10.knowsTotal || gb10.pci != "000f:13:00.0" {
		t.Errorf("a card that shares RAM: %+v", gb10)
	}
}

func TestALostCardIsLeftOut(t *testing.T) {
	t.Setenv("FAKE_NVML", "lost")
	if cards, ok := fakeNVML(t).cards(); !ok || len(cards) != 2 {
		t.Errorf("got %+v, %t", cards, ok)
	}
}

func TestALibraryThatFailsIsLeftAloneForAWhile(t *testing.T) {
	t.Setenv("FAKE_NVML", "fail")
	library := fakeNVML(t)
	if _, ok := library.cards(); ok || !library.until.After(time.Now()) {
		t.Errorf("it answered, or is asked again at once: %t, %v", ok, library.until)
	}
	t.Setenv("FAKE_NVML", "")
	library.until = time.Time{}
	if cards, ok := library.cards(); !ok || len(cards) != 3 {
		t.Errorf("once the driver is up: %+v, %t", cards, ok)
	}
}

func TestADriverThatHangsHoldsNothingUp(t *testing.T) {
	t.Setenv("FAKE_NVML", "hang")
	library := fakeNVML(t)
	library.limit = 50 * time.Millisecond
	for range 2 {
		start := time.Now()
		if _, ok := library.cards(); ok || time.Since(start) > 5*time.Second {
			t.Errorf("it took %v", time.Since(start))
		}
	}
	if !library.broken {
		t.Error("it would be called again while the first call is still in there")
	}
}

func TestAMachineWithoutTheLibraryHasNoCardsThroughIt(t *testing.T) {
	library := &nvml{names: []string{"libthere-is-no-such-thing.so.1"}, limit: nvidiaTime}
	if cards, ok := library.cards(); ok || cards != nil {
		t.Errorf("got %+v", cards)
	}
}
