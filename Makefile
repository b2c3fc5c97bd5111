# Everything there is to run. `make` alone lists it.

PREFIX ?= /usr/local
DESTDIR ?=
MINUTES ?= 10
IMAGE ?=

# `make demo IMAGE=path` means a path from where make was run, also with `make -C`.
RUN_FROM := $(PWD)
export PREFIX DESTDIR IMAGE RUN_FROM

.DEFAULT_GOAL := help
.PHONY: help demo test check test-embedded test-bluez test-bluez-later test-bluez-smoke test-packages test-fleet demo-fleet build install uninstall deb release format embedded embedded-release coverage fuzz soak model bench bench-report bench-bluez bench-fleet compatibility docs site clean

help: ## List these targets
	@printf 'Usage: make TARGET\n\n'
	@awk -F ':.*## ' '/^[a-z-]+:.*## / { printf "  %-16s %s\n", $$1, $$2 }' Makefile

demo: build ## Push a real image (or IMAGE=path) over a loopback that loses 2 % of all datagrams
	@scripts/demo.sh

test: ## Run what every change has to pass: one build, a few minutes
	@scripts/require-swift.sh
	@scripts/stages.sh test

check: ## Run everything: make test, release build, microcontrollers, guests with Bluetooth, the model
	@scripts/require-swift.sh
	@scripts/stages.sh check

test-embedded: ## Run the receiver of microcontrollers in emulators; part of make check
	@scripts/require-swift.sh
	@scripts/stages.sh embedded

test-bluez: ## Run the tests that need Bluetooth, in guests with a real daemon; part of make check
	@scripts/require-swift.sh
	@scripts/stages.sh bluez

test-bluez-later: ## The same with the kernel and the daemon of Debian 13; not part of make check
	@scripts/require-swift.sh
	@scripts/stages.sh bluez-later

test-bluez-smoke: ## One push over Bluetooth in such a guest
	@scripts/require-swift.sh
	@scripts/stages.sh guest-smoke

build: ## Build the tool for use: .build/release/bleota
	@scripts/build.sh

install: ## Install the tool, its man page and completions under PREFIX (/usr/local), after DESTDIR
	@scripts/install.sh install

uninstall: ## Remove what make install put there
	@scripts/install.sh uninstall

test-packages: ## Install the Debian packages in fresh systems, and compare two builds
	@scripts/require-swift.sh
	@scripts/stages.sh packaging

test-fleet: ## Test the package of the fleet against real NATS servers
	@scripts/require-swift.sh
	@scripts/stages.sh fleet

demo-fleet: ## Update 60 simulated devices over three gateways, of which one is killed, and the server
	@scripts/require-swift.sh
	@scripts/packages.sh build venv fleet
	@Fleet/scripts/demo.sh

deb: ## Make Debian packages of both tools, with their services, and of the library for C: .build-deb
	@scripts/require-swift.sh
	@scripts/deb.sh

release: ## Check, commit, tag, build, sign and install a release: VERSION=1.2.0 KEY=release.pem
	@scripts/require-swift.sh
	@scripts/release.sh "$(VERSION)" --key "$(KEY)"

format: ## Format the Swift sources in place
	@scripts/require-swift.sh
	@scripts/format.sh

embedded: ## Prove that what runs on microcontrollers compiles for them, without heap
	@scripts/require-swift.sh
	@scripts/packages.sh swift
	@scripts/embedded.sh

embedded-release: ## Make the archives for makers of devices: .build-embedded/release
	@scripts/require-swift.sh
	@scripts/packages.sh swift python
	@scripts/embedded-release.sh

coverage: ## Show what the last make test covered of the wire and core modules, file by file
	@scripts/require-swift.sh
	@scripts/coverage.sh --files

model: ## Check the protocol's model with SPIN, and that it can fail
	@scripts/packages.sh model
	@scripts/model.sh

fuzz: ## Fuzz decoders, both state machines and a device with a key, for MINUTES (10) each
	@scripts/require-swift.sh
	@scripts/packages.sh build
	@scripts/fuzz.sh "$(MINUTES)"

soak: build ## Keep a receiver among 2,000 peers of every bad kind for MINUTES (10), and push to it meanwhile
	@scripts/packages.sh python
	@scripts/soak.py --minutes "$(MINUTES)"

bench: ## Measure what a transfer costs in time and bytes, and what each frame does
	@scripts/require-swift.sh
	@scripts/packages.sh build python
	BLEOTA_BENCHMARKS=1 swift run -c release --scratch-path .build-bench-library TransferCost
	@scripts/bench-codec.sh

bench-report: ## Write a page with plots and tables of simulated links: .build-bench/report/index.html
	@scripts/require-swift.sh
	@scripts/packages.sh build
	swift run -c release --package-path Benchmarks --scratch-path .build-bench BenchReport Benchmarks/Results .build-bench/report

bench-fleet: ## Measure what a fleet of a thousand to a million devices costs its controller
	@scripts/require-swift.sh
	@scripts/packages.sh venv fleet
	@Fleet/scripts/server.sh
	SWIFT_DETERMINISTIC_HASHING=1 swift build -c release --package-path Fleet --product bleota-fleet
	SWIFT_DETERMINISTIC_HASHING=1 swift build -c release --package-path Fleet --product FleetBenchmark
	Fleet/.build/release/FleetBenchmark 1000 10000 100000 1000000

bench-bluez: build ## Measure what writes make of links with a real Bluetooth daemon, in guests
	BLEOTA_BENCHMARKS=1 swift build -c release --scratch-path .build-bench-library --product BluetoothSpeed
	@scripts/bench-bluez.sh

compatibility: build ## Push between the tool of the last release and this one, in both directions
	@scripts/swift-tests.sh build
	@scripts/compatibility.sh

docs: ## Build the documentation of the modules as a site: .build-docs/site
	@scripts/require-swift.sh
	@scripts/packages.sh build
	@scripts/docs.sh

site: docs bench-report ## Make the site: pages, modules, benchmarks and search, in .build-site/site
	@scripts/packages.sh venv
	@scripts/site.sh

clean: ## Remove everything that was built or fetched
	rm -rf .build .build-* demo
