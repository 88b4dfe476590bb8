#!/bin/sh
# analyze.sh - runs the analyses that take longer than lint. Each finding must be listed, with a reason, in
# tests/strength/analyze.txt or tests/strength/misra.txt, as many times as it occurs.
# usage: analyze.sh BUILD [gcc|tidy|misra]...
# Judges: gcc: its analyzer over all code, for five boards and this machine, in two configurations. tidy: clang-tidy
# (.clang-tidy) over all code. misra: cppcheck's MISRA addon over target/ and port/.
set -eu
. tests/lib/needs.sh
build=$1
shift
case " $* " in *" tidy "* | "  ") needs clang-tidy ;; esac
case " $* " in *" misra "* | "  ") needs cppcheck ;; esac
out=$build/analyze
mkdir -p "$out"
export LC_ALL=C
failed=0

# BOARD:CORE:SOURCE: boards that differ in port or clock, their cores, and a source in linker/ of the board's own.
boards="mps2-an385:cortex-m3:startup_m microbit:cortex-m0:startup_m lm3s6965evb:cortex-m3:ticks
    mps2-an505:cortex-m33:startup_m
    virt:cortex-a15:startup_a"
host_flags="-std=c11 -D_POSIX_C_SOURCE=200809L -DTLOG_VERSION=\"\" -DNET_CLOCK_HZ=100000u -Ihost -Itarget -Iport"
all_options="-DTLOG_ARENA=1 -DTLOG_TRACEEVENTS=1"
on_host="$(find host -name "*.c" ! -path "host/os/windows/*" | sort | tr "\n" " ") target/src/*.c
    port/port_posix.c port/net_udp.c port/out_udp.c port/out_shark_udp.c"

# target BOARD:CORE:SOURCE: set flags and sources for a board
target() {
    board=${1%%:*}
    core=${1#*:}
    mkdir -p "$out/$board"
    cp "linker/$board.h" "$out/$board/board.h"
    flags="-std=c11 -mcpu=${core%:*} -mthumb -mfloat-abi=soft -ffreestanding -Itarget -Iport -Ilinker -I$out/$board
        -include board.h"
    sources="target/src/*.c port/*_v[67]m.c port/out_*.c port/net_*.c linker/mem.c linker/${core#*:}.c"
}

# compare NAME LISTED FOUND: compare two files with lines "number finding"; more findings than listed is a failure,
# fewer is only printed
compare() {
    awk -v name="$1" 'FNR == NR { n = $1; sub(/^[^ ]* /, ""); listed[$0] += n; next }
         { n = $1; sub(/^[^ ]* /, ""); found[$0] += n }
         END {
            for (key in found)
                if (found[key] > listed[key]) {
                    print name ": " found[key] ", listed " listed[key] + 0 ": " key
                    bad = 1
                }
            for (key in listed)
                if (found[key] < listed[key]) print name ": only " found[key] + 0 ", listed " listed[key] ": " key
            exit bad
         }' "$2" "$3" || failed=1
}

# listed_in_text NAME: write the findings of analyze.txt for this tool to NAME.listed; each line needs a reason
listed_in_text() {
    awk -v name="$1" '$2 == name && NF < 6 { print "no reason: " $0 >"/dev/stderr"; exit 1 }
         $2 == name { print $1, $3, $4, $5 }' tests/strength/analyze.txt >"$out/$1.listed" || failed=1
}

# compile COMPILER...: compile each source named on standard input, two at a time, each with its output in one piece
compile() {
    xargs -P 2 -n 1 sh -c 'for source; do :; done; said=$("$@" 2>&1) || said="$said
$source: In function -:
$source:0:0: error: it failed [-failed]"; printf "%s\n" "$said"' sh "$@"
}

run_gcc() {
    warnings="-O2 -Wall -Wextra -Wpedantic -Wconversion -Wshadow -Wundef -fanalyzer -fdiagnostics-plain-output
        -fdiagnostics-path-format=none"
    {
        for options in "" "$all_options"; do
            for each in $boards; do
                target "$each"
                # shellcheck disable=SC2086
                ls $sources | compile arm-none-eabi-gcc $flags $options $warnings -o /dev/null -c
            done
        done
        # shellcheck disable=SC2086
        ls $on_host | compile gcc $host_flags $all_options $warnings -o /dev/null -c
    } >"$out/gcc.log"
    awk '/(^|: )In function / { split($0, part, "\047"); where = part[2]; sub(/\..*/, "", where) }
         / (warning|error): / {
            split($1, at, ":")
            print at[1], where ? where : "-", substr($NF, 2, length($NF) - 2), at[2]
         }' "$out/gcc.log" | sort -u | awk '{ print 1, $1, $2, $3 }' >"$out/gcc.found"
    listed_in_text gcc
    compare gcc "$out/gcc.listed" "$out/gcc.found"
}

