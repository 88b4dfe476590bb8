#!/bin/sh
# freertos.sh - the hooks of port/rtos/freertos, run by a stand-in for the kernel in both versions' orders: trace-cmd
# shows every switch, state, reason and name that the stand-in's application computed; every hook that the port defines
# is run; each tier builds.
# usage: freertos.sh BUILD BOARD...
# Judges: the application, which notes what it did; trace-cmd; tests/judges/blocked.py.
set -eu
build=$1
shift
here=tests/rtos/freertos
. tests/lib/firmware.sh

# build_app BOARD DIRECTORY FLAG...
build_app() (
    board=$1 dir=$2
    shift 2
    mkdir -p "$dir"
    firmware "$board" "$dir/app.elf" -Itests/rtos -I$here -Iport/rtos -Iport/rtos/freertos -std=gnu11 "$@" $here/*.c \
        tests/rtos/expect.c \
        port/rtos/freertos/tlog_freertos.c
)

for board in "$@"; do
    slots=2048 sleeps=
    case $board in microbit) slots=400 ;; mps2-an385) sleeps=--sleeps ;; esac
    for version in 10 11; do
        for tick in 0 1; do
            case ${TIER:-full}$board$version$tick in quick*100 | quick*111 | *microbit*1) continue ;; esac
            dir=$build/test/rtos/$board-$version-$tick
            rm -rf "$dir"
            build_app "$board" "$dir" "-DSTAND_IN=$version" "-DTLOG_SLOTS=$slots" "-DTLOG_FREERTOS_TICK=$tick"
            emulate "$board" "$dir/app.elf"
            "$build/tlog-decode" -q "$dir/dump.bin" -o "$dir/trace.dat"
            trace-cmd report -i "$dir/trace.dat" 2>"$dir/err" >"$dir/report"
            [ ! -s "$dir/err" ]
            echo "$board, V$version, ticks $tick"
            python3 $here/freertos.py "$dir/report" "$dir/expected.txt" $sleeps
            # For which objects tasks waited, and how long, from the dump and from the trace.dat file.
            "$build/tlog-decode" -q --map=exact --format=jsonl "$dir/dump.bin" -o "$dir/rows.jsonl"
            for input in dump.bin trace.dat; do
                "$build/tlog-decode" -q --stat --json "$dir/$input" >"$dir/stat.json"
                python3 tests/judges/blocked.py "$dir/rows.jsonl" "$dir/stat.json"
            done
        done
        # Through LTTng's files, too, the switches are the same.
        "$build/tlog-decode" -q --map=native "$dir/dump.bin" --format=lttng -o "$dir/lttng"
        "$build/tlog-decode" -q "$dir/lttng" -o "$dir/lttng.dat"
        trace-cmd report -i "$dir/lttng.dat" 2>"$dir/err" | sed -n 's/.*sched_switch: *//p' >"$dir/lttng.switches"
        sed -n 's/.*sched_switch: *//p' "$dir/report" | cmp - "$dir/lttng.switches"
    done
done
groups="WHY QUEUES TIMERS EVENT_GROUPS STREAM_BUFFERS NOTIFICATIONS HEAP SLEEP ISR"
for compiler in arm-none-eabi-gcc "clang --target=arm-none-eabi"; do
    for option in TIER=0 TIER=1 TIER=2 $(for group in $groups; do echo "$group=0"; done) TICK=1; do
        $compiler -std=c11 -mcpu=cortex-m3 -mthumb -ffreestanding -Wall -Wextra -Wpedantic -Werror -Wconversion \
            -Wshadow -Wundef -I$here -Iport/rtos -Iport/rtos/freertos -Itarget -Iport -include linker/mps2-an385.h \
            "-DTLOG_FREERTOS_$option" -fsyntax-only port/rtos/freertos/tlog_freertos.c
    done
done
echo "each tier and each group left out: compiles"
sort -u "$build"/test/rtos/"$1"-1[01]-[01]/ran.txt >"$build/test/rtos/ran"
sed -n 's/^#define \(trace[A-Za-z_]*\)(.*/\1/p' port/rtos/freertos/tlog_freertos.h | sort -u >"$build/test/rtos/defined"
missing=$(comm -23 "$build/test/rtos/defined" "$build/test/rtos/ran")
[ -z "$missing" ] || { echo "hooks that the stand-in does not run:" "$missing"; exit 1; }
echo "$(wc -l <"$build/test/rtos/defined") hooks are defined, and all are run"
