#!/bin/sh
# single.sh - checks what `make single` makes. The same files give the same bytes, and have all sources of the runtime.
# In a folder with nothing but main.c and these files, they compile without a path for each core, as C and C++, and
# with a stand-in for each kernel its hooks. A file of a user's becomes the same assembly as with the checkout's
# headers; linked, the runtime takes at most 2 % more flash than of its single files, and in QEMU the dump has the same
# events.
# usage: single.sh BUILD [BOARD...]     (the tier full: fewer cores and options)
# Judges: gcc and clang, cmp, size, the built decoder.
set -eu
build=$1
dir=$build/test/single
. tests/system/pack/lib.sh
needs python3 clang
shift
rm -rf "$dir"
mkdir -p "$dir/fresh"
one=$dir/fresh
warnings="-Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wundef"
# all WORD...: print them, but not in the tier full
all() {
    [ "${TIER:-}" = full ] || echo "$@"
}
cores="cortex-m0 cortex-m3 cortex-m33 cortex-a15 $(all cortex-m0plus cortex-m4 cortex-m7 cortex-m55 cortex-a7)"

# shellcheck disable=SC2046 # several words
[ $# -gt 0 ] || set -- mps2-an385 $(all microbit mps2-an505 virt)

# of CORE: print the options for gcc and clang of a core, whose board gives it a clock if it has none
of() {
    case $1 in *m0*) set -- "$1" " -DTLOG_CLOCK_ADDRESS=0x40008000u" ;; esac
    echo "-mcpu=$1 -mthumb -mfloat-abi=soft -ffreestanding -DTLOG_CLOCK_HZ=1000000${2:-}"
}

