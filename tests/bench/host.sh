#!/bin/sh
# host.sh - measures how fast tlog-decode writes a trace.dat, compared with cp of that file.
# usage: [EVENTS=n] [SLOTS=n] host.sh BUILD_DIR [--big]
#
# Needs BUILD_DIR/tlog-decode and BUILD_DIR/gen_dump, and valgrind for the last table. EVENTS: events in the dump (10
# million). After a warm-up, five pairs of decode and cp run in turns, so that both meet the same state of the machine.
# Both write new files and neither waits until the data is on disk. --big measures only peak memory, at 100 million
# events; it needs about 5 GB under TMPDIR.
#
# The last table compares the cost of a traceevent's slot with that of a record that means the same to a viewer. It
# counts the decoder's instructions by valgrind, because time depends on what else the machine does. The cost of a slot
# is the difference between two dumps of different lengths that end at the same place of a chunk. A slot may become more
# or fewer events in the file than a record: several slots are one event, and an interrupt's event comes with a switch.
# So the table also has the cost per event written, compared with one record. The goal for slots is within 20 % of
# records. SLOTS: slots in the longer dump.

set -eu
LC_ALL=C
export LC_ALL
pairs=5

fail() {
    echo "host.sh: $*" >&2
    exit 1
}

[ $# -ge 1 ] && [ $# -le 2 ] || { echo "usage: $0 BUILD_DIR [--big]" >&2; exit 1; }
case ${2:-} in '' | --big) ;; *) fail "unknown option $2" ;; esac
bench=$(cd "$(dirname "$0")" && pwd)
build=$(cd "$1" && pwd)
for tool in tlog-decode gen_dump; do
    [ -x "$build/$tool" ] || fail "$build/$tool is not built"
done
mkdir -p "$build/bench"
# shellcheck disable=SC2086 # CC may be several words
${CC:-cc} -std=c11 -O2 -Wall -Wextra -o "$build/bench/run" "$bench/run.c" || fail "run.c does not build"
work=$(mktemp -d "${TMPDIR:-/tmp}/tlog-bench.XXXXXX")
trap 'rm -rf "$work"' EXIT
trap 'exit 1' HUP INT TERM

bytes() {
    wc -c <"$1" | tr -d ' '
}

# timed FILE COMMAND...: run the command and append "wall user sys maxrss" to FILE
timed() {
    out=$1
    shift
    "$build/bench/run" "$out" "$@" >"$work/said" 2>&1 || fail "$1 failed, status $?: $(head -n 5 "$work/said")"
}

generate() {
    # shellcheck disable=SC2086
    "$build/gen_dump" --sealed --stream --slots=8192 --tasks=16 --names=16 $kind --events="$1" -o "$work/dump.bin" ||
        fail "gen_dump failed"
}

decode() {
    rm -f "$work/trace.dat"
    timed "$1" "$build/tlog-decode" "$work/dump.bin" -o "$work/trace.dat"
    [ -s "$work/trace.dat" ] || fail "tlog-decode wrote nothing"
}

copy() {
    rm -f "$work/copy"
    timed "$1" cp "$work/trace.dat" "$work/copy"
}

big() {
    events=${EVENTS:-100000000}
    generate "$events"
    decode "$work/decode"
    awk -v events="$events" -v dump="$(bytes "$work/dump.bin")" -v trace="$(bytes "$work/trace.dat")" '{
        printf "%d events, dump %.0f MB, trace.dat %.0f MB: %.1f s, peak memory %.1f MB\n",
            events, dump / 1e6, trace / 1e6, $1, $4 / 1024
    }' "$work/decode"
}

compare() {
    events=${EVENTS:-10000000}
    generate "$events"
    decode "$work/warm"
    copy "$work/warm"
    pair=0
    while [ $pair -lt $pairs ]; do
        decode "$work/decode"
        copy "$work/cp"
        pair=$((pair + 1))
    done
    [ "$(cat "$work/decode" "$work/cp" | wc -l)" -eq $((2 * pairs)) ] || fail "measurements are missing"
    report
}

# answer: the time of --stat
answer() {
    run=0
    while [ $run -lt $pairs ]; do
        timed "$work/stat" "$build/tlog-decode" --stat "$work/dump.bin"
        run=$((run + 1))
    done
    sort -n "$work/stat" | awk -v events="$events" '
        { wall[NR] = $1; cpu[NR] = $2 + $3; rss = $4 > rss ? $4 : rss }
        END {
            middle = int((NR + 1) / 2)
            printf "--stat of %d events: wall %.3f s, CPU %.3f s, peak memory %.1f MB; the goal is 1.5 s and 64 MiB\n",
                events, wall[middle], cpu[middle], rss / 1024
        }'
    rm -f "$work/stat"
}

