package build_test

import (
	"context"
	"errors"
	"net"
	"strings"
	"testing"
	"time"

	"paddock/engine/build"
	"paddock/engine/build/buildtest"
)

// address is one of this machine where something listens, or nothing does.
func address(t *testing.T, listens bool) string {
	t.Helper()
	listener, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	if listens {
		t.Cleanup(func() { listener.Close() })
	} else {
		listener.Close()
	}
	return listener.Addr().String()
}

func TestAComputerIsThereOrTheReasonIsSaid(t *testing.T) {
	there, gone := address(t, true), address(t, false)
	tests := map[string]struct {
		servers, silent, reason string
	}{
		"nobody is asked for":       {"", "", ""},
		"one that answers":          {there, "", ""},
		"one that does not":         {gone, gone, "refused"},
		"the second of two":         {there + "," + gone, gone, "refused"},
		"a name nobody knows":       {"no-such-host.invalid:50052", "no-such-host.invalid:50052", ""},
		"an address without a port": {"otherhost", "otherhost", "missing port"},
	}
	for name, test := range tests {
		t.Run(name, func(t *testing.T) {
			err := build.Reach(t.Context(), test.servers)
			if test.silent == "" {
				if err != nil {
					t.Error(err)
				}
				return
			}
			var silent *build.Error
			if !errors.As(err, &silent) || silent.Problem != build.ServerSilent || silent.Path != test.silent {
				t.Fatalf("got %v", err)
			}
			if silent.Detail == "" || !strings.Contains(silent.Detail, test.reason) || strings.Contains(silent.Detail, "dial tcp") {
				t.Errorf("the reason is %q", silent.Detail)
			}
		})
	}
}

func TestAskingForComputersCanBeInterrupted(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if err := build.Reach(ctx, address(t, true)); !errors.Is(err, context.Canceled) {
		t.Errorf("got %v", err)
	}
}

func TestDevicesOfOtherComputersAreListed(t *testing.T) {
	b := buildtest.Engine(t)
	server := address(t, false)
	_, port, _ := net.SplitHostPort(server)
	cmd := b.Command(context.Background(), "ggml-rpc-server", "-t", "1", "-H", "127.0.0.1", "-p", port)
	build.OwnGroup(cmd)
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { build.EndGroup(cmd.Process); cmd.Wait() })
	for deadline := time.Now().Add(time.Minute); build.Reach(t.Context(), server) != nil; time.Sleep(20 * time.Millisecond) {
		if time.Now().After(deadline) {
			t.Fatal("the device did not come up")
		}
	}
	isRPC := func(devices []build.Device) bool {
		for _, d := range devices {
			if d.ID == "RPC0" && d.TotalBytes > 0 {
				return true
			}
		}
		return false
	}
	devices, err := b.DevicesWith(t.Context(), server)
	if err != nil || !isRPC(devices) {
		t.Errorf("got %+v, %v", devices, err)
	}
	if devices, err := b.Devices(t.Context()); err != nil || isRPC(devices) {
		t.Errorf("without the server: %+v, %v", devices, err)
	}
}
