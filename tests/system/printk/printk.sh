#!/bin/sh
# printk.sh - checks TLOG_PRINTK from firmware to text and trace-cmd: with the ELF file the texts are those of printf,
# without it the decoder shows the words of the event. Also checks function traces, as a graph and flat.
# usage: printk.sh BUILD BOARD
# Judges: check.py with Python's formatting; func.py; trace-cmd, libkshark.
set -eu
build=$1
. tests/lib/needs.sh
needs python3 trace-cmd clang "$build/check_kshark"
board=$2
dir=$build/test/printk
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir"
flags="-std=c11 -mthumb -ffreestanding -ffunction-sections -fdata-sections -mfloat-abi=soft -Wall -Wextra
    -Wpedantic -Werror -Wconversion -Wshadow -Itarget -Iport -Ilinker"

# build IMAGE ARGUMENT...: build firmware with traceevents, of the sources, objects and flags in ARGUMENT, as $dir/IMAGE
build() {
    image=$1
    shift
    firmware "$board" "$dir/$image" -Wpedantic -Wconversion -Wshadow -DTLOG_TRACEEVENTS=1 "$@"
}

# run IMAGE: run it in QEMU; its dump is then $dir/dump.bin
run() {
    emulate "$board" "$dir/$1"
}

# same_texts REPORT: trace-cmd has no complaint about the formats in trace.dat; version 6, trace-cmd's conversion and
# the decoder's own reading of trace.dat give the texts of REPORT
same_texts() {
    trace-cmd report --verbose=warning --check-events -i "$dir/trace.dat" 2>"$dir/err" >"$dir/checked"
    [ ! -s "$dir/err" ]
    "$build/tlog-decode" -q --elf="$dir/app.elf" --format=trace.dat-v6 "$dir/dump.bin" -o "$dir/v6.dat"
    trace-cmd report -i "$dir/v6.dat" 2>/dev/null | cmp - "$1"
    trace-cmd convert -i "$dir/trace.dat" -o "$dir/converted.dat" >/dev/null
    trace-cmd report -i "$dir/converted.dat" 2>/dev/null | cmp - "$1"
    "$build/check_kshark" "$dir/trace.dat" >"$dir/kshark"
    [ "$(grep -c . "$dir/kshark")" -gt 0 ]
    "$build/tlog-decode" -q --format=text-full "$dir/trace.dat" | sed -n 's/.*:b\{0,1\}print: .*buf=//p' |
        sed 's/ *$//' >"$dir/again"
    sed -n 's/.*ftrace:print: buf=//p' "$dir/text" | sed 's/ *$//' | cmp - "$dir/again"
}

for level in -O2 -O0; do
    build app.elf tests/system/printk/app.c "$level"
    run app.elf
    "$build/tlog-decode" -q --elf="$dir/app.elf" --format=text-full "$dir/dump.bin" >"$dir/text"
    "$build/tlog-decode" -q --format=text-full "$dir/dump.bin" >"$dir/raw"
    "$build/tlog-decode" -q --elf="$dir/app.elf" "$dir/dump.bin" -o "$dir/trace.dat"
    trace-cmd report -i "$dir/trace.dat" 2>"$dir/err" >"$dir/report"
    [ ! -s "$dir/err" ]
    # shellcheck disable=SC2046
    python3 tests/system/printk/check.py "$dir/text" "$dir/report" "$dir/raw" $(arm-none-eabi-nm "$dir/app.elf" |
        sed -n 's/.* [tT] //p')
    [ "$(grep -c ' bprint: ' "$dir/report")" -eq 16 ]
    same_texts "$dir/report"
    "$build/tlog-decode" -q --elf="$dir/app.elf" --format=text "$dir/dump.bin" >"$dir/lines"
    trace-cmd report -t "$dir/trace.dat" 2>/dev/null | cmp - "$dir/lines"
done

# Without debugging information the decoder does not know which function logs a format, so it writes finished text. It
# also does so with --long-size=4 and --endian=big, where viewers would misread the sizes of the arguments.
arm-none-eabi-objcopy --strip-debug "$dir/app.elf" "$dir/stripped.elf"
for as in --elf="$dir/stripped.elf" "--elf=$dir/app.elf --long-size=4" "--elf=$dir/app.elf --endian=big"; do
    # shellcheck disable=SC2086
    "$build/tlog-decode" -q $as "$dir/dump.bin" -o "$dir/print.dat"
    trace-cmd report -i "$dir/print.dat" 2>"$dir/err" | sed 's/ *$//' >"$dir/print"
    [ ! -s "$dir/err" ]
    sed -n 's/.*ftrace:print: buf=\(.*\)/\1/p' "$dir/text" | sed 's/ *$//' >"$dir/texts"
    sed -n 's/.* print: *//p' "$dir/print" | cmp - "$dir/texts"
