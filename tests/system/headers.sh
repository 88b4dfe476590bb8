#!/bin/sh
# headers.sh - checks that target/src/README.md lists all files and the public headers, that each public header compiles
# alone, that each private header says which header to include instead, and that C++ can use all that C can. The READMEs
# of target and port list the options of tlog_config.h, and no call that there is not.
# usage: headers.sh
# In the tier full each header is compiled alone without options, and C++ in its oldest version and on one core, with
# the runtime as one file.
# Judges: gcc and clang for C and C++, for Arm and this machine.
set -eu
. tests/lib/needs.sh
. tests/lib/one_file.sh
needs clang clang++
flags="-ffreestanding -Wall -Wextra -Wpedantic -Wshadow -Wundef -Wconversion -Werror -Itarget -Iport -Iport/rtos
    -Ilinker"
clang="clang --target=arm-none-eabi"
clangxx="clang++ --target=arm-none-eabi"
headers=$(ls target/*.h target/src/*.h port/*.h port/rtos/*.h)
versions="c++11 c++14 c++20"
[ "${TIER:-}" != full ] || versions=c++11
out=$(mktemp -d)
mkdir "$out/objects"
trap 'rm -rf "$out"' EXIT

# name_of HEADER: print what #include says for it
name_of() {
    case $1 in target/src/*) echo "src/${1##*/}" ;; *) basename "$1" ;; esac
}
# is_private NAME; is_part NAME: a private header that public ones, or the runtime, begin with, so it compiles alone
is_private() {
    case $1 in src/* | port_*.h) return 0 ;; esac
    return 1
}
is_part() {
    case $1 in src/tlog_call.h | src/tlog_cxx.h | src/tlog_need.h | src/tlog_speed.h) return 0 ;; esac
    return 1
}

# A name that the list has and the folders have not is one that firmware can no longer include.
for header in $headers; do
    is_private "$(name_of "$header")" || echo "$header"
done | sort >"$out/public"
sed -n 's#^| `\([a-z]*/[a-z0-9_/]*\.h\)` |.*#\1#p' target/src/README.md | sort | diff - "$out/public" ||
    { echo "the public headers are not those of target/src/README.md"; exit 1; }
for file in target/src/*.[ch]; do
    grep -q "\`$(basename "$file")\`" target/src/README.md || { echo "not in target/src/README.md: $file"; exit 1; }
done
for name in $(grep -o '`[a-zA-Z_]*()`' target/src/README.md | tr -d '`()' | sort -u); do
    grep -qrw "$name" target/*.h target/src/*.[ch] port || { echo "target/src/README.md: there is no $name()"; exit 1; }
done
for option in $(sed -n 's/^#ifndef \(TLOG_[A-Z_]*\)$/\1/p' target/tlog_config.h); do
    [ "$option" = TLOG_TARGET_CONFIG_H ] || grep -q "^| \`$option\`" target/README.md ||
        { echo "target/README.md lacks the option $option"; exit 1; }
done
for document in target/README.md port/README.md port/rtos/README.md; do
    for name in $(grep -o '`\(tlog\|TLOG\)_[a-zA-Z_]*()`' "$document" | tr -d '`()' | sort -u); do
        grep -qrw --include='*.[ch]' "$name" target port || { echo "$document: there is no $name()"; exit 1; }
    done
done
echo "listed in target/src/README.md: $(wc -l <"$out/public") public headers"

# alone COMPILER FLAG...: compile each header alone with this compiler
alone() {
    for header in $headers; do
        name=$(name_of "$header")
        printf '#include "%s"\nextern int something;\n' "$name" >"$out/alone.c"
        # shellcheck disable=SC2086
        if "$@" $flags -fsyntax-only "$out/alone.c" 2>"$out/errors"; then
            ! is_private "$name" || is_part "$name" || { echo "private, but compiles alone: $name, $*"; exit 1; }
        else
            is_private "$name" || { cat "$out/errors"; echo "does not compile alone: $name, $*"; exit 1; }
            grep -q 'error.*tlog: include tlog.*\.h' "$out/errors" ||
                { cat "$out/errors"; echo "does not say what to include: $name, $*"; exit 1; }
        fi
    done
    echo "alone: $*"
}

# enclosed COMPILER FLAG...: compile each public header in extern "C" { }, as C++ often includes a kernel's headers
enclosed() {
    for header in $headers; do
        name=$(name_of "$header")
        printf 'extern "C" {\n#include "%s"\n}\n' "$name" >"$out/enclosed.cc"
        # shellcheck disable=SC2086
        is_private "$name" || "$@" $flags -fsyntax-only "$out/enclosed.cc" ||
            { echo "does not compile in extern \"C\": $name, $*"; exit 1; }
    done
    echo "enclosed: $*"
}
m3="-mcpu=cortex-m3 -mthumb -include mps2-an385.h"
for options in "" "-DTLOG_ENABLE=0" "-DTLOG_TRACEEVENTS=1 -DTLOG_ARENA=1"; do
    case ${TIER:-}$options in full?*) continue ;; esac
    # shellcheck disable=SC2086
    {
        alone arm-none-eabi-gcc -std=c11 $m3 $options
        alone arm-none-eabi-g++ -std=c++17 -x c++ $m3 $options
        alone gcc -std=c11 $options
        alone clang++ -std=c++17 -x c++ $options
    }
done

# A kernel's own files include them in the language of these files.
for options in "" "-DTLOG_ENABLE=0" "-DTLOG_TRACEEVENTS=1 -DTLOG_ARENA=1"; do
    case ${TIER:-}$options in full?*) continue ;; esac
    # shellcheck disable=SC2086
    alone arm-none-eabi-gcc -std=c99 $m3 $options
    # shellcheck disable=SC2086
    alone $clang -std=c99 $m3 $options
done
for header in $headers; do
    for options in "" "-DTLOG_ENABLE=0" "-DTLOG_TRACEEVENTS=1 -DTLOG_ARENA=1"; do
        case ${TIER:-}$options in full?*) continue ;; esac
        printf '#include "%s"\n' "$(name_of "$header")" >"$out/old.c"
        # shellcheck disable=SC2086
        is_private "$(name_of "$header")" || arm-none-eabi-gcc $flags -std=gnu89 -Wno-pedantic $m3 $options \
            -fsyntax-only "$out/old.c" || { echo "does not compile as gnu89: $header $options"; exit 1; }
    done
done
echo "gnu89: all public headers"

for std in $versions; do
    # shellcheck disable=SC2086
    alone arm-none-eabi-g++ -std=$std -x c++ $m3
    alone clang++ -std=$std -x c++ -DTLOG_TRACEEVENTS=1
    enclosed arm-none-eabi-g++ -std=$std $m3
    enclosed arm-none-eabi-g++ -std=$std $m3 -DTLOG_TRACEEVENTS=1 -DTLOG_ARENA=1
    enclosed clang++ -std=$std -DTLOG_TRACEEVENTS=1
done
std=

# Under the strictest warnings that firmware shops use, users' files and the runtime's own have none.
for options in "" "-DTLOG_TRACEEVENTS=1" "-DTLOG_PORTABLE_EVENTS=1" "-DTLOG_ENABLE=0"; do
    case ${TIER:-}$options in full-DTLOG_P*) continue ;; esac
    # shellcheck disable=SC2086
    arm-none-eabi-g++ -std=c++17 -O2 -c -o /dev/null $flags $m3 $options -Wold-style-cast -Wuseless-cast -Wcast-qual \
        -Wduplicated-branches -Wduplicated-cond -Wzero-as-null-pointer-constant -Wlogical-op -Wcast-align \
        -Wsign-conversion -Wnull-dereference -Wextra-semi -Wredundant-decls -Wmissing-declarations \
        tests/system/every_call.cc || { echo "warnings in C++: $options"; exit 1; }
done
for file in target/src/*.c port/irq_*.c port/port_v7m.c port/net_*.c port/out_*.c; do
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -std=c11 -O2 -c -o /dev/null $flags $m3 -Wcast-qual -Wbad-function-cast -Wcast-align -Wvla \
        -Wstrict-prototypes -Wmissing-prototypes -Wmissing-declarations -Wold-style-definition -Wredundant-decls \
        -Wnested-externs -Wduplicated-branches -Wduplicated-cond -Wlogical-op -Wnull-dereference -Wformat=2 \
        -Wwrite-strings -Wsign-conversion "$file" || { echo "warnings in C: $file"; exit 1; }
done
echo "strict warnings: none"

# S.Ha.R.K.'s and QNX's names of types have the sizes that they have there. On Arm they may be declared again, in the
# words of S.Ha.R.K.'s and QNX's headers.
cat >"$out/types.c" <<'EOF'
#include "tlog.h"
#include "tlog_traceevent.h"
#include "tlog_type_names.h"
#ifdef __arm__
typedef unsigned char BYTE;
typedef unsigned short WORD;
typedef unsigned long DWORD;
typedef unsigned long SYS_FLAGS;
#endif
typedef _Uint32t __traceentry;
#define IS(type, bytes, sign) \
    extern int is_##type[sizeof(type) == (bytes) && ((type)-1 < (type)1) == (sign) ? 1 : -1];
IS(BYTE, 1, 0) IS(WORD, 2, 0) IS(DWORD, 4, 0) IS(SYS_FLAGS, 4, 0)
IS(_Int8t, 1, 1) IS(_Int16t, 2, 1) IS(_Int32t, 4, 1) IS(_Int64t, 8, 1) IS(_Intptrt, sizeof(void *), 1)
IS(_Uint8t, 1, 0) IS(_Uint16t, 2, 0) IS(_Uint32t, 4, 0) IS(_Uint64t, 8, 0) IS(_Uintptrt, sizeof(void *), 0)
extern void log_it(WORD type, WORD par1, DWORD par2, BYTE family);
void log_it(WORD type, WORD par1, DWORD par2, BYTE family)
{
    FTrace_set_filter(family, 1);
    TRACER_LOGEVENT(type, par1, par2);
}
EOF
# shellcheck disable=SC2086
{
    arm-none-eabi-gcc -std=c11 $m3 $flags -fsyntax-only "$out/types.c"
    arm-none-eabi-g++ -std=c++17 -x c++ $m3 $flags -fsyntax-only "$out/types.c"
    $clang -std=c11 $m3 $flags -fsyntax-only "$out/types.c"
    gcc -std=c11 $flags -fsyntax-only "$out/types.c"
}
for header in $headers; do
    printf '#include "%s"\nint BYTE, WORD, DWORD, SYS_FLAGS, _Uint32t;\n' "$(name_of "$header")" >"$out/taken.c"
    [ "$header" = target/tlog_type_names.h ] || is_private "$(name_of "$header")" ||
        arm-none-eabi-gcc -std=c11 -include mps2-an385.h -mcpu=cortex-m3 -mthumb -Itarget -Iport -Iport/rtos \
            -Ilinker -fsyntax-only "$out/taken.c" || { echo "takes a name of tlog_type_names.h: $header"; exit 1; }
done
echo "names of types: tlog_type_names.h, and no other header"

# try_cxx C CXX CORE_AND_BOARD FLAG...: build one program of the runtime, compiled as C, and its callers, as C++
symbols="-Wl,--no-enum-size-warning -Wl,--no-warn-execstack -Wl,--defsym=__tlog_arena_start=0x20010000
    -Wl,--defsym=__tlog_arena_end=0x20020000
    -Wl,--defsym=tlog_runs_above_1_need_INCLUDE_tlog.ld_in_the_linker_script=0x20020000
    -Wl,--defsym=__stop_tlog_chunks=0x20030000
    -Wl,--defsym=tlog_own_events_need_INCLUDE_tlog.ld_in_the_linker_script_or_TLOG_PORTABLE_EVENTS=1"
sources="$(echo target/src/*.c) $(echo port/*_v[67]m.c) $(echo port/net_*.c)"
if [ "${TIER:-}" = full ]; then
    # shellcheck disable=SC2086
    one_file $sources >"$out/runtime.c"
    sources=$out/runtime.c
fi
try_cxx() {
    cc=$1 cxx=$2 core=$3
    shift 3
    # shellcheck disable=SC2086
    {
        for source in $sources port/out_*.c linker/mem.c; do
            object=$out/objects/$(basename "$source").o
            $cc -std=c11 $core -mfloat-abi=soft $flags -DNET_CLOCK_HZ=1000000u "$@" -c "$source" -o "$object"
        done
        for source in tests/system/every_call.c tests/system/every_call.cc; do
            object=$out/objects/$(basename "$source").o
            $cxx -std=${std:-c++17} -fno-exceptions -fno-rtti -x c++ $core -mfloat-abi=soft $flags "$@" -c $source \
                -o "$object"
        done
        arm-none-eabi-gcc ${core%% -include*} -mfloat-abi=soft -nostdlib -Wl,-e,entry $symbols "$out"/objects/*.o \
            -lgcc -o "$out/firmware"
    }
    echo "C++: $cxx ${std:-c++17} $core $*"
}
all="-DTLOG_TRACEEVENTS=1 -DTLOG_ARENA=1"
for core in "$m3" "-mcpu=cortex-m0 -mthumb -include microbit.h" "-mcpu=cortex-m33 -mthumb -include mps2-an505.h" \
    "-mcpu=cortex-a15 -mthumb -include virt.h"; do
    case ${TIER:-}$core in full*cortex-m3\ *) ;; full*) continue ;; esac
    # shellcheck disable=SC2086
    {
        try_cxx arm-none-eabi-gcc arm-none-eabi-g++ "$core" -O0 $all
        try_cxx arm-none-eabi-gcc arm-none-eabi-g++ "$core" -O2 $all
        try_cxx arm-none-eabi-gcc "$clangxx" "$core" -O2 $all
    }
    try_cxx arm-none-eabi-gcc arm-none-eabi-g++ "$core" -O0 -DTLOG_ENABLE=0
done
try_cxx arm-none-eabi-gcc arm-none-eabi-g++ "-mcpu=cortex-a15 -marm -include virt.h" -Os -DTLOG_TRACEEVENTS=1
try_cxx arm-none-eabi-gcc arm-none-eabi-g++ "$m3" -O2 -DTLOG_CONTEXT=1 -DTLOG_UNIQUE_STAMPS=1 -DTLOG_RUNS=2
try_cxx "$clang" "$clangxx" "$m3" -O2 -DTLOG_ENABLE=0
# Every version of C++ from C++11 on.
for std in $versions; do
    # shellcheck disable=SC2086
    {
        try_cxx arm-none-eabi-gcc arm-none-eabi-g++ "$m3" -O2 $all
        try_cxx "$clang" "$clangxx" "$m3" -O2 $all
        try_cxx arm-none-eabi-gcc arm-none-eabi-g++ "$m3" -O0 -DTLOG_ENABLE=0
    }
done
std=
try_cxx arm-none-eabi-gcc arm-none-eabi-g++ "-mcpu=cortex-a15 -mthumb -include virt.h" -O2 -DTLOG_CPUS=2 \
    -DTLOG_TRACEEVENTS=1

# The fault handler has C linkage, so that a vector table in C or assembly can name it.
arm-none-eabi-nm "$out/objects/every_call.c.o" | grep -q ' T fault_handler$'

# -finstrument-functions: each function of the firmware calls __cyg_profile_func_enter() once (other() calls it a second
# time itself); no inline function of a header does.
for options in "-O0" "-O2 -fno-inline"; do
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -std=c11 $m3 $flags $all $options -finstrument-functions -c tests/system/every_call.c \
        -o "$out/instrumented.o"
    arm-none-eabi-objdump -dr "$out/instrumented.o" |
        awk '/^[0-9a-f]+ <.*>:$/ { name = $2 } /[ \t]__cyg_profile_func_enter$/ { print name }' | sort |
            uniq -c >"$out/instrumented"
    grep -q ' 1 <use_records>:' "$out/instrumented"
    if grep -v ' 1 <[a-z]\| 2 <other>:' "$out/instrumented" ||
        grep -E '<(tlog|trace|FTrace|fault)_' "$out/instrumented"; then
        echo "instrumented, $options: code of a header"
        exit 1
    fi
done
echo "instrumented: $(wc -l <"$out/instrumented") functions"

# Files compiled with other options than the runtime must not link with it, and the linker names the option, and no
# other one. runtime NAME FLAG...: compile the runtime; differs TEXT NAME FLAG...: compile a file that logs, link it
# with that runtime, and expect an undefined reference to the symbol of TEXT only.
printf '#include "tlog.h"\nvoid entry(void);\nvoid entry(void)\n{\n    TRACER_LOGEVENT(1, 2, 3);\n}\n' >"$out/main.c"
runtime() {
    name=$1
    shift
    mkdir -p "$out/runtime_$name"
    for source in target/src/*.c port/*_v[67]m.c linker/mem.c; do
        # shellcheck disable=SC2086
        arm-none-eabi-gcc -std=c11 $flags -ffunction-sections "$@" -c "$source" \
            -o "$out/runtime_$name/$(basename "$source").o"
    done
}
link_with() {
    name=$1
    shift
    # shellcheck disable=SC2086
    arm-none-eabi-gcc -O2 ${core%% -include*} -nostdlib -Wl,--gc-sections -Wl,-e,entry $symbols "$@" \
        "$out/runtime_$name"/*.o -lgcc -o "$out/firmware" 2>"$out/errors"
}
differs() {
    text=$1 name=$2
    shift 2
    for compiler in "arm-none-eabi-gcc" "arm-none-eabi-gcc -flto" "$clang"; do
        # shellcheck disable=SC2086
        $compiler -std=c11 $flags -O2 "$@" -c "${main:-$out/main.c}" -o "$out/main.o"
        if link_with "$name" "$out/main.o"; then
            echo "linked: $compiler $*"
            exit 1
        fi
        sed -n "s/.*undefined reference to .\(tlog_[A-Za-z0-9_]*\).*/\1/p" "$out/errors" | sort -u >"$out/undefined"
        printf 'tlog_all_files_need_%s\n' "$text" | cmp -s - "$out/undefined" ||
            { cat "$out/errors"; echo "not named: $text, $compiler $*"; exit 1; }
    done
    echo "not linked: $text"
}
# both OPTION: a file and the runtime differ in this option, one way and the other
both() {
    option=$1 here=$2 there=$3
    # shellcheck disable=SC2086
    {
        runtime other $core -O2 "$option"
        differs "$there" other $core
        differs "$here" plain $core "$option"
    }
}
core=$m3
# shellcheck disable=SC2086
{
    runtime plain $core -O2
    runtime lto $core -O2 -flto
    arm-none-eabi-gcc -std=c11 $flags -O2 -flto $core -c "$out/main.c" -o "$out/main.o"
    for name in plain lto; do link_with $name "$out/main.o" || { cat "$out/errors"; exit 1; }; done
    differs TLOG_CONTEXT_1 lto $core -DTLOG_CONTEXT=1
}
both -DTLOG_CONTEXT=1 TLOG_CONTEXT_1 TLOG_CONTEXT_0
both -DTLOG_UNIQUE_STAMPS=1 TLOG_UNIQUE_STAMPS_1 TLOG_UNIQUE_STAMPS_0
both -DTLOG_TRACEEVENTS=1 TLOG_TRACEEVENTS_1 TLOG_TRACEEVENTS_0
both -DTLOG_RUNS=2 TLOG_RUNS_above_1 TLOG_RUNS_1
# shellcheck disable=SC2086
differs TLOG_CLOCK_DOWN_0 plain $core -DTLOG_CLOCK_ADDRESS=0x40000004u
# shellcheck disable=SC2086
differs TLOG_CLOCK_DOWN_0_and_TLOG_CLOCK_BITS_24 plain $core -DTLOG_CLOCK_ADDRESS=0x40000004u -DTLOG_CLOCK_BITS=24 \
    -DTLOG_CLOCK_HZ=1000
