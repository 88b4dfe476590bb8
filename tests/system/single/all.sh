#!/bin/sh
# all.sh - runs the runtime's tests, sweeps and kernels' hooks with the two files of `make single` in the place of
# target/ and port/, in checkouts that tree.py makes: the tests are as they are. And measures the record path on every
# core: no figure may be worse than with the single files.
# usage: all.sh BUILD BOARD WORD IMAGE...     (IMAGE: tests of the runtime on this machine; WORD: a part)
# shellcheck disable=SC2034 # some variables are of checks.sh
set -u
build=$(cd "$1" && pwd)
board=$2
only=$3
shift 3
top=$build/test/single-all
logs=$top/logs
. tests/lib/checks.sh
version=$(sed -n 's/^VERSION := //p' Makefile)
# Some tests include a source, to see or restore its variables. They run in the second checkout, whose tlog.c has no
# part of these.
included="$(printf 'target/src/tlog_%s.c ' name minimal_name context send chunk pack) port/port_v7m.c"
inside=" fact fact-minimal number memory-1 memory-2 slice-1 slice-2 slice-event slice-minimal slice-runs "
for tree in one other; do
    set_aside=
    [ $tree = one ] || set_aside="--without $included"
    # shellcheck disable=SC2086 # several words
    python3 tests/system/single/tree.py "$top/$tree" "$version" $set_aside || exit
    mkdir -p "$top/$tree/build/test"
    for tool in tlog-decode gen_dump signal_at.so check_tracedat check_kshark cover reach.so; do
        [ ! -e "$build/$tool" ] || cp "$build/$tool" "$top/$tree/build"
    done
done

# within TREE COMMAND...: run a command in that checkout
within() {
    cd "$top/$1" || return
    shift
    "$@"
}

# on_host TREE IMAGE: build and run a test of the runtime on this machine
on_host() {
    within "$1" make -s "build/test/runtime/$2" && within "$1" timeout 600 "build/test/runtime/$2"
}

images() {
    for image; do
        case $inside in *" $image "*) tree=other ;; *) tree=one ;; esac
        check "runtime: $image, host" on_host $tree "$image"
    done
}

on_boards() {
    for test in ring event define unique stuck-1 stuck-event dead-1 rate; do
        check "runtime: $test, $board" within one make -s on-target BUILD=build "BOARD=$board" TEST=$test
    done
    for each in microbit virt mps2-an505; do
        stopped=stuck-1
        [ $each != virt ] || stopped= # the test is for Cortex-M
        check "runtime: traceevents and stopped threads, $each" \
            within one make -s on-target BUILD=build BOARD=$each "TEST=event define $stopped"
    done
    check "runtime: chunks made at run time, $board" \
        within other make -s on-target BUILD=build "BOARD=$board" TEST=chunk
    check "runtime: the clock is CYCCNT or the board's, chosen at run time" \
        within other make -s on-target BUILD=build BOARD=mps2-an385 TEST=clock
    for level in -O2 -Os -O0; do
        check "runtime: sweep, an interrupt before every instruction of every call, $board $level" \
            within other sh tests/runtime/sweep/sweep.sh build "$board" $level
    done
}

# Not reset.sh: it knows the order of the chunks of events and of names in memory, which is another one in one file.
scripts() {
    for script in "time/time.sh build $board" "irq/irq.sh build quick" \
        "reset/fault_a.sh build" "reset/cpus.sh build" "smp/cpus.sh build"; do
        # shellcheck disable=SC2086 # several words
        check "runtime: $script" within one sh tests/runtime/$script
    done
    for kernel in freertos threadx rtx5 chibios; do
        check "rtos: $kernel" within one sh tests/rtos/$kernel/$kernel.sh build "$board"
    done
    check "rtos: the seven calls" within one sh tests/rtos/calls.sh build "$board"
    check "system: define" within one sh tests/system/define/define.sh build full
    check "bench: every core within the baseline" within one sh tests/bench/boards.sh build --check
}

all_tests() {
    images "$@"
    on_boards
    scripts
}
list=$*
listed() {
    # shellcheck disable=SC2086 # several words
    all_tests $list
}
export TIER=full
run_checks listed