done

for level in -O2 -O0; do
    build func.elf tests/system/printk/func.c "$level" -finstrument-functions \
        -finstrument-functions-exclude-file-list=target/,port/,linker/,board.h
    run func.elf
    "$build/tlog-decode" -q --elf="$dir/func.elf" --format=text-full "$dir/dump.bin" >"$dir/graph"
    "$build/tlog-decode" -q --elf="$dir/func.elf" --function-trace=flat --format=text-full "$dir/dump.bin" >"$dir/flat"
    for form in graph flat; do
        "$build/tlog-decode" -q --elf="$dir/func.elf" --function-trace=$form "$dir/dump.bin" -o "$dir/$form.dat"
        trace-cmd report -i "$dir/$form.dat" 2>"$dir/err" >"$dir/report.$form"
        [ ! -s "$dir/err" ]
    done
    python3 tests/system/printk/func.py "$dir/graph" "$dir/flat" "$dir/report.graph"
    grep -q 'function: *recurse$' "$dir/report.flat"
    "$build/tlog-decode" -q --function-trace=none --format=text-full "$dir/dump.bin" >"$dir/none"
    if grep ftrace: "$dir/none"; then
        exit 1
    fi
done

# Texts from a thread and an interrupt are complete and none is missing: all of them in a large chunk, and the newest
# ones in a chunk that started over.
for slots in 16384 1000; do
    build irq.elf tests/system/printk/irq.c -O2 "-DTLOG_SLOTS=$slots"
    run irq.elf
    "$build/tlog-decode" -q --elf="$dir/irq.elf" --format=text-full "$dir/dump.bin" >"$dir/irq"
    sed -n 's/.*buf=number //p' "$dir/irq" | sort -n | awk -v slots="$slots" '
        {
            rest = $0
            sub(/^[0-9]*/, "", rest)
            want[0] = ""; want[1] = " " $1; want[2] = " " $1 " text of some words"; want[3] = " " $1 " " $1 " " $1
            if (rest != want[$1 % 4] || NR > 1 && $1 < last + 1) { print "wrong: " $0; bad = 1; exit 1 }
            missing += NR > 1 ? $1 - last - 1 : 0
            last = $1
        }
        END {
            if (bad) exit 1
            print NR " texts from a thread and an interrupt, " missing " missing"
            exit last < 1999 || missing > 3 || (slots > 2000 && NR != last + 1)
        }'
done

# The formats are in the ELF file, but not in what is loaded into the target.
arm-none-eabi-objcopy -O binary "$dir/app.elf" "$dir/app.bin"
grep -q 'lone wide' "$dir/app.elf"
if grep -q 'lone wide' "$dir/app.bin"; then
    echo "a format is in flash"
    exit 1
fi

# If the linker script does not merge the sections tlog_printk.N of C++, they are separate sections in flash, and the
# decoder must still find the formats. If there is no such section at all, the decoder says so, once.
mkdir "$dir/apart"
sed '/tlog_printk/d' linker/tlog_rest.ld >"$dir/apart/tlog_rest.ld"
cat >"$dir/apart.cc" <<'END'
#include "out_semihost.h"
#include "tlog.h"
extern "C" int main(void);
inline void twice(int a) { TLOG_PRINTK("twice %d", 2 * a); }
int main(void)
{
    TLOG_PRINTK("one %d", 1);
    twice(2);
    TLOG_PRINTK("three %s", "words");
    return 0;
}
END
arm-none-eabi-g++ -std=gnu++17 -fno-exceptions -fno-rtti -mthumb -ffreestanding -mfloat-abi=soft -Wall -Wextra -Werror \
    -Itarget -Iport -Ilinker -mcpu=cortex-m3 -g "-I$build/$board" -include board.h -DTLOG_TRACEEVENTS=1 -O2 \
    -c "$dir/apart.cc" -o "$dir/apart.o"
build apart.elf "$dir/apart.o" "-L$dir/apart" -Llinker
[ "$(arm-none-eabi-readelf -SW "$dir/apart.elf" | grep -c ' tlog_printk\.[0-9]')" -eq 3 ]
run apart.elf
printf 'one 1\ntwice 4\nthree words\n' >"$dir/want"
"$build/tlog-decode" -q --elf="$dir/apart.elf" --format=text-full "$dir/dump.bin" | sed -n 's/.*ftrace:print: buf=//p' |
    cmp - "$dir/want"
