#!/bin/sh
# Assembles the engine bundle, build/engine, out of packages of Debian's testing
# suite: lib/ with a loader and a C library of its own, so that it runs on older
# systems too, bin/ with the programs, licences/ and a manifest.
#
#   packaging/engine.sh          the packages that engine.lock names, or, when
#                                the mirror has them no more, the current ones
#   packaging/engine.sh --lock   the current ones, and writes them to engine.lock
#
# It needs no root and leaves the system's apt alone: lists, cache and sources
# are its own, in the user's cache folder. What was downloaded is kept there.
# The mirror is the one the system's sources name, or PADDOCK_DEBIAN_MIRROR.
set -eu

root=$(cd "$(dirname "$0")/.." && pwd)
lock=$root/packaging/engine.lock
target=$root/build/engine
cache=${XDG_CACHE_HOME:-${HOME:?}/.cache}/paddock/engine

packages='llama.cpp-tools llama.cpp-tools-extra libllama0
	libggml0 libggml0-backend-vulkan libggml0-backend-rpc
	libc6 libstdc++6 libgcc-s1 libgomp1 libssl3t64 zlib1g libzstd1'
programs='llama-server llama-fit-params ggml-rpc-server'
# The host's graphics drivers need these of the C library, and from the same one.
for_drivers='libdl.so.2 libpthread.so.0 librt.so.1 libm.so.6 libmvec.so.1 libresolv.so.2 libutil.so.1'

say() { echo "engine: $*" >&2; }
die() {
	say "$*"
	exit 1
}

# apt TOOL ARG... runs a tool of apt on our own lists, cache and sources. A list
# past its date, from a mirror that lags or by a clock that is wrong, will do: it
# is signed all the same, and engine.lock says which packages are meant.
apt() {
	tool=$1
	shift
	APT_CONFIG=$cache/apt/apt.conf "$tool" -q \
		-o Dir::Etc::sourcelist=/dev/null \
		-o Dir::Etc::sourceparts="$cache/apt/sources" \
		-o Dir::State="$cache/apt/state" \
		-o Dir::State::lists="$cache/apt/lists" \
		-o Dir::State::status="$cache/apt/status" \
		-o Dir::Cache="$cache/apt/cache" \
		-o APT::Sandbox::User="$(id -un)" \
		-o APT::Update::Error-Mode=any \
		-o Acquire::Check-Valid-Until=false \
		-o Acquire::Check-Date=false \
		-o Acquire::Languages=none \
		-o Acquire::PDiffs=false \
		-o Acquire::Retries=2 \
		-o Acquire::http::Timeout=20 \
		-o Acquire::https::Timeout=20 \
		"$@"
}

# configure makes apt's folders. The system's settings (a proxy, say) hold for us
# too, but for what it runs after an update.
configure() {
	rm -rf "$cache/apt/parts"
	mkdir -p "$cache/apt/sources" "$cache/apt/state" "$cache/apt/lists/partial" \
		"$cache/apt/cache/archives/partial" "$cache/apt/parts"
	: >"$cache/apt/status"
	cp /etc/apt/apt.conf.d/* "$cache/apt/parts/" 2>/dev/null || true
	cat >"$cache/apt/parts/zz-paddock" <<-'END'
		#clear APT::Update::Pre-Invoke;
		#clear APT::Update::Post-Invoke;
		#clear APT::Update::Post-Invoke-Success;
	END
	echo "Dir::Etc::parts \"$cache/apt/parts\";" >"$cache/apt/apt.conf"
}

# mirrors lists what may be a mirror of Debian among the system's own sources, as
# apt itself reads them: of all formats, and lists of mirrors too.
mirrors() {
	if [ -n "${PADDOCK_DEBIAN_MIRROR:-}" ]; then
		echo "$PADDOCK_DEBIAN_MIRROR"
		return
	fi
	apt-get --print-uris update 2>/dev/null |
		sed -n "s|^'\(.*\)/dists/.*/InRelease' .*|\1|p" |
		grep -v -e security -e '^cdrom:' | awk '!seen[$0]++'
}

# refresh gets the list of packages from the first mirror that has testing, signed
# by Debian.
refresh() {
	key=
	for key in /usr/share/keyrings/debian-archive-keyring.pgp /usr/share/keyrings/debian-archive-keyring.gpg; do
		[ -e "$key" ] && break
	done
	[ -e "$key" ] || die "Debian's archive key is missing. Install it: apt-get install debian-archive-keyring"
	candidates=$(mirrors)
	[ -n "$candidates" ] || die "no source in /etc/apt is a mirror of Debian. Name one: PADDOCK_DEBIAN_MIRROR=URL make engine"
	for mirror in $candidates; do
		say "asking $mirror for Debian testing's list of packages (about 10 MB)"
		cat >"$cache/apt/sources/testing.sources" <<-END
			Types: deb
			URIs: $mirror
			Suites: testing
			Components: main
			Architectures: $arch
			Targets: Packages
			Signed-By: $key
		END
		if apt apt-get update >"$work/update.log" 2>&1; then
			return
		fi
		grep '^[EW]:' "$work/update.log" | tail -n 3 >&2
	done
	die "no mirror of Debian could be reached, or none has testing. Is there a network? Run this again when there is: what was downloaded is kept. Another mirror: PADDOCK_DEBIAN_MIRROR=URL make engine"
}

