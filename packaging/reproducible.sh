#!/bin/sh
# Proves that the packages can be made again: it makes them from two copies of the
# work tree, which differ in folder, time zone, language, umask and what was
# compiled before (nothing, in the second), and compares them byte by byte.
set -eu

say() { echo "reproducible: $*" >&2; }

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
again=$root/build/again
first=$again/first
other="$again/the other one"
rm -rf "$again"
trap 'rm -rf "$again"' EXIT
for copy in "$first" "$other"; do
	mkdir -p "$copy/build"
	git ls-files --cached --others --exclude-standard -z |
		tar --create --null --ignore-failed-read --files-from - 2>/dev/null | tar --extract --directory "$copy"
done
# One has the engine as it is here, the other puts it together.
cp -RL build/engine "$first/build/engine"
find "$other" -exec touch -h -d '2001-02-03' {} +

make_packages() { make --no-print-directory -C "$1" COMMIT="$COMMIT" SOURCE_DATE_EPOCH="$SOURCE_DATE_EPOCH" deb portable; }
say "making them once"
make_packages "$first"
say "making them again, from nothing (some minutes)"
(
	umask 077
	export TZ=Pacific/Auckland GOCACHE="$again/cache"
	make_packages "$other"
)
status=0
for file in "$first"/build/paddock*; do
	name=$(basename "$file")
	if cmp "$file" "$other/build/$name"; then
		say "$name is the same: SHA-256 $(sha256sum "$file" | cut -c 1-64)"
	else
		say "$name is NOT the same"
		status=1
	fi
done
exit $status
