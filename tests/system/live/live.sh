#!/bin/sh
# live.sh - tlog-decode takes the memory of a firmware that runs in QEMU: by gdb: through QEMU's own gdbstub, by
# openocd: through a server that speaks OpenOCD's Tcl port; and of servers that lie, break off, or never end.
# usage: live.sh BUILD BOARD
# Judges: QEMU's pmemsave, and the firmware's own counter.
set -eu
. tests/lib/needs.sh
needs python3 qemu-system-arm gdb-multiarch
build=$1
board=$2
dir=$build/test/live
. tests/lib/firmware.sh
rm -rf "$dir"
for name in ends:20000:1000 runs:0xFFFFFFFF:4096 small:3000:24; do
    events=${name#*:}
    mkdir -p "$dir/${name%%:*}"
    firmware "$board" "$dir/${name%%:*}/firmware.elf" tests/system/live/app.c -Wl,--build-id \
        "-DEVENTS=${events%:*}u" "-DTLOG_SLOTS=${events#*:}"
done
# The same as "ends", but names are 2 MiB from events.
mkdir -p "$dir/apart"
sed 's|^ *RAM .*|    RAM (rwx) : ORIGIN = 0x20000000, LENGTH = 2M\n    FAR (rwx) : ORIGIN = 0x20200000, LENGTH = 1M|
    s|INCLUDE sections.ld|INCLUDE apart.ld|' linker/mps2-an385.ld >"$dir/apart/board.ld"
sed 's|^    tlog_chunks (NOLOAD).*|    far (NOLOAD) : ALIGN(16) { *(*tlog_chunks.names*) } > FAR :NONE\n&|' \
    linker/sections.ld >"$dir/apart/apart.ld"
firmware mps2-an385 "$dir/apart/firmware.elf" tests/system/live/app.c -DEVENTS=3000u -DTLOG_SLOTS=400 \
    -T "$dir/apart/board.ld" "-L$dir/apart"
echo 'int main(void) { for (;;) {} }' | arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,-emain -x c - \
    -o "$dir/other.elf"
python3 tests/system/live/live.py "$build" "$board"
