#!/bin/sh
# on_board.sh - tests on_board.c in QEMU, by make run and with gcc alone, on Cortex-M3, M0, M4, M7 and M33: what each
# test of the board says, and that the row tells what QEMU counts. What is not there, CYCCNT, must be told, and so must
# a clock that stands still. On M4 another counter stands for CYCCNT.
# usage: on_board.sh BUILD
# Judge: instructions as QEMU counts them, 64 ns each.
set -eu
. tests/lib/firmware.sh
build=$1
dir=$build/test/on_board
mkdir -p "$dir"

fail() {
    cat "$dir/text"
    echo "on_board.sh: $*"
    exit 1
}

# says PATTERN: the last text has a line that matches
says() {
    grep -Eq "$1" "$dir/text" || fail "nothing says: $1"
}

# cell NUMBER: print that column of the row
cell() {
    awk -F ' *[|] *' -v n="$1" '/^[|] your board / { print $(n + 1) }' "$dir/text"
}

# ticks COLUMN LEAST MOST: the average of that column is within these, in instructions, by the clock's rate in MHz
ticks() {
    cell "$1" | awk -v least="$2" -v most="$3" -v mhz="$mhz" -F ' / ' '
        { n = $2 * 1000 / 64 / mhz; right = NF == 3 && $1 <= $2 && $2 <= $3 && n >= least && n <= most }
        END { exit !right }' || fail "column $1 is $(cell "$1") at $mhz MHz: not $2 to $3 instructions"
}

# run BOARD FLAG...: with gcc alone, at -O1, which builds sooner
FIRMWARE_OPT=${FIRMWARE_OPT:--O1 -g}
run() {
    on=$1
    shift
    firmware "$on" "$dir/$on.elf" -Wpedantic -Wconversion -Wshadow -Wundef -DTLOG_SLOTS=256 "$@" tests/bench/on_board.c
    emulate "$on" "$dir/$on.elf" >"$dir/text" 2>&1 || fail "$on: the run failed"
}

# whole CORE: what holds on each board in QEMU
whole() {
    says "^tlog on a board: Cortex-$1 r"
    says "^  tlog's clock at 0x[0-9a-f]{8} PASS: it counts"
    says '^  its rate: [0-9]+ ticks took [0-9]+ ms by the host.s clock (PASS|FAIL): the rate is'
    says '^  vectors: PASS: an exception came by a table in RAM'
    says '^  data cache: PASS: '
    says '^  events: PASS: '
    [ "$(cell 5)" = '**ticks of the clock, not cycles**' ] || fail "the row does not say that it has no cycles"
}

make -s run APP=tests/bench/on_board.c "BUILD=$build" ARM_OPT=-O2 FLAGS=-DTLOG_TRACEEVENTS=1 >"$dir/text" 2>&1
mhz=25
whole M3
says '^  CYCCNT: FAIL: DEMCR.TRCENA stays 0'
says '^  exclusives at 0x[0-9a-f]{8} PASS: STREX stores, and not behind an exception'
says '^Least / average / worst of 4096 calls'
ticks 6 23 23.5
ticks 7 27 27.5

for each in microbit:M0:16 mps2-an505:M33:20; do
    core=${each#*:} mhz=${each##*:}
    core=${core%:*}
    run "${each%%:*}" -DTLOG_TRACEEVENTS=1
    whole "$core"
    for column in 6 7 8 9 10; do ticks $column 20 120; done
    echo "$core: $(grep '^| your board' "$dir/text")"
    case $core in M0) says '^  exclusives at .* ABSENT: ' && says '^  CYCCNT: ABSENT: ' ;; esac
done

# A function that writes the text; TLOG_PRINTK without traceevents; a counter of the FPGA in place of CYCCNT.
cat >"$dir/put.c" <<'END'
#include "out_semihost.h"
int my_put(const char *text);
int my_put(const char *text)
{
    semihost_print(text);
    return 0;
}
END
ram=0x203F0000u
run mps2-an386 -DON_BOARD_PUT=my_put '-DON_BOARD_NAME="board B"' "$dir/put.c" -DTLOG_PORT_DWT_CYCCNT=0x40028018u \
    -DTLOG_PORT_DEMCR=$ram -DTLOG_PORT_DWT_CTRL=$ram+4 -DTLOG_PORT_DWT_LAR=$ram+8
says '^tlog on a board: Cortex-M4 r'
says '^  CYCCNT: PASS: it counts'
says '^  its rate: look at a watch'
grep -Eq '^[|] board B [|] .* [|] cycles [|] .* [|] - [|] [0-9]+ / [0-9.]+ / [0-9]+ [|]$' "$dir/text" ||
    fail "the row has no name, no cycles, or a figure of TLOG_PRINTK, which cannot be logged"

run mps2-an500 -DTLOG_CLOCK_ADDRESS=0x20000000u -DTLOG_CLOCK_DOWN=0 -DTLOG_TRACEEVENTS=1 -DTLOG_PORTABLE_EVENTS
says '^tlog on a board: Cortex-M7 r'
says "^  tlog's clock at 0x20000000 FAIL: it stands still"
says '^  its rate: FAIL: not tested'
says '^  events: FAIL: not measured'
echo "M4: a function that writes, a name, cycles; M7: a clock that stands still"
