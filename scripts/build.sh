#!/usr/bin/env bash
# Builds a tool for use. The names of the libraries in it are left in archives.tsv of the same folder:
#
#     scripts/build.sh            .build/release/bleota
#     scripts/build.sh --fleet    Fleet/.build/release/bleota-fleet
source "$(dirname "$0")/common.sh"

product=bleota
package=$root
case ${1:-} in
'') ;;
--fleet)
    product=bleota-fleet
    package=$root/Fleet
    ;;
*) fail "no such option: $1; there is --fleet" ;;
esac

scripts/require-swift.sh
if [[ $product == bleota ]]; then
    scripts/packages.sh build delta
    options=(--enable-all-traits)
else
    # A gateway makes no patches.
    scripts/packages.sh build fleet
    options=()
fi
# The tool carries the Swift runtime in itself: it runs where no toolchain is, and outlives updates.
# The toolchain's lld links it without ld.gold's warnings about functions that nothing here calls.
options+=(--static-swift-stdlib -Xswiftc -use-ld=lld)
# A static runtime exports all its symbols, for plugins. The tool has none: this saves 1.8 MB.
options+=(-Xlinker --no-export-dynamic)
# Functions with the same machine code stand once, among them many specializations of generic ones: 0.6 MB. Nothing compares
# the addresses of functions.
options+=(-Xlinker --icf=all)
# No tables for unwinding: 2.6 MB.
options+=(-Xlinker -T -Xlinker "$root/scripts/tool.ld")
# A section for each function lets the linker leave out what nothing calls, mostly in BoringSSL: 1.1 MB.
options+=(-Xswiftc -Xfrontend -Xswiftc -function-sections)
for compiler in -Xcc -Xcxx; do
    options+=("$compiler" -ffunction-sections "$compiler" -fdata-sections)
done
# Relocations take a tenth of the space in the form that glibc reads from 2.36 on: 1.3 MB less.
glibc=$(getconf GNU_LIBC_VERSION)
if [[ $(printf '%s\n' 2.36 "${glibc#glibc }" | sort -V | head -n 1) == 2.36 ]]; then
    options+=(-Xlinker -z -Xlinker pack-relative-relocs)
fi
# No path of this machine is in the tool, so that the same sources make the same bytes in any folder.
options+=(-Xswiftc -file-prefix-map -Xswiftc "$root=.")
for compiler in -Xcc -Xcxx; do
    options+=("$compiler" "-ffile-prefix-map=$root=.")
done
# Nor a number that is made of them.
options+=(-Xlinker --build-id=none)
# For scripts/sbom.py: the libraries that the linker took objects from.
options+=(-Xlinker "--print-archive-stats=$package/.build/archives.tsv")
# It looks for libraries where the system has them, and not beside itself.
options+=(--disable-local-rpath)
# The Swift package manager keeps traits in sets, whose order is that of the compiler's flags. With the flags in another
# order, it compiles everything again.
SWIFT_DETERMINISTIC_HASHING=1 swift build -c release --package-path "$package" "${options[@]}" --product "$product"
