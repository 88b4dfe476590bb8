#!/bin/sh
# smear.sh - images that were read while the firmware logged: of a model of the ring, word by word, and of QEMU
# usage: smear.sh BUILD [RUNS ROUNDS]     RUNS images of the model, ROUNDS times 6 of each firmware
set -eu
. tests/lib/needs.sh
needs python3 qemu-system-arm
build=$1
dir=$build/test/smear
. tests/lib/firmware.sh
rm -rf "$dir"
for name in records:0:1:4096:0:1 chunks:0:3:1024:0:1 events:1:1:4096:1:1 words:0:1:256:0:40 slow:0:1:256:0:400; do
    IFS=: read -r folder kind number slots traceevents pace <<END
$name
END
    mkdir -p "$dir/$folder"
    firmware mps2-an385 "$dir/$folder/firmware.elf" tests/system/smear/app.c "-DKIND=$kind" "-DPACE=${pace}u" \
        "-DTLOG_CHUNKS=$number" "-DTLOG_SLOTS=$slots" "-DTLOG_TRACEEVENTS=$traceevents"
done
python3 tests/system/smear/from_qemu.py "$build" "${3:-1}"
python3 tests/system/smear/model.py "$build/tlog-decode" "${2:-150}"
