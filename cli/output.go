package cli

import (
	"errors"
	"io"
	"syscall"
)

// An output is where a command prints to. What it can't write is dropped, and
// the first reason kept: a full disk must not pass for success. A reader that
// has gone away is nobody's failure.
type output struct {
	to   io.Writer
	err  error
	gone bool
}

// shut is whether nothing that is printed goes anywhere any more.
func (o *output) shut() bool { return o.err != nil || o.gone }

func (o *output) Write(p []byte) (int, error) {
	if o.shut() {
		return len(p), nil
	}
	_, err := o.to.Write(p)
	switch {
	case errors.Is(err, syscall.EPIPE):
		o.gone = true
	case err != nil:
		o.err = err
	}
	return len(p), nil
}
