#!/bin/sh
# time.sh - checks the 64-bit times of decoded events: over many wraps of the clock, begun at every phase of it, on
# every board and here; around gaps in which nobody looks at it; and after sleeps in which the clock stood still, with
# interrupts at every instruction.
# usage: time.sh BUILD BOARDS
# Judges: check.py; gap.py; rates.py with tests/judges/native.py; tests/runtime/sleep.c itself.
set -eu
. tests/lib/needs.sh
needs python3
build=$1
boards=$2
dir=$build/test/time
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"
strict="-Wpedantic -Wconversion -Wshadow"
# Sanitized code takes three times as long to compile with -O2, and runs for a tenth of a second only.
warnings="-std=c11 -O0 -g1 -Wall -Wextra -Werror $strict"
# The runtime as one file, which takes a fifth of the time.
one_file target/src/*.c >"$dir/runtime.c"
still='-DTLOG_CLOCK_HALT(halted)=((void)(halted))'

# decode NAME HZ SLACK: decode all dumps of a run, one for each phase, and let check.py check them. quick: each fifth
decode() {
    n=0
    for dump in "$dir"/time-*.bin; do
        n=$((n + 1))
        [ "${TIER:-}" != quick ] || [ $((n % 5)) -eq 1 ] || continue
        "$build/tlog-decode" -q --map=native --format=text-full "$dump" >"$dir/text"
        python3 tests/runtime/time/check.py "$dir/text" "$2" "$3" || { echo "$1, $dump"; exit 1; }
        rm "$dump"
    done
    [ "$n" -eq 12 ]
    echo "$1: $n phases"
}

# cross BOARD HZ FLAG...: build, run and check app.c with a clock in memory that is said to run at HZ
cross() {
    board=$1 hz=$2
    shift 2
    # shellcheck disable=SC2086 # several words
    firmware "$board" "$dir/app.elf" tests/runtime/time/app.c -Itests $strict \
        -include tests/lib/clock.h -DTLOG_CLOCK_ADDRESS=test_clock "-DTLOG_CLOCK_HZ=$hz" -DTLOG_SLOTS=512 "$still" "$@"
    emulate "$board" "$dir/app.elf"
    decode "$board $*" "$hz" 0
}

# narrow BOARD BITS HZ FLAG...: the same with a counter of so many bits, at which ticks look up to half a wrap late
narrow() {
    board=$1 bits=$2 hz=$3
    shift 3
    # shellcheck disable=SC2086 # several words
    firmware "$board" "$dir/app.elf" tests/runtime/time/app.c -Itests $strict -include tests/lib/clock.h \
        -DTLOG_CLOCK_ADDRESS=test_clock "-DTLOG_CLOCK_HZ=$hz" "-DTLOG_CLOCK_BITS=$bits" -DTLOG_SLOTS=512 "$still" "$@"
    emulate "$board" "$dir/app.elf"
    decode "$board, $bits bits $*" $((hz << (32 - bits))) 0
}
half='-DTLOG_CLOCK_READ="ldrh %[low], [%[low]]\n\tmovs %[free], #0\n\torrs %[low], %[low], %[free]"'
hz=1000000000
# The quick tier has the fullest configuration only.
full="-DTLOG_CONTEXT=1 -DTLOG_TRACEEVENTS=1"
if [ "${TIER:-}" = quick ]; then set -- "$full"; else set -- "" "$full"; fi
for board in $boards; do
    [ "${TIER:-}" = quick ] || cross "$board" "$hz"
    # shellcheck disable=SC2086 # several words
    case $board in
    mps2-an385 | microbit | virt) [ "${TIER:-}" = quick ] || cross "$board" "$hz" $full ;;
    esac
    hz=$((hz / 3 + 7))
done
narrow mps2-an385 16 32768 -DTLOG_TRACEEVENTS=1 "$half"
if [ "${TIER:-}" != quick ]; then
    narrow mps2-an385 24 9999991 -DTLOG_CLOCK_DOWN=1
    narrow microbit 24 32768 -DTLOG_TRACEEVENTS=1
    narrow microbit 16 65535 -DTLOG_CLOCK_DOWN=1 "$half"
    narrow virt 24 16777215 -DTLOG_CLOCK_DOWN=1
fi
for options in "$@"; do
    # shellcheck disable=SC2086 # several words
    gcc $warnings -fsanitize=address,undefined -DTLOG_SLOTS=512 -DTLOG_CLOCK_HZ=48000000 $options -Itarget -Iport \
        tests/runtime/time/app.c port/port_posix.c "$dir/runtime.c" -o "$dir/app"
    (cd "$dir" && ./app)
    decode "host $options" 48000000 100
done

# Gaps in which nobody looks at the clock, with a coarse clock (exact) and without.
# gaps EVENTS exact|behind|short FLAG...
gaps() {
    least=$1 kind=$2
    shift 2
    # shellcheck disable=SC2086 # several words
    gcc $warnings -DTLOG_TRACEEVENTS=1 -DTLOG_CLOCK_HZ=168000000 "$@" -Itests -Itarget -Iport \
        tests/runtime/time/gap.c port/port_posix.c "$dir/runtime.c" -o "$dir/gap"
    (cd "$dir" && ./gap)
    python3 tests/runtime/time/gap.py "$build" 168000000 "$least" "$kind" "$dir"/gap-*.bin
    rm "$dir"/gap-*.bin
    echo "gaps, $kind, $*"
}
coarse="-DTLOG_COARSE_HZ=1000 -DTLOG_PORT_COARSE_NOW=test_coarse_now() -include runtime/coarse.h"
# all_gaps EVENTS KIND FLAG...: the same without a coarse clock, then with it
all_gaps() {
    events=$1 best=$2
    shift 2
    gaps "$events" short "$@"
    # shellcheck disable=SC2086 # several words
    gaps "$events" "$best" "$@" $coarse
}
# With 140 slots the ring has only some of the events ahead of the gap, and no slot of their lap that tells wraps.
if [ "${TIER:-}" = quick ]; then
    gaps 200 exact -DGAP_RECORDS=1 -DTLOG_SLOTS=64 -DTLOG_CHUNKS=5 $coarse
else
    all_gaps 200 exact -DGAP_RECORDS=1 -DTLOG_SLOTS=64 -DTLOG_CHUNKS=5
fi
if [ "${TIER:-}" != quick ]; then
    all_gaps 200 exact -DGAP_RECORDS=0 -DTLOG_SLOTS=512
    all_gaps 120 exact -DGAP_RECORDS=1 -DTLOG_SLOTS=140
fi
if [ "${TIER:-}" = soak ]; then
    all_gaps 200 exact -DGAP_RECORDS=0 -DTLOG_SLOTS=64 -DTLOG_CHUNKS=5
    all_gaps 200 exact -DGAP_RECORDS=1 -DTLOG_SLOTS=512
    all_gaps 120 behind -DGAP_RECORDS=0 -DTLOG_SLOTS=140
fi

# The clock's rate changes while events are logged: rates DAMAGE FLAG...
rates() {
    damage=$1
    shift
    # shellcheck disable=SC2086 # several words
    gcc $warnings -DTLOG_CLOCK_CHANGES=1 -DTLOG_CLOCK_HZ=16000000 "$@" -Itarget -Iport \
        tests/runtime/time/rates.c port/port_posix.c "$dir/runtime.c" -o "$dir/rates"
    for seed in 1 2 3; do
        "$dir/rates" "$seed" 300 "$dir/first.bin" "$dir/later.bin" >"$dir/truth"
        python3 tests/runtime/time/rates.py "$build" "$dir/first.bin" "$dir/later.bin" "$dir/truth" "$damage"
        damage=no
        [ "${TIER:-}" != quick ] || break
    done
    echo "rates that change, $*"
}
if [ "${TIER:-}" = quick ]; then
    rates no -DTLOG_SLOTS=48 -DTLOG_CHUNKS=3 -DTLOG_TRACEEVENTS=1
else
    rates no -DTLOG_SLOTS=1000
    rates yes -DTLOG_SLOTS=48 -DTLOG_CHUNKS=3 -DTLOG_TRACEEVENTS=1
    rates yes -DTLOG_SLOTS=100 -DTLOG_MINIMAL=1 -DTLOG_CONTEXT=1
fi

sleep_test="tests/runtime/sleep.c tests/lib/test.c"
stride=
[ "${TIER:-}" != quick ] || stride=-DTEST_STRIDE=23u
for options in "$@"; do
    if [ "${TIER:-}" != quick ]; then
        echo "sleeping, host $options"
        # shellcheck disable=SC2086 # several words
        gcc $warnings -fsanitize=address,undefined -DTLOG_SLOTS=64 $options -Itests -Itarget -Iport $sleep_test \
            tests/lib/host.c tests/lib/print.c port/port_posix.c "$dir/runtime.c" -o "$dir/sleep"
        "$dir/sleep"
    fi
    echo "sleeping, mps2-an385, its timer $options"
    # shellcheck disable=SC2086 # several words
    firmware mps2-an385 "$dir/sleep.elf" $sleep_test tests/lib/target.c -Itests $strict -DTLOG_SLOTS=64 $options $stride
    emulate mps2-an385 "$dir/sleep.elf"
done
# wake BOARD FLAG...: sleeps that another clock measures
wake() {
    board=$1
    shift
    echo "waking up, $board $*"
    # shellcheck disable=SC2086 # several words
    firmware "$board" "$dir/wake.elf" tests/runtime/wake.c tests/lib/test.c tests/lib/target.c -Itests $strict \
        -DTLOG_SLOTS=64 -include tests/lib/clock.h -DTLOG_CLOCK_ADDRESS=test_clock "$still" \
        -include tests/runtime/wake.h -DTLOG_SLEEP_HZ=32768 '-DTLOG_PORT_SLEEP_NOW=test_sleep_now()' "$@"
    emulate "$board" "$dir/wake.elf"
}
wake mps2-an385 -DTLOG_CLOCK_HZ=100000000
[ "${TIER:-}" != quick ] || exit 0
wake mps2-an385 -DTLOG_CLOCK_HZ=65535 -DTLOG_CLOCK_BITS=24 -DTLOG_CLOCK_CHANGES=1
wake microbit -DTLOG_CLOCK_HZ=16000000 -DTLOG_MINIMAL=1
echo "sleeping, microbit, a clock in memory"
# shellcheck disable=SC2086 # several words
firmware microbit "$dir/sleep.elf" $sleep_test tests/lib/target.c -Itests $strict -DTLOG_SLOTS=64 \
    -include tests/lib/clock.h -DTLOG_CLOCK_ADDRESS=test_clock "$still"
emulate microbit "$dir/sleep.elf"
