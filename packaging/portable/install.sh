#!/bin/sh
# Puts Paddock into the menu of the user who runs this, and gives it the .gguf
# files, without root: under ~/.local. "install.sh --remove" takes it away again;
# settings, chats and models stay.
set -eu
here=$(cd "$(dirname "$0")" && pwd -P)
data=${XDG_DATA_HOME:-$HOME/.local/share}
target=$HOME/.local/lib/paddock
new=$HOME/.local/lib/.paddock-new
old=$HOME/.local/lib/.paddock-old
link=$HOME/.local/bin/paddock
id=org.paddock.Paddock

die() {
	echo "$*" >&2
	exit 1
}

there() { [ -e "$1" ] || [ -L "$1" ]; }

# Whether what has our names was made by this script.
our_folder() { [ ! -L "$target" ] && [ -f "$target/install.sh" ] && [ -f "$target/lib/paddock/paddock" ]; }
our_link() { [ -L "$link" ] && [ "$(readlink "$link")" = "$target/paddock" ]; }

# shared lists what goes beside the files of other programs.
shared() { (cd "$1/share" && find applications bash-completion fish icons man mime zsh -type f); }

# unshare takes that away, of the Paddock in one folder, but for what another has too.
unshare() {
	shared "$1" 2>/dev/null | while read -r file; do
		[ -e "$2/share/$file" ] || rm -f "$data/$file"
	done
}

# recover brings back a Paddock that was put aside and not replaced.
recover() { there "$target" || [ ! -d "$old" ] || mv "$old" "$target"; }

# undo leaves nothing of an installation that did not come to its end.
undo() {
	recover
	[ ! -d "$new" ] || unshare "$new" "$target"
	rm -rf "$new"
	[ -d "$target" ] || ! our_link || rm "$link"
}

# entry is the menu's. It has the whole path, because a menu does not look where a
# shell does, quoted twice: as an argument, and that as a value.
entry() {
	program=$(printf '%s\n' "$target/paddock" | sed 's/[\\"`$]/\\&/g; s/\\/\\\\/g')
	while IFS= read -r line; do
		case $line in
		Exec=paddock*) line="Exec=\"$program\"${line#Exec=paddock}" ;;
		esac
		printf '%s\n' "$line"
	done <"$new/share/applications/$id.desktop"
}

refresh() {
	update-desktop-database "$data/applications" 2>/dev/null || true
	update-mime-database "$data/mime" 2>/dev/null || true
}

install() {
	case $target in
	*[%=]* | *'
'*) die "No menu can start a program in $HOME: there is a % or a = in its name, or an end of line. Start Paddock from the folder it came in." ;;
	esac
	! there "$link" || our_link || die "$link is there already, and is not this Paddock's. Move it away, then run this again."
	recover
	! there "$target" || our_folder || die "$target is there already, and is no Paddock. Move it away, then run this again."
	[ ! -d "$target" ] || [ "$here" != "$(cd "$target" && pwd -P)" ] || die "Paddock is installed in this folder already."

	# All that can fail comes before the Paddock that is there goes.
	trap undo EXIT
	trap 'exit 1' HUP INT TERM
	rm -rf "$new" "$old"
	mkdir -p "$(dirname "$target")" "$(dirname "$link")" "$data"
	cp -R "$here" "$new"
	files=$(shared "$new")
	printf '%s\n' "$files" | while read -r file; do
		mkdir -p "$(dirname "$data/$file")"
		cp "$new/share/$file" "$data/$file"
	done
	entry >"$data/applications/$id.desktop"
	our_link || ln -s "$target/paddock" "$link"
	! there "$target" || mv "$target" "$old"
	mv "$new" "$target"
	[ ! -d "$old" ] || unshare "$old" "$target"
	rm -rf "$old"
}

remove() {
	recover
	if there "$target"; then
		our_folder || die "$target is no Paddock, so it stays."
		rm -rf "$old"
		mv "$target" "$old"
		unshare "$old" "$target"
	fi
	rm -rf "$old" "$new"
	! our_link || rm "$link"
}

case ${1:-} in
'')
	install
	refresh
	echo "Paddock is in your menu. The folder it came in is no longer needed."
	;;
--remove)
	remove
	refresh
	echo "Paddock is gone. Its settings, chats and models stay: ~/.config/paddock, $data/paddock"
	;;
*)
	echo "usage: install.sh [--remove]" >&2
	exit 2
	;;
esac
