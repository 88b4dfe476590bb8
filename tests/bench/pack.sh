#!/bin/sh
# pack.sh - measures how much smaller tlog_pack() makes the demo's chunks, and what that costs.
# usage: pack.sh BUILD_DIR
#
# Needs BUILD_DIR/demo/dump.bin (make demo). Instructions are counted by QEMU's clock, see pack.c; QEMU does not model
# cycles. Flash and RAM are those of tlog_pack.c alone, compiled as for the runtime.

. "$(dirname "$0")/lib.sh"
start pack "$0" "$@"
dump=$(cd "$build/.." && pwd)/demo/dump.bin
[ -s "$dump" ] || fail "$dump is missing: make demo"

# divide A B: print A / B with two decimals
divide() {
    awk -v a="$1" -v b="$2" 'BEGIN { if (b == 0) exit 1; printf "%.2f\n", a / b }'
}

# printed NAME: print a figure that the harness printed
printed() {
    value=$(field "$build/pack.out" "$1")
    [ -n "$value" ] || fail "$1: nothing measured"
    echo "$value"
}

# object CORE: print the bytes of flash of tlog_pack.c
object() {
    "${cross}gcc" -std=c11 -mthumb -O2 -ffreestanding "-mcpu=$1" -I"$root/target" -c "$root/target/src/tlog_pack.c" \
        -o "$build/pack_$1.o" || fail "tlog_pack.c does not build for $1"
    "${cross}size" "$build/pack_$1.o" | awk 'NR == 2 { print $1 }'
}

firmware pack cortex-m3 down pack -DEMIT_EMPTY "-DPACK_DUMP=\"$dump\""
emulate pack mps2-an385 -icount shift=6
calibrated=$(printed calibrate)
[ "$calibrated" -ge 2000 ] && [ "$calibrated" -le 2020 ] || fail "calibration: 2000 instructions are $calibrated"

for part in chunk events names empty noise; do
    put "ratio_$part" "$(divide "$(printed ${part}_image)" "$(printed ${part}_region)")"
    put "cost_$part" "$(divide "$(printed ${part}_instructions)" "$(printed ${part}_slots)")"
done
put growth "$(divide "$(($(printed noise_region) * 100))" "$(printed noise_image)")"
put smaller "$(divide "$(printed events_region)" "$(printed events_slots)")"
put part "$(divide "$(printed chunk_region)00" "$(printed chunk_image)")"
put stack "$(printed stack)"
put flash "$(object cortex-m3)"
put flash_v6m "$(object cortex-m0)"
put ram "$(awk '$NF == "work" { print $2; exit }' "$build/pack.nm" | { read -r hex && echo $((0x$hex)); })"

echo "Compression, Cortex-M3, -O2, $(printed events_slots) events in a chunk of $(printed chunk_slots) slots"
echo
table <<END
part | demo: bytes of the region per 100 of its chunk | 33.33 | <= 33.3, aim 20 | -
smaller | demo: bytes per event (16 before) | 5.33 | <= 5.3, aim 3.2 | -
cost_events | demo: instructions per event | 250 | <= 250 | -
cost_chunk | demo: instructions per slot, empty ones included | 250 | <= 250 | -
cost_names | names: instructions per slot | | |
cost_empty | empty slots: instructions per slot | | |
cost_noise | noise: instructions per slot | | |
growth | noise: bytes of the region per 100 of its chunk | 106.25 | <= 106.25 | -
stack | stack | 128 | <= 128 | -
flash | flash, Cortex-M3 | | |
flash_v6m | flash, Cortex-M0 | | |
ram | working memory | | |
END
echo
printf "image : region: demo %s, its events %s, names %s, empty %s\n" "$(get ratio_chunk)" "$(get ratio_events)" \
    "$(get ratio_names)" "$(get ratio_empty)"
