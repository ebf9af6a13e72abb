#!/bin/sh
# Opens Paddock; on a machine without a display tours it on a virtual one.
set -eu
root=$(cd "$(dirname "$0")/.." && pwd)
if [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; then
	exec "$root/build/paddock"
fi
tour=$root/build/tour
echo "There is no display here, so Paddock is shown on a virtual one." >&2
"$root/packaging/virtual.sh" "$root/build/paddock" --config "$tour/config" \
	tour "$tour"
echo "What a first visitor would see is in $tour:" >&2
ls "$tour"/*.png >&2
