#!/bin/sh
# soak.sh - tlog-decode --follow for a long time, by gdb: and then by openocd:, of a firmware in QEMU that logs 20,000
# events/s: what is shown and told lost, its order and the decoder's memory. Prints a table. Judge: the numbers that the
# firmware logs (app.c).
# usage: soak.sh BUILD SECONDS [ROTATE]     (ROTATE: seconds for each of the files of --rotate; without it, a pipe)
set -eu
. tests/lib/needs.sh
needs python3 qemu-system-arm
dir=$1/soak-follow
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"
firmware mps2-an385 "$dir/firmware.elf" tests/system/follow/app.c -Wl,--build-id -DTLOG_TRACEEVENTS=1 \
    -DTLOG_SLOTS=4096 -DTLOG_CHUNKS=1 -DRECORDS=19u
python3 tests/system/follow/soak.py "$@"
