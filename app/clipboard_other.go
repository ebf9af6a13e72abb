//go:build !linux

package app

// clipboardPNG is nothing yet outside of Linux.
func clipboardPNG() []byte { return nil }
