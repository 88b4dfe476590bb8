#!/bin/sh
# soak.sh - runs the checks that take too long for `make test`: every schedule, every mutant, long runs on several CPUs.
# Prints a line for each check when it ends, with what it covered. Takes hours.
# usage: soak.sh BUILD BOARD SWEEP_BOARDS OPTS BOARDS [WORD]     (WORD: only checks whose name holds the word)
set -u
build=$1
board=$2
boards=$3
opts=$4
all_boards=$5
logs=$build/soak
only=${6:-}
tells=1
. tests/lib/checks.sh

# sweeps BOARD OPT CONFIG SET...: run these sweeps one after the other; the last line says what they covered
sweeps() {
    on=$1 opt=$2 config=$3 covered=
    shift 3
    for set in "$@"; do
        out=$(SWEEP_TIMEOUT=36000 sh tests/runtime/sweep/sweep.sh "$build" "$on" "$opt" "$config" "$set") ||
            { echo "$out" && return 1; }
        echo "$out"
        covered="$covered, $(echo "$out" | sed -n 's/^covered //p')"
    done
    echo "${covered#, }"
}

# long TEST: run a test of the runtime on the board, with the steps that it leaves out in `make test`
long() {
    make -s "BUILD=$build" "BOARD=$board" "$build/$board/test-soak-$1.elf" || return 1
    (cd "$build/$board" && timeout 36000 qemu-system-arm -M "$board" -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=6 -kernel "test-soak-$1.elf")
}

# Checks that need all CPUs come last.
all_tests() {
    check "mutants of the record path" sh tests/strength/mutants.sh "$build"
    check "resets: a second one everywhere in the start after the first" sh tests/runtime/reset/reset.sh "$build" pairs
    check "64 bits of time: gaps in rings of every shape" \
        env TIER=soak sh tests/runtime/time/time.sh "$build" "$all_boards"
    check "rings under interrupts, every instruction" long ring
    check "chunks made at run time, every call interrupted by every other, every instruction" long chunk
    check "traceevents under interrupts, every instruction" long event
    check "sweeps notice seeded bugs" sh tests/strength/seeded_target.sh "$build"
    check "gcc's analyzer, no finding that is not listed" sh tests/strength/analyze.sh "$build" gcc
    check "clang-tidy, no finding that is not listed" sh tests/strength/analyze.sh "$build" tidy
    check "MISRA, no finding that is not listed" sh tests/strength/analyze.sh "$build" misra
    check "every figure of make bench on Cortex-M3 is within the baseline" sh tests/bench/target.sh "$build" --check
    check "every configuration builds at every level" sh tests/system/configs.sh "$build" "$board" soak
    check "own events at every level of every compiler" sh tests/system/define/define.sh "$build" soak
    check "seeded bugs" sh tests/strength/seeded.sh "$build"
    check "seeded bugs in what survives resets" sh tests/runtime/reset/seeded.sh "$build"
    check "model of the ring, three levels" sh tests/runtime/model/model.sh "$build" --soak
    for on in $all_boards; do
        check "rings of 1 and 3 chunks under interrupts, $on" \
            make -s on-target "BUILD=$build" "BOARD=$on" TEST=ring TIER=soak
        case $on in virt | lm3s6965evb) ;; *)
            check "threads stop at every instruction, $on" make -s on-target "BUILD=$build" "BOARD=$on" TIER=soak \
                TEST="stuck-1 stuck-2 stuck-minimal stuck-event dead-1 dead-minimal dead-event dead-many \
                dead-many-minimal" ;;
        esac
        check "unique stamps, and what slots hold for own events, $on" \
            make -s on-target "BUILD=$build" "BOARD=$on" TEST="unique define define-portable define-record"
    done
    for opt in $opts; do
        for on in $boards; do
            check "sweep of every configuration, $on $opt" sh tests/runtime/sweep/sweep.sh "$build" "$on" "$opt"
            check "sweep of one chunk, depths 1, 2 and 3, $on $opt" sweeps "$on" "$opt" lean 4 5 3
            check "sweep of the minimal ring, depths 1, 2 and 3, $on $opt" sweeps "$on" "$opt" minimal 4 5 3
            check "sweep of two chunks, depths 1 and 2, $on $opt" sweeps "$on" "$opt" ring 4 5
            check "sweep of traceevents, depths 1 and 2, $on $opt" sweeps "$on" "$opt" event 4 5
            check "sweep of chunks made at run time, depths 1, 2 and 3, $on $opt" sweeps "$on" "$opt" chunk 4 5 3
        done
    done
    alone "threads as CPUs, without a race" "$build/test/runtime/threads" 100000000
    alone "several CPUs that log at once, 10^9 events" sh tests/runtime/smp/smp.sh "$build" 400
}

run_checks all_tests
