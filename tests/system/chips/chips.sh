#!/bin/sh
# chips.sh - does what each row of port/README.md's table of chips says: the row's options, its lines behind the clock's
# set-up, and a linker script with its memories and INCLUDE tlog.ld. It compiles and links without a warning, and
# --check of the firmware tells no fault but that of the vectors and start-up, which are stand-ins here. Rows that say
# so are run by the machine of QEMU that they name: all events are in the dump, in order, and their clock runs; QEMU
# has no CYCCNT, so for these another counter is put in its place. A row that says the same as one ahead is built once.
# usage: chips.sh BUILD
# Judges: gcc, ld, QEMU, the built decoder.
set -eu
build=$1
case $build in /*) ;; *) build=$PWD/$build ;; esac
dir=$build/test/chips
here=$PWD/tests/system/chips
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"
awk -F ' *\\| +' '/^## /{in_chips = $0 == "## Chips"} in_chips && $3 ~ /^cortex-/' port/README.md |
    sed 's/\\|/!/g; s/^| //; s/ |$//; s/`//g; s/ *| */|/g' >"$dir/rows"

# script CODE DATA FLASH RAM: print a linker script in which these memories have their names, and the aliases for them
script() {
    echo "MEMORY { $1 (rx) : ORIGIN = $3, LENGTH = 64K"
    echo "         $2 (rwx) : ORIGIN = 0x20000000, LENGTH = $4 }"
    [ "$1" = FLASH ] || echo "REGION_ALIAS(\"FLASH\", $1)"
    [ "$2" = RAM ] || echo "REGION_ALIAS(\"RAM\", $2)"
    sed "s/ BSS / *(.bss) *(.bss*) /; s|INCLUDED|.note.gnu.build-id : { KEEP(*(.note.gnu.build-id)) } > FLASH|
        s|^    \.bss|    INCLUDE tlog.ld\n&|" tests/system/link/plain.ld
}

# built CORE OPTION...: compile and link $dir/chip.elf
built() {
    core=$1
    shift
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -std=c11 "-mcpu=$core" -mthumb -mfloat-abi=soft -Og -ffreestanding -ffunction-sections \
        -fdata-sections -Wall -Wextra -Wpedantic -Werror -DTLOG_SLOTS=128 -DTLOG_NAME_SLOTS=8 "$@" -Itarget -Iport \
        -Ilinker "-I$dir" "-I$here" "$dir/chip.c" linker/startup_m.c linker/mem.c port/out_semihost.c -nostdlib \
        -Wl,--gc-sections -Wl,--build-id -Wl,--fatal-warnings -Wl,--no-warn-rwx-segments -Llinker -T "$dir/chip.ld" \
        -lgcc -o "$dir/chip.elf"
}

# ran MACHINE: run it in QEMU; its dump must hold all events, later ones at later times
ran() {
    rm -f "$dir/dump.bin"
    emulate "$1" "$dir/chip.elf" || { echo "$family: main() returned 1, or a fault: too few vectors?"; exit 1; }
    "$build/tlog-decode" -q --format=csv "--elf=$dir/chip.elf" "$dir/dump.bin" -o "$dir/events.csv"
    grep user_event_0 "$dir/events.csv" | awk -F, -v family="$family" '
        NR > 1 && $1 + 0 <= last { print family ": an event at " $1 " behind one at " last; exit failed = 1 }
        { last = $1 + 0 }
        END { if (!failed && NR != 100) { print family ": " NR " of 100 events"; exit 1 } }'
}

rows=0 runs=0
: >"$dir/built"
one_file target/src/*.c port/port_v6m.c port/port_v7m.c port/irq_v7m.c "$here/main.c" >"$dir/chip.c"
printf 'static inline void board_init(void)\n{\n}\n' >"$dir/board.h"
while IFS='|' read -r family core options memories lines tried; do
    rows=$((rows + 1))
    ! grep -qxF "$core|$options|$memories|$lines|$tried" "$dir/built" || continue
    echo "$core|$options|$memories|$lines|$tried" >>"$dir/built"
    echo "$lines" | tr '!' '|' >"$dir/lines.h"
    flash=0x08000000 ram=16K instead=
    case $tried in
    compiled) ;;
    'run: stm32vldiscovery')
        ram=8K
        instead="-DTLOG_CLOCK_ADDRESS=0xE000E018u -DTLOG_CLOCK_BITS=24 -DTLOG_CLOCK_DOWN=1 -DTLOG_CLOCK_HZ=3000000
            -DCHIPS_START=SysTick->LOAD=0xFFFFFF,SysTick->CTRL=1" ;;
    'run: netduinoplus2')
        instead="-DTLOG_CLOCK_ADDRESS=0x40000024u -DTLOG_CLOCK_CYCCNT=1 -DCHIPS_START=TIM2->CR1=1" ;;
    'run: microbit') flash=0 ;;
    *) echo "$family: tried how? $tried"; exit 1 ;;
    esac
    case $core in cortex-m0) ;; *) instead="$instead -DCHIPS_VTOR" ;; esac
    # shellcheck disable=SC2086
    script $memories $flash $ram >"$dir/chip.ld"
    # shellcheck disable=SC2086
    built "$core" $options $instead || { echo "$family: does not build"; exit 1; }
    "$build/tlog-decode" --check "$dir/chip.elf" >"$dir/check" 2>&1 || { echo "$family:"; cat "$dir/check"; exit 1; }
    case $tried in run:*) ran "${tried#run: }"; runs=$((runs + 1)) ;; esac
done <"$dir/rows"
[ "$rows" -ge 25 ] && [ "$runs" -eq 3 ] || { echo "$rows rows, $runs runs"; exit 1; }
echo "port/README.md, chips: $rows rows compiled and linked, $runs of them run"
