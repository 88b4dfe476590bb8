#!/bin/sh
# Run every test that `make test` builds, as many at a time as there are CPUs: a line each when it ends, the output of those
# that fail, and at the end "N passed, N failed". TEST_ONLY=word runs those whose name holds the word.
set -u
build=${BUILD:-build}
board=${BOARD:-mps2-an385}
logs=$build/test/logs
only=${TEST_ONLY:-}
. tests/checks.sh

# on_target IMAGE: a test image in QEMU; its exit code is the test's
on_target() {
    timeout 600 qemu-system-arm -M "$board" -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=6 -kernel "$1"
}

in_dir() (
    cd "$1" && shift && "$@"
)

# in_turn PROGRAM...: one after the other
in_turn() {
    for program in "$@"; do
        echo "${program##*/}"
        "$program" || return 1
    done
}

export ASAN_OPTIONS=detect_leaks=1:abort_on_error=0 UBSAN_OPTIONS=print_stacktrace=1

check "runtime: ring of 1 chunk under interrupts, host" "$build/test/ring-1"
check "runtime: ring of 3 chunks under interrupts, host" "$build/test/ring-3"
check "runtime: ring of 2 chunks with banks for 3 runs under interrupts, host" "$build/test/ring-runs"
for each in $BOARDS; do
    check "runtime: rings of 1 and 3 chunks under interrupts, $each" make -s ring "BUILD=$build" "BOARD=$each"
done
for each in $SWEEPS; do
    check "runtime: sweep, interrupts before every instruction of every call, ${each%:*} ${each#*:}" \
        sh tests/sweep.sh "$build" "${each%:*}" "${each#*:}"
done
check "runtime: sweeps notice seeded bugs" sh tests/seeded_target.sh "$build"
check "runtime: the inlined record path with one instruction changed" sh tests/mutants.sh "$build" --quick
check "runtime: chunks made at run time, every call interrupted by every other, host" "$build/test/chunk"
check "runtime: chunks made at run time, every call interrupted by every other, $board" in_dir "$build/$board" on_target chunk.elf
check "runtime: traceevents under interrupts, host" "$build/test/event-host"
for each in $board microbit virt; do
    check "runtime: traceevents under interrupts, $each" make -s event "BUILD=$build" "BOARD=$each"
done
for each in 1 2 ring-1 ring-3 chunk event; do
    check "runtime: stamps that no two events share, $each, host" "$build/test/unique-$each"
done
for each in $board microbit; do
    check "runtime: stamps that no two events share, $each" make -s unique "BUILD=$build" "BOARD=$each"
done
check "runtime: model of the ring, every interleaving" sh tests/model/model.sh "$build"
check "runtime: CYCCNT or the board's clock" in_dir "$build/mps2-an385" on_target clock.elf
check "runtime: 64 bits of time, over wraps and sleeps" sh tests/time.sh "$build" "$BOARDS"
check "runtime: runs survive a reset at every instruction, and tell of faults" sh tests/reset.sh "$build"
check "runtime: faults on ARMv7-A, cause and place" sh tests/fault_a.sh "$build"
check "runtime: runs of several CPUs survive a reset" everywhere sh tests/reset_cpus.sh "$build"
check "runtime: two CPUs open one ring, or one each while the clock wraps, every schedule" \
    in_turn "$build/test/start-records" "$build/test/start-events"
check "runtime: two threads take turns: they open the ring, or one dumps, every schedule" \
    in_turn "$build/test/slice-1" "$build/test/slice-2" "$build/test/slice-event" "$build/test/slice-runs"
check "runtime: what runs leave to each other: numbers, names, another layout" in_turn "$build/test/memory-1" "$build/test/memory-2"
check "runtime: threads as CPUs, without a race" everywhere "$build/test/threads" 2000000
check "runtime: several CPUs, from firmware to one timeline" everywhere sh tests/cpus.sh "$build"
check "runtime: every board in make run" sh tests/boards.sh "$build" "$BOARDS"
check "runtime: links nothing but what is documented, on every core" sh tests/symbols.sh "$build" "$board"
check "runtime: configurations build" sh tests/configs.sh "$build" "$board"
check "runtime: headers alone, and from C++" sh tests/headers.sh
check "runtime: figures have not got worse" sh tests/bench/target.sh "$build" --check
check "runtime: nor those of the other cores" sh tests/bench/boards.sh "$build/test" --check
check "runtime: stack by the call graph, no recursion without end" python3 tests/bench/stack.py "$build" --check
for test in $HOST_TESTS; do
    check "host: $test" "$build/test/test_$test"
done
check "host: trace.dat, read" sh tests/tdread.sh "$build"
check "host: command line" sh tests/cli.sh "$build/test/tlog-decode-script"
check "host: command line, as installed" sh tests/cli.sh "$build/tlog-decode"
check "elf: addresses have names, another firmware is noticed" sh tests/elf.sh "$build" "$board"
check "kev: files in and out, by an independent script and trace-cmd" sh tests/kev.sh "$build"
check "demo: from firmware to trace-cmd and KernelShark" sh tests/demo.sh "$build" "$board"
check "demo: a debugger's dump is the same" sh tests/gdb_dump.sh "$build" "$board"
check "shark: the manual's tables and its program, chunks by UDP and as files" sh tests/shark.sh "$build" "$board"
check "context: events know the exception they were logged in" sh tests/context.sh "$build"
check "event: traceevents and records, mixed, from firmware to text" sh tests/event.sh "$build" "$board"
check "printk: formats that stay on the host, by printf of Python and trace-cmd" sh tests/printk.sh "$build" "$board"
check "udp: from the board's Ethernet to a file" sh tests/udp.sh "$build" "$board"
check "lttng: variants, other versions, archives" sh tests/lttng.sh "$build"
# What runs in the background of a shell ignores SIGINT.
check "signals: at every call, nothing is left behind" env --default-signal=INT,QUIT,HUP sh tests/signals.sh "$build"
check "merge: chunks as instances, two boards on one timeline" sh tests/merge.sh "$build"
check "matrix: from format to format, every event and loss stays" sh tests/matrix.sh "$build"
check "user: README's example, make run, install" sh tests/user.sh "$build"
check "lint" sh tests/lint.sh
check "analyze: gcc's analyzer and MISRA, no finding but those listed" sh tests/analyze.sh "$build" gcc misra

alone "runtime: several CPUs that log at once" sh tests/smp.sh "$build"

sum
