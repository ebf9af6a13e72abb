# Paddock for Windows, built on Linux: make windows.

.PHONY: windows check-windows

windows:
	@packaging/windows/build.sh

# What needs no C compiler for Windows: all but package main, which make windows builds.
check-windows:
	@sh -n packaging/windows/build.sh
	GOOS=windows CGO_ENABLED=0 go vet $(PORTABLE) ./packaging/icon ./packaging/windows/...
	GOOS=windows CGO_ENABLED=0 go build ./app/...

test: check-windows