# ---- the files
make -s single "BUILD=$dir" >/dev/null
mv "$dir/single" "$dir/twice"
LC_ALL=C PYTHONHASHSEED=7 make -s single "BUILD=$dir" >/dev/null
diff -r "$dir/single" "$dir/twice"
cp "$dir"/single/* "$one"
# shellcheck disable=SC2016 # make's variable
for source in $(make -s --no-print-directory --eval 'told: ; @echo $(RUNTIME)' told); do
    grep -qF "/* ==== $source =" "$one/tlog.c" || { echo "tlog.c has no part of $source"; exit 1; }
done
for file in "$one"/*; do
    [ "$(grep -c SPDX "$file")" -eq 1 ] || { echo "$file: not one licence"; exit 1; }
    if grep -nE '^.{121}' "$file"; then echo "$file: too wide"; exit 1; fi
done
if grep -hoE '^#include "[^"]*"' "$one"/tlog.[ch] | grep -v '"tlog.h"'; then echo "an #include is left"; exit 1; fi
echo "$(ls "$one" | wc -l) files, the same bytes again; tlog.c has all sources of the runtime"

# ---- a folder with nothing else
cp tests/system/pack/consumer/main.c tests/system/pack/consumer/library.c "$one"
cp "$one/main.c" "$one/main.cc"
cd "$one"
for core in $cores; do
    for level in -O1 $(all -O0 -O2 -O3 -Os); do
        # shellcheck disable=SC2046,SC2086
        arm-none-eabi-gcc -std=c11 $(of $core) $level $warnings -DTLOG_TRACEEVENTS=1 -c main.c tlog.c out_semihost.c
        # shellcheck disable=SC2046,SC2086
        arm-none-eabi-gcc -std=c11 $(of $core) $level $warnings -DTLOG_START=1 -DTLOG_CHUNKS=2 -fsyntax-only tlog.c
    done
    # shellcheck disable=SC2046,SC2086
    arm-none-eabi-g++ -std=c++11 $(of $core) -O2 $warnings -c main.cc
    for options in -DTLOG_TRACEEVENTS=1 -DTLOG_MINIMAL=1 -DTLOG_ENABLE=0; do
        # shellcheck disable=SC2046,SC2086
        clang --target=arm-none-eabi -std=c11 $(of $core) -O2 $warnings $options -fsyntax-only main.c tlog.c
    done
done
for cc in gcc $(all clang); do
    $cc $warnings main.c library.c tlog.c -o host && ./host
done
cd - >/dev/null
rm "$one"/*.o
for kernel in freertos threadx rtx5 chibios; do
    # shellcheck disable=SC2046
    arm-none-eabi-gcc -std=gnu11 $(of cortex-m3) -O1 -Wall -Wextra -Werror "-I$one" -Itests/rtos -Itests/rtos/$kernel \
        -DSTAND_IN=11 -c "$one/tlog_$kernel.c" -o "$dir/$kernel.o"
done
echo "compiled without a path: main.c, tlog.c, and hooks of 4 kernels; run on this machine"

# ---- a user's file
python3 tests/system/single/tree.py "$dir/tree" "$version"
# assembly FOLDER OUTPUT FLAG...: compile tests/system/every_call.c there, to assembly without names of files
assembly() (
    cd "$1" || exit
    output=$2
    shift 2
    arm-none-eabi-gcc -std=c11 "$@" -g0 -fno-ident -Itarget -Iport -Ilinker -DNET_CLOCK_HZ=1000000u -S \
        tests/system/every_call.c -o "$output.all" && sed '/^@ [0-9]* "/d' "$output.all" >"$output"
)
# In the tier full each core has one of these.
set_of() {
    case $1 in
    cortex-m0) echo -Os ;;
    cortex-m33) echo -O0 -DTLOG_TRACEEVENTS=1 ;;
    *) echo -O2 -DTLOG_TRACEEVENTS=1 ;;
    esac
    [ "${TIER:-}" = full ] ||
        printf '%s\n' -O0 -O1 -O3 -Os "-Os -DTLOG_TRACEEVENTS=1" -O2 "-O2 -DTLOG_MINIMAL=1" "-O2 -DTLOG_ENABLE=0" \
            "-O2 -DTLOG_UNIQUE_STAMPS=1 -DTLOG_TRACEEVENTS=1" "-O2 -DTLOG_CONTEXT=1"
}
for core in $cores; do
    set_of $core | while read -r options; do
        # shellcheck disable=SC2046,SC2086
        assembly . "$dir/many.s" $(of $core) $options
        # shellcheck disable=SC2046,SC2086
        assembly "$dir/tree" "$dir/one.s" $(of $core) $options
        cmp "$dir/many.s" "$dir/one.s" || { echo "$core $options: not the same code"; exit 1; }
    done
done
echo "a user's file: the same assembly on every core, $(grep -c . "$dir/one.s") lines"

# ---- linked, and run
flags="-O1 $(all -O2) -g -ffunction-sections -fdata-sections -DTLOG_SLOTS=128 -DTLOG_TRACEEVENTS=1 -DOWN_EVENTS"

# linked BOARD OUTPUT FLAG...: build the consumer's firmware with these flags and sources
linked() {
    board=$1 output=$2
    shift 2
    core=$(sed -n "s/^CORE_$board *:= *//p" Makefile)
    startup=linker/startup_m.c
    case $core in cortex-a*) startup=linker/startup_a.c ;; esac
    cp "linker/$board.h" "$dir/board.h"
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -std=c11 "-mcpu=$core" -mthumb -mfloat-abi=soft -ffreestanding $flags $warnings \
        -include "$dir/board.h" "$@" "$one/main.c" "$one/library.c" $startup linker/mem.c -Ilinker "-I$dir" -nostdlib \
        -Llinker -T "linker/$board.ld" -Wl,--gc-sections,--build-id -lgcc -o "$output"
}

# events ELF: run it in QEMU, and print what its dump holds, without the times
events() {
    rm -f "$dir/dump.bin"
    emulate "$board" "$1"
    "$build/tlog-decode" --format=text-full "--elf=$1" "$dir/dump.bin" 2>"$dir/err" >"$dir/text" ||
        { cat "$dir/err"; exit 1; }
    sed 's/[0-9]*\.[0-9]*:/TIME:/' "$dir/text"
}
for each; do
    linked "$each" "$dir/many.elf" -Itarget -Iport target/src/*.c port/port_v*.c port/irq_v7m.c port/out_semihost.c
    linked "$each" "$dir/one.elf" "-I$one" "-L$one" "$one/tlog.c" "$one/out_semihost.c"
    many=$(arm-none-eabi-size "$dir/many.elf" | awk 'NR == 2 { print $1 + $2 }')
    single=$(arm-none-eabi-size "$dir/one.elf" | awk 'NR == 2 { print $1 + $2 }')
    [ $((single * 100)) -le $((many * 102)) ] || { echo "$each: flash $single, of single files $many"; exit 1; }
    events "$dir/many.elf" >"$dir/many.txt"
    events "$dir/one.elf" >"$dir/one.txt"
    grep -q 'adc_sample.*-120' "$dir/one.txt"
    [ "$(grep -c 'user_event_0: par1' "$dir/one.txt")" -eq 100 ]
    cmp "$dir/many.txt" "$dir/one.txt"
    echo "$each: flash $single, of single files $many; the same $(wc -l <"$dir/one.txt") lines of a dump"
done
