#!/bin/sh
# options.sh - the hooks of every kernel in port/rtos compile with each option and tier, with all warnings, by gcc and
# clang, and define no hook that the kernel's header does not declare; what does not fit the kernel is refused.
# usage: options.sh BUILD
# Judges: arm-none-eabi-gcc, clang.
set -eu
. tests/lib/needs.sh
needs clang
build=$1
dir=$build/test/rtos/options
rm -rf "$dir"
mkdir -p "$dir"

# compiles ARGUMENT...: with all warnings, by both compilers.
compiles() (
    for compiler in arm-none-eabi-gcc "clang --target=arm-none-eabi"; do
        $compiler -std=c11 -mcpu=cortex-m3 -mthumb -ffreestanding -Wall -Wextra -Wpedantic -Werror -Wconversion \
            -Wshadow -Wundef -Itarget -Iport -include linker/mps2-an385.h -fsyntax-only "$@"
    done
)

here=tests/rtos/freertos
groups="WHY QUEUES TIMERS EVENT_GROUPS STREAM_BUFFERS NOTIFICATIONS HEAP SLEEP ISR"
for option in TIER=0 TIER=1 TIER=2 $(for group in $groups; do echo "$group=0"; done) TICK=1; do
    compiles -I$here -Iport/rtos -Iport/rtos/freertos "-DTLOG_FREERTOS_$option" port/rtos/freertos/tlog_freertos.c
done
compiles -I$here -Itests/rtos -Iport/rtos -Iport/rtos/freertos -DTLOG_ENABLE=0 $here/app.c
echo "FreeRTOS: each tier and each group left out, and all of tlog: compiles"
# The header's line was forgotten in FreeRTOSConfig.h: the compiler's first error says which line to write.
mkdir "$dir/forgotten"
cp $here/*.h "$dir/forgotten"
sed '/"tlog_freertos.h"/d' $here/FreeRTOSConfig.h >"$dir/forgotten/FreeRTOSConfig.h"
if compiles -I"$dir/forgotten" -Iport/rtos -Iport/rtos/freertos port/rtos/freertos/tlog_freertos.c 2>"$dir/first"; then
    echo "no hook is called, and it compiles"
    exit 1
fi
grep -m 1 'error:' "$dir/first" | grep -q 'FreeRTOSConfig.h does not include tlog_freertos.h'
echo "FreeRTOS: a FreeRTOSConfig.h without tlog's line: the error names it"
# A product has trace macros of its own. In front of tlog's they are an error, unless they are to be replaced. Behind
# them they call both; tlog's part of every hook is there, and empty where nothing is logged.
product="-I$here -Itests/rtos -Iport/rtos -Iport/rtos/freertos"
sed -n 's/^#undef trace/trace/p' port/rtos/freertos/tlog_freertos_hooks.h >"$dir/hooks"
grep -o '^#define trace[A-Za-z_]*' port/rtos/freertos/tlog_freertos_hooks.h | sed 's/.* //' | diff "$dir/hooks" -
sed 's/.*/#define &(...) product()/' "$dir/hooks" >"$dir/own.h"
for file in queue.c others.c; do
    # shellcheck disable=SC2086
    if compiles $product -include "$dir/own.h" $here/$file 2>"$dir/own"; then
        echo "$file: hooks of the product's own are lost"
        exit 1
    fi
    grep -q 'error.*redefined' "$dir/own"
    # shellcheck disable=SC2086
    compiles $product -include "$dir/own.h" -DTLOG_FREERTOS_REPLACE=1 $here/$file
done
{
    echo '#include "FreeRTOSConfig.h"'
    sed 's/.*/#undef &\n#define &(...) (TLOG_&(), product())/' "$dir/hooks"
    printf 'void product(void);\nvoid all(void);\nvoid all(void)\n{\n'
    sed 's/$/();/' "$dir/hooks"
    echo '}'
} >"$dir/both.c"
# shellcheck disable=SC2086
compiles $product -include "$dir/own.h" -DTLOG_ENABLE=0 -DTLOG_FREERTOS_REPLACE=1 "$dir/both.c"
# shellcheck disable=SC2086
arm-none-eabi-gcc -mcpu=cortex-m3 -mthumb -O2 $product -Itarget -Iport -include linker/mps2-an385.h -ffreestanding \
    -DTLOG_ENABLE=0 -c "$dir/both.c" -o "$dir/both.o"