core="-mcpu=cortex-a15 -marm -include virt.h"
# shellcheck disable=SC2086
runtime plain $core -O2
both -DTLOG_CPUS=2 TLOG_CPUS_2 TLOG_CPUS_1
both -DTLOG_CLOCK_ADDRESS=0x1E000200u TLOG_CLOCK_ADDRESS_and_TLOG_CLOCK_DOWN_0 no_TLOG_CLOCK_ADDRESS
core="-mcpu=cortex-m0 -mthumb -include microbit.h"
# shellcheck disable=SC2086
runtime plain $core -O2
both -DTLOG_CONTEXT=1 TLOG_CONTEXT_1 TLOG_CONTEXT_0
# Each kind of inlined call does it: alone in its file, with the option, against a runtime without.
for core in "$m3" "-mcpu=cortex-a15 -marm -include virt.h" "-mcpu=cortex-m0 -mthumb -include microbit.h"; do
    # shellcheck disable=SC2086
    runtime events $core -O2 -DTLOG_TRACEEVENTS=1
    for code in 'FAST_TRACER_LOGEVENT(1, 2, 3)' 'tlog_event(6, 1, 1, 2)' 'TLOG_PRINTK("a %d", 1)' \
        'TLOG_PRINTK("%s", "a")' 'static uint32_t w[8]; tlog_event_words(6, 1, w, 4)' \
        'static uint32_t w[8]; tlog_event_words(6, 1, w, 8)'; do
        printf '#include "tlog.h"\nvoid entry(void);\nvoid entry(void)\n{\n    %s;\n}\n' "$code" >"$out/call.c"
        main=$out/call.c
        # shellcheck disable=SC2086
        differs TLOG_UNIQUE_STAMPS_1 events $core -DTLOG_TRACEEVENTS=1 -DTLOG_UNIQUE_STAMPS=1
    done
