package build

import (
	"context"
	"errors"
	"net"
	"os"
	"strings"
	"time"
)

// reachLimit is how long another computer may take to answer.
const reachLimit = 3 * time.Second

// Reach says whether something answers at each of the servers, "host:port" with
// commas: the engine aborts where nothing does. The error is a *Error with
// ServerSilent, or ctx's own.
func Reach(ctx context.Context, servers string) error {
	if servers == "" {
		return nil
	}
	for server := range strings.SplitSeq(servers, ",") {
		dialer := net.Dialer{Timeout: reachLimit}
		connection, err := dialer.DialContext(ctx, "tcp", server)
		switch {
		case ctx.Err() != nil:
			return context.Cause(ctx)
		case err != nil:
			return &Error{Problem: ServerSilent, Path: server, Detail: why(err), Err: err}
		}
		connection.Close()
	}
	return nil
}

// why is the reason of a failed connection without the address, which the
// sentence has.
func why(err error) string {
	var dialed *net.OpError
	if errors.As(err, &dialed) {
		err = dialed.Err
	}
	var name *net.DNSError
	var call *os.SyscallError
	switch {
	case errors.As(err, &name):
		return name.Err
	case errors.As(err, &call):
		return call.Err.Error()
	}
	return err.Error()
}
