# Paddock for macOS, as far as it can be made on Linux.

.PHONY: check-macos

# What needs no compiler for macOS: Fyne does, and with it the window.
check-macos:
	@sh -n packaging/macos/app.sh
	GOOS=darwin CGO_ENABLED=0 go vet $(PORTABLE) ./packaging/icon

test: check-macos
