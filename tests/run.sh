#!/bin/sh
# run.sh - runs the checks of a tier, as many at a time as there are CPUs. tests/lib/checks.sh describes the output.
# usage: run.sh quick|full|whole     (called by make, with the variables of RUN_TESTS in tests/module.mk)
#
# quick, which is `make test`, checks each property once, in one shape: on one board, at one optimisation level, with
# a part of the cases of long loops (tests/lib/tier.h). full adds other shapes, boards, users' build systems, lint, and
# the tests of the tests. whole, which is `make test-whole`, has every shape on every board and every case of each loop.
# What takes hours is in tests/soak.sh.
#
# Scripts learn the tier from the variable TIER. It is quick for the checks of quick, also when full runs them; full for
# those that full adds; and empty in whole.
# TEST_ONLY=word runs only the checks whose name holds the word.
set -u
tier=$1
build=${BUILD:-build}
board=${BOARD:-mps2-an385}
logs=$build/test/logs
only=${TEST_ONLY:-}
. tests/lib/checks.sh
. tests/lib/programs.sh

STUCK_BOARDS="mps2-an385 microbit mps2-an505"
STUCK_TESTS="stuck-1 stuck-2 stuck-minimal stuck-event dead-1 dead-minimal dead-event dead-many dead-many-minimal"
TIME_BOARDS="mps2-an385 microbit mps2-an505 virt"
export TIER= ARM_OPT FIRMWARE_OPT
unset ARM_OPT FIRMWARE_OPT
if [ "$tier" != whole ]; then
    BOARDS=virt TIME_BOARDS=mps2-an385
    STUCK_BOARDS=microbit STUCK_TESTS=stuck-1
fi

# as_quick: what follows is of the quick tier. Firmware is compiled in half the time; users' -O2 is full's.
as_quick() {
    TIER=quick ARM_OPT=-O1 FIRMWARE_OPT="-O1 -g0"
}
[ "$tier" = whole ] || as_quick

# full COMMAND...: run the command, a check, in the tiers full and whole
full() {
    case $tier in
    full)
        TIER=full FIRMWARE_OPT="-O2 -g"
        unset ARM_OPT
        "$@"
        as_quick
        ;;
    whole) "$@" ;;
    esac
}

# wider COMMAND...: run the command, a check, in every tier: in quick as one of quick's, in full as one of full's
wider() {
    if [ "$tier" = quick ]; then "$@"; else full "$@"; fi
}

# whole COMMAND...: run the command, a check, in the tier whole only
whole() {
    [ "$tier" != whole ] || "$@"
}

# needing PROGRAM... -- COMMAND...: run the command, or skip if one of the programs is missing
needing() {
    while [ "$1" != -- ]; do
        needs "$1"
        shift
    done
    shift
    "$@"
}

# with_signals COMMAND...: run it with the default action for signals: the shell starts background jobs with SIGINT and
# SIGQUIT ignored, and nohup ignores SIGHUP
with_signals() {
    env --default-signal=INT,QUIT,HUP "$@"
}

# on_target BOARD TEST...: run these tests of the runtime on a board in QEMU
on_target() {
    on=$1
    shift
    make -s on-target "BUILD=$build" "BOARD=$on" "TEST=$*"
}

# still_apply: fail unless every seeded bug can be made from the present code, and those that cannot would be told
still_apply() {
    sh tests/strength/seeded_check.sh "$build" &&
        sh tests/strength/seeded.sh "$build" --applies && sh tests/strength/seeded_target.sh "$build" --applies &&
        sh tests/runtime/reset/seeded.sh "$build" --applies
}

# pick SOME ALL: print what the tier whole runs, ALL, or what the others do
pick() {
    [ "$tier" = whole ] && echo "$2" || echo "$1"
}

# shapes TEST...: print those of the runtime's tests on this machine that this tier has
shapes() {
    for test in "$@"; do
        case " $QUICK_IMAGES $tier " in *" $test "* | *" whole "*) echo "$test" ;; esac
    done
}

# all_run: fail unless each test of the runtime that is built for this machine is a word of this script
all_run() {
    for test in $RUNTIME_TESTS; do
        grep -qE "[ \"]$test([ ;)]|\$)" tests/run.sh || { echo "$test is built, and not run"; return 1; }
    done
}

