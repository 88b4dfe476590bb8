#!/bin/sh
# dist.sh - checks what `make dist-sources` makes. The same files give the same bytes, also from the unpacked source
# archive, which holds what git knows, and from which the decoder builds. The CMSIS-Pack and the libraries for
# PlatformIO and Arduino have all that their tools require, every file that their manifests name is there, and what
# they say is to be compiled builds, runs in QEMU, and leaves a dump that decodes; PlatformIO's builds with a
# kernel's hooks, too; the pack's with each core and compiler that it names. Each fault of a
# manifest is told. The Zephyr module builds with a stand-in for Zephyr's CMake commands. The version stands in one
# place.
# usage: dist.sh BUILD
# Judges: check.py, xmllint, unzip, tar, gcc, cmake, kconfiglib, cmp, the built decoder.
set -eu
build=$1
dir=$build/test/pack/dist
. tests/system/pack/lib.sh
needs python3 cmake unzip xmllint clang
# The distribution's Python has kconfiglib, which need not be the first one on the path.
python=python3
$python -c 'import kconfiglib' 2>/dev/null || python=/usr/bin/python3
$python -c 'import kconfiglib' 2>/dev/null || skipped python3-kconfiglib "Kconfig cannot be evaluated"
rm -rf "$dir"
mkdir -p "$dir/support"
url=https://tlog.example
maintainer="A Name <name@tlog.example>"

# made FOLDER: make the packages in FOLDER/dist
made() {
    make -s dist-sources "BUILD=$1" "URL=$url" "MAINTAINER=$maintainer" >"$dir/log"
}

