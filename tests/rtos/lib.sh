# shellcheck shell=sh disable=SC2154
# lib.sh - what the scripts of the stand-ins for kernels share.
# usage: . tests/rtos/lib.sh     (from the root of the checkout, with $build set)
. tests/lib/firmware.sh

# stand_in BOARD DIRECTORY ARGUMENT...: build the application with the sources and flags for gcc, and run it: app.elf,
# dump.bin, expected.txt and ran.txt in DIRECTORY.
stand_in() (
    board=$1 dir=$2 slots=2048
    shift 2
    rm -rf "$dir"
    mkdir -p "$dir"
    case $board in microbit) slots=560 ;; esac
    firmware "$board" "$dir/app.elf" -Itests/rtos "-DTLOG_SLOTS=$slots" "$@" tests/rtos/expect.c \
        -DTLOG_RTOS_IDLE_TELLS=1 -Wl,--wrap=tlog_rtos_quiescent
    emulate "$board" "$dir/app.elf"
)

# decoded DIRECTORY OPTION...: decode its dump with the options: trace.dat and trace-cmd's report.
decoded() (
    dir=$1
    shift
    "$build/tlog-decode" -q "$@" "$dir/dump.bin" -o "$dir/trace.dat"
    trace-cmd report -i "$dir/trace.dat" 2>"$dir/err" >"$dir/report"
    [ ! -s "$dir/err" ]
)

# as_expected DIRECTORY OPTION...: whether the report has the lines that the application expects.
as_expected() (
    dir=$1
    shift
    python3 tests/rtos/expect.py "$dir/report" "$dir/expected.txt" "$@"
)

# started DIRECTORY [OPTION]...: decode its dump, of an application that is built with TLOG_START=1: it tells that the
# two events were lost that an interrupt logs ahead of all else, and no other. These marks leave the report. Behind a
# loss it is not known what runs, so the first switch comes from an unknown task.
started() (
    decoded "$@"
    "$build/tlog-decode" -q --info --json "$1/dump.bin" >"$1/info.json"
    grep -q '"dropped": *2,' "$1/info.json" || { echo "$1: not two events are lost"; exit 1; }
    [ "$(grep -c 'blackout_end: *count=2$' "$1/report")" = 1 ] || { echo "$1: the loss is not told"; exit 1; }
    sed -i '/ blackout_/d' "$1/report"
    sed -i 's/boot:65536 \[0\] X ==>/<...>:69999 [0] R ==>/' "$1/expected.txt"
)

# ordered DIRECTORY ORDER: whether its dump and trace.dat tell that the kernel has the lowest_first or highest_first
# priorities as the more important ones, and KernelShark gets the tasks' rows in that order.
ordered() (
    dir=$1 order=$2
    "$build/tlog-decode" -q --session="$dir/session" "$dir/dump.bin" -o "$dir/rows.dat"
    "$build/tlog-decode" -q --info --json "$dir/dump.bin" "$dir/rows.dat" >"$dir/info.json"
    "$build/tlog-decode" -q --map=native --format=jsonl "$dir/dump.bin" -o "$dir/native.jsonl"
    python3 tests/rtos/order.py "$dir/session" "$dir/info.json" "$dir/native.jsonl" "$order"
)

# all_run WHAT KNOWN RAN...: whether each line of file KNOWN is in the files RAN, which the applications wrote.
all_run() (
    what=$1 known=$2
    shift 2
    sort -u "$known" >"$known.sorted"
    sort -u "$@" >"$known.ran"
    missing=$(comm -23 "$known.sorted" "$known.ran")
    [ -z "$missing" ] || { echo "hooks that the stand-in does not run:" "$missing"; exit 1; }
    echo "$(wc -l <"$known.sorted") $what, and all are run"
)