"$build/tlog-decode" -q --elf="$dir/apart.elf" "$dir/dump.bin" -o "$dir/apart.dat"
trace-cmd report -i "$dir/apart.dat" 2>"$dir/err" | sed -n 's/.* bprint: *[A-Za-z0-9_]*: //p' | cmp - "$dir/want"
[ ! -s "$dir/err" ]

# If a format takes more or fewer arguments than the event has, every output format shows the words of the event and
# says that they contradict the format.
printf 'printk format args 0x1 <the format takes others>\ntwice 4\nthree words\n' >"$dir/want"
for format in '%d%d%d' 'one 11'; do
    LC_ALL=C sed "s/one %d/$format/" "$dir/apart.elf" >"$dir/bent.elf"
    "$build/tlog-decode" -q --elf="$dir/bent.elf" --format=text-full "$dir/dump.bin" |
        sed -n 's/.*ftrace:print: buf=//p' >"$dir/bent"
    for version in trace.dat trace.dat-v6; do
        "$build/tlog-decode" -q --elf="$dir/bent.elf" --format=$version "$dir/dump.bin" -o "$dir/bent.dat"
        trace-cmd report -i "$dir/bent.dat" 2>"$dir/err" | sed -n 's/.* b\{0,1\}print: *\([A-Za-z0-9_]*: \)\{0,1\}//p' \
            | cmp - "$dir/bent"
        [ ! -s "$dir/err" ]
    done
    sed 's/format 0x[0-9a-f]* /format /' "$dir/bent" | cmp - "$dir/want"
done
arm-none-eabi-objcopy -R 'tlog_printk*' "$dir/apart.elf" "$dir/without.elf" 2>/dev/null
for format in text trace.dat; do
    "$build/tlog-decode" --elf="$dir/without.elf" --format=$format "$dir/dump.bin" -o "$dir/without" 2>"$dir/err"
    said="without.elf: no section tlog_printk in it: texts of TLOG_PRINTK stay numbers; see linker/tlog.ld"
    [ "$(grep -c "$said$" "$dir/err")" -eq 1 ]
    "$build/tlog-decode" -q --elf="$dir/without.elf" --format=$format "$dir/dump.bin" -o "$dir/without" 2>"$dir/err"
    [ ! -s "$dir/err" ]
done
"$build/tlog-decode" "$dir/dump.bin" --format=text-full 2>&1 >"$dir/without" | grep -c . | grep -qx 1 # the summary

# TLOG_PRINTK compiles on every core, and with TLOG_ENABLE=0. What it must refuse does not compile.
# try COMPILER FLAG...: compile app.c
try() {
    # shellcheck disable=SC2086
    "$@" $flags -c tests/system/printk/app.c -o "$dir/object.o" 2>"$dir/errors"
}
for level in -O0 -Os -O3; do
    for core in "-mcpu=cortex-m0 -include microbit.h" "-mcpu=cortex-m33 -include mps2-an505.h" \
        "-mcpu=cortex-a15 -include virt.h"; do
        # shellcheck disable=SC2086
        try arm-none-eabi-gcc $core "$level" -DTLOG_TRACEEVENTS=1
        # shellcheck disable=SC2086
        try clang --target=arm-none-eabi $core "$level" -DTLOG_TRACEEVENTS=1
    done
done
try arm-none-eabi-gcc -mcpu=cortex-m3 -include "$board.h" -O2 -DTLOG_ENABLE=0
if try arm-none-eabi-gcc -mcpu=cortex-m3 -include "$board.h" -O2; then
    echo "compiled: TLOG_PRINTK without traceevents"
    exit 1
fi
grep -q 'TLOG_PRINTK needs TLOG_TRACEEVENTS=1' "$dir/errors"
for bad in '"%d", 1.0' '"%s", 3' '"%d"' '"one", 1' '"%d %d %d %d %d %d %d %d %d", 1, 2, 3, 4, 5, 6, 7, 8, 9'; do
    for enable in 0 1; do
        printf '#include "tlog.h"\nvoid f(void);\nvoid f(void) { TLOG_PRINTK(%s); }\n' "$bad" >"$dir/bad.c"
        # shellcheck disable=SC2086
        if arm-none-eabi-gcc $flags -mcpu=cortex-m3 -include "$board.h" -O2 -DTLOG_TRACEEVENTS=1 \
            "-DTLOG_ENABLE=$enable" -c "$dir/bad.c" -o "$dir/object.o" 2>"$dir/errors"; then
            echo "compiled: $bad"
            exit 1
        fi
    done
done
echo "refused: what printf would refuse"
