#!/bin/sh
# Sees that this machine has what building, running and testing Paddock takes.
#
#   packaging/setup.sh build|run|test|real|package|fresh
#
# On Debian and its kin root gets what is missing installed; anybody else is told
# the one command that does it.
set -eu

say() { echo "setup: $*" >&2; }
die() {
	say "$*"
	exit 1
}

root=$(cd "$(dirname "$0")/.." && pwd)
build='gcc libc6-dev pkg-config libgl1-mesa-dev xorg-dev libwayland-dev libxkbcommon-dev ca-certificates'
# The Debian archive key is in the second on Debian itself, but not on its kin.
engine='dpkg debian-archive-keyring'
virtual='xvfb xauth libgl1-mesa-dri openbox'
test='xdotool imagemagick mesa-vulkan-drivers git'
package='binutils dpkg-dev xz-utils'
fresh='debootstrap xdotool imagemagick'

# display says whether there is one to open a window on.
display() { [ -n "${DISPLAY:-}" ] || [ -n "${WAYLAND_DISPLAY:-}" ]; }

case ${1:-} in
build) wanted="$build $engine" ;;
run)
	wanted="$build $engine"
	display || wanted="$wanted $virtual"
	;;
test) wanted="$build $engine $virtual $test" ;;
real)
	wanted="$build $engine $virtual"
	python3 -m pip --version >/dev/null 2>&1 || wanted="$wanted python3-pip"
	;;
package) wanted="$build $engine $package" ;;
fresh) wanted="$build $engine $virtual $package $fresh" ;;
*)
	echo "usage: packaging/setup.sh build|run|test|real|package|fresh" >&2
	exit 2
	;;
esac

if command -v apt-get >/dev/null && command -v dpkg-query >/dev/null; then
	missing=
	for package in $wanted; do
		case $(dpkg-query -W -f '${db:Status-Status}' "$package" 2>/dev/null) in
		installed) ;;
		*) missing="$missing $package" ;;
		esac
	done
	if [ -n "$missing" ]; then
		install="apt-get install -y --no-install-recommends$missing"
		if [ "$(id -u)" != 0 ]; then
			say "some packages are missing. Install them, then run this again:"
			echo "    sudo apt-get update && sudo $install" >&2
			exit 1
		fi
		say "installing$missing"
		export DEBIAN_FRONTEND=noninteractive
		apt-get -q update >&2 || say "not every source could be read, going on with what there is"
		$install >&2 || die "the packages above could not be installed. Is there a network? Run this again when there is"
	fi
elif ! command -v gcc >/dev/null || ! command -v pkg-config >/dev/null; then
	die "this is no Debian. Install gcc, pkg-config and the development files of OpenGL, X11, Wayland and xkbcommon, then run this again"
fi

# The first line of go.mod that says "go" is the oldest Go that will do.
needed=$(sed -n 's/^go //p' "$root/go.mod")
command -v go >/dev/null ||
	die "Go is missing. Paddock needs Go $needed or newer: https://go.dev/dl/"
# Newer Gos fetch the version that go.mod asks for by themselves.
version=$(cd "$root" && go env GOVERSION 2>/dev/null | sed 's/^go//; s/[^0-9.].*//')
oldest=$(printf '%s\n' "$needed" "${version:-0}" | sort -V | head -n 1)
[ "$oldest" = "$needed" ] ||
	die "the Go on PATH ($(go version 2>/dev/null | cut -d ' ' -f 3)) is too old. Paddock needs Go $needed or newer: https://go.dev/dl/"
