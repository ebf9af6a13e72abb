#!/bin/sh
# Proves the Debian package as a person meets it. In a new Debian, made with
# debootstrap in build/fresh, it installs the package and only what it depends on,
# opens the window, removes it and looks for what stayed. Then it installs it
# beside a file manager, double-clicks a model there, loads it, chats, and gives a
# second model to the window that is open. Last it adds paddock-vulkan. What was seen
# is in build/fresh/shots.
#
# It needs root, for chroot. Everything it starts is in a process namespace of its
# own, and ends with it. PADDOCK_DEBIAN_MIRROR and PADDOCK_SUITE (bookworm) say
# which Debian.
set -eu

say() { echo "fresh: $*" >&2; }
die() {
	say "FAILED: $*"
	[ -z "${DISPLAY:-}" ] || shot failed
	exit 1
}

[ "$(id -u)" = 0 ] || die "a new Debian can only be made by root: sudo make fresh"
if [ -z "${PADDOCK_FRESH:-}" ]; then
	unset DISPLAY WAYLAND_DISPLAY WAYLAND_SOCKET
	PADDOCK_FRESH=yes exec unshare --mount --pid --mount-proc --fork --kill-child "$0" "$@"
fi

suite=${PADDOCK_SUITE:-bookworm}
here=$(cd "$(dirname "$0")/.." && pwd)
build=$here/build
arch=$(dpkg --print-architecture)
deb=$build/paddock_${VERSION:?}_$arch.deb
base=$build/fresh/$suite
root=$build/fresh/root
shots=$build/fresh/shots
person=/home/rider
log=$root$person/.local/state/paddock/paddock.log
model='Мой конь ☕ model.gguf'
second='Zweites Pferd.gguf'

started=$(date +%s)
step() { say "$(($(date +%s) - started)) s: $*"; }

# shot keeps what is on the screen.
shot() { import -window root "$shots/$1.png" 2>/dev/null || true; }

# await WHAT SECONDS COMMAND... waits until a command succeeds.
await() {
	what=$1
	last=$(($(date +%s) + $2))
	shift 2
	until "$@" >/dev/null 2>&1; do
		[ "$(date +%s)" -lt $last ] || die "$what did not come. The end of the log: $(tail -n 3 "$log" 2>/dev/null)"
		sleep 0.2
	done
}

# logged PATTERN says whether Paddock's log has it.
logged() { grep -q -e "$1" "$log"; }

# closed closes the window, and says whether it is gone. It may ask first.
closed() {
	xdotool key alt+F4
	sleep 1
	! pgrep -x paddock
}

close() { await "the end of the window" 30 closed; }

inside() { chroot "$root" /usr/bin/env -i PATH=/usr/sbin:/usr/bin:/sbin:/bin DEBIAN_FRONTEND=noninteractive LANG=C.UTF-8 "$@"; }

# as runs a command as the person who uses the computer.
as() {
	chroot --userspec=1000:1000 "$root" /usr/bin/env -i PATH=/usr/bin:/bin HOME=$person USER=rider LANG=C.UTF-8 \
		XDG_RUNTIME_DIR=/run/user/1000 XDG_SESSION_TYPE=x11 DISPLAY="${DISPLAY:-}" "$@"
}

install() { inside apt-get -q install -y --no-install-recommends "$@" >>"$work/apt.log" 2>&1 || die "apt-get install $*: $(tail -n 5 "$work/apt.log")"; }

# everything lists all files, but for those of apt, of dpkg, and of people.
everything() {
	(cd "$root" && find . -xdev \( -path ./proc -o -path ./sys -o -path ./dev -o -path ./tmp -o -path ./run -o -path ./home \
		-o -path ./var/cache -o -path ./var/lib/apt -o -path ./var/lib/dpkg -o -path ./var/log -o -path ./var/tmp \) -prune -o -print) | sort
}

[ -e "$deb" ] || die "$deb is not there: make deb"
work=$build/fresh/work
rm -rf --one-file-system "$root" "$shots" "$work"
mkdir -p "$shots" "$work"

if [ ! -e "$base/etc/debian_version" ]; then
	step "making a new Debian ($suite)"
	rm -rf "$base.new"
	debootstrap --variant=minbase "$suite" "$base.new" ${PADDOCK_DEBIAN_MIRROR:-} >"$work/debootstrap.log" 2>&1 ||
		die "debootstrap: $(tail -n 3 "$work/debootstrap.log")"
	mv "$base.new" "$base"
fi
cp -a "$base" "$root"
cp /etc/resolv.conf "$root/etc/"
apt-config dump Acquire >"$root/etc/apt/apt.conf.d/90host" # a proxy, say
mount --make-rprivate /
mount -t proc proc "$root/proc"
mount -t sysfs sysfs "$root/sys"
mount --rbind /dev "$root/dev"
mkdir -p "$root/run/user/1000" "$root/tmp/.X11-unix"
inside useradd --create-home --uid 1000 rider
inside chown rider: /run/user/1000
inside chmod 700 /run/user/1000
inside apt-get -q update >"$work/apt.log" 2>&1 || die "apt-get update: $(tail -n 3 "$work/apt.log")"

Xvfb -displayfd 3 -screen 0 1400x900x24 -nolisten tcp -noreset -ac 3>"$work/display" >/dev/null 2>&1 &
await "a screen" 30 test -s "$work/display"
DISPLAY=:$(cat "$work/display")
export DISPLAY
openbox >/dev/null 2>&1 &
mount --bind /tmp/.X11-unix "$root/tmp/.X11-unix"