made "$dir/one"
umask 077
mkdir "$dir/source"
tar xzf "$dir/one/dist/tlog-$version.tar.gz" -C "$dir/source" --strip-components=1
(cd "$dir/source" && made "$dir/two")
umask 022
for package in "$dir"/one/dist/*; do
    cmp "$package" "$dir/two/dist/$(basename "$package")"
done
[ "$(find "$dir/one/dist" -type f | wc -l)" -eq 7 ]
(cd "$dir/one/dist" && sha256sum --quiet -c SHA256SUMS && [ "$(wc -l <SHA256SUMS)" -eq 6 ])
echo "the same bytes from the checkout and from the unpacked archive: $(ls "$dir/one/dist" | tr '\n' ' ')"
if [ -e .git ]; then
    git ls-files | LC_ALL=C sort >"$dir/known"
    (cd "$dir/source" && find . -type f ! -path './build/*') | sed 's|^\./||' | LC_ALL=C sort | diff "$dir/known" -
fi
released=$(sed -n "s/^## $version - //p" CHANGELOG.md)
tar tvzf "$dir/one/dist/tlog-$version.tar.gz" | { ! grep -v " 0/0 .* $released "; }
make -s -C "$dir/source" BUILD=build CFLAGS=-O0 build/tlog-decode >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
"$dir/source/build/tlog-decode" --version | grep -qxF "tlog-decode $version"
echo "source archive: what git knows, all of one time and owner; the decoder builds"
if grep -rnwF "$version" host target port linker Makefile | grep -v '^Makefile:[0-9]*:VERSION := '; then
    echo "the version stands in another place, too"
    exit 1
fi

# What is no part of tlog: the board's start-up code, and the sink that ends the firmware.
cp linker/mps2-an385.h "$dir/support/board.h"
flags="-mcpu=cortex-m3 -mthumb -O2 -g -ffreestanding -ffunction-sections -fdata-sections -Wall -Wextra -Wpedantic
    -Werror -include $dir/support/board.h"
for file in linker/startup_m.c linker/mem.c port/out_semihost.c; do
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -std=c11 $flags -DTLOG_SLOTS=512 -Ilinker -Itarget -Iport -I"$dir/support" -c $file \
        -o "$dir/support/$(basename $file .c).o"
done
vendor "$dir/plain.ld"

# runs KIND FOLDER: check the package in FOLDER, compile what its manifest says with its folders alone, link, run
runs() {
    mkdir "$2/objects"
    python3 "$here/check.py" "$1" "$2" "$version" "$url" "$maintainer" >"$2/objects/list"
    set -- "$1" "$2" $(sed -n "s|^include |-I$2/|p" "$2/objects/list")
    at=$2
    shift 2
    sed -n 's/^source //p' "$at/objects/list" >"$at/objects/sources"
    for source in "$here/consumer/main.c" "$here/consumer/library.c" $(sed "s|^|$at/|" "$at/objects/sources"); do
        # shellcheck disable=SC2086
        arm-none-eabi-gcc -std=c11 $flags -DTLOG_SLOTS=512 "$@" -c "$source" -o "$at/objects/$(basename "$source" .c).o"
    done
    arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -T "$dir/plain.ld" -Wl,--gc-sections "$at"/objects/*.o \
        "$dir"/support/*.o -lgcc -o "$at/firmware.elf"
    shows "$at/firmware.elf"
    echo "$at: $(wc -l <"$at/objects/sources") sources: built, run, decoded" | sed "s|$dir/||"
}

# tests/system/single has the tests of what is in it.
make -s single "BUILD=$dir/made" >"$dir/log"
unzip -q "$dir/one/dist/tlog-single-$version.zip" -d "$dir/single"
diff -r "$dir/single/tlog-single-$version" "$dir/made/single"
echo "two files: the archive holds what make single makes"

unzip -q "$dir/one/dist/tlog.tlog.$version.pack" -d "$dir/cmsis"
xmllint --noout "$dir/cmsis/tlog.tlog.pdsc"
runs pdsc "$dir/cmsis"
. tests/system/pack/cores.sh

mkdir "$dir/platformio"
tar xzf "$dir/one/dist/tlog-platformio-$version.tar.gz" -C "$dir/platformio"
runs platformio "$dir/platformio"
# With custom_tlog_rtos a kernel's hooks, too; here the stand-ins for kernels give the headers.
for kernel in freertos threadx rtx5; do
    at=$dir/platformio-$kernel
    mkdir "$at"
    python3 "$here/check.py" platformio "$dir/platformio" "$version" "$url" "$maintainer" $kernel >"$at/list"
    [ "$(sed -n "s|^source port/rtos/||p" "$at/list")" = "$kernel/tlog_$kernel.c" ]
    set -- $(sed -n "s|^include |-I$dir/platformio/|p" "$at/list")
    for source in $(sed -n "s|^source |$dir/platformio/|p" "$at/list"); do
        # shellcheck disable=SC2086
        arm-none-eabi-gcc -std=gnu11 $flags -DTLOG_SLOTS=512 "$@" -Itests/rtos/$kernel -Itests/rtos -c "$source" \
            -o "$at/$(basename "$source" .c).o"
    done
    echo "$at: $(grep -c '^source' "$at/list") sources: built" | sed "s|$dir/||"
done
if python3 "$here/check.py" platformio "$dir/platformio" "$version" "$url" "$maintainer" zephyr 2>"$dir/log"; then
    exit 1
fi
grep -q 'it is one of freertos, threadx, rtx5' "$dir/log"

unzip -q "$dir/one/dist/tlog-arduino-$version.zip" -d "$dir/arduino"
[ "$(ls "$dir/arduino")" = tlog ]
runs arduino "$dir/arduino/tlog"
[ "$(ls "$dir/arduino/tlog/src" | grep -v '\.[ch]$' | tr '\n' ' ')" = "chips src " ]
. tests/system/pack/arduino.sh

python3 "$here/faults.py" "$dir" "$version" "$url" "$maintainer"

mkdir -p "$dir/zephyr"
tar xzf "$dir/one/dist/tlog-zephyr-$version.tar.gz" -C "$dir/zephyr"
python3 "$here/check.py" zephyr "$dir/zephyr/tlog" "$version"
. tests/system/pack/zephyr.sh
