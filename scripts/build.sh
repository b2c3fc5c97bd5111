#!/usr/bin/env bash
# Builds the tool for use: .build/release/bleota. The names of the libraries in it are left in .build/archives.tsv.
source "$(dirname "$0")/common.sh"

scripts/require-swift.sh
scripts/packages.sh build delta
# The tool carries the Swift runtime in itself: it runs where no toolchain is, and outlives updates.
# The toolchain's lld links it without ld.gold's warnings about functions that nothing here calls.
options=(--enable-all-traits --static-swift-stdlib -Xswiftc -use-ld=lld)
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
options+=(-Xlinker "--print-archive-stats=$root/.build/archives.tsv")
# It looks for libraries where the system has them, and not beside itself.
options+=(--disable-local-rpath)
swift build -c release "${options[@]}" --product bleota