# current lists the set of packages that testing has now: name, version, SHA-256.
current() {
	# The licence of GCC's libraries is in a package of its own.
	base=$(apt apt-cache show libgcc-s1 | sed -n 's/^Depends:.*\(gcc-[0-9]*-base\).*/\1/p' | head -n 1)
	for name in $packages $base; do
		apt apt-cache show --no-all-versions "$name" >"$work/show" 2>/dev/null ||
			die "Debian testing has no package $name any more: packaging/engine.sh has to learn its new name"
		awk -v name="$name" '/^Version:/ { v = $2 } /^SHA256:/ { h = $2 } END { print name, v, h }' "$work/show"
	done
}

# deb is where a package's file is kept; apt names it so.
deb() { echo "$cache/debs/$1_$(echo "$2" | sed 's/:/%3a/')_$arch.deb"; }

# verified says whether a package is there and is what it should be.
verified() {
	file=$(deb "$1" "$2")
	[ -e "$file" ] && [ "$(sha256sum "$file" | cut -d ' ' -f 1)" = "$3" ]
}

# missing lists the packages of a set that are not there yet.
missing() {
	while read -r name version sum; do
		verified "$name" "$version" "$sum" || echo "$name $version $sum"
	done <"$1"
}

# fetch downloads what is missing of a set. apt checks it against the signed list
# and goes on with a part that is there; what it can't use is fetched anew.
fetch() {
	for attempt in first second; do
		missing "$1" >"$work/missing"
		[ -s "$work/missing" ] || return 0
		say "downloading $(wc -l <"$work/missing") packages"
		(cd "$cache/debs" && apt apt-get download $(sed 's/^\([^ ]*\) \([^ ]*\) .*/\1=\2/' "$work/missing")) \
			>"$work/download.log" 2>&1 || grep '^[EW]:' "$work/download.log" | tail -n 3 >&2
		missing "$1" >"$work/missing"
		if [ $attempt = first ]; then
			while read -r name version sum; do
				rm -f "$(deb "$name" "$version")"
			done <"$work/missing"
		fi
	done
	[ ! -s "$work/missing" ] ||
		die "the download of $(cut -d ' ' -f 1 "$work/missing" | tr '\n' ' ')failed. Run this again: what was downloaded is kept"
}

# choose writes the set to use to $work/set, downloaded, and says how it differs
# from the locked one.
choose() {
	grep "^$arch " "$lock" 2>/dev/null | cut -d ' ' -f 2- | sort >"$work/locked" || true
	if [ "$1" != --lock ] && [ -s "$work/locked" ]; then
		missing "$work/locked" >"$work/missing"
		if [ ! -s "$work/missing" ]; then
			cp "$work/locked" "$work/set"
			return
		fi
	fi
	configure
	refresh
	current >"$work/current"
	sort "$work/current" >"$work/set"
	fetch "$work/set"
	[ "$1" != --lock ] || return 0
	[ -s "$work/locked" ] || say "NOTE: engine.lock knows no packages for $arch: these are the current ones"
	while read -r name version sum; do
		now=$(grep "^$name " "$work/set" || true)
		case $now in
		"$name $version $sum") ;;
		"$name $version "*) die "$name $version is not the file that engine.lock names, though its version is the same. Do not use it before you know why" ;;
		*) say "NOTE: engine.lock names $name $version, Debian testing has ${now:-none of that name}" ;;
		esac
	done <"$work/locked"
}

# needs lists the libraries that a program or library loads: name, then the file.
needs() {
	"$1/$loader" --library-path "$1" --list "$2" 2>/dev/null |
		sed -n -e 's/^[[:space:]]*\([^ ]*\) => not found.*/\1 -/p' -e 's/^[[:space:]]*\([^ ]*\) => \(.*\) (0x[0-9a-f]*)$/\1 \2/p'
}

