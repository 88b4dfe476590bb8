#!/bin/sh
# seeded.sh - puts one mistake at a time into the code that keeps runs over a reset; the reset test must notice each.
# usage: seeded.sh BUILD [--applies]
# Judge: reset.py.
#
# --applies: only check that the text that each mistake replaces is still in the code.
set -eu
. tests/lib/needs.sh
needs python3
build=$1
applies=${2:-}
dir=$build/test/reset_seeded${applies:+_applies}
failed=0

# try NAME FILE OLD NEW [MODE]: replace OLD, which must be there exactly once, by NEW; run the reset test in that MODE
try() {
    rm -rf "$dir"
    mkdir -p "$dir"
    cp -r target port linker "$dir"
    python3 tests/strength/replace.py "$dir/$2" "$1" "$3" "$4"
    [ "$applies" != --applies ] || return 0
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -std=c11 -mcpu=cortex-m3 -mthumb -O2 -ffreestanding -ffunction-sections -fdata-sections -w \
        -mfloat-abi=soft -Itests/runtime/reset "-I$dir/target" "-I$dir/port" "-I$dir/linker" "-I$build/mps2-an385" \
        -include board.h -DTLOG_RUNS=3 -DTLOG_CHUNKS=2 -DTLOG_SLOTS=4 -DTLOG_NAME_SLOTS=4 tests/runtime/reset/main.c \
        tests/runtime/reset/check.c tests/runtime/reset/noise.c "$dir"/target/src/*.c "$dir/port/port_v7m.c" \
        "$dir/port/out_semihost.c" "$dir/linker/startup_m.c" "$dir/linker/mem.c" -nostdlib -Wl,--gc-sections \
        "-L$dir/linker" -T linker/mps2-an385.ld -lgcc -o "$dir/reset.elf"
    code=0
    (cd "$dir" && timeout 300 python3 "$OLDPWD/tests/runtime/reset/reset.py" reset.elf "${5:-sweep}" 1) >"$dir/log" \
        2>&1 || code=$?
    if [ "$code" -eq 1 ] && grep -q failed "$dir/log"; then
        echo "noticed   $1: $(sed -n 's/failed: //p' "$dir/log" | cut -d, -f1)"
    else
        echo "SURVIVED  $1"
        failed=1
    fi
}

try "magic right from the start" target/src/tlog_start.c "if (TLOG_RUNS == 1 || i > 0)" "if (true)"
try "old magics stay" target/src/tlog_start.c "        erase(cpu, &chunk_at(cpu, i)->magic);" "        ;"
try "first chunk is made first" target/src/tlog_start.c "    for (uint32_t i = chunks_of(cpu); i-- > 0;)" \
    "    for (uint32_t i = 0; i < chunks_of(cpu); i++)"
try "newest bank taken" target/src/tlog_runs.c "tlog_ring_boot - bank->boot : UINT32_MAX" \
    "bank->boot - tlog_ring_boot : UINT32_MAX"
try "numbers of runs do not wrap" target/src/tlog_runs.c "(int32_t)(boot - other) < 0" "boot < other"
try "number of the run before" target/src/tlog_start.c "newest_run() : boot_before(chunk)) + 1u" \
    "newest_run() : boot_before(chunk)) + 0u"
try "header's check sum not looked at" target/src/tlog_ring.h "
           && tlog_ring_check(chunk) == chunk->check" "" noise
try "head written first" target/src/tlog_ring.h "    at->slot[TLOG_WORD_LOW] = at->low;" \
    "    tlog_port_head(at->slot, at->cursor + code, par1); at->slot[TLOG_WORD_LOW] = at->low;"
try "names always in the first bank" target/src/tlog_name.c "TLOG_RUNS > 1 ? tlog_ring_first(cpu)" \
    "TLOG_RUNS > 1 ? cpu->ring->first"
exit $failed
