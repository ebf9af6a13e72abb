package hardware

import (
	"bytes"
	"context"
	"os/exec"
	"sync"
	"time"
)

const (
	// nvidiaTime is how long NVIDIA's driver may take: with a card that fell off
	// the bus it can hang.
	nvidiaTime = 4 * time.Second
	// nvidiaRest is how long it is left alone after it failed or hung.
	nvidiaRest = time.Minute
)

// A toolReader asks nvidia-smi, and not again for a while when that failed.
type toolReader struct {
	run func(context.Context) ([]byte, error)

	mu    sync.Mutex
	until time.Time
}

var nvidiaTool = &toolReader{run: func(ctx context.Context) ([]byte, error) {
	return exec.CommandContext(ctx, "nvidia-smi", nvidiaQuery...).Output()
}}

func (t *toolReader) cards() []nvidiaCard {
	t.mu.Lock()
	defer t.mu.Unlock()
	if time.Now().Before(t.until) {
		return nil
	}
	ctx, cancel := context.WithTimeout(context.Background(), nvidiaTime)
	defer cancel()
	out, err := t.run(ctx)
	if err != nil {
		t.until = time.Now().Add(nvidiaRest)
		return nil
	}
	return parseNVIDIA(bytes.NewReader(out))
}