# assemble puts the bundle together in $new: the programs, what they load, and
# nothing else.
assemble() {
	while read -r name version sum; do
		dpkg-deb -x "$(deb "$name" "$version")" "$work/root"
	done <"$work/set"
	mkdir -p "$work/lib" "$new/bin" "$new/lib" "$new/licences"
	find "$work/root" -path '*/gconv' -prune -o -name '*.so*' ! -type d -print |
		while read -r file; do cp -L "$file" "$work/lib/"; done
	loader=$(cd "$work/lib" && ls ld-linux*.so.*)
	chmod +x "$work/lib/$loader"

	for program in $programs; do
		install -m 755 "$(find "$work/root/usr" -path "*/bash-completion" -prune -o -name "$program" -type f -print)" "$new/bin/"
	done
	install -m 755 "$work/lib/$loader" "$new/lib/"
	for library in $for_drivers $(cd "$work/lib" && ls libggml-*.so); do
		[ ! -e "$work/lib/$library" ] || install -m 644 "$work/lib/$library" "$new/lib/"
	done
	for file in "$new"/bin/* "$new"/lib/*.so*; do
		needs "$work/lib" "$file"
	done | sort -u | while read -r name path; do
		case $path in
		"$work/lib/$loader") ;;
		"$work/lib/"*) install -m 644 "$path" "$new/lib/" ;;
		esac
	done
}

# check proves that the bundle is whole: what its files load is in it, but for
# the host's Vulkan, and its programs run.
check() {
	for file in "$new"/bin/* "$new"/lib/*.so*; do
		needs "$new/lib" "$file" | while read -r name path; do
			case "$name $path" in
			"libvulkan.so.1 "* | *" $new/lib/"*) ;;
			*) die "$(basename "$file") needs $name, which is not in the bundle" ;;
			esac
		done
	done
	for program in $programs; do
		"$new/lib/$loader" --library-path "$new/lib" "$new/bin/$program" --help >/dev/null 2>"$work/help" ||
			die "the assembled $program does not run here: $(tail -n 1 "$work/help")"
	done
}

# describe writes the manifest and the licences.
describe() {
	while read -r name version sum; do
		cp -L "$work/root/usr/share/doc/$name/copyright" "$new/licences/$name"
	done <"$work/set"
	mkdir "$new/licences/common"
	grep -oh '/usr/share/common-licenses/[A-Za-z0-9.+-]*[A-Za-z0-9]' "$new"/licences/* 2>/dev/null | sort -u |
		while read -r text; do
			[ ! -e "$text" ] || cp -L "$text" "$new/licences/common/"
		done
	version=$("$new/lib/$loader" --library-path "$new/lib" "$new/bin/llama-server" --version 2>&1 | grep '^version')
	locked=yes
	cmp -s "$work/locked" "$work/set" || locked=no
	{
		echo '# The engine, put together by packaging/engine.sh out of these packages of'
		echo '# Debian, unchanged. The licence of each is in licences/.'
		echo "made-from $stamp"
		echo "as-locked $locked"
		echo "$version"
		sed "s/^/$arch /" "$work/set"
	} >"$new/manifest"
}

stamp=$(cat "$0" "$lock" 2>/dev/null | sha256sum | cut -d ' ' -f 1)
if [ "${1:-}" != --lock ] && grep -qx "made-from $stamp" "$target/manifest" 2>/dev/null; then
	grep -qx 'as-locked yes' "$target/manifest" ||
		say "NOTE: build/engine is made of other packages than engine.lock names ($(grep '^version' "$target/manifest"))"
	exit 0
fi

for tool in apt-get apt-cache dpkg dpkg-deb; do
	command -v $tool >/dev/null ||
		die "$tool is missing: the bundle can only be made on Debian and its kin. Elsewhere install llama.cpp and run make program: Paddock uses the llama-server on PATH"
done
arch=$(dpkg --print-architecture)
mkdir -p "$cache/debs" || die "$cache can't be written to: set XDG_CACHE_HOME to a folder that can"
exec 9>"$cache/lock"
flock 9
work=$(mktemp -d "$cache/work.XXXXXX")
new=$target.new
trap 'rm -rf "$work" "$new"' EXIT
trap 'exit 1' INT TERM HUP

choose "${1:-}"
if [ "${1:-}" = --lock ]; then
	grep -v -e "^$arch " -e '^#' "$lock" >"$work/others" 2>/dev/null || true
	{
		echo '# Written by packaging/engine.sh --lock: architecture, package, version, SHA-256.'
		sed "s/^/$arch /" "$work/set"
		cat "$work/others"
	} >"$lock"
	cp "$work/set" "$work/locked"
	stamp=$(cat "$0" "$lock" | sha256sum | cut -d ' ' -f 1)
fi
say "putting build/engine together"
rm -rf "$new"
assemble
check
describe
rm -rf "$target"
mv "$new" "$target"
# Packages of former sets are of no use any more.
for file in "$cache"/debs/*; do
	while read -r name version sum; do
		[ "$file" != "$(deb "$name" "$version")" ] || continue 2
	done <"$work/set"
	rm -f "$file"
done
say "build/engine is llama.cpp $(grep '^version' "$target/manifest")"