report() {
    paste "$work/decode" "$work/cp" | awk -v events="$events" -v dump="$(bytes "$work/dump.bin")" \
        -v trace="$(bytes "$work/trace.dat")" '
        function keep(name, value) { values[name, NR] = value }
        function sorted(name, i, j, t) {
            for (i = 1; i <= NR; i++) order[i] = values[name, i]
            for (i = 2; i <= NR; i++)
                for (j = i; j > 1 && order[j - 1] > order[j]; j--) {
                    t = order[j]; order[j] = order[j - 1]; order[j - 1] = t
                }
        }
        function median(name) { sorted(name); return order[int((NR + 1) / 2)] }
        function row(text, name, format) {
            printf "| %-28s | " format " | " format " | " format " |\n", text, median(name), order[1], order[NR]
        }
        {
            keep("wall", $1); keep("cpu", $2 + $3); keep("rss", $4 / 1024)
            keep("cp_wall", $5); keep("cp_cpu", $6 + $7)
            keep("ratio", $1 / $5); keep("cpu_ratio", ($2 + $3) / ($6 + $7 > 0 ? $6 + $7 : 1e-9))
            keep("rate", events / $1 / 1e6)
        }
        END {
            printf "%d events, dump %.0f MB, trace.dat %.0f MB, %d pairs\n\n", events, dump / 1e6, trace / 1e6, NR
            printf "| %-28s | %8s | %8s | %8s |\n", "row", "median", "least", "most"
            print "|------------------------------|----------|----------|----------|"
            row("tlog-decode, wall, s", "wall", "%8.3f")
            row("tlog-decode, CPU, s", "cpu", "%8.3f")
            row("cp trace.dat, wall, s", "cp_wall", "%8.3f")
            row("cp trace.dat, CPU, s", "cp_cpu", "%8.3f")
            row("decode / cp of a pair, wall", "ratio", "%8.2f")
            row("decode / cp of a pair, CPU", "cpu_ratio", "%8.2f")
            row("million events/s", "rate", "%8.2f")
            row("tlog-decode, peak memory, MB", "rss", "%8.1f")
        }'
}

# count OPTION...: make a dump with these options of gen_dump; print how many instructions tlog-decode takes for it, and
# how many events it writes
count() {
    "$build/gen_dump" --sealed --stream --slots=$chunk --tasks=16 --names=16 "$@" -o "$work/dump.bin" ||
        fail "gen_dump failed"
    rm -f "$work/trace.dat"
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$build/tlog-decode" "$work/dump.bin" \
        -o "$work/trace.dat" >"$work/said" 2>&1 || fail "tlog-decode failed: $(head -n 5 "$work/said")"
    awk '/Collected/ { instructions = $NF }
        / events[ ,]/ { for (i = 2; i <= NF; i++) if ($i ~ /^events,?$/) { events = $(i - 1); derived = $(i + 1) } }
        END { if (!sub(/^[(][+]/, "", derived)) derived = 0; print instructions, events + derived }' "$work/said"
}

# slot_row TEXT OPTION...: print a row of the table. The first row after slot_rows is what the next rows are compared
# with; its figures are kept in $records.
slot_row() {
    text=$1
    shift
    short=$(count --events=$((slots - more)) "$@")
    long=$(count --events="$slots" "$@")
    records=${records:-$short $long}
    echo "$short $long $records" | awk -v text="$text" -v more="$more" '{
        slot = ($3 - $1) / ($7 - $5)
        event = ($3 - $1) / ($4 - $2) / (($7 - $5) / ($8 - $6))
        printf "| %-36s | %12.0f | %8.2f | %9.2f | %-11s |\n", text, ($3 - $1) / more, slot, event,
            slot <= 1.2 ? "yes" : event <= 1.2 ? "per event" : "no"
    }'
}

# slot_rows TEXT: begin a new group of rows
slot_rows() {
    records=
    printf '| %-36s | %12s | %8s | %9s | %-11s |\n' "$1:" "" "" "" ""
}

# compare_formats: how fast each format is written, beside the others, and how large it is. CPU time of the decoder.
compare_formats() {
    events=${EVENTS:-10000000}
    printf '| %-12s | %9s | %12s | %12s | %9s |\n' "format" "CPU, s" "M events/s" "bytes/event" "peak, MB"
    echo "|--------------|-----------|--------------|--------------|-----------|"
    kind=
    generate "$events"
    for format in trace.dat perfetto columns ctf vcd vcd-wires text csv jsonl; do
        rm -f "$work/formats"
        for pair in 1 2 3; do
            rm -rf "$work/out"
            timed "$work/formats" "$build/tlog-decode" "--format=$format" "$work/dump.bin" -o "$work/out"
        done
        bytes=$(du -sb "$work/out" | cut -f 1)
        sort -n -k 2 "$work/formats" | awk -v events="$events" -v bytes="$bytes" -v format="$format" '
            NR == 2 { printf "| %-12s | %9.3f | %12.2f | %12.1f | %9.1f |\n", format, $2 + $3,
                events / ($2 + $3) / 1e6, bytes / events, $4 / 1024 }'
    done
}

