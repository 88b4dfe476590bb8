#!/bin/sh
# define.sh - own events from firmware to the names in its ELF file: two files of C, one of C++ and a library share a
# header; each event has one number and one description, and the dump shows the values. With the full tier for each
# compiler, optimisation and language standard, with and without --gc-sections, and in each form; and what must not
# compile or link says why. No name is in the load image.
# usage: define.sh BUILD [quick|full|soak]
# Judges: define.py, which reads ELF file and dump by FORMAT.md alone; gcc, clang, and the linkers' messages.
set -eu
. tests/lib/needs.sh
needs python3 clang clang++ ld.lld
build=$1
FIRMWARE_OPT= # as users compile it
tier=${2:-quick}
dir=$build/test/define
here=tests/system/define
. tests/lib/firmware.sh
rm -rf "$dir"
mkdir -p "$dir/lld"
ln -sf "$(command -v ld.lld)" "$dir/lld/ld"
lld=-B$PWD/$dir/lld
case $dir in /*) lld=-B$dir/lld ;; esac
gxx=arm-none-eabi-g++
clang="clang --target=arm-none-eabi -Wno-unused-command-line-argument"
clangxx="clang++ --target=arm-none-eabi -Wno-unused-command-line-argument"
warnings="-Wall -Wextra -Wpedantic -Werror -Wconversion -Wshadow -Wundef"
flags="-mfloat-abi=soft -ffreestanding -ffunction-sections -fdata-sections -Itarget -Iport -Ilinker -I$here $warnings"

# objects CORE_AND_BOARD CC CXX STD FLAG...: compile the firmware's own files; C as C11, C++ as STD
objects() {
    core=$1 cc=$2 cxx=$3 std=$4
    shift 4
    # shellcheck disable=SC2086
    {
        for name in app second library; do
            $cc -std=c11 $core $flags "$@" -c "$here/$name.c" -o "$dir/$name.o"
        done
        $cxx -std="$std" -fno-exceptions -fno-rtti $core $flags "$@" -c "$here/more.cc" -o "$dir/more.o"
    }
    rm -f "$dir/library.a"
    arm-none-eabi-ar rcs "$dir/library.a" "$dir/library.o"
}

# shows WHAT BOARD: run the firmware; its events must be the expected ones
shows() {
    emulate "$2" "$dir/app.elf"
    python3 "$here/define.py" "$dir/app.elf" "$dir/dump.bin" >"$dir/shown.txt"
    diff "$dir/expected.txt" "$dir/shown.txt" || { echo "not as expected: $1"; exit 1; }
    echo "shown: $1"
}

# try WHAT BOARD CORE CC CXX STD FLAG...: build, link with the runtime and the flags in $link, run, compare
link=
try() {
    what=$1 on=$2 core="-mcpu=$3 -mthumb -include $2.h" cc=$4 cxx=$5 std=$6
    shift 6
    objects "$core" "$cc" "$cxx" "$std" "$@" -g
    # shellcheck disable=SC2086
    firmware "$on" "$dir/app.elf" "$dir/app.o" "$dir/second.o" "$dir/more.o" "$dir/library.a" "$@" $link
    shows "$what, $on $*" "$on"
}

# names: print the names of all events that are described
names() {
    python3 "$here/define.py" --names "$dir/app.elf"
}

cp "$here/expected.txt" "$dir/expected.txt"
gcc=arm-none-eabi-gcc
events=-DTLOG_TRACEEVENTS=1
try gcc mps2-an385 cortex-m3 $gcc $gxx c++17 $events -O2
cut -d' ' -f1 "$dir/expected.txt" | sort -u >"$dir/called.txt"
names | diff "$dir/called.txt" - || { echo "described are others than are called"; exit 1; }
arm-none-eabi-objcopy -O binary "$dir/app.elf" "$dir/image"
for word in adc_sample queue_depth filter STALL mV name_of_a_group; do
    ! grep -q $word "$dir/image" || { echo "$word is in the load image"; exit 1; }
done
echo "described: what is called, and nothing in the load image"

# refuse TEXT FLAG... -- CODE: must not compile, in C and in C++, with an error that has TEXT
refuse() {
    text=$1 code=$2
    shift 2
    printf '#include "tlog.h"\nextern int something;\n%s\n' "$code" >"$dir/bad.c"
    for compiler in "$gcc -std=c11" "$gxx -std=c++17 -x c++" "$clang -std=c11" "$clangxx -std=c++11 -x c++"; do
        # shellcheck disable=SC2086
        if $compiler -mcpu=cortex-m3 -mthumb -include mps2-an385.h $flags -O2 "$@" -c "$dir/bad.c" -o "$dir/bad.o" \
            2>"$dir/err"; then
            echo "compiled: $compiler $* $code"
            exit 1
        fi
        grep -q -i "$text" "$dir/err" || { cat "$dir/err"; echo "not for that reason: $compiler $* $code"; exit 1; }
    done
    echo "refused: $code $*"
}
call='static inline void call(void)'
refuse 'str must be the last' 'TLOG_DEFINE_EVENT(x, (str, a), (u8, b))' $events
refuse 'at most 8 fields' \
    'TLOG_DEFINE_EVENT(x, (u8, a), (u8, b), (u8, c), (u8, d), (u8, e), (u8, f), (u8, g), (u8, h), (u8, i))' $events
refuse 'more than 32 bits' 'TLOG_DEFINE_EVENT(x, (u32, a), (u8, b))'
refuse 'more than 32 bits' 'TLOG_DEFINE_EVENT(x, (str, a))'
refuse 'TLOG_EVENT_GROUP: 0..3' '#define TLOG_EVENT_GROUP 4
TLOG_DEFINE_EVENT(x, (u8, a))' $events
[ "$tier" != quick ] || exit 0
all= # what soak takes besides
[ "$tier" = full ] || all=1

refuse 'at most 896 bytes' 'TLOG_DEFINE_EVENT(x, (u32[225], a))' $events
refuse 'TLOG_OWN_.*_u7' 'TLOG_DEFINE_EVENT(x, (u7, a))' $events
refuse 'few arguments\|many arguments\|arguments' "TLOG_DEFINE_EVENT(x, (u8, a)) $call { trace_x(); }" $events
refuse 'pointer\|conver' "TLOG_DEFINE_EVENT(x, (u8, a)) $call { trace_x(\"text\"); }" $events
refuse 'pointer\|conver\|no matching' "TLOG_DEFINE_EVENT(x, (str, a)) $call { trace_x(5); }" $events
refuse 'pointer\|conver\|no matching' \
    "TLOG_DEFINE_EVENT(x, (u8[4], a)) extern const uint16_t *w; $call { trace_x(w); }" $events
refuse 'conver\|overflow\|changes value\|narrowing' "TLOG_DEFINE_EVENT(x, (u8, a)) $call { trace_x(256); }" $events
refuse 'needs TLOG_TRACEEVENTS' 'TLOG_DEFINE_EVENT(x, (u8, a))' -DTLOG_PORTABLE_EVENTS

# Each compiler at each level; each language standard; one file's code twice in the program.
for level in -O0 -Os "-O2 -fno-inline" ${all:+-O1 -O3 -O2\ -funroll-loops}; do
    # shellcheck disable=SC2086
    {
        try gcc mps2-an385 cortex-m3 $gcc $gxx c++17 $events $level
        try clang mps2-an385 cortex-m3 "$clang" "$clangxx" c++17 $events $level
    }
done
for std in c++11 c++14 c++20; do
    try "gcc $std" mps2-an385 cortex-m3 $gcc $gxx $std $events -O2
    try "clang $std" mps2-an385 cortex-m3 "$clang" "$clangxx" $std $events -O2
done
for each in microbit:cortex-m0 mps2-an505:cortex-m33 virt:cortex-a15; do
    for level in -O2 ${all:+-O0 -Os}; do
        try gcc "${each%:*}" "${each#*:}" $gcc $gxx c++17 $events $level
        try clang "${each%:*}" "${each#*:}" "$clang" "$clangxx" c++17 $events $level
    done
done
for level in -O2 -Os; do
    try "gcc, link-time optimisation" mps2-an385 cortex-m3 $gcc $gxx c++17 $events $level -flto
    names | diff "$dir/called.txt" - || { echo "described are others than are called"; exit 1; }
done
objects "-mcpu=cortex-m3 -mthumb -include mps2-an385.h" $gcc $gxx c++17 $events -O2
# shellcheck disable=SC2086
$gcc -std=c11 -mcpu=cortex-m3 -mthumb -include mps2-an385.h $flags -O2 $events "$dir/app.o" "$dir/second.o" \
    "$dir/more.o" "$dir/library.a" target/src/*.c port/port_v[67]m.c port/out_semihost.c linker/startup_m.c \
    linker/mem.c \
    "-I$dir" -nostdlib -Llinker -T linker/mps2-an385.ld -lgcc -o "$dir/app.elf"
shows "without --gc-sections" mps2-an385
names | grep -q of_dead_code || { echo "without --gc-sections dead code has its events"; exit 1; }

# Other files' definitions of the same name with other fields are other events.
cat >"$dir/other.c" <<'END'
#include "tlog.h"
TLOG_DEFINE_EVENT(adc_sample, (u32, raw))
void log_library(void);
void log_library(void)
{
    trace_adc_sample(1);
}
END
objects "-mcpu=cortex-m3 -mthumb -include mps2-an385.h" $gcc $gxx c++17 $events -O2
firmware mps2-an385 "$dir/app.elf" "$dir/app.o" "$dir/second.o" "$dir/more.o" "$dir/other.c" $events
emulate mps2-an385 "$dir/app.elf"
python3 "$here/define.py" "$dir/app.elf" "$dir/dump.bin" | grep -q '^user:adc_sample:event group=0 raw=1$'
echo "one name, two definitions: two events"

# The portable form tells no group, and the linker script may be anybody's.
sed 's/ group=[0-9]//' "$here/expected.txt" >"$dir/expected.txt"
{ sed -n '/^MEMORY/,/^}/p' linker/mps2-an385.ld
  sed 's/ BSS / *(.bss .bss.*) /; s/INCLUDED//' tests/system/link/plain.ld; } >"$dir/plain.ld"
for level in -Os "-O2 -flto" ${all:+-O0 -O2}; do
    link=
    # shellcheck disable=SC2086
    try "portable, gcc" mps2-an385 cortex-m3 $gcc $gxx c++17 $events $level -DTLOG_PORTABLE_EVENTS
    # shellcheck disable=SC2086
    case $level in *lto) continue ;; *)
        try "portable, clang" mps2-an385 cortex-m3 "$clang" "$clangxx" c++11 $events $level -DTLOG_PORTABLE_EVENTS ;;
    esac
done
try "portable, gcc" microbit cortex-m0 $gcc $gxx c++17 $events -O2 -DTLOG_PORTABLE_EVENTS
link="-T $dir/plain.ld"
try "portable, a vendor's linker script" mps2-an385 cortex-m3 $gcc $gxx c++17 $events -O2 -DTLOG_PORTABLE_EVENTS
link=$lld
try "portable, lld" mps2-an385 cortex-m3 $gcc $gxx c++17 $events -O2 -DTLOG_PORTABLE_EVENTS
link=

# Records, without the events that do not fit.
grep -v 'motor_state\|energy\|opened\|where' "$here/expected.txt" >"$dir/expected.txt"
for level in -Os ${all:+-O0 -O2}; do
    try "records, gcc" mps2-an385 cortex-m3 $gcc $gxx c++17 $level
    try "records, clang" mps2-an385 cortex-m3 "$clang" "$clangxx" c++17 $level
done
try "records, gcc" microbit cortex-m0 $gcc $gxx c++17 -O2
try "records, gcc" virt cortex-a15 $gcc $gxx c++17 -O2

# TLOG_ENABLE=0 leaves nothing, nor does a level above TLOG_LEVEL.
for off in -DTLOG_ENABLE=0 "$events -DTLOG_LEVEL=0"; do
    for level in -O2 ${all:+-O0}; do
        # shellcheck disable=SC2086
        objects "-mcpu=cortex-m3 -mthumb -include mps2-an385.h" $gcc $gxx c++17 $off $level
        for object in app second library more; do
            if arm-none-eabi-nm "$dir/$object.o" | grep 'tlog_ev\.\|tlog_own' ||
                arm-none-eabi-objdump -h "$dir/$object.o" | grep tlog_event; then
                echo "left: $off $level $object"
                exit 1
            fi
        done
    done
    echo "nothing is left: $off"
done

# What the linker refuses: a script that lacks the sections, too many events in a group, lld.
# unlinked TEXT ARGUMENT...: linking the objects with these arguments must fail with that text
unlinked() {
    text=$1
    shift
    if firmware mps2-an385 "$dir/app.elf" $events "$@" 2>"$dir/err"; then
        echo "linked: $*"
        exit 1
    fi
    grep -q "$text" "$dir/err" || { cat "$dir/err"; exit 1; }
    echo "not linked: $text"
}
missing='undefined.*INCLUDE_tlog.ld_in_the_linker_script_or_TLOG_PORTABLE_EVENTS'
sources="$here/app.c $here/second.c $here/library.c -I$here -Dlog_cxx=log_library"
for option in "$lld" -g0 -flto; do
    # shellcheck disable=SC2086
    unlinked "$missing" -T "$dir/plain.ld" $sources -O2 "$option"
done
# shellcheck disable=SC2086
unlinked 'compile with TLOG_PORTABLE_EVENTS' $sources "$lld"
for count in 256 257; do
    {
        printf '#include "tlog.h"\n#define TLOG_EVENT_GROUP 2\n'
        i=0
        while [ $i -lt $count ]; do printf 'TLOG_DEFINE_EVENT(e%d, (u8, a))\n' $i; i=$((i + 1)); done
        printf 'int main(void)\n{\n'
        i=0
        while [ $i -lt $count ]; do printf '    trace_e%d(1);\n' $i; i=$((i + 1)); done
        printf '    return 0;\n}\n'
    } >"$dir/$count.c"
done
firmware mps2-an385 "$dir/app.elf" $events -Os "$dir/256.c"
names | wc -l | grep -qx 256
unlinked 'more than 256 events in group 2' -Os "$dir/257.c"
