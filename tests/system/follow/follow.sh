#!/bin/sh
# follow.sh - tlog-decode --follow reads what a firmware in QEMU logs, while it logs, by gdb: and openocd:. Judges:
# QEMU's pmemsave of a ring that holds all; and the numbers and words that the firmware logs (app.c).
# usage: follow.sh BUILD
set -eu
. tests/lib/needs.sh
needs python3 qemu-system-arm
build=$1
dir=$build/test/follow
. tests/lib/firmware.sh
rm -rf "$dir"
for form in large:60000:1:2000 ring:4096:1:0xFFFFFFFF small:1000:3:0xFFFFFFFF; do
    name=${form%%:*} rest=${form#*:}
    slots=${rest%%:*} rest=${rest#*:}
    mkdir -p "$dir/$name"
    firmware mps2-an385 "$dir/$name/firmware.elf" tests/system/follow/app.c -Wl,--build-id -DTLOG_TRACEEVENTS=1 \
        "-DTLOG_SLOTS=$slots" "-DTLOG_CHUNKS=${rest%%:*}" "-DLAST_MS=${rest#*:}u"
done
python3 tests/system/follow/follow.py "$build"
