package words

import (
	"context"
	"errors"
	"net"
	"os"
	"path/filepath"
	"syscall"
	"time"

	"paddock/engine/gguf"
	"paddock/engine/hub"
)

// hubError is the sentence for what a hub or a download came to.
func hubError(e *hub.Error) Sentence {
	data := map[string]any{
		"Host": gguf.Printable(e.Host), "Repo": gguf.Printable(e.Repo),
		"File": base(e.File), "Path": Path(e.File), "Folder": "",
		"Status": e.Status, "Detail": clause(e.Detail), "Page": e.Detail == hub.WebPage,
		"Mirror": e.Mirror, "Space": e.Detail == hub.Spaces,
		"PID": e.PID, "Own": e.PID == os.Getpid(), "Reason": hubReason(e.Err),
		"Needed": "", "Free": size(e.FreeBytes), "Minutes": 0, "Seconds": 0,
	}
	if filepath.IsAbs(e.File) {
		data["Folder"] = Path(filepath.Dir(e.File))
	}
	if e.NeededBytes > 0 {
		data["Needed"] = size(e.NeededBytes)
	}
	if wait := e.RetryAfter.Round(time.Second); wait > 2*time.Minute {
		data["Minutes"] = int((wait + time.Minute - 1) / time.Minute)
	} else {
		data["Seconds"] = int(wait / time.Second)
	}
	return Of("hub."+string(e.Kind), data)
}

// hubReason is what the system says of a connection, without the words of those
// who make networks.
func hubReason(err error) string {
	var resolver *net.DNSError
	var network net.Error
	switch {
	case errors.As(err, &resolver):
		return T("hub.reason.no-address")
	case errors.Is(err, syscall.ECONNREFUSED):
		return T("hub.reason.refused")
	case errors.Is(err, context.DeadlineExceeded), errors.As(err, &network) && network.Timeout():
		return T("hub.reason.no-answer")
	}
	return Reason(err)
}