step "installing what the package depends on, then the package"
inside apt-get -q satisfy -y --no-install-recommends "$(dpkg-deb -f "$deb" Depends)" >>"$work/apt.log" 2>&1 ||
	die "what the package depends on can't be installed: $(tail -n 5 "$work/apt.log")"
everything >"$work/before"
cp "$deb" "$root/var/tmp/paddock.deb"
install /var/tmp/paddock.deb

step "with nothing else: $(as paddock --version)"
answer=$(as paddock chat guide 'What is GTT?') || die "the Guide does not answer: $answer"
say "the Guide says: $answer"
as paddock >"$work/window.out" 2>&1 &
await "the window" 60 logged 'window shown'
sleep 3 # for the eye: a picture of a page that is laid out
shot 1-first-start
say "WM_CLASS is $(xprop -id "$(xdotool search --onlyvisible --name '^Paddock' | tail -n 1)" WM_CLASS)"
close

step "removing it"
inside apt-get -q purge -y paddock >>"$work/apt.log" 2>&1 || die "apt-get purge: $(tail -n 5 "$work/apt.log")"
everything >"$work/after"
diff "$work/before" "$work/after" >"$work/left" || die "this stayed behind: $(cat "$work/left")"
rm -rf "$root$person/.local" "$root$person/.cache" "$root$person/.config"

step "installing a file manager, shells and the package"
install pcmanfm dbus dbus-x11 libglib2.0-bin man-db zsh fish appstream
install /var/tmp/paddock.deb
# valid asks appstreamcli. Newer ones want a home page, which Paddock has not got.
valid() { inside appstreamcli validate --no-net "$@" /usr/share/metainfo/org.paddock.Paddock.metainfo.xml >"$work/appstream" 2>&1; }
valid || valid --override=url-homepage-missing=info || die "appstreamcli: $(cat "$work/appstream")"
inside man -w paddock >/dev/null || die "man knows no paddock"
inside zsh -n /usr/share/zsh/vendor-completions/_paddock || die "zsh can't read its completions"
inside fish -n /usr/share/fish/vendor_completions.d/paddock.fish || die "fish can't read its completions"
as fish -c 'complete -C "paddock che"' | grep -q '^check' || die "fish does not finish paddock che"

as paddock chat guide Hello >/dev/null # which puts the Guide in the cache
mkdir -p "$root$person/models"
guide=$(find "$root$person/.cache/paddock" -name '*.gguf' | head -n 1)
cp "$guide" "$root$person/models/$model"
cp "$guide" "$root$person/$second"
inside chown -R rider: $person
rm -f "$log"

step "double-clicking $model"
as dbus-run-session sh -c 'dbus-update-activation-environment DISPLAY; echo "$DBUS_SESSION_BUS_ADDRESS" >/tmp/bus; exec pcmanfm "$HOME/models"' >"$work/pcmanfm.out" 2>&1 &
await "the file manager" 60 xdotool search --onlyvisible --class pcmanfm
sleep 3 # until its icons are where they stay
files=$(xdotool search --onlyvisible --class pcmanfm | tail -n 1)
xdotool windowmove --sync "$files" 20 20
shot 2-file-manager
# The only file there is the first one: about here, whatever the theme.
for place in '260 140' '230 120' '300 160' '240 170' '210 100'; do
	xdotool mousemove --window "$files" $place click --repeat 2 --delay 80 1
	for _ in 1 2 3 4 5 6 7 8 9 10; do
		logged 'window shown' 2>/dev/null && break 2
		sleep 0.5
	done
done
await "the window after a double click" 20 logged 'window shown'
await "the model" 20 logged "model selected.*$model"
shot 3-opened

step "loading it and chatting"
window=$(xdotool search --onlyvisible --name '^Paddock' | tail -n 1)
xdotool windowactivate --sync "$window" key Return
await "the settings" 20 logged 'plan measured'
xdotool key ctrl+Return
await "a model that is ready" 120 logged 'engine state.*state=ready'
await "the chat" 20 logged 'tab shown.*tab=chat'
xdotool type --delay 20 'What is GTT?'
xdotool key Return
await "an answer" 120 logged 'msg=answer.*stop=stop'
sleep 1 # for the eye
shot 4-answer

step "a second launch hands over"
as env DBUS_SESSION_BUS_ADDRESS="$(cat "$root/tmp/bus")" gio open "$person/$second"
await "the second model in the first window" 30 logged "open.*$second"
shot 5-handed-over
windows=$(xdotool search --onlyvisible --name '^Paddock' | wc -l)
[ "$windows" = 1 ] || die "there are $windows windows of Paddock"
close

step "with graphics cards: paddock-vulkan, and a driver that computes on the processor"
# The engine leaves out devices that compute on the processor unless they are named.
devices() { as env GGML_VK_VISIBLE_DEVICES=0 paddock devices; }
devices | grep -q Vulkan && die "the engine has Vulkan without paddock-vulkan"
cp "$build/paddock-vulkan_${VERSION}_$arch.deb" "$root/var/tmp/vulkan.deb"
install /var/tmp/vulkan.deb mesa-vulkan-drivers
devices | grep Vulkan0 >&2 || die "with paddock-vulkan the engine has no device: $(devices 2>&1)"

step "removing it again"
inside apt-get -q purge -y paddock paddock-vulkan >>"$work/apt.log" 2>&1 || die "apt-get purge: $(tail -n 5 "$work/apt.log")"
left=$(everything | grep -i paddock || true)
[ -z "$left" ] || die "this stayed behind: $left"
! inside grep -rqs paddock /usr/share/applications/mimeinfo.cache || die "the desktop still thinks that it opens models"
step "done: the pictures are in build/fresh/shots"
