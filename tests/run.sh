#!/bin/sh
# Run the tests of a tier, as many at a time as there are CPUs; see tests/lib/checks.sh for what is printed.
# usage: run.sh quick|full. quick is each property once: sweeps on one core at one optimisation, one board of each
# architecture, every test of the decoder. full is every board, core and optimisation. TEST_ONLY=word runs the tests
# whose name holds the word.
set -u
tier=$1
build=${BUILD:-build}
board=${BOARD:-mps2-an385}
logs=$build/test/logs
only=${TEST_ONLY:-}
. tests/lib/checks.sh

export TIER=
[ "$tier" = full ] || TIER=quick BOARDS="mps2-an385 microbit mps2-an505 virt" SWEEP_BOARDS=mps2-an385 SWEEP_OPTS=-O2

# full COMMAND...: a check of the full tier only
full() {
    [ "$tier" != full ] || "$@"
}

# on_target BOARD TEST...: tests of the runtime in QEMU
on_target() {
    on=$1
    shift
    make -s on-target "BUILD=$build" "BOARD=$on" "TEST=$*"
}

# on_host TEST...: tests of the runtime on the host, one after the other
on_host() {
    for test in "$@"; do
        echo "$test"
        "$build/test/runtime/$test" || return 1
    done
}

# still_apply: every seeded bug and every listed mutant can be made of the code as it stands
still_apply() {
    sh tests/strength/seeded.sh "$build" --applies && sh tests/strength/seeded_target.sh "$build" --applies &&
        sh tests/runtime/reset/seeded.sh "$build" --applies && sh tests/strength/mutants.sh "$build" --applies
}

export BUILD="$build" ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1

runtime_tests() {
    check "runtime: ring of 1 chunk under interrupts, host" on_host ring-1
    check "runtime: ring of 3 chunks under interrupts, host" on_host ring-3
    check "runtime: ring of 2 chunks with banks for 3 runs under interrupts, host" on_host ring-runs
    for each in $BOARDS; do
        check "runtime: rings of 1 and 3 chunks under interrupts, $each" on_target "$each" ring
    done
    for each in $SWEEP_BOARDS; do
        for opt in $SWEEP_OPTS; do
            check "runtime: sweep, interrupts before every instruction of every call, $each $opt" \
                sh tests/runtime/sweep/sweep.sh "$build" "$each" "$opt"
        done
    done
    full check "runtime: sweeps notice seeded bugs" sh tests/strength/seeded_target.sh "$build"
    check "runtime: seeded bugs and listed mutants are still those of the code" still_apply
    check "runtime: the inlined record path with one instruction changed" sh tests/strength/mutants.sh "$build" --quick
    check "runtime: chunks made at run time, every call interrupted by every other, host" on_host chunk
    check "runtime: chunks made at run time, every call interrupted by every other, $board" on_target "$board" chunk
    check "runtime: traceevents under interrupts, host" on_host event
    for each in $board microbit virt; do
        check "runtime: traceevents under interrupts, $each" on_target "$each" event
    done
    check "runtime: stamps that no two events share, host" on_host unique-1 unique-2 unique-event
    for each in ring-1 ring-3 chunk; do
        full check "runtime: stamps that no two events share, $each, host" on_host "unique-$each"
    done
    check "runtime: stamps that no two events share, $board" on_target "$board" unique
    full check "runtime: stamps that no two events share, microbit" on_target microbit unique
    full check "runtime: model of the ring, every interleaving" sh tests/runtime/model/model.sh "$build"
    check "runtime: CYCCNT or the board's clock" on_target mps2-an385 clock
    check "runtime: 64 bits of time, over wraps and sleeps" sh tests/runtime/time/time.sh "$build" "$BOARDS"
    full check "runtime: runs survive a reset at every instruction, and tell of faults" \
        sh tests/runtime/reset/reset.sh "$build"
    check "runtime: faults on ARMv7-A, cause and place" sh tests/runtime/reset/fault_a.sh "$build"
    check "runtime: runs of several CPUs survive a reset" everywhere sh tests/runtime/reset/cpus.sh "$build"
    check "runtime: two CPUs open one ring, or one each while the clock wraps, every schedule" \
        on_host start-records start-events
    check "runtime: two threads take turns: they open the ring, or one dumps, every schedule" \
        on_host slice-1 slice-2 slice-event slice-runs
    check "runtime: what runs leave to each other: numbers, names, another layout" on_host memory-1 memory-2
    check "runtime: threads as CPUs, without a race" everywhere "$build/test/runtime/threads" 2000000
    check "runtime: several CPUs, from firmware to one timeline" everywhere sh tests/runtime/smp/cpus.sh "$build"
    check "runtime: boards in make run" sh tests/runtime/boards/boards.sh "$build" "$BOARDS"
    check "runtime: links nothing but what is documented, on every core" sh tests/system/symbols.sh "$build" "$board"
    full check "runtime: configurations build" sh tests/system/configs.sh "$build" "$board"
    full check "runtime: headers alone, and from C++" sh tests/system/headers.sh
    check "runtime: figures have not got worse" sh tests/bench/target.sh "$build" --check
    full check "runtime: nor those of the other cores" sh tests/bench/boards.sh "$build/test" --check
    full check "runtime: stack by the call graph, no recursion without end" \
        python3 tests/bench/stack.py "$build" --check
}