[ "$(arm-none-eabi-nm "$dir/both.o" | grep -c .)" -eq 2 ] # all() and product()
echo "FreeRTOS: a product's own trace macros: replaced, or both, and none of tlog's with TLOG_ENABLE=0"
# With other layouts than those of the public structures the kernel does not compile, also if only waits are logged.
for moved in uxItemSize=a,uxItemSize:Queue_t xTail=a,xTail:StreamBuffer_t; do
    for queues in 0 1; do
        if compiles -I$here -Itests/rtos -Iport/rtos -Iport/rtos/freertos "-D${moved%:*}" $here/queue.c $here/others.c \
            "-DTLOG_FREERTOS_QUEUES=$queues" "-DTLOG_FREERTOS_STREAM_BUFFERS=$queues" 2>"$dir/moved"; then
            echo "compiles with $moved" && exit 1
        fi
        grep -q "tlog does not know this ${moved#*:}" "$dir/moved"
    done
done
echo "a kernel with other control blocks: refused"
# So is a kernel that is too old or too new, by one error of each compiler, which says so.
for version in "9 older" "12 newer"; do
    if compiles -I$here -Iport/rtos -Iport/rtos/freertos "-DSTAND_IN=${version% *}" -DSTAND_IN_MINOR=0 \
        port/rtos/freertos/tlog_freertos.c 2>"$dir/version"; then
        echo "compiles with $version" && exit 1
    fi
    [ "$(grep -c 'error:' "$dir/version")" = 2 ]
    [ "$(grep -c "error: .*tlog: this kernel is ${version#* } than FreeRTOS" "$dir/version")" = 2 ]
done
echo "a kernel that is too old or too new: refused by one error"

here=tests/rtos/rtx5
port=port/rtos/rtx5
for tier in 0 1 2 3; do
    compiles -I$here -Wmissing-prototypes "-DTLOG_RTX5_TIER=$tier" $port/tlog_rtx5.c
done
echo "RTX5: each tier: compiles"

here=tests/rtos/threadx
port=port/rtos/threadx
for option in TIER=0 TIER=1 TIER=2 TIER=3 ISR=0; do
    compiles -I$here -I$port "-DTLOG_THREADX_$option" $port/tlog_threadx.c
done
arm-none-eabi-gcc -x assembler-with-cpp -mcpu=cortex-m3 -mthumb -I$here -I$port -c $here/tx_user.h -o "$dir/asm.o"
echo "ThreadX: each tier: compiles, and the header assembles"

here=tests/rtos/zephyr
port=port/rtos/zephyr
# The port's folder is ahead of the kernel's, as README says.
include="-I$port -I$here/include -DCONFIG_TRACING -DCONFIG_THREAD_NAME"
for hooks in CUSTOM USER; do
    for option in -DTLOG_ENABLE=0 -DTLOG_TRACEEVENTS=1 -DCONFIG_TLOG_ZEPHYR_WHY -DCONFIG_TLOG_ZEPHYR_OBJECTS \
        -DCONFIG_TLOG_ZEPHYR_ISR -UCONFIG_THREAD_NAME; do
        # shellcheck disable=SC2086
        compiles $include "-DCONFIG_TRACING_$hooks" "$option" $port/tlog_zephyr.c
        # shellcheck disable=SC2086
        compiles $include "-DCONFIG_TRACING_$hooks" "$option" $port/tlog_zephyr_isr.c
    done
done
echo "Zephyr: each option: compiles"

# Before 3.1 the kernel's headers were not in a folder zephyr.
old=$dir/zephyr
cp -r $here/include/zephyr "$old"
for header in "$old"/*.h "$old"/*/*.h; do
    sed -i 's#<zephyr/#<#' "$header"
done
cp $here/include/tracing_user.h "$old/"
compiles -I$port "-I$old" -DCONFIG_TRACING -DCONFIG_TRACING_USER -DCONFIG_THREAD_NAME $port/tlog_zephyr.c
echo "with headers as before 3.1: compiles"
