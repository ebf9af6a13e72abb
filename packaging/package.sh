#!/bin/sh
# Makes packages of what is committed and built:
#
#   packaging/package.sh deb       build/paddock_VERSION_ARCH.deb, and paddock-vulkan
#   packaging/package.sh portable  build/paddock-VERSION-linux-ARCH.tar.xz
#
# The same commit gives the same files. The Makefile says which VERSION, COMMIT and
# SOURCE_DATE_EPOCH (of the commit) it is.
set -eu

say() { echo "package: $*" >&2; }
die() {
	say "$*"
	exit 1
}

root=$(cd "$(dirname "$0")/.." && pwd)
cd "$root"
: "${VERSION:?}" "${SOURCE_DATE_EPOCH:?}"
COMMIT=${COMMIT:-}
umask 022

here=$(dpkg --print-architecture 2>/dev/null) || die "dpkg is missing: packages can only be made on Debian and its kin"
ARCH=${ARCH:-$here}
[ "$ARCH" = "$here" ] ||
	die "a package for $ARCH is made on a machine of that architecture: this one is $here. The window is linked against the X11 and OpenGL libraries there, and the engine is started to see that it is whole"
folder=build/package/$ARCH

case $COMMIT in
*+) say "NOTE: there are changes that are not committed, so this package is nobody else's" ;;
esac

# tool runs one of packaging/tools, with modules of their own.
tool() { go tool -modfile=packaging/tools/go.mod "$@"; }

# lay builds the program as it is shipped, and lays the files out: $folder/root.
lay() {
	mkdir -p "$folder"
	say "building the program (the first time all of Fyne: some minutes)"
	go build -trimpath -ldflags "-s -w -buildid= -X main.commit=$COMMIT" -o "$folder/program" .
	tool cyclonedx-gomod bin -json -std -noserial -notimestamp -version "$VERSION" \
		-output "$folder/modules.json" "$folder/program" 2>"$folder/modules.log" ||
		die "the program's modules can't be listed: $(tail -n 1 "$folder/modules.log")"
	go run ./packaging/stage -program "$folder/program" -engine build/engine -modules "$folder/modules.json" \
		-version "$VERSION" -arch "$ARCH" -time "$SOURCE_DATE_EPOCH" -out "$folder/root"
}

# linked lists the packages that the program's libraries are in.
linked() {
	mkdir -p "$folder/debian"
	printf 'Source: paddock\n\nPackage: paddock\nArchitecture: any\n' >"$folder/debian/control"
	(cd "$folder" && dpkg-shlibdeps -O program 2>debian/log) | sed -n 's/^shlibs:Depends=//p'
}

deb() {
	lay
	LINKED=$(linked)
	[ -n "$LINKED" ] || die "dpkg-shlibdeps does not say what the program needs: $(tail -n 1 "$folder/debian/log")"
	export VERSION ARCH LINKED SOURCE_DATE_EPOCH
	for name in paddock paddock-vulkan; do
		tool nfpm package -f "packaging/nfpm${name#paddock}.yaml" -p deb -t "$folder/$name.deb" >"$folder/nfpm.log" 2>&1 ||
			die "nfpm: $(tail -n 3 "$folder/nfpm.log")"
		compress "$folder/$name.deb" "build/${name}_${VERSION}_$ARCH.deb"
	done
}

# compress writes a package that nfpm left open with its files compressed: by xz
# they take a sixth less than by what nfpm has in Go. One thread, because the
# number of threads shows in the result.
compress() {
	rm -rf "$folder/parts" "$2"
	mkdir "$folder/parts"
	(cd "$folder/parts" && ar x "../$(basename "$1")" && xz -6 -T1 data.tar)
	ar rcDS "$2" "$folder/parts/debian-binary" "$folder/parts/control.tar.gz" "$folder/parts/data.tar.xz"
	rm -r "$folder/parts"
	say "$2, $(wc -c <"$2") bytes"
}

# oldest is the C library that the portable archive's README promises to do with:
# Ubuntu 22.04's. Debian 12 has a newer one.
oldest=2.35

# undemanding sees that the program asks for no newer one. The engine brings its own.
undemanding() {
	LC_ALL=C objdump -p "$folder/program" >"$folder/asked" || die "objdump can't read the program"
	# Packed relocations ask for 2.36, under a name that has no number.
	asked=$(sed -n 's/.*[[:space:]]GLIBC_\([0-9][0-9.]*\)$/\1/p; s/.*[[:space:]]GLIBC_ABI_DT_RELR$/2.36/p' "$folder/asked" | sort -V | tail -n 1)
	[ -n "$asked" ] || die "objdump does not say which C library the program asks for"
	[ "$(printf '%s\n' "$oldest" "$asked" | sort -V | tail -n 1)" = "$oldest" ] ||
		die "the program asks for GLIBC_$asked, and the archive is for systems from GLIBC_$oldest on: make it on one that is no newer"
}

# machine is what people call an architecture of Debian's.
machine() {
	case $1 in
	amd64) echo x86-64 ;;
	arm64) echo '64-bit ARM' ;;
	*) echo "$1" ;;
	esac
}

# portable makes the archive: the same files in one folder, both packages', with a
# program in front that says what is missing where something is.
portable() {
	lay
	undemanding
	name=paddock-$VERSION-linux-$ARCH
	rm -rf "$folder/portable"
	mkdir -p "$folder/portable/$name"
	for package in paddock paddock-vulkan; do
		cp -R "$folder/root/$package/usr/lib" "$folder/root/$package/usr/share" "$folder/portable/$name/"
	done
	install -m 755 packaging/portable/paddock packaging/portable/install.sh "$folder/portable/$name/"
	sed "s/@VERSION@/$VERSION/; s/@MACHINE@/$(machine "$ARCH")/" packaging/portable/README.txt >"$folder/portable/$name/README.txt"
	tar --create --directory "$folder/portable" --sort=name --format=gnu --owner=0 --group=0 --numeric-owner \
		--mode=u+rwX,go+rX,go-w --mtime="@$SOURCE_DATE_EPOCH" --file "$folder/portable.tar" "$name"
	xz -6 -T1 --force "$folder/portable.tar"
	mv "$folder/portable.tar.xz" "build/$name.tar.xz"
	rm -r "$folder/portable"
	say "build/$name.tar.xz, $(wc -c <"build/$name.tar.xz") bytes"
}

case ${1:-} in
deb) deb ;;
portable) portable ;;
*)
	echo "usage: packaging/package.sh deb|portable" >&2
	exit 2
	;;
esac
