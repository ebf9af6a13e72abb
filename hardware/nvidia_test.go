package hardware

import (
	"context"
	"errors"
	"strings"
	"testing"
	"time"
)

func TestWhatNVIDIASMIMayPrint(t *testing.T) {
	tests := []struct {
		name, line string
		want       nvidiaCard
	}{
		{"a card", "0, NVIDIA A2, 00000000:01:00.0, 580.95, 15356, 100", nvidiaCard{name: "NVIDIA A2", pci: "0000:01:00.0", driver: "580.95", totalBytes: 15356 * mib, usedBytes: 100 * mib, knowsTotal: true, knowsUsed: true}},
		{"a memory that is shared", "0, NVIDIA GB10, 0000000F:01:00.0, 580.95, [N/A], [N/A]", nvidiaCard{name: "NVIDIA GB10", pci: "000f:01:00.0", driver: "580.95", unified: true}},
		{"the same in other words", "0, NVIDIA Thor, 00000000:01:00.0, 580.95, Not Supported, N/A", nvidiaCard{name: "NVIDIA Thor", pci: "0000:01:00.0", driver: "580.95", unified: true}},
		{"a card on a board that doesn't tell", "0, NVIDIA GeForce GT 710, 00000000:01:00.0, 470.1, [N/A], [N/A]", nvidiaCard{name: "NVIDIA GeForce GT 710", pci: "0000:01:00.0", driver: "470.1"}},
		{"more memory than there is in the world", "0, NVIDIA A2, 00000000:01:00.0, 580.95, 99999999999999, -4", nvidiaCard{name: "NVIDIA A2", pci: "0000:01:00.0", driver: "580.95"}},
	}
	for _, test := range tests {
		t.Run(test.name, func(t *testing.T) {
			test.want.source = "nvidia-smi"
			got := parseNVIDIA(strings.NewReader("NVIDIA-SMI has a remark, and, another, one, here\n" + test.line + "\n"))
			if len(got) != 1 {
				t.Fatalf("got %+v", got)
			}
			got[0].users = nil
			if got[0].name != test.want.name || got[0].pci != test.want.pci || got[0].driver != test.want.driver ||
				got[0].totalBytes != test.want.totalBytes || got[0].usedBytes != test.want.usedBytes ||
				got[0].knowsTotal != test.want.knowsTotal || got[0].knowsUsed != test.want.knowsUsed || got[0].unified != test.want.unified {
				t.Errorf("got %+v", got[0])
			}
		})
	}
}

func TestNVIDIASMIIsLeftAloneAfterItFailed(t *testing.T) {
	calls := 0
	tool := &toolReader{run: func(context.Context) ([]byte, error) {
		calls++
		return nil, errors.New("couldn't communicate with the driver")
	}}
	for range 3 {
		if got := tool.cards(); got != nil {
			t.Errorf("got %+v", got)
		}
	}
	if calls != 1 {
		t.Errorf("it was started %d times", calls)
	}
	tool.until = time.Time{}
	tool.run = func(context.Context) ([]byte, error) {
		return []byte("0, NVIDIA A2, 00000000:01:00.0, 580.95, 15356, 100\n"), nil
	}
	if got := tool.cards(); len(got) != 1 {
		t.Errorf("when it works again: %+v", got)
	}
}

func TestAProcessInBothListsCountsOnce(t *testing.T) {
	got := mergeUsers([]Process{{PID: 1, VRAMBytes: 5}, {PID: 2, VRAMBytes: 1}, {PID: 1, VRAMBytes: 7}})
	if len(got) != 2 || got[0].VRAMBytes != 7 {
		t.Errorf("got %+v", got)
	}
}
