//go:build !linux

package app

import "context"

// watchDrags tells nothing: only X11 lets others see a drag.
func watchDrags(context.Context, uintptr, func(over bool)) {}
