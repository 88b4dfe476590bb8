#!/bin/sh
# boards.sh - measures the record path on every core: instructions as in target.sh, flash and stack as in size.sh.
# usage: boards.sh BUILD_DIR [--check]     (the tier full: three of the cores)
#
# --check compares with tests/bench/baseline instead of printing a table. One chunk of 256 slots, gcc -O2, each board
# with its own clock. Row m0: a Cortex-M0 with a clock that one load reads, as most such chips have; that image
# runs on mps2-an385. Code for a Cortex-A7 runs on a Cortex-A15. Masked: the longest sequence of instructions executed
# with interrupts masked, chunk switches included.

. "$(dirname "$0")/lib.sh"
start boards "$0" "$@"
top=$build

cores="m0 cortex-m0 mps2-an385 up
microbit cortex-m0 microbit own
m3 cortex-m3 mps2-an385 own
m4 cortex-m4 mps2-an386 own
m7 cortex-m7 mps2-an500 own
m33 cortex-m33 mps2-an505 own
m55 cortex-m55 mps3-an547 own
a7 cortex-a7 virt own
a15 cortex-a15 virt own"

measured=. # of the baseline's keys
if [ "${TIER:-}" = full ]; then
    cores=$(echo "$cores" | grep -E '^(microbit|m3|m33) ')
    measured='^boards[.](microbit|m3|m33)_'
fi

# measure KEY CORE BOARD CLOCK: measure all figures of one row; CLOCK as in firmware() of lib.sh
measure() {
    key=$1 core=$2 board=$3 clock=$4
    build=$top/$key
    mkdir -p "$build"
    machine=$board
    case $board in virt) machine="virt -cpu cortex-a15 -m 64 -nic none" ;; esac
    count inline "$core" "$machine" "$clock" -DEMIT_INLINE -DBENCH_KEEPS=1
    figure "${key}_inline" inline average
    figure "${key}_least" inline least
    figure "${key}_fast" inline fast_worst
    figure "${key}_worst" inline worst
    figure "${key}_masked" inline masked_longest
    count context "$core" "$machine" "$clock" -DEMIT_INLINE -DBENCH_KEEPS=1 -DTLOG_CONTEXT=1
    figure "${key}_context" context fast_worst
    count call "$core" "$machine" "$clock" -DEMIT_CALL -DBENCH_KEEPS=1
    figure "${key}_call" call average
    count off "$core" "$machine" "$clock" -DEMIT_INLINE -DBENCH_DISABLE
    figure "${key}_off" off worst
    firmware flash_empty "$core" "$clock" empty -DEMIT_EMPTY -DTLOG_ENABLE=0
    firmware flash_inline "$core" "$clock" empty -DEMIT_INLINE
    put "${key}_flash" "$(more flash_inline .text .ARM.exidx .data)"
    put "${key}_site" "$(($(symbol_bytes flash_inline emit) - $(symbol_bytes flash_empty emit)))"
    put "${key}_ram" "$(more flash_inline .data .bss)"
    firmware stack "$core" "$clock" stack -DEMIT_INLINE
    emulate stack "$machine"
    put "${key}_stack" "$(field "$build/stack.out" same_lap)"
    put "${key}_deep" "$(field "$build/stack.out" new_lap)"
}

# goals: print which goals are missed; false if one is. The goals are the same on every core; exceptions are in the
# baseline, one line "goal.KEY what-is-met reason" each.
goals() {
    awk -v file="$bench/baseline" '
        function want(key, figure, limit) {
            if (figure > limit && !(("goal." key) in excused)) {
                print "boards.sh: " key " is " figure ", goal " limit
                bad = 1
            }
        }
        BEGIN {
            while ((getline line < file) > 0) {
                split(line, part, " ")
                if (part[1] ~ /^goal\./) excused[part[1]]
            }
        }
        { value[$1] = $2 + 0 }
        $1 ~ /_inline$/ { core = $1; sub(/_inline$/, "", core); cores[core] }
        END {
            for (core in cores) {
                want(core "_fast", value[core "_fast"], value[core "_least"])
                want(core "_context", value[core "_context"], value[core "_fast"] + 2)
                want(core "_worst", value[core "_worst"], 4 * value[core "_inline"])
                want(core "_masked", value[core "_masked"], core ~ /^(m0|microbit)$/ ? 6 : 0)
                want(core "_stack", value[core "_stack"], 24)
                want(core "_deep", value[core "_deep"], 64)
            }
            exit bad
        }' "$results"
}

echo "$cores" | while read -r key core of clock; do
    measure "$key" "$core" "$of" "$clock"
done
build=$top

if [ -n "$check" ]; then
    check_baseline
    goals
    exit
fi

echo "Instructions per TRACER_LOGEVENT, bytes of flash, RAM beside the chunk, and stack (deep: with a switch of chunks;"
echo "context: fast, with TLOG_CONTEXT=1);"
echo "-O2, one chunk of 256 slots, 2000 calls after 64"
echo
row='| %-8s | %-10s | %-10s | %7s | %4s | %7s | %6s | %6s | %5s | %8s | %5s | %4s | %3s | %5s | %4s |\n'
# shellcheck disable=SC2059 # a constant
printf "$row" key core board average fast context switch masked call disabled flash site ram stack deep
printf "%s" "|----------|------------|------------|---------|------|---------|--------|--------|-------|----------"
echo "|-------|------|-----|-------|------|"
echo "$cores" | while read -r key core of clock; do
    # shellcheck disable=SC2059
    printf "$row" "$key" "$core" "$of" "$(get "${key}_inline")" "$(get "${key}_fast")" "$(get "${key}_context")" \
        "$(get "${key}_worst")" "$(get "${key}_masked")" "$(get "${key}_call")" "$(get "${key}_off")" \
        "$(get "${key}_flash")" "$(get "${key}_site")" "$(get "${key}_ram")" "$(get "${key}_stack")" \
        "$(get "${key}_deep")"
done
echo
goals || echo "boards.sh: not all goals are met"
