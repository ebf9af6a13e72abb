#!/bin/sh
# Runs a program on a virtual display, with a window manager so that windows get
# the focus: packaging/virtual.sh COMMAND [ARG...]. A real display that is there
# stays out of it.
set -eu
unset WAYLAND_DISPLAY WAYLAND_SOCKET
export XDG_SESSION_TYPE=x11
exec xvfb-run -a -s '-screen 0 1920x1200x24' \
	sh -c 'openbox >/dev/null 2>&1 & manager=$!; "$@"; status=$?; kill $manager; exit $status' sh "$@"