decoder_tests() {
    for test in $DECODER_TESTS; do
        name=${test#tests/}
        check "${name%%/test_*}: $(echo "${name##*/test_}" | tr _ ' ')" "$build/test/$test"
    done
    check "decoder/tracedat: files of every kind, read, by trace-cmd and an independent script" \
        sh tests/decoder/tracedat/read.sh "$build"
    check "decoder/qnx: files in and out, by an independent script and trace-cmd" sh tests/decoder/qnx/kev.sh "$build"
    check "decoder/lttng: variants, other versions, archives" sh tests/decoder/lttng/lttng.sh "$build"
}

system_tests() {
    check "command line" sh tests/system/cli.sh "$build/test/tlog-decode-script"
    check "command line, as installed" sh tests/system/cli.sh "$build/tlog-decode"
    check "elf: addresses have names, another firmware is noticed" sh tests/system/elf.sh "$build" "$board"
    check "demo: from firmware to trace-cmd and KernelShark" sh tests/system/demo/demo.sh "$build" "$board"
    check "demo: a debugger's dump is the same" sh tests/system/demo/gdb_dump.sh "$build" "$board"
    check "shark: the manual's tables and its program, chunks by UDP and as files" \
        sh tests/system/shark/shark.sh "$build" "$board"
    check "context: events know the exception they were logged in" sh tests/runtime/context/context.sh "$build"
    check "event: traceevents and records, mixed, from firmware to text" \
        sh tests/system/event/event.sh "$build" "$board"
    check "printk: formats that stay on the host, by printf of Python and trace-cmd" \
        sh tests/system/printk/printk.sh "$build" "$board"
    check "udp: from the board's Ethernet to a file" sh tests/system/udp/udp.sh "$build" "$board"
    # A shell ignores SIGINT for what it runs in the background.
    full check "signals: at every call, nothing is left behind" \
        env --default-signal=INT,QUIT,HUP sh tests/system/signals.sh "$build"
    check "merge: chunks as instances, two boards on one timeline" sh tests/system/merge/merge.sh "$build"
    full check "matrix: from format to format, every event and loss stays" sh tests/system/matrix.sh "$build"
    check "toy reader: a reader added as host/README.md says" sh tests/system/toy_reader.sh "$build"
    check "user: README's example, make run, install" sh tests/system/user.sh "$build"
}

code_tests() {
    check "lint" sh tests/strength/lint.sh
    check "stats: functions, files, comments and arrows keep their limits" make -s "BUILD=$build" stats
    full check "analyze: gcc's analyzer and MISRA, no finding but those listed" \
        sh tests/strength/analyze.sh "$build" gcc misra
}

all_tests() {
    runtime_tests
    decoder_tests
    system_tests
    code_tests
    full alone "runtime: several CPUs that log at once" sh tests/runtime/smp/smp.sh "$build"
}

run_checks all_tests