done

# refused TEXT OPTIONS CODE: C++ must refuse to compile CODE, with an error that matches TEXT: wrong constants, wrong
# formats, and formats in templates, which gcc would lose
refused() {
    text=$1 options=$2 code=$3
    printf '#include "tlog.h"\n%s\n' "$code" >"$out/bad.cc"
    for cxx in arm-none-eabi-g++ "$clangxx"; do
        case $cxx$text in clang*template*) continue ;; esac
        # shellcheck disable=SC2086
        if $cxx -std=${std:-c++17} $m3 $flags -O2 $options -c "$out/bad.cc" -o "$out/bad.o" 2>"$out/errors"; then
            echo "compiled: $cxx $options $code"
            exit 1
        fi
        grep -q "$text" "$out/errors" || { cat "$out/errors"; echo "not for that reason: $cxx $options $code"; exit 1; }
    done
    echo "refused: $options $code"
}
for options in "" "-DTLOG_ENABLE=0"; do
    for code in 0 0xFF 0x109 0x8009; do
        case $options$code in *ENABLE=00xFF) continue ;; esac # a command where nothing is logged
        refused 'an event code is 0x01..0xFE' "$options" "void f() { TRACER_LOGEVENT($code, 1, 2); }"
    done
    refused 'an event code is 0x01..0xFE' "$options" 'void f(unsigned a) { FAST_TRACER_LOGEVENT(a, 1, 2); }'
