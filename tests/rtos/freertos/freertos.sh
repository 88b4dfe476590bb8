#!/bin/sh
# freertos.sh - the hooks of port/rtos/freertos, run by a stand-in for the kernel in the shapes and orders of its
# versions: trace-cmd shows every switch, state, reason and name that the stand-in's application computed; every hook
# that the port defines is run.
# usage: freertos.sh BUILD BOARD...
# Judges: the application, which notes what it did; trace-cmd; blocked.py, perfetto.py, vcd.py, columns.py of
# tests/judges.
set -eu
. tests/lib/needs.sh
needs python3 trace-cmd
build=$1
shift
here=tests/rtos/freertos
. tests/rtos/lib.sh

# runs BOARD DIRECTORY VERSION FLAG...: build and run the application with the stand-in for that version, and decode it.
runs() (
    board=$1 dir=$2 version=$3
    shift 3
    # With V10.4 and with the minimal runtime, the application writes the idle task's hook.
    case $dir in *-10.4-* | *-minimal) set -- "$@" -DIDLE_HOOK ;; esac
    stand_in "$board" "$dir" -I$here -Iport/rtos -Iport/rtos/freertos -std=gnu11 "-DSTAND_IN=${version%.*}" \
        "-DSTAND_IN_MINOR=${version#*.}" "$@" $here/*.c port/rtos/freertos/tlog_freertos.c
    decoded "$dir"
)

# The versions whose hooks differ are 10.0, 10.1 to 10.3, 10.4 to 10.6, and 11.
for board in "$@"; do
    sleeps=
    case $board in mps2-an385) sleeps=--sleeps ;; esac
    for version in 10.0 10.3 10.4 11.3; do
        for tick in 0 1; do
            case ${TIER:-full}$board$version-$tick in quick*10* | quick*-0 | *10.?-1 | *microbit*1) continue ;; esac
            dir=$build/test/rtos/$board-$version-$tick
            traced=
            # Where ticks are logged, tlog_irq_trace() logs all handlers, and the hooks leave them to it.
            [ "$tick" = 0 ] || traced="-DTRACED -DTLOG_IRQ_VECTORS=144 port/irq_v7m.c"
            # shellcheck disable=SC2086
            runs "$board" "$dir" "$version" "-DTLOG_FREERTOS_TICK=$tick" $traced
            echo "$board, V$version, ticks $tick"
            # shellcheck disable=SC2086
            as_expected "$dir" $sleeps
            ordered "$dir" highest_first
            case $version in 10.[03]) continue ;; esac
            # Perfetto's trace has the same, and why tasks wait.
            "$build/tlog-decode" -q "$dir/dump.bin" -o "$dir/dump.pftrace"
            "$build/tlog-decode" -q --format=text-full "$dir/dump.bin" -o "$dir/dump.txt"
            python3 tests/judges/perfetto.py "$dir/dump.pftrace" "$dir/dump.txt"
            # Waveforms, too; both have the heap in use as a counter.
            "$build/tlog-decode" -q "$dir/dump.bin" -o "$dir/dump.vcd"
            "$build/tlog-decode" -q "$dir/dump.bin" -o "$dir/dump.jsonl"
            python3 tests/judges/vcd.py rows "$dir/dump.vcd" "$dir/dump.jsonl"
            python3 tests/judges/columns.py "$build/tlog-decode" "$dir/dump.bin"
            # For which objects tasks waited, and how long, from the dump and from the trace.dat file.
            "$build/tlog-decode" -q --map=exact --format=jsonl "$dir/dump.bin" -o "$dir/rows.jsonl"
            for input in dump.bin trace.dat; do
                "$build/tlog-decode" -q --stat --json "$dir/$input" >"$dir/stat.json"
                python3 tests/judges/blocked.py "$dir/rows.jsonl" "$dir/stat.json"
            done
        done
        case ${TIER:-}$version in quick* | *10.[03]) continue ;; esac
        # With the minimal runtime, the same.
        dir=$build/test/rtos/$board-$version-minimal
        runs "$board" "$dir" "$version" -DTLOG_MINIMAL=1 -DTLOG_FREERTOS_TICK=0
        echo "$board, V$version, minimal"
        # shellcheck disable=SC2086
        as_expected "$dir" $sleeps
        ordered "$dir" highest_first
        # Through LTTng's files, too, the switches are the same.
        "$build/tlog-decode" -q --map=native "$dir/dump.bin" --format=lttng -o "$dir/lttng"
        "$build/tlog-decode" -q "$dir/lttng" -o "$dir/lttng.dat"
        trace-cmd report -i "$dir/lttng.dat" 2>"$dir/err" | sed -n 's/.*sched_switch: *//p' >"$dir/lttng.switches"
        sed -n 's/.*sched_switch: *//p' "$dir/report" | cmp - "$dir/lttng.switches"
    done
done
# With TLOG_START=1 the first of the hooks starts, and nothing is lost that main creates before the scheduler does.
for version in 10.0 10.4 11.3; do
    case ${TIER:-}$version in quick10*) continue ;; esac
    dir=$build/test/rtos/freertos-start-$version
    stand_in mps2-an385 "$dir" -I$here -Iport/rtos -Iport/rtos/freertos -std=gnu11 "-DSTAND_IN=${version%.*}" \
        "-DSTAND_IN_MINOR=${version#*.}" -DTLOG_START=1 -DTLOG_FREERTOS_TICK=0 -DIDLE_HOOK $here/*.c \
        port/rtos/freertos/tlog_freertos.c
    started "$dir"
    echo "V$version, TLOG_START=1"
    as_expected "$dir" --sleeps
    ordered "$dir" highest_first
done
sed -n 's/^#define TLOG_\(trace[A-Za-z_]*\)(.*/\1/p' port/rtos/freertos/tlog_freertos.h >"$build/test/rtos/defined"
all_run "hooks are defined" "$build/test/rtos/defined" "$build"/test/rtos/"$1"-1[01].?-[01]/ran.txt
