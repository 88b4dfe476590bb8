#!/bin/sh
# seeded.sh - puts one mistake at a time into the code that keeps runs over a reset; the reset test must notice each.
# usage: seeded.sh BUILD [WORD | --applies]
# Judge: reset.py.
#
# WORD: only mistakes whose name holds the word. --applies: only check that the text that each mistake replaces is still
# in the code. For limits of time, and what happens when a bug does not apply, see tests/strength/seeded_lib.sh.
set -eu
. tests/lib/needs.sh
needs python3
. tests/strength/seeded_lib.sh
mkdir -p "$1"
seeded_begin "$0" "$(cd "$1" && pwd)/test/reset_seeded" "${2:-}"
script=$(pwd)/tests/runtime/reset/reset.py
cp linker/mps2-an385.h "$dir/board.h"

# firmware FOLDER: build reset.elf there, from the code in that folder
firmware() {
    rm -f "$1/reset.elf"
    arm-none-eabi-gcc -std=c11 -mcpu=cortex-m3 -mthumb -O2 -ffreestanding -ffunction-sections -fdata-sections -w \
        -mfloat-abi=soft -Itests/runtime/reset "-I$1/target" "-I$1/port" "-I$1/linker" "-I$dir" \
        -include board.h -DTLOG_RUNS=3 -DTLOG_CHUNKS=2 -DTLOG_SLOTS=4 -DTLOG_NAME_SLOTS=4 tests/runtime/reset/main.c \
        tests/runtime/reset/check.c tests/runtime/reset/noise.c "$1"/target/src/*.c "$1/port/port_v7m.c" \
        "$1/port/out_semihost.c" "$1/linker/startup_m.c" "$1/linker/mem.c" -nostdlib -Wl,--gc-sections \
        "-L$1/linker" -T linker/mps2-an385.ld -lgcc -o "$1/reset.elf"
}

# bug NAME MODE FILE OLD NEW: run the reset test with that bug in that mode, and print how it noticed
bug() {
    name=$1 expects=$2 file=$3
    shift 3
    seeded_bug "$name" "$file" "$@" || return 0
    if [ ! -s "$dir/limit-$expects" ]; then
        mkdir -p "$dir/sound" && cp -r target port linker "$dir/sound/"
        firmware "$dir/sound"
        measured "$expects" env -C "$dir/sound" python3 "$script" reset.elf "$expects" 1
    fi
    firmware "$dir/new" 2>"$dir/message" || { misfit "DOES NOT BUILD" && return 0; }
    limited "$expects" env -C "$dir/new" python3 "$script" reset.elf "$expects" 1
    judge "$by"
}

bug "magic right from the start" sweep target/src/tlog_start.c "if (TLOG_RUNS == 1 || i > 0)" "if (true)"
bug "old magics stay" sweep target/src/tlog_start.c "        erase(cpu, &chunk_at(cpu, i)->magic);" "        ;"
bug "first chunk is made first" sweep target/src/tlog_start.c "    for (uint32_t i = chunks_of_cpu(cpu); i-- > 0;)" \
    "    for (uint32_t i = 0; i < chunks_of_cpu(cpu); i++)"
bug "newest bank taken" sweep target/src/tlog_runs.c "age = tlog_ring_boot - bank->boot;" \
    "age = bank->boot - tlog_ring_boot;"
bug "first short run not kept" sweep target/src/tlog_runs.c "banks.shorts > 1u" "banks.shorts > 0"
bug "second lap is short" sweep target/src/tlog_runs.c "if (laps > 1u)" "if (laps > 3u)"
bug "number of a run comes again" sweep target/src/tlog_runs.c "bank->magic == 0 && " "bank->magic == 1u && "
bug "numbers of runs do not wrap" sweep target/src/tlog_runs.c "(int32_t)(boot - other) < 0" "boot < other"
bug "number of the run before" sweep target/src/tlog_start.c "newest_run() : boot_before(first)) + 1u" \
    "newest_run() : boot_before(first)) + 0u"
bug "header's check sum not looked at" noise target/src/tlog_ring.h "
           && tlog_ring_check(chunk) == chunk->check" ""
# Without the publishing the compiler stores the head behind the other words all the same.
bug "head written first" sweep target/src/tlog_ring.h '    tlog_port_put_two(at->slot, par2, at->high); /' \
    '    tlog_port_head(at->slot, at->cursor + code, par1);
    tlog_port_publish();
    tlog_port_put_two(at->slot, par2, at->high); /'
bug "names always in the first bank" sweep target/src/tlog_name.c "TLOG_RUNS > 1 ? tlog_ring_first(&names[cpu])" \
    "TLOG_RUNS > 1 ? names[cpu].ring->first"
seeded_end
