# shellcheck shell=sh disable=SC2154
# arduino.sh - the part of dist.sh that checks the Arduino library, unpacked in $dir/arduino/tlog. A stand-in gives what
# Arduino's cores define, and Serial. The library and the example compile for SAM D21 and other boards, with the clock
# that such a board has, and without an option; where a Cortex-M0 has none, the compiler says so. As for two others,
# they run in QEMU: the example sends its memory by Serial, and the decoder finds every step in these bytes.
# usage: dir=DIRECTORY; . tests/system/pack/lib.sh; . tests/system/pack/arduino.sh
library=$dir/arduino/tlog

# sketched NAME FLAG...: compile the library and the example with the flags, without a warning, into $dir/arduino/NAME
sketched() {
    at=$dir/arduino/$1
    shift
    mkdir -p "$at"
    one_file "$library"/src/*.c "$library"/src/src/*.c >"$at/library.c"
    echo '#include "Arduino.h"' | cat - "$library/examples/blinky/blinky.ino" >"$at/blinky.cpp"
    for source in "$at/library.c" "$at/blinky.cpp"; do
        compiler="gcc -std=gnu11"
        case $source in *.cpp) compiler="g++ -std=gnu++11 -fno-exceptions -fno-rtti" ;; esac
        # shellcheck disable=SC2086
        arm-none-eabi-$compiler -mthumb -Os -ffreestanding -ffunction-sections -Wall -Wextra -Werror -DARDUINO=10819 \
            "$@" "-I$library/src" "-I$here/arduino" -c "$source" -o "$source.o" || return
    done
}

# serial NAME BOARD FLAG...: the same; link it with the stand-in, run it in QEMU, and decode what Serial sent
serial() {
    name=$1 board=$2
    shift 2
    core=$(sed -n "s/^CORE_$board *:= *//p" Makefile)
    sketched "$name" "-mcpu=$core" -DTLOG_SLOTS=256 "$@"
    cp "linker/$board.h" "$at/board.h"
    for source in "$here/arduino/core.cpp" linker/startup_m.c linker/mem.c port/out_semihost.c; do
        language=c++
        case $source in *.c) language=c ;; esac
        arm-none-eabi-gcc "-mcpu=$core" -mthumb -Os -ffreestanding -fno-exceptions -x $language -DARDUINO=10819 \
            "$@" -include "$at/board.h" "-I$at" "-I$here/arduino" -Ilinker -Iport -Itarget -c "$source" \
            -o "$at/$(basename "$source").o"
    done
    arm-none-eabi-gcc "-mcpu=$core" -mthumb -nostdlib "$at"/*.o -Llinker -T "linker/$board.ld" -Wl,--gc-sections -lgcc \
        -o "$at/sketch.elf"
    emulate "$board" "$at/sketch.elf"
    "$build/tlog-decode" -q --format=text-full "$at/serial.bin" -o "$at/shown.txt"
    seq 0 49 >"$at/steps"
    sed -n 's/.* blinky-1 .*user_event_0: par1=\([0-9]*\) par2=\1$/\1/p' "$at/shown.txt" | diff "$at/steps" -
}

for board in "zero m0plus SAMD -DF_CPU=48000000L" "feather-m4 m4 SAMD -DF_CPU=120000000L" \
    "pico m0plus RP2040 -DF_CPU=133000000L" "nano-rp2040 m0plus MBED -DTARGET_RP2040" "portenta m7 MBED"; do
    # shellcheck disable=SC2086
    set -- $board
    sketched "$1" "-mcpu=cortex-$2" "-DARDUINO_ARCH_$3" ${4:+"$4"}
done
if sketched none -mcpu=cortex-m0 -DARDUINO_ARCH_NRF5 2>"$dir/log"; then exit 1; fi
grep -q 'this core has no clock of its own; the board must give TLOG_CLOCK_ADDRESS' "$dir/log"
serial milliseconds microbit -DARDUINO_ARCH_STM32
grep -q ' 0\.490000000: .*user_event_0: par1=49 ' "$at/shown.txt" || { grep 'par1=49 ' "$at/shown.txt"; exit 1; }
serial timer mps2-an385 -DARDUINO_ARCH_SAM -include "$dir/support/board.h"
echo "arduino: the library and its example, on five boards; run on Cortex-M0 and M3, by Serial to the decoder"
