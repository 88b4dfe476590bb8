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
echo 'int main(void) { for (;;) {} }' | arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -nostdlib -Wl,-emain -x c - \
    -o "$dir/other.elf"
python3 tests/system/live/live.py "$build" "$board"
