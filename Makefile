# make run and make test set up what they need themselves.

# One set of build flags everywhere: another would compile Fyne again. The first tag
# is Fyne's: it leaves out the checks for programs older than fyne.Do. The other
# keeps the HEIC reader from loading a library of the system into our process.
export GOFLAGS = -tags=migrated_fynedo,nodynamic -buildvcs=false
# What is shown depends on the language.
export LANG = en_US.UTF-8
export LC_ALL =

# The one version number there is, and the commit: with a + where something is not
# committed, empty where git does not know.
export VERSION := $(shell sed -n 's/^Version = "\(.*\)"$$/\1/p' FyneApp.toml)
ifndef COMMIT
COMMIT := $(shell git describe --always --exclude='*' --abbrev=12 --dirty=+ 2>/dev/null)
endif
ifndef SOURCE_DATE_EPOCH
SOURCE_DATE_EPOCH := $(shell git log -1 --format=%ct 2>/dev/null || echo 0)
endif
export COMMIT SOURCE_DATE_EPOCH

# Everything but the window compiles without cgo, for other systems too.
PORTABLE = ./assets/... ./cli/... ./config/... ./diskfile/... ./engine/... ./hardware/... ./words/...

.NOTPARALLEL:
.PHONY: help run test build program engine models setup-build setup-run setup-test setup-real \
	setup-package setup-fresh check-format check-scripts check-code bench matrix shots real \
	deb portable reproducible fresh clean

help:
	@echo 'make run     build Paddock and open it; without a display, tour it and say where the pictures are'
	@echo 'make test    run every test'
	@echo 'make build   build/paddock, its engine in build/engine'
	@echo 'make bench   measure the speed'
	@echo 'make matrix  try combinations of settings on the engine, and write docs/combinations.md'
	@echo 'make shots   pictures of every screen in build/shots'
	@echo 'make real    fetch a real 270M model and talk to it'
	@echo 'make deb     Debian packages in build: paddock, and paddock-vulkan for graphics cards'
	@echo 'make portable      an archive to unpack and start, in build'
	@echo 'make reproducible  make the packages twice, from nothing, and compare them'
	@echo 'make fresh   install the package in a new Debian and use it there as a person would (root only)'
	@echo 'make clean   remove build'

run: setup-run build
	@packaging/run.sh

build: setup-build program engine

program:
	go build -ldflags '-X main.commit=$(COMMIT)' -o build/paddock .

engine:
	@packaging/engine.sh

models:
	@go run ./engine/gguf/gguftest/cmd/ggufmake build/models >/dev/null

setup-build setup-run setup-test setup-real setup-package setup-fresh:
	@packaging/setup.sh $(@:setup-%=%)

test: setup-test engine check-format check-scripts check-code program
	go test -race -timeout 15m ./...
	go test -run '^$$' -fuzz '^FuzzRead$$' -fuzztime 60s -fuzzminimizetime 10x ./engine/gguf

check-format:
	@unformatted=$$(gofmt -l .); \
	if [ -n "$$unformatted" ]; then echo "not formatted by gofmt: $$unformatted"; exit 1; fi

check-scripts:
	@for script in packaging/*.sh packaging/portable/paddock packaging/portable/*.sh; do sh -n $$script || exit 1; done
	@bash -n .ci/run

check-code:
	go vet ./...
	GOOS=windows CGO_ENABLED=0 go vet $(PORTABLE)
	GOOS=darwin CGO_ENABLED=0 go vet $(PORTABLE)
	go tool staticcheck ./...

# The real models where make real has fetched them: their speed is a person's.
MODEL ?= $(wildcard build/real/gemma-3-270m-q4_k_m.gguf)
EMBEDDER ?= $(wildcard build/real/all-minilm-l6-v2-f32.gguf)

bench: setup-test build models deb portable
	go build -o build/bench ./packaging/bench
	packaging/virtual.sh build/bench $(addprefix --model ,$(MODEL)) $(addprefix --embedder ,$(EMBEDDER))
	go test -run '^$$' -bench . ./engine/gguf ./engine/client
	go test -count 1 -timeout 30m -v -run 'TestTheEngineAllocates|RealSizes' ./engine/budget -whole

# Goes on where it was interrupted: build/matrix has what was found so far.
matrix: setup-test engine
	go run ./packaging/matrix

shots: setup-test build models
	@rm -rf build/shots # a first start is one from nothing
	packaging/virtual.sh build/paddock --config build/shots/config tour build/shots --shots --model build/models/llama.gguf

real: setup-real build
	@packaging/real.sh

deb portable: setup-package engine
	@packaging/package.sh $@

reproducible: setup-package engine
	@packaging/reproducible.sh

fresh: setup-fresh deb
	@packaging/fresh.sh

clean:
	rm -rf build

include $(wildcard packaging/*/*.mk)