runtime_tests() {
    full check "runtime: ring of 1 chunk under interrupts, host" on_host ring-1
    check "runtime: ring of 3 chunks under interrupts, host" on_host "$(pick ring-some ring-3)"
    check "runtime: minimal ring under interrupts, threads, and calls that stop, host" \
        on_host $(pick ring-minimal-some ring-minimal) \
        $(shapes slice-minimal stuck-minimal dead-minimal dead-many-minimal)
    for each in $STUCK_BOARDS; do
        check "runtime: threads stop at any instruction, for ever or for some laps, $each" \
            on_target "$each" $STUCK_TESTS
    done
    full check "runtime: ring of 2 chunks with banks for 3 runs under interrupts, host" on_host ring-runs
    full check "runtime: rings of 1 and 3 chunks, and of a clock of 16 bits, under interrupts, $board" \
        on_target "$board" ring ring-narrow
    for each in microbit virt; do
        whole check "runtime: rings of 1 and 3 chunks under interrupts, $each" on_target "$each" ring
    done
    check "runtime: sweep, an interrupt before every instruction of every call, mps2-an385 -O2" \
        sh tests/runtime/sweep/sweep.sh "$build" mps2-an385 -O2
    for each in -O0 -Os; do # events are calls there
        full check "runtime: sweep, an interrupt before every instruction of every call, mps2-an385 $each" \
            sh tests/runtime/sweep/sweep.sh "$build" mps2-an385 "$each"
    done
    whole check "runtime: sweep, an interrupt before every instruction of every call, microbit -Os" \
        sh tests/runtime/sweep/sweep.sh "$build" microbit -Os
    check "runtime: every seeded bug still fits the code" needing python3 -- still_apply
    full check "runtime: every listed mutant still fits the code" sh tests/strength/mutants.sh "$build" --applies
    check "runtime: chunks made at run time, every call interrupted by every other, host" \
        on_host "$(pick chunk-some chunk)"
    whole check "runtime: chunks made at run time, every call interrupted by every other, $board" \
        on_target "$board" chunk
    check "runtime: traceevents under interrupts, host" on_host event
    full check "runtime: traceevents under interrupts, $board" on_target "$board" event
    for each in microbit virt; do
        whole check "runtime: traceevents under interrupts, $each" on_target "$each" event
    done
    full check "runtime: own events, what slots hold for each type, host" on_host define
    check "runtime: own events, what slots hold for each type, $board" \
        on_target "$board" define $(pick "" "define-portable define-record")
    for each in microbit virt; do
        whole check "runtime: own events, what slots hold for each type, $each" \
            on_target "$each" define define-portable define-record
    done
    check "runtime: unique stamps, host" on_host $(shapes unique-1 unique-2 unique-event)
    full check "runtime: unique stamps, unique-ring-3, host" on_host unique-ring-3
    for each in unique-ring-1 unique-chunk; do
        whole check "runtime: unique stamps, $each, host" on_host "$each"
    done
    whole check "runtime: unique stamps, $board" on_target "$board" unique
    full check "runtime: the model of the ring is of the present code" \
        sh tests/runtime/model/model.sh "$build" --tied
    whole check "runtime: model of the ring, every interleaving" sh tests/runtime/model/model.sh "$build"
    check "runtime: the clock is CYCCNT or the board's, chosen at run time" on_target mps2-an385 clock
    check "runtime: 64 bits of time, over wraps and sleeps" \
        sh tests/runtime/time/time.sh "$build" "$TIME_BOARDS"
    full check "runtime: events survive a reset at every instruction, and faults are logged" \
        sh tests/runtime/reset/reset.sh "$build"
    check "runtime: interrupts are logged without a line in a handler, at every instruction of what logs them" \
        sh tests/runtime/irq/irq.sh "$build" "$(pick quick full)"
    full check "runtime: faults on ARMv7-A, cause and place" sh tests/runtime/reset/fault_a.sh "$build"
    full check "runtime: events of several CPUs survive a reset" everywhere sh tests/runtime/reset/cpus.sh "$build"
    check "runtime: two CPUs open one ring, or one ring each while the clock wraps, every schedule" \
        on_host start-events
    whole check "runtime: two CPUs open rings of two chunks and two banks, every schedule" \
        on_host start-records start-events-runs
    check "runtime: two threads of one CPU log, open the ring and dump, every schedule" \
        on_host $(shapes slice-1 slice-2 slice-event slice-runs)
    check "runtime: threads stop in the middle of a call, for ever or for some laps" \
        on_host $(shapes stuck-1 stuck-2 stuck-event leave) \
        $(shapes dead-1 dead-2 dead-event dead-many dead-many-2 dead-many-event)
    check "runtime: memory of any content is formatted while the first lap is written, interrupted at every step" \
        on_host $(shapes form-1 form-3 form-event)
    check "runtime: what comes before tlog_start() is counted, an interrupt at every step and store of the start" \
        on_host $(shapes early-1 early-2 early-event early-runs early-minimal early-minimal-2)
    check "runtime: exactly so many events behind a trigger, with calls stopped at every step" \
        on_host $(shapes trigger-1 trigger-2 trigger-event)
    check "runtime: a coarse clock tells the wraps that nothing saw" \
        on_host $(shapes coarse coarse-event coarse-unique)
    check "runtime: the clock's rate changes, also by an interrupt in the middle of a change" \
        on_host $(shapes rate rate-unique rate-minimal)
    full check "runtime: the clock's rate changes, 1,000 times a second for an hour" on_host rate-hour
    full check "runtime: the clock's rate changes, an interrupt at every instruction, $board" \
        on_target "$board" rate rate-minimal
    check "runtime: names and priorities are replaced where they stand, with calls stopped at every step" \
        on_host $(shapes fact fact-minimal)
    check "runtime: numbers and names of earlier runs in memory, chunks of another layout" \
        on_host $(shapes memory-1 memory-2)
    check "runtime: threads as CPUs, no data race" \
        needing clang -- everywhere "$build/test/runtime/threads" "$(pick 500000 2000000)"
    check "runtime: several CPUs, from firmware to one timeline" everywhere sh tests/runtime/smp/cpus.sh "$build"
    check "runtime: README's example by make run on every board" \
        sh tests/runtime/boards/boards.sh "$build" "$BOARDS"
    full check "runtime: needs no library, on every core" sh tests/system/symbols.sh "$build" "$board"
    full check "runtime: every configuration builds" sh tests/system/configs.sh "$build" "$board"
    full check "runtime: each header alone, and C++" sh tests/system/headers.sh
    full check "runtime: one unit of all sources, names with a prefix" sh tests/system/one_unit.sh
    full check "runtime: instructions, flash and stack on every core are within the baseline" \
        sh tests/bench/boards.sh "$build/test" --check
    full check "runtime: on_board.c says of boards in QEMU what is there, what is not, and what an event takes" \
        sh tests/bench/on_board.sh "$build"
    whole check "runtime: stack by the call graph is within the baseline, every recursion ends" \
        needing python3 -- python3 tests/bench/stack.py "$build" --check
}

