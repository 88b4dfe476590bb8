#!/bin/sh
# smp.sh - several CPUs log at the same time (app.c, in several configurations); QEMU runs each CPU in a thread of its
# own on this machine.
# usage: smp.sh BUILD [TIMES]
# Judge: check.c on the target.
#
# TIMES multiplies the number of events: 1 is about 1.5 million in all, 400 about 600 million. The tier full has the
# first configuration with a fifth of its events: in the others it can take very many until the CPUs have overlapped.
set -eu
build=$1
times=${2:-1}
dir=$build/test/smp
quarter=250000
[ "${TIER:-}" != full ] || quarter=50000
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"

# stress BOARD CPUS QUARTERS FLAG...: build and run the firmware, which logs QUARTERS * TIMES quarters of a million
stress() {
    board=$1 cpus=$2 events=$(($3 * times * quarter))
    shift 3
    machine="-M $board"
    case $board in virt) machine="-M virt -cpu cortex-a15 -smp $cpus -m 64 -nic none" ;; esac
    echo "$board, $cpus CPUs: $*"
    firmware "$board" "$dir/app.elf" -Itests -Wpedantic -Wconversion -Wshadow "-DTLOG_CPUS=$cpus" \
        "-DSMP_EVENTS=${events}u" "$@" -include tests/runtime/smp/count.h tests/runtime/smp/app.c \
        tests/runtime/smp/check.c
    # shellcheck disable=SC2086 # several words
    timeout "$((600 * times))" qemu-system-arm $machine -display none -monitor none -serial none \
        -accel tcg,thread=multi -semihosting-config enable=on,target=native -kernel "$dir/app.elf"
}

stress virt 2 2 -DTLOG_SLOTS=32768
[ "${TIER:-}" != full ] || exit 0
stress virt 3 1 -DTLOG_SLOTS=8192 -DTLOG_CHUNKS=3 -DTLOG_TRACEEVENTS=1
stress virt 4 1 -DTLOG_SLOTS=8192 -DTLOG_STOP_WHEN_FULL=1 -DTLOG_RUNS=3
stress virt 2 1 -DTLOG_SLOTS=16384 -DTLOG_CHUNKS=2 -DSMP_MOVED=1
stress mps2-an521 2 1 -DTLOG_SLOTS=24576 -DTLOG_RUNS=2