# compare_with NAME COMMAND...: another build of the decoder beside the native one: CPU time, medians of pairs that run
# in turns
compare_with() {
    name=$1
    shift
    printf '| %-12s | %9s | %9s | %-14s |\n' "$events" "native, s" "$name, s" "$name / native"
    echo "|--------------|-----------|-----------|----------------|"
    for what in --format=trace.dat --format=perfetto --format=text --format=csv --stat; do
        rm -f "$work/native" "$work/other"
        for pair in 1 2 3 4 5; do
            rm -f "$work/out"
            timed "$work/native" "$build/tlog-decode" "$what" "$work/dump.bin" -o "$work/out"
            rm -f "$work/out"
            timed "$work/other" "$@" "$what" "$work/dump.bin" -o "$work/out"
        done
        paste "$work/native" "$work/other" | awk '{ print ($6 + $7) / ($2 + $3), $2 + $3, $6 + $7 }' | sort -n |
            awk -v what="${what#--format=}" '
                NR == 3 { printf "| %-12s | %9.3f | %9.3f | %14.2f |\n", what, $2, $3, $1 }'
    done
}

compare_wasm() {
    wasm=$build/wasm/tlog-decode.wasm
    [ -e "$wasm" ] && command -v node >/dev/null || { echo "not measured: make deps-wasm wasm"; return 0; }
    echo "$(gzip -9 <"$wasm" | wc -c) bytes by gzip -9; the goal is 450000"
    compare_with node node --no-warnings "$bench/../lib/wasi.mjs" "$wasm"
}

compare_musl() {
    musl=$build/musl/tlog-decode
    [ -e "$musl" ] || { echo "not measured: make deps-musl musl"; return 0; }
    echo "$(bytes "$musl") bytes, stripped; the goal is 2500000"
    compare_with musl "$musl"
}

compare_slots() {
    chunk=8192
    more=$((10 * chunk))
    slots=${SLOTS:-$((15 * chunk + chunk / 2))}
    [ "$slots" -gt $((more + chunk)) ] || fail "SLOTS has to be above $((more + chunk))"
    printf '| %-36s | %12s | %8s | %9s | %-11s |\n' "slots" "instructions" "/ record" "/ event" "within 20 %"
    echo "|--------------------------------------|--------------|----------|-----------|-------------|"
    slot_rows "Users' events"
    slot_row "records" --user
    slot_row "traceevents of one slot" --user --traceevents=100
    slot_row "records and such traceevents, mixed" --user --traceevents=50
    slot_row "traceevents of 2 slots" --user --traceevents=100 --shortest=2 --longest=2
    slot_row "traceevents of 4 slots" --user --traceevents=100 --shortest=4 --longest=4
    slot_row "texts of one slot" --texts --traceevents=100
    slot_row "texts of 1 to 4 slots" --texts --traceevents=100 --longest=4
    slot_row "of a class without names" --unknown --traceevents=100
    slot_rows "Events that mean nothing to viewers"
    slot_row "records" --class=2
    slot_row "kernel calls" --traceevents=100 --class=2
    slot_row "kernel calls of 2 slots" --traceevents=100 --class=2 --shortest=2 --longest=2
    slot_row "system events with an empty text" --traceevents=100 --class=5
    slot_row "messages" --traceevents=100 --class=7
    slot_rows "Switches, wake-ups and the like"
    slot_row "records of tasks" --class=4
    slot_row "states of threads" --traceevents=100 --class=4
    slot_row "states of threads of 2 slots" --traceevents=100 --class=4 --shortest=2 --longest=2
    slot_rows "Interrupts"
    slot_row "records" --class=3
    slot_row "traceevents" --traceevents=100 --class=3
    slot_rows "All, 1 in 10 and 1 in 3 interrupts"
    slot_row "records"
    slot_row "traceevents of one slot" --traceevents=100
    slot_row "records and such traceevents, mixed" --traceevents=50
    slot_row "traceevents of 1 to 4 slots" --traceevents=100 --longest=4
}

if [ "${2:-}" = --big ]; then
    kind=
    big
else
    echo "User events only"
    kind=--user
    compare
    answer
    rm -f "$work"/decode "$work"/cp
    echo
    echo "All codes: one event in three is a switch, a wake-up or an interrupt"
    kind=
    compare
    answer
    echo
    echo "Formats, all codes"
    compare_formats
    echo
    echo "As WebAssembly, all codes"
    compare_wasm
    echo
    echo "As one static file, with musl, all codes"
    compare_musl
    echo
    echo "Instructions of the decoder for each slot"
    if command -v valgrind >/dev/null; then compare_slots; else echo "not counted: valgrind is not installed"; fi
fi