run_tidy() {
    {
        for each in $boards; do
            target "$each"
            # shellcheck disable=SC2086
            ls $sources | xargs -P 2 -n 8 sh -c 'flags=$1 && shift && clang-tidy --quiet "$@" -- $flags' sh \
                "--target=arm-none-eabi $flags $all_options" || true
        done
        # shellcheck disable=SC2086
        ls $on_host | xargs -P 2 -n 12 sh -c 'flags=$1 && shift && clang-tidy --quiet "$@" -- $flags' sh "$host_flags" \
            || true
    } >"$out/tidy.log" 2>"$out/tidy.err"
    sed -n "s|^$PWD/||; s|^\([a-z_/0-9]*\.[ch]\):\([0-9]*\):[0-9]*: [a-z]*: .*\[\([^,]*\).*\]\$|\1 - \3 \2|p" \
        "$out/tidy.log" | sort -u | awk '{ print 1, $1, $2, $3 }' >"$out/tidy.found"
    grep -q 'warnings\? generated' "$out/tidy.err" || { cat "$out/tidy.err"; failed=1; }
    listed_in_text tidy
    compare tidy "$out/tidy.listed" "$out/tidy.found"
}

# misra NAME FLAG...: run the addon in one configuration, on a copy of the sources, beside which it writes files
misra() {
    tree=$out/misra.$1
    rm -rf "$tree"
    mkdir "$tree"
    cp -r target port linker "$tree"
    shift
    # shellcheck disable=SC2086
    (cd "$tree" && cppcheck --quiet --std=c11 --addon=misra --suppress=missingIncludeSystem -Itarget -Iport "$@" \
        $all_options --template='{file}:{line} {id}' target/src/*.c port/*.c) 2>&1 | grep -v '^linker/' >"$tree/found"
    grep -v '^[a-z0-9_/]*\.[ch]:[0-9]* misra-c2012-' "$tree/found" || return 0
    return 1
}

run_misra() {
    { misra posix -D__unix__ && misra v7a -D__ARM_ARCH_7A__ -D__ARM_FEATURE_IDIV=1 --include=linker/virt.h; } &
    misra v7m -D__ARM_ARCH_7M__ --include=linker/mps2-an505.h || failed=1
    misra v6m -D__ARM_ARCH_6M__ --include=linker/microbit.h || failed=1
    wait $! || failed=1
    sed 's/misra-c2012-//' "$out/misra.posix/found" "$out/misra.v7a/found" "$out/misra.v7m/found" \
        "$out/misra.v6m/found" |
        sort -u | awk '{ split($1, at, ":"); print 1, $2, at[1] }' >"$out/misra.found"
    [ -s "$out/misra.found" ] || { echo "misra: no finding at all: is the addon there?"; failed=1; }
    awk '/^#/ { next }
         /^[^ ]/ { rule = $1; if (NF < 2 || $2 == "?") { print "misra: no reason: " $0 >"/dev/stderr"; exit 1 } next }
         { print $1, rule, $2 }' tests/strength/misra.txt >"$out/misra.listed" || failed=1
    compare misra "$out/misra.listed" "$out/misra.found"
    refresh >"$out/misra.txt"
}

# refresh: print misra.txt with the present numbers: its comments, then the findings by rule and file with their reasons
refresh() {
    sed -n '/^#/p' tests/strength/misra.txt
    awk '{ n[$2 " " $3]++ } END { for (key in n) print key, n[key] }' "$out/misra.found" | sort -V |
        awk 'FNR == NR && /^#/ { next }
             FNR == NR && /^[^ ]/ { rule = $1; heading[rule] = $0; next }
             FNR == NR { file = $2; sub(/^ *[^ ]* *[^ ]*/, ""); own[rule, file] = $0; next }
             $1 "" != last "" { last = $1; print ($1 in heading) ? heading[$1] : $1 " ?" }
             { printf "%8d %s%s\n", $3, $2, own[$1, $2] }' tests/strength/misra.txt -
}

for part in ${*:-gcc tidy misra}; do
    case $part in
    gcc) run_gcc ;;
    tidy) run_tidy ;;
    misra) run_misra ;;
    *) echo "usage: analyze.sh BUILD [gcc|tidy|misra]..."; exit 1 ;;
    esac
done
[ "$failed" -eq 0 ] || exit 1
echo "clean"
