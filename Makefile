# Two commands set up a fresh machine that has Go: `make demo` and `make test`.
GO       ?= go
FUZZTIME ?= 60s
VERSION  := $(shell sed -n 's/^version = "\(.*\)"$$/\1/p' pyproject.toml)
PLATFORM ?= manylinux2014_x86_64.musllinux_1_1_x86_64
KERNEL   := testdata/smoother/broken_hardcoded_phase.py
ACTIONLINT := github.com/rhysd/actionlint/cmd/actionlint@v1.7.7

.PHONY: build demo test unit lint hook-test action-test lsp-test readme-test readme bench mutants fuzz clean

build: bin/fencepost

# The parsers are C, so building needs cgo and a C compiler.
.PHONY: bin/fencepost
bin/fencepost:
	ci/need.sh cc
	CGO_ENABLED=1 $(GO) build -trimpath -o $@ ./cmd/fencepost

demo: build
	ci/demo.sh bin/fencepost $(KERNEL)

test: tools lint unit demo readme-test hook-test action-test lsp-test

.PHONY: tools
tools:
	ci/need.sh cc spin clang git python3 chromium nvim
	ci/pre-commit.sh >/dev/null
	ci/nvcc.sh >/dev/null

unit:
	# SPIN compiles a model at a time: the default limit of ten minutes is too short for a loaded runner.
	CGO_ENABLED=1 $(GO) test -timeout 60m ./...

lint:
	test -z "$$(gofmt -l . | tee /dev/stderr)"
	CGO_ENABLED=1 $(GO) vet ./...
	$(GO) run $(ACTIONLINT) .github/workflows/*.yml docs/workflows/*.yml cli/init/workflow.yml

# The README's terminal excerpt is what the tool prints; `make readme` renews it.
readme-test: build
	ci/readme.sh check bin/fencepost
readme: build
	ci/readme.sh write bin/fencepost

hook-test:
	ci/hook_test.sh

action-test:
	ci/action_test.sh

# Neovim as a client of the language server.
lsp-test: build
	ci/lsp_test.sh bin/fencepost

# The documentation site, into dist/site: pages that need no server. Its test follows every link.
.PHONY: site
site:
	CGO_ENABLED=1 $(GO) run ./site . dist/site

# The engines side by side, into docs/bench.md; then what the parts cost.
bench: tools
	CGO_ENABLED=1 $(GO) run ./bench docs
	CGO_ENABLED=1 $(GO) test -run '^$$' -bench . -benchmem ./...
	FENCEPOST_ORDER_PROGRAMS=60000 $(GO) test -run 'EveryInterleaving|AgreesWithExplore' -timeout 60m -v ./engine/order

# What is decided of public kernels, into docs/bench-public.md; TREES is a folder of clones, OWNER+NAME/repo each.
.PHONY: public
public: tools
	CGO_ENABLED=1 $(GO) run ./bench/public docs/bench-public.md

# Every fault in every proved kernel of testdata; the tests try a sample.
mutants: build
	bin/fencepost mutants testdata

# Random kernels against the reference execution: 100,000 of each language, or KERNELS=N. The tests draw a few hundred.
KERNELS ?= 100000
.PHONY: random
random:
	GOGC=400 FENCEPOST_KERNELS=$(KERNELS) CGO_ENABLED=1 $(GO) test -run TestKernels -timeout 600m -v ./judge/random

# The wheel of this machine, static, as a release has it: pip install wheels/*.whl
.PHONY: wheel snapshot
wheel:
	ci/build.sh prebuilt/wheel/fencepost v$(VERSION)
	python3 packaging/wheel.py --binary prebuilt/wheel/fencepost --version $(VERSION) --platform $(PLATFORM) --out wheels

# All of a release but its publication; macOS needs macOS.
snapshot:
	BUILD_HERE=1 TAP_TOKEN= $(GO) run github.com/goreleaser/goreleaser/v2@v2.5.1 release --snapshot --clean --skip=sbom,docker

fuzz:
	ci/fuzz.sh $(FUZZTIME)

clean:
	rm -rf bin .tools
