#!/bin/sh
# cpus.sh - firmware on two CPUs logs and resets itself several times; checks that the events of both CPUs are there
# after the resets, run by run, as long as there are banks for them, and that noise in memory is not taken for a run.
# usage: cpus.sh BUILD
# Judges: cpus.py; trace-cmd.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
dir=$build/test/reset_cpus
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"
here=$(pwd)

# runs BOARD QEMU_OPTION...: build and run the firmware until it has written dump.bin; check all its runs
runs() {
    board=$1
    shift
    rm -f "$dir"/*.bin
    firmware "$board" "$dir/app.elf" -Wpedantic -Wconversion -Wshadow -DTLOG_CPUS=2 -DTLOG_RUNS=3 -DTLOG_SLOTS=256 \
        -DTLOG_CHUNKS=2 -Wl,--build-id tests/runtime/reset/cpus.c
    at=0x$(arm-none-eabi-nm "$dir/app.elf" | awk '$3 == "__start_tlog_chunks" { print $1 }')
    while [ ! -e "$dir/dump.bin" ]; do
        (cd "$dir" && timeout 600 qemu-system-arm -M "$board" "$@" -display none -monitor none -serial none \
            -accel tcg,thread=multi -semihosting-config enable=on,target=native -kernel app.elf)
        [ ! -e "$dir/memory.bin" ] || set -- -device "loader,file=memory.bin,addr=$at,force-raw=on"
    done
    echo "$board"
    # Memory that held noise has one run: the first.
    "$build/tlog-decode" --format=text-full --map=native "--elf=$dir/app.elf" "$dir/first.bin" -o "$dir/run.txt" \
        2>"$dir/err"
    ! grep -Eq 'damage|left out|newest' "$dir/err"
    python3 tests/runtime/reset/cpus.py "$dir/run.txt" 1 0 1
    # CPU 0 has the runs 3, 4 and 5. CPU 1 logged nothing in run 3 and so has the runs 2, 4 and 5.
    "$build/tlog-decode" --format=text-full -q --map=native "--elf=$dir/app.elf" "$dir/dump.bin" -o "$dir/run.txt"
    python3 tests/runtime/reset/cpus.py "$dir/run.txt" 5 0 1
    for run in "2 1" "3 0" "4 0 1" "5 0 1"; do
        "$build/tlog-decode" --format=text-full --map=native "--run=${run%% *}" "--elf=$dir/app.elf" \
            "$dir/dump.bin" -o "$dir/run.txt" \
            2>"$dir/err"
        # shellcheck disable=SC2086
        python3 tests/runtime/reset/cpus.py "$dir/run.txt" $run
        cat "$dir/err"
    done
    ! "$build/tlog-decode" --format=text-full --run=1 "$dir/dump.bin" -o "$dir/none.txt" 2>"$dir/err"
    grep -q 'no such run' "$dir/err"
    # The firmware itself finds the same run before the last.
    "$build/tlog-decode" --format=text-full -q --map=native --run=4 "--elf=$dir/app.elf" "$dir/dump.bin" \
        -o "$dir/run.txt"
    "$build/tlog-decode" --format=text-full -q --map=native "--elf=$dir/app.elf" "$dir/last.bin" -o "$dir/last.txt"
    cmp "$dir/run.txt" "$dir/last.txt"
    # trace-cmd shows both CPUs of an old run.
    "$build/tlog-decode" -q --map=native --run=4 "$dir/dump.bin" -o "$dir/old.dat"
    for cpu in 0 1; do
        [ "$(trace-cmd report -i "$dir/old.dat" --cpu $cpu 2>/dev/null | grep -c user_event_0)" -eq 100 ]
    done
}
cd "$here"
runs virt -cpu cortex-a15 -smp 2 -m 64 -nic none
runs mps2-an521