done
refused 'par1 is 0..65535' "" 'void f() { TRACER_LOGEVENT(1, 65536, 2); }'
refused 'par1 is 0..65535' "" 'void f() { FAST_TRACER_LOGEVENT(1, 0x12345u, 2); }'
for options in "-DTLOG_TRACEEVENTS=1" "-DTLOG_ENABLE=0"; do
    refused 'a class is 1..31' "$options" 'void f() { tlog_event(32, 1, 1, 2); }'
    refused 'a class is 1..31' "$options" 'void f(const uint32_t *a) { tlog_event_words(6, 1024, a, 1); }'
    refused 'at most 8 arguments' "$options" 'void f() { TLOG_PRINTK("", 1, 2, 3, 4, 5, 6, 7, 8, 9); }'
    refused 'W.*format' "$options" 'void f() { TLOG_PRINTK("%s", 1); }'
done
refused 'W.*format' -DTLOG_TRACEEVENTS=1 'void f(const uint8_t *text) { TLOG_PRINTK("%s", text); }'
for std in c++11 c++17 c++20; do
    refused 'cannot stand in a template' -DTLOG_TRACEEVENTS=1 \
        'template <class T> void g(T a) { TLOG_PRINTK("%d", a); } void f() { g(1); }'
done
std=
refused 'TLOG_TRACEEVENTS=1' "" 'void f() { TLOG_PRINTK("none"); }'
for code in 'tlog_event(6, 1, 1, 2)' 'trace_logi(1, 1, 2)' 'trace_logs(1, "")' 'tlog_filter_class(6, true)'; do
    refused 'need TLOG_TRACEEVENTS = 1' "" "void f() { $code; }"
