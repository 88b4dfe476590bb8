#!/bin/sh
# cmake.sh - checks port/cmake and what `make install` gives CMake and pkg-config. A project that gets tlog by
# add_subdirectory, FetchContent and find_package builds with the toolchain file of port/cmake, from a prefix that was
# moved, too; it runs in QEMU, and its dump decodes. Each of tlog's sources is compiled once, though a library logs as
# well. With `INCLUDE tlog.ld` in its linker script it logs own events and keeps runs, without it the linker says what
# to do. A kernel's target is there as soon as its folder is.
# usage: cmake.sh BUILD
# Judges: cmake, pkg-config, the linker's messages, the built decoder.
set -eu
build=$1
dir=$build/test/pack/cmake
. tests/system/pack/lib.sh
needs cmake pkg-config
rm -rf "$dir"
mkdir -p "$dir"
vendor "$dir/plain.ld"
vendor "$dir/included.ld" 'INCLUDE tlog.ld'

# configured NAME HOW TLOG OPTION...: configure consumer/ in $dir/NAME
configured() {
    name=$1 how=$2 tlog=$3
    shift 3
    cmake -S "$here/consumer" -B "$dir/$name" "-DCMAKE_TOOLCHAIN_FILE=$toolchain" "-DHOW=$how" "-DTLOG=$tlog" \
        "-DSCRIPT=$dir/plain.ld" -DCMAKE_BUILD_TYPE=RelWithDebInfo -DCMAKE_EXPORT_COMPILE_COMMANDS=ON "$@" \
        >"$dir/log" 2>&1
}

# consumes NAME HOW TLOG OPTION...: configure and build consumer/; each source must be compiled once
consumes() {
    configured "$@" || { cat "$dir/log"; exit 1; }
    cmake --build "$dir/$1" >"$dir/log" 2>&1 || { cat "$dir/log"; exit 1; }
    sources=$(find target -name '*.c' | wc -l)
    [ "$(grep -c '"file": .*/target/src/tlog[^/]*\.c"' "$dir/$1/compile_commands.json")" -eq "$sources" ] ||
        { echo "$1: not each of tlog's $sources sources is compiled once"; exit 1; }
}

make -s dist "BUILD=$build" >"$dir/log"
archive=$build/dist/tlog-$version.tar.gz
make -s install "BUILD=$build" "DESTDIR=$dir/stage" PREFIX=/usr >"$dir/log"
# Where one may not write, the first message says what to do.
if make -s install "BUILD=$build" PREFIX=/dev/null/tlog >"$dir/log" 2>&1; then exit 1; fi
head -n 1 "$dir/log" | grep -q '^/dev/null/tlog/bin cannot be written: sudo make install, or '
mv "$dir/stage/usr" "$dir/moved"

consumes added add_subdirectory "$PWD"
shows "$dir/added/firmware.elf"
consumes fetched fetch "file://$archive"
shows "$dir/fetched/firmware.elf"
consumes found find nowhere "-DCMAKE_PREFIX_PATH=$dir/moved" "-DWANT=$version"
shows "$dir/found/firmware.elf"
echo "add_subdirectory, FetchContent, find_package: built, run, decoded"

for want in 99.0 0.0 "$version.1"; do
    if configured refused find nowhere "-DCMAKE_PREFIX_PATH=$dir/moved" "-DWANT=$want"; then
        echo "found as version $want"
        exit 1
    fi
    grep -q 'requested version "' "$dir/log"
done
echo "find_package: refuses other versions"

consumes own add_subdirectory "$PWD" "-DSCRIPT=$dir/included.ld" -DLINK=-Wl,--build-id \
    -DDEFINE='OWN_EVENTS;TLOG_RUNS=2'
shows "$dir/own/firmware.elf" 'adc_sample: ch=3 mv=-120'
for define in OWN_EVENTS TLOG_RUNS=2; do
    configured unlinked add_subdirectory "$PWD" "-DDEFINE=$define"
    if cmake --build "$dir/unlinked" >"$dir/log" 2>&1; then
        echo "linked without tlog.ld: $define"
        exit 1
    fi
    grep -o 'undefined reference.*need_INCLUDE_tlog.ld_in_the_linker_script.*' "$dir/log" | tail -n 1 | grep .
done
echo "INCLUDE tlog.ld: found; without it the linker's error names it"

# A project without C.
mkdir "$dir/cxx"
printf 'cmake_minimum_required(VERSION 3.18)\nproject(cxx LANGUAGES NONE)\nadd_subdirectory(%s/port/cmake tlog)\n' \
    "$PWD" >"$dir/cxx/CMakeLists.txt"
if cmake -S "$dir/cxx" -B "$dir/cxx/build" >"$dir/log" 2>&1; then
    echo "configured without C"
    exit 1
fi
grep -q 'add language C' "$dir/log"
echo "a project without C is told so"

# The folder of a kernel's glue is its target.
mkdir "$dir/tree"
tar xzf "$archive" -C "$dir/tree" --strip-components=1
rm -rf "$dir/tree/port/rtos"
mkdir -p "$dir/tree/port/rtos/freertos"
echo 'void tlog_rtos_call(void);' >"$dir/tree/port/rtos/tlog_rtos.h"
echo '#include "../tlog_rtos.h"' >"$dir/tree/port/rtos/freertos/tlog_freertos.h"
printf '#include "tlog_freertos.h"\n#include "tlog_rtos.h"\n#include "tlog.h"\nint glue = 1;\n' \
    >"$dir/tree/port/rtos/freertos/tlog_freertos.c"
consumes kernel add_subdirectory "$dir/tree" -DGLUE=tlog::freertos
shows "$dir/kernel/firmware.elf"
grep -c '"file": .*port/rtos/freertos/tlog_freertos.c"' "$dir/kernel/compile_commands.json" | grep -qx 1
if configured none add_subdirectory "$dir/tree" -DGLUE=tlog::threadx; then
    echo "tlog::threadx without its folder"
    exit 1
fi
echo "tlog::freertos: a target, with its folder; tlog::threadx is none without"

export PKG_CONFIG_PATH="$dir/moved/share/pkgconfig"
pkg-config --exact-version="$version" tlog
share=$(pkg-config --variable=sourcedir tlog)
for file in "$share/LICENSE" "$share/README.md" "$(pkg-config --variable=format tlog)"; do
    [ -s "$file" ] || { echo "not installed: $file"; exit 1; }
done
mkdir "$dir/pc"
cp "$(pkg-config --variable=linkerdir tlog)/mps2-an385.h" "$dir/pc/board.h"
# shellcheck disable=SC2046
arm-none-eabi-gcc -std=c11 -mcpu=cortex-m3 -mthumb -O2 -ffreestanding -nostdlib "-I$dir/pc" -include board.h \
    $(pkg-config --cflags --libs tlog) $(pkg-config --variable=sources tlog) "$here/consumer/main.c" \
    "$here/consumer/library.c" "$share/port/out_semihost.c" "$share/linker/startup_m.c" "$share/linker/mem.c" \
    -T "$dir/included.ld" -Wl,--gc-sections -lgcc -o "$dir/pc/firmware.elf"
shows "$dir/pc/firmware.elf"
"$(pkg-config --variable=decoder tlog)" --version | grep -qF "$version"
echo "pkg-config: headers, sources, decoder; of a prefix that was moved"