decoder_tests() {
    for test in $DECODER_TESTS; do
        name=${test#tests/}
        check "${name%%/test_*}: $(echo "${name##*/test_}" | tr _ ' ')" cmocka "$test"
    done
    full check "decoder/firmware: an ELF file with more sections than its header counts is as readelf says" \
        cmocka tests/decoder/firmware/test_elf_file
    full check "decoder/native: damage of every kind: events kept, lost and wrong are within bounds" \
        needing "$build/damage" -- "$build/damage"
    wider check "decoder/native: what stands beside chunks in memory changes nothing that they tell" \
        needing python3 "$build/memory" -- python3 tests/judges/memory.py "$build"
    check "decoder/tracedat: reads trace.dat files of every kind as trace-cmd and an independent script do" \
        sh tests/decoder/tracedat/read.sh "$build"
    full check "decoder: hostile files cost bounded time, memory and output" \
        needing python3 -- python3 tests/decoder/hostile.py "$build"
    check "decoder/decode: tasks that move between CPUs have the states of the order of time" \
        sh tests/decoder/decode/order.sh "$build"
    check "decoder/decode: times near 0 stay in every output, and only trace.dat moves them all" \
        sh tests/decoder/decode/early.sh "$build"
    check "decoder/text: the lines of text are those of trace-cmd report" sh tests/decoder/text/text.sh "$build"
    check "decoder/rows: Python reads the events of the text in CSV and JSON lines" \
        sh tests/decoder/rows/rows.sh "$build"
    full check "decoder/rows: DuckDB answers host/README.md's query over a thousand dumps" \
        sh tests/decoder/rows/duckdb.sh "$build"
    check "decoder/vcd: waveforms follow from the rows; GTKWave's converters and libsigrok read the same" \
        sh tests/decoder/vcd/vcd.sh "$build" "$(pick quick full)"
    check "decoder/columns: every event, and sums over the rows are the figures of --stat" \
        sh tests/decoder/columns/columns.sh "$build" "$(pick quick full)"
    check "decoder/ctf: babeltrace2 shows the events of the text, and losses between the right ones" \
        sh tests/decoder/ctf/ctf.sh "$build" "$(pick quick full)"
    check "decoder/qnx: reads and writes .kev files as an independent script and trace-cmd do" \
        sh tests/decoder/qnx/kev.sh "$build"
    check "decoder/perfetto: every event, of every input, as an independent script reads it" \
        sh tests/decoder/perfetto/perfetto.sh "$build"
    check "decoder/perfetto: Perfetto's trace_processor takes it without an error" \
        sh tests/decoder/perfetto/trace_processor.sh "$build"
    full check "decoder/lttng: variants of CTF, other versions, archives" sh tests/decoder/lttng/lttng.sh "$build"
    full check "decoder/lttng: hostile traces and archives cost time, memory and output within bounds" \
        sh tests/decoder/lttng/hostile.sh "$build"
}

system_tests() {
    check "command line, decoder with a reader of scripts" \
        with_signals sh tests/system/cli.sh "$build/test/tlog-decode-script"
    full check "command line, decoder with sanitizers" \
        with_signals sh tests/system/cli.sh "$build/test/sanitized-script"
    full check "command line, decoder as installed" \
        with_signals sh tests/system/cli.sh "$build/tlog-decode"
    check "answers: --stat, --info and --check of every format, of damage, of hostile inputs, as text and JSON" \
        sh tests/system/answers.sh "$build"
    check "known: what is not known of a CPU is given to nobody, in no output, and what is known is not lost" \
        needing python3 trace-cmd babeltrace2 -- python3 tests/system/known.py "$build/test/tlog-decode-script" \
        "$build/test/known" "$(pick 24 100)"
    wider check "lives: who gets the number of a dead task or object is another one, in every output" \
        needing python3 trace-cmd babeltrace2 -- python3 tests/decoder/decode/lives.py "$build"
    full check "names: quotes, ends of lines, controls, broken UTF-8 as names: every format is whole" \
        needing python3 trace-cmd babeltrace2 -- python3 tests/system/names.py "$build"
    full check "elf: addresses are shown by name, another firmware's file is noticed" \
        sh tests/system/elf.sh "$build" "$board"
    full check "ready: --check of firmware.elf tells each fault of a firmware that has it, and of no other one" \
        sh tests/system/ready.sh "$build"
    full check "lost: a chunk without header and seal, by the firmware's file, in a copy of the RAM and in core files" \
        sh tests/system/lost/lost.sh "$build" "$board"
    check "own: a firmware's own events, their fields, spans and filters; its file by build id" \
        sh tests/system/own.sh "$build"
    wider check "demo: from firmware to trace-cmd and KernelShark" sh tests/system/demo/demo.sh "$build" "$board"
    check "demo: a debugger's dump equals the firmware's" sh tests/system/demo/gdb_dump.sh "$build" "$board"
    wider check "memory: an image of the whole RAM at any moment shows what its chunks alone show" \
        sh tests/system/memory/memory.sh "$build"
    full check "shark: the manual's tables and its program, chunks by UDP and as files" \
        sh tests/system/shark/shark.sh "$build" "$board"
    full check "context: events carry the exception in which they were logged" \
        sh tests/runtime/context/context.sh "$build"
    wider check "event: traceevents and records, mixed, from firmware to text" \
        sh tests/system/event/event.sh "$build" "$board"
    full check "define: own events from firmware to the names in its ELF file; compilers, forms, refusals" \
        sh tests/system/define/define.sh "$build" "$(pick quick full)"
    full check "printk: texts formatted on the host equal Python's and trace-cmd's" \
        sh tests/system/printk/printk.sh "$build" "$board"
    check "live: memory by gdb: and openocd: from QEMU, and from servers that lie" \
        with_signals sh tests/system/live/live.sh "$build" "$board"
    full check "follow: --follow, from QEMU: each event whole and once, what was lost told exactly" \
        with_signals sh tests/system/follow/follow.sh "$build"
    check "smear: memory read while the firmware logs, by a model of it and from QEMU" \
        sh tests/system/smear/smear.sh "$build" "$(pick 80 200)" 1
    full check "udp: from the board's Ethernet to a file" sh tests/system/udp/udp.sh "$build" "$board"
    full check "signals: a signal at every call leaves no partial output" \
        with_signals sh tests/system/signals.sh "$build"
    check "rtos: the seven calls for kernels, each record as FORMAT.md says" \
        sh tests/rtos/calls.sh "$build" "$board"
    check "rtos: FreeRTOS, every hook, every switch, state and name as the application computes, $board" \
        sh tests/rtos/freertos/freertos.sh "$build" "$board"
    full check "rtos: every option of every kernel's hooks compiles" sh tests/rtos/options.sh "$build"
    full check "rtos: FreeRTOS on two cores" sh tests/rtos/smp/smp.sh "$build"
    whole check "rtos: FreeRTOS, every hook, microbit and mps2-an505" \
        sh tests/rtos/freertos/freertos.sh "$build" microbit mps2-an505
    check "rtos: RTX5, every hook, every switch, state and name as the application computes, $board" \
        sh tests/rtos/rtx5/rtx5.sh "$build" "$board"
    whole check "rtos: RTX5, every hook, microbit and mps2-an505" \
        sh tests/rtos/rtx5/rtx5.sh "$build" microbit mps2-an505
    full check "rtos: four kernels, the time is right after sleeps in which the clock stood still" \
        sh tests/rtos/sleep.sh "$build"
    check "rtos: ThreadX, every hook, every switch, state and name as the application computes, $board" \
        sh tests/rtos/threadx/threadx.sh "$build" "$board"
    whole check "rtos: ThreadX, every hook, microbit and mps2-an505" \
        sh tests/rtos/threadx/threadx.sh "$build" microbit mps2-an505
    check "rtos: Zephyr, every hook, every switch, state, name and named event as the application computes, $board" \
        sh tests/rtos/zephyr/zephyr.sh "$build" "$board"
    whole check "rtos: Zephyr, every hook, microbit and mps2-an505" \
        sh tests/rtos/zephyr/zephyr.sh "$build" microbit mps2-an505
    full check "rtos: ChibiOS, every hook, every switch, state and name as the application computes, $board" \
        sh tests/rtos/chibios/chibios.sh "$build" "$board"
    full check "rtos: RIOT, every wrapped function, every switch, state and name as the application computes" \
        sh tests/rtos/riot/riot.sh "$build" microbit
    check "open: --open starts each viewer with the file, and hands a trace to Perfetto's page alone" \
        sh tests/system/open.sh "$build" "$(pick quick whole)"
    full check "merge: chunks as instances, two boards on one timeline" sh tests/system/merge/merge.sh "$build"
    full check "matrix: through every format, every event and loss is kept" sh tests/system/matrix.sh "$build"
    full check "judges: trace-cmd reads our files without an error that valgrind sees" \
        sh tests/judges/valgrind.sh "$build"
    check "judges: a decoder written from FORMAT.md alone agrees on generated dumps" \
        sh tests/judges/native.sh "$build"
    check "pauses: told as the firmware's books have them, in every output" \
        needing python3 babeltrace2 trace-cmd -- python3 tests/system/pause/pause.py "$build" minimal trigger
    full check "pauses: the same with records, traceevents, four chunks, and two runs" \
        needing python3 babeltrace2 trace-cmd -- \
        python3 tests/system/pause/pause.py "$build" plain chunks traceevents runs
    full check "trigger: a mark, exactly so many events behind it, and those that led there" \
        sh tests/system/trigger/trigger.sh "$build"
    check "toy reader: a reader added as CONTRIBUTING.md says works" sh tests/system/toy_reader.sh "$build"
    full check "link: any linker script will do; no zeros in the load image" sh tests/system/link/link.sh "$build"
    full check "chips: each row of the table compiles and links, three of them run" \
        sh tests/system/chips/chips.sh "$build"
    check "docs: links lead somewhere; the decoder and the demo print what is shown" needing python3 trace-cmd jq -- \
        python3 tests/system/readme/readme.py "$build" quick $([ "$tier$only" != quick ] || echo "--checks=$total")
    check "frozen: API, dump format, exit codes and JSON change only with a line in CHANGELOG.md" \
        needing python3 -- python3 tests/system/frozen/frozen.py "$build"
    check "library: installed, by pkg-config and Python; its example, names and layout" \
        sh tests/system/library/library.sh "$build" quick
    full check "library: installed, linked statically, by other compilers, as C++" \
        sh tests/system/library/library.sh "$build" full
    check "library: calls that are wrong, or come in the wrong order" \
        sh tests/system/library/trial.sh "$build" misuse
    wider check "library: bytes in pieces of any size give the same as at once" \
        sh tests/system/library/trial.sh "$build" pieces
    full check "library: a function that reads fails at any call" sh tests/system/library/trial.sh "$build" failing
    full check "library: two threads, other inputs or the same one, no data race" \
        sh tests/system/library/trial.sh "$build" threads "$build/tsan/trial"
    full check "library: freed after any call, or some of the events" sh tests/system/library/trial.sh "$build" freed
    full check "docs: every block of every README does what it says" \
        needing python3 trace-cmd jq cmake gdb-multiarch qemu-system-arm pkg-config -- \
        python3 tests/system/readme/readme.py "$build" full
    full check "docs: a clone in a folder with blanks, all that README says" sh tests/system/readme/stranger.sh
    full check "user: README's example, make run, install" sh tests/system/user.sh "$build"
    full check "examples: each README done, its firmware's trace as its own journal has it: no kernel" \
        needing python3 gdb-multiarch qemu-system-arm -- \
        python3 tests/system/examples/examples.py "$build" makefile stm32cubeide:f4 stm32cubeide:f1 blackbox
    full check "examples: each README done, its firmware's trace as its own journal has it: SDKs and kernels" \
        needing python3 cmake qemu-system-arm -- \
        python3 tests/system/examples/examples.py "$build" freertos-cmake threadx pico-sdk platformio
    full check "pack: the README's path for FreeRTOS from CMake to the picture" sh tests/system/pack/readme.sh "$build"
    full check "pack: the lines for ThreadX and CMake" sh tests/system/pack/threadx.sh "$build"
    full check "pack: CMake in three ways, pkg-config, the linker fragment" sh tests/system/pack/cmake.sh "$build"
    full check "pack: two files: compile alone for each core, give the same code, flash and dump as the single files" \
        sh tests/system/single/single.sh "$build"
    full check "pack: two files: threads stop in the middle of a call, as with the single files" \
        sh tests/system/single/all.sh "$build" "$board" "host" stuck-event
    full check "pack: make dist-sources, each package built" sh tests/system/pack/dist.sh "$build"
    full check "pack: make release and make dist, the decoder as npm, apt and tar install it" \
        sh tests/system/pack/decoder.sh "$build" "$(pick full whole)"
}

code_tests() {
    full check "parts: the decoder without threads, sockets, zstd, libarchive, libdw" sh tests/system/parts.sh "$build"
    full check "wasm: the decoder as WebAssembly under node, byte for byte as the native one" \
        with_signals sh tests/system/wasm.sh "$build" "$(pick full whole)"
    full check "musl: the decoder as one static file for any Linux, byte for byte as the native one" \
        with_signals sh tests/system/musl.sh "$build" "$(pick full whole)"
    full check "macos: POSIX.1-2008 is enough for host/os/posix; no option that Apple's programs do not know" \
        sh tests/system/macos.sh
    full check "page: modules are joined to the same bytes, or refused" sh tests/system/page/page.sh "$build" join
    check "page: types" sh tests/system/page/page.sh "$build" types
    full check "page: what is dropped, put in and saved, as the native decoder tells it; hostile names and pages" \
        sh tests/system/page/page.sh "$build" shell
    check "page: parts of the timeline: the columns, each pixel, sums, against counting; contrast" \
        sh tests/system/page/page.sh "$build" timeline_parts
    full check "page: the timeline in a browser: pixels, keys, pointer, a thousand frames" \
        sh tests/system/page/page.sh "$build" timeline
    full check "page: parts of the panel" sh tests/system/page/page.sh "$build" panel_parts
    full check "page: figures, sorting, filter, addresses, problems, keyboard, names, as the native one tells" \
        sh tests/system/page/page.sh "$build" panel
    full check "windows: the decoder for Windows under Wine, byte for byte as the native one" \
        with_signals sh tests/system/windows.sh "$build" "$(pick full whole)"
    check "tests: each that is built is run" all_run
    full check "lint" sh tests/strength/lint.sh
    check "symbols: C11 and the named libraries are enough outside host/os" \
        needing python3 -- python3 tests/strength/symbols.py "$build"
    check "stats: functions, files, comments and dependencies are within their limits" \
        needing python3 -- make -s "BUILD=$build" stats
    full check "editors: tags lead to their lines, compile_commands.json compiles" sh tests/system/editors.sh "$build"
}

all_tests() {
    runtime_tests
    code_tests
    decoder_tests
    system_tests
    full alone "runtime: several CPUs log at the same time" sh tests/runtime/smp/smp.sh "$build"
}

run_checks all_tests
