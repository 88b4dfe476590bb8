#!/bin/sh
# sweep.sh - runs sweeps in QEMU: an interrupt in front of every instruction of the calls. Then proves by hit maps that
# no instruction was left out.
# usage: sweep.sh BUILD BOARD OPT [CONFIG SET]...     e.g. sweep.sh build mps2-an385 -O2 lean 1 lean 2
# Judges: the sweep itself on the target (ring.c, chunk.c); cover.c, which compares the hit maps.
#
# CONFIG: the * of a SWEEP_* in tests/module.mk. SET: 1, 2, 3 nest interrupts so many levels deep; 4 and 5 nest them one
# and two levels deep, in every state and of every call. Without CONFIG and SET: those of `make test`. There each core
# and optimisation level has one of two selections, so that every set runs on each core; -O0 is one level deep.
# `make test` and `make test-full` have one level only. make soak has all.
#
# A sweep runs twice and makes the same calls both times. The first run uses interrupts of all the set's levels and
# fills the hit maps. The second run uses one level less, while QEMU's plugin reach.c records each instruction that is
# executed: these are the instructions that the first run must have hit.
set -eu
build=$1
board=$2
opt=$3
shift 3
case $opt in -O0) part=0 ;; -Os) part=1 ;; -O2) part=2 ;; *) part=3 ;; esac
case $board in
mps2-an386) part=$((part + 5)) ;;
mps2-an500) part=$((part + 10)) ;;
mps2-an505) part=$((part + 15)) ;;
microbit) part=$((part + 20)) ;;
esac
if [ $# -eq 0 ]; then
    case ${TIER:-}$opt$board:$((part % 2)) in
    quick* | full*) set -- lean 1 ;;
    -O0*) set -- lean 1 minimal 1 event 1 chunk 1 ;;
    *:0) set -- lean 1 minimal 1 event 1 chunk 1 lean 2 event 2 ;;
    *) set -- ring 1 minimal 1 event 1 chunk 1 ring 2 chunk 2 ;;
    esac
fi
if [ $# -gt 2 ]; then
    while [ $# -gt 0 ]; do
        sh "$0" "$build" "$board" "$opt" "$1" "$2"
        shift 2
    done
    exit 0
fi
config=$1
set=$2
case $set in 4) levels=1 ;; 5) levels=2 ;; *) levels=$set ;; esac
elf=$build/$board/sweep$opt-$config.elf
dir=$build/$board/sweep$opt-$config/$set
make -s "SWEEP_PART=$part" "BUILD=$build" "BOARD=$board" "ARM_OPT=$opt" "$elf" "$build/cover" "$build/reach.so"
mkdir -p "$dir"
room=$(($(sed -n 's/.*HITS_WORDS = \([0-9]*\).*/\1/p' tests/lib/hits.h) * 64))
elf=$(cd "$(dirname "$elf")" && pwd)/$(basename "$elf")
tools=$(cd "$build" && pwd)
echo "$board $opt, $config, set $set"
cd "$dir"

# run ARGUMENT QEMU_OPTION...: run the image with ARGUMENT: the set, then the deepest level of interrupts. sram-size is
# for microbit, whose sweeps take more RAM than the board has: see microbit.ld.
run() {
    arg=$1
    shift
    timeout "${SWEEP_TIMEOUT:-600}" qemu-system-arm -M "$board" -display none -monitor none -serial none \
        -global nrf51-soc.sram-size=65536 -icount shift=6 \
        -semihosting-config enable=on,target=native,arg="$arg" -kernel "$elf" "$@"
}

symbols=$(arm-none-eabi-nm "$elf")
# symbol NAME: print its address
symbol() {
    echo "$symbols" | awk -v name="$1" '$3 == name { print $1 }'
}
# irq N: print the address of the N-th handler of an interrupt
irq() {
    echo "$symbols" | awk '$2 == "T" && $3 ~ /^irq_[0-9]+_handler$/ { print $1 }' | sort | sed -n "${1}p"
}

rm -f hits.bin reachable
run "$set$levels" 2>messages || { cat messages; exit 1; }
cat messages
mv hits.bin hits

begin=$(symbol test_code)
end=$(arm-none-eabi-readelf -sW "$elf" | awk '$4 == "FUNC" { print $2, $3 }' | sort | tail -n 1)
if [ $((0x${end% *} + ${end#* } - 0x$begin)) -gt "$room" ]; then
    echo "the code does not fit into the hit maps: HITS_WORDS in tests/lib/hits.h"
    exit 1
fi
arm=$(symbol test_irq_armed)
disarm=$(symbol test_irq_disarm)
arguments="begin=$begin,arm=$arm,disarm=$disarm"
for level in 1 2 3; do
    case $level in 3) enter=$(symbol systick_handler) ;; *) enter=$(irq $level) ;; esac
    arguments="$arguments,enter$level=$enter,leave$level=$(symbol test_irq_leave_$level)"
done
arguments="$arguments$(arm-none-eabi-objdump -d "$elf" | sed -n -e 's/^ *\([0-9a-f]*\):.*cpsid.*/,mask=\1/p' \
    -e 's/^ *\([0-9a-f]*\):.*msr[[:space:]]*PRIMASK.*/,unmask=\1/p' | tr -d '\n')"
run "$set$((levels - 1))" -plugin "$tools/reach.so,levels=$levels,out=reachable,$arguments" >/dev/null 2>below ||
    { cat below; exit 1; }
"$tools/cover" "$levels" "$begin" hits reachable
rm reachable
