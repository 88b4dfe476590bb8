#!/bin/sh
# time.sh - checks the 64-bit times of decoded events: over many wraps of the clock, begun at every phase of it, on
# every board and here; and after sleeps in which the clock stood still, with interrupts at every instruction.
# usage: time.sh BUILD BOARDS
# Judges: check.py; tests/runtime/sleep.c itself.
set -eu
build=$1
boards=$2
dir=$build/test/time
rm -rf "$dir"
mkdir -p "$dir"
warnings="-std=c11 -O2 -g -Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow"
still='-DTLOG_CLOCK_HALT(halted)=((void)(halted))'

# firmware IMAGE BOARD SOURCES FLAG...: build $dir/IMAGE.elf
firmware() {
    image=$1 board=$2 sources=$3
    shift 3
    mkdir -p "$dir/$board"
    cp "linker/$board.h" "$dir/$board/board.h"
    startup=linker/startup_m.c support=
    case $board in
    microbit) core=cortex-m0 ;;
    lm3s6965evb) core=cortex-m3 support=linker/ticks.c ;;
    mps2-an385) core=cortex-m3 ;;
    mps2-an386) core=cortex-m4 ;;
    mps2-an500) core=cortex-m7 ;;
    mps2-an505 | mps2-an521) core=cortex-m33 ;;
    mps3-an547) core=cortex-m55 ;;
    virt) core=cortex-a15 startup=linker/startup_a.c ;;
    esac
    # shellcheck disable=SC2086 # several words
    arm-none-eabi-gcc $warnings -mcpu=$core -mthumb -mfloat-abi=soft -ffreestanding -ffunction-sections \
        -fdata-sections -Itarget -Iport -Ilinker -Itests "-I$dir/$board" -include board.h "$@" $sources target/*.c \
        port/port_v[67]m.c port/out_semihost.c port/out_disk.c $startup $support linker/mem.c -nostdlib \
        -Wl,--gc-sections -Llinker -T "linker/$board.ld" -lgcc -o "$dir/$image.elf"
}

# emulate IMAGE BOARD: run it in QEMU
emulate() {
    machine=$2
    case $machine in virt) machine="virt -cpu cortex-a15 -m 64 -nic none" ;; esac
    # shellcheck disable=SC2086 # several words
    (cd "$dir" && timeout 120 qemu-system-arm -M $machine -display none -monitor none -serial none \
        -semihosting-config enable=on,target=native -icount shift=6 -kernel "$1.elf")
}

# decode NAME HZ SLACK: decode all dumps of a run, one for each phase, and let check.py check them
decode() {
    n=0
    for dump in "$dir"/time-*.bin; do
        "$build/tlog-decode" -q --map=native --format=text "$dump" >"$dir/text"
        python3 tests/runtime/time/check.py "$dir/text" "$2" "$3" || { echo "$1, $dump"; exit 1; }
        rm "$dump"
        n=$((n + 1))
    done
    [ "$n" -eq 12 ]
    echo "$1: $n phases"
}

# cross BOARD HZ FLAG...: build, run and check app.c with a clock in memory that is said to run at HZ
cross() {
    board=$1 hz=$2
    shift 2
    firmware app "$board" tests/runtime/time/app.c -include tests/lib/clock.h -DTLOG_CLOCK_ADDRESS=test_clock \
        "-DTLOG_CLOCK_HZ=$hz" -DTLOG_SLOTS=512 "$still" "$@"
    emulate app "$board"
    decode "$board $*" "$hz" 0
}

hz=1000000000
for board in $boards; do
    cross "$board" "$hz"
    case $board in
    mps2-an385 | microbit | virt) cross "$board" "$hz" -DTLOG_CONTEXT=1 -DTLOG_TRACEEVENTS=1 ;;
    esac
    hz=$((hz / 3 + 7))
done
for options in "" "-DTLOG_CONTEXT=1 -DTLOG_TRACEEVENTS=1"; do
    # shellcheck disable=SC2086 # several words
    gcc $warnings -fsanitize=address,undefined -DTLOG_SLOTS=512 -DTLOG_CLOCK_HZ=48000000 $options -Itarget -Iport \
        tests/runtime/time/app.c port/port_posix.c target/*.c -o "$dir/app"
    (cd "$dir" && ./app)
    decode "host $options" 48000000 100
done

sleep_test="tests/runtime/sleep.c tests/lib/test.c"
for options in "" "-DTLOG_CONTEXT=1 -DTLOG_TRACEEVENTS=1"; do
    echo "sleeping, host $options"
    # shellcheck disable=SC2086 # several words
    gcc $warnings -fsanitize=address,undefined -DTLOG_SLOTS=64 $options -Itests -Itarget -Iport $sleep_test \
        tests/lib/host.c port/port_posix.c target/*.c -o "$dir/sleep"
    "$dir/sleep"
    echo "sleeping, mps2-an385, its timer $options"
    # shellcheck disable=SC2086 # several words
    firmware sleep mps2-an385 "$sleep_test tests/lib/target.c" -DTLOG_SLOTS=64 $options
    emulate sleep mps2-an385
done
echo "sleeping, microbit, a clock in memory"
firmware sleep microbit "$sleep_test tests/lib/target.c" -DTLOG_SLOTS=64 -include tests/lib/clock.h \
    -DTLOG_CLOCK_ADDRESS=test_clock "$still"
emulate sleep microbit