done
refused 'needs TLOG_ARENA = 1' "" 'void f() { TRACER_LOGEVENT(FTrace_EVT_next_chunk, 1, 2); }'
refused 'need TLOG_ARENA = 1' "" 'void f() { (void)tlog_chunk_create(1, 1, 0); }'
refused 'TLOG_SLOTS: 1..65534' -DTLOG_SLOTS=0 ''

# On this machine: an event logged by C++ is in the memory of the runtime, which is compiled as C.
mkdir "$out/host"
for source in target/src/*.c port/port_posix.c; do
    # shellcheck disable=SC2086
    cc -std=c11 $flags -O1 -DTLOG_TRACEEVENTS=1 -c "$source" -o "$out/host/$(basename "$source").o"
done
for cxx in g++ clang++; do
    # shellcheck disable=SC2086
    for std in c++11 c++17 c++20; do
        $cxx -std=$std -Wall -Wextra -Wpedantic -Werror -Itarget -Iport -O1 -DTLOG_TRACEEVENTS=1 -DRUN \
            tests/system/every_call.cc "$out"/host/*.o -o "$out/run"
        "$out/run"
    done
    # shellcheck disable=SC2086
    $cxx -std=c++17 -x c++ $flags -DTLOG_CPUS=2 -DTLOG_TRACEEVENTS=1 -fsyntax-only tests/system/every_call.c
done
