#!/bin/sh
# Puts Paddock into the menu of the user who runs this, and gives it the .gguf
# files, without root: under ~/.local. "install.sh --remove" takes it away again;
# settings, chats and models stay.
set -eu
here=$(cd "$(dirname "$0")" && pwd)
data=${XDG_DATA_HOME:-$HOME/.local/share}
target=$HOME/.local/lib/paddock
link=$HOME/.local/bin/paddock
id=org.paddock.Paddock

# shared lists what goes beside the files of other programs.
shared() { (cd "$1/share" && find applications bash-completion fish icons man mime zsh -type f); }

refresh() {
	update-desktop-database "$data/applications" 2>/dev/null || true
	update-mime-database "$data/mime" 2>/dev/null || true
}

remove() {
	if [ -d "$target/share" ]; then
		shared "$target" | while read -r file; do rm -f "$data/$file"; done
	fi
	rm -rf "$target"
	[ ! -L "$link" ] || rm "$link"
}

case ${1:-} in
'')
	[ "$here" != "$target" ] || {
		echo "Paddock is installed in this folder already." >&2
		exit 1
	}
	remove
	mkdir -p "$(dirname "$target")" "$(dirname "$link")" "$data"
	cp -R "$here" "$target"
	ln -s "$target/paddock" "$link"
	shared "$target" | while read -r file; do
		mkdir -p "$(dirname "$data/$file")"
		cp "$target/share/$file" "$data/$file"
	done
	# A menu does not look where a shell does.
	sed "s|^Exec=paddock|Exec=\"$target/paddock\"|" "$target/share/applications/$id.desktop" >"$data/applications/$id.desktop"
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
